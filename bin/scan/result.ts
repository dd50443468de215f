import { type Severity, severities } from "../../functions/issues/issue.ts";
import type { Language } from "../../functions/platform/language.ts";
import type { Warning } from "../../functions/scans/task.ts";
import { reasonText } from "./review-reasons.ts";
import type { Say, TextKey } from "./texts.ts";
import type { Issue, Task } from "./views.ts";

/** What was scanned and what came out: all formats are made from this. */
export interface ScanResult {
  readonly scanned: {
    readonly kind: "folder" | "zip";
    /** The name of the folder or ZIP file; never where it lies. */
    readonly name: string;
    /** All files met in the folder or archive, outside excluded folders. */
    readonly files: number;
  };
  readonly task: Task;
  readonly issues: readonly Issue[];
  /** Files left out because no archive can hold their names. */
  readonly unpackable: readonly string[];
  /** The whole run, upload and all. */
  readonly seconds: number;
  readonly language: Language;
}

export interface Summary {
  /** False when the result says nothing about the code. */
  readonly analysed: boolean;
  /** Open issues of each severity. */
  readonly open: Readonly<Record<Severity, number>>;
  readonly openTotal: number;
  /** Issues that a comment in the code or a reviewer has silenced. */
  readonly silenced: number;
  readonly filesScanned: number;
  readonly filesSkipped: number;
  /** No model looked at the code. */
  readonly rulesOnly: boolean;
  readonly warnings: readonly Notice[];
}

/** A warning in the words of the formats. */
export interface Notice {
  readonly key: TextKey & (Warning["code"] | "names_not_packed");
  readonly count: number;
  readonly paths: readonly string[];
  /** In words. */
  readonly reason?: string | undefined;
}

export function summarise({ scanned, task, issues, unpackable, language }: ScanResult): Summary {
  const open = Object.fromEntries(
    severities.map((severity) => [
      severity,
      issues.filter((issue) => isOpen(issue) && issue.severity === severity).length,
    ]),
  ) as Record<Severity, number>;
  const openTotal = severities.reduce((sum, severity) => sum + open[severity], 0);
  const warnings: Notice[] = task.warnings
    .filter((warning) => warning.code !== "rules_only") // a fact and no alarm: who wants a model, configures one
    .map(({ code, count, paths, reason }) => ({
      key: code,
      count,
      paths,
      reason: reason && reasonText(reason, language),
    }));
  if (unpackable.length > 0) warnings.push({ key: "names_not_packed", count: unpackable.length, paths: unpackable });
  const notAnalysed = task.warnings.find((warning) => warning.code === "files_not_analysed")?.count ?? 0;
  // The service counts a file as scanned when it is done with it, also when it could not read it.
  const filesScanned = Math.max(0, Math.min(task.scanned_files, task.total_files - notAnalysed));
  return {
    analysed: filesScanned > 0,
    open,
    openTotal,
    silenced: issues.length - openTotal,
    filesScanned,
    filesSkipped: Math.max(0, scanned.files - task.total_files),
    rulesOnly: task.warnings.some((warning) => warning.code === "rules_only"),
    warnings,
  };
}

export const isOpen = (issue: Issue): boolean => issue.status === "open";

/** Most severe first, then by place. Ids differ from scan to scan and decide nothing, so the same findings always come in the same order. */
export function bySeverity(a: Issue, b: Issue): number {
  return severities.indexOf(a.severity) - severities.indexOf(b.severity) || byPlace(a, b);
}

/** By place, rule and fingerprint; code units, no locale. */
export function byPlace(a: Issue, b: Issue): number {
  return (
    compare(a.file_path, b.file_path) ||
    (a.line_number ?? 0) - (b.line_number ?? 0) ||
    (a.column_number ?? 0) - (b.column_number ?? 0) ||
    compare(a.rule_id, b.rule_id) ||
    compare(a.fingerprint, b.fingerprint)
  );
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** `src/app.js:12:5`, as editors and terminals open it. */
export const placeOf = (issue: Pick<Issue, "file_path" | "line_number" | "column_number">): string =>
  [issue.file_path, issue.line_number, issue.column_number].filter((part) => part !== null).join(":");

export const titleOf = (issue: Issue): string => issue.title ?? issue.message ?? issue.rule_id;

export const cweNames = (issue: Pick<Issue, "cwe">): string => issue.cwe.map((number) => `CWE-${number}`).join(", ");

/** A sentence names so many paths; JSON has all that the service names. */
const pathsShown = 5;

/** A warning as one sentence, with the first paths it is about. */
export function noticeText(notice: Notice, say: Say): string {
  const sentence = say(notice.key, { count: notice.count, reason: notice.reason ?? "" });
  if (notice.paths.length === 0) return sentence;
  const shown = notice.paths.slice(0, pathsShown);
  const more = notice.count - shown.length;
  return `${sentence}: ${[...shown, ...(more > 0 ? [say("and_more", { count: more })] : [])].join(", ")}`;
}
