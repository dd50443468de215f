import { styleText } from "node:util";
import { type Severity, severities } from "../../functions/issues/issue.ts";
import { cellsOf, cutToCells, padToCells, printable } from "./printable.ts";
import type { Output } from "./progress.ts";
import { bySeverity, cweNames, isOpen, noticeText, placeOf, type ScanResult, type Summary, titleOf } from "./result.ts";
import type { Say } from "./texts.ts";

type Style = (format: Parameters<typeof styleText>[0], text: string) => string;

/** Where a table goes: nothing but a terminal gets colours and is cut to a width. */
export interface TableTarget {
  readonly style: Style;
  readonly columns: number;
}

/** Colours as the terminal and NO_COLOR allow. */
export const terminalTarget = (stream: Output): TableTarget => ({
  style: (format, text) => styleText(format, text, { stream }),
  columns: stream.isTTY && stream.columns ? stream.columns : Number.POSITIVE_INFINITY,
});

export const plainTarget: TableTarget = { style: (_, text) => text, columns: Number.POSITIVE_INFINITY };

const colours: Readonly<Record<Severity, Parameters<typeof styleText>[0]>> = {
  critical: ["bold", "red"],
  high: "red",
  medium: "yellow",
  low: "blue",
};

/** The open issues as a table, one a line, and the summary below. */
export function tableOf(result: ScanResult, summary: Summary, say: Say, target: TableTarget): string {
  const open = result.issues.filter(isOpen).sort(bySeverity);
  const lines = open.length === 0 ? [] : [...issueTable(open, say, target), ""];
  return `${[...lines, ...summaryLines(result, summary, say, target)].join("\n")}\n`;
}

const gap = "  ";
/** Below this a title says nothing; the line rather wraps. */
const titleCellsMin = 24;

function issueTable(
  issues: readonly ScanResult["issues"][number][],
  say: Say,
  { style, columns }: TableTarget,
): string[] {
  const heads = [say("column_severity"), say("column_place"), say("column_rule"), say("column_title"), "CWE"];
  const rows = issues.map((issue) =>
    [say(issue.severity), placeOf(issue), issue.rule_id, titleOf(issue), cweNames(issue)].map(printable),
  );
  const widths = heads.map((head, column) => Math.max(...[head, ...rows.map((row) => row[column]!)].map(cellsOf)));
  const others = widths.reduce((sum, width) => sum + width + gap.length, -gap.length) - widths[3]!;
  widths[3] = Math.min(widths[3]!, Math.max(titleCellsMin, columns - others));
  const lineOf = (cells: readonly string[]) =>
    cells.map((cell, column) => padToCells(cutToCells(cell, widths[column]!), widths[column]!));
  return [
    style("dim", lineOf(heads).join(gap).trimEnd()),
    ...rows.map((row, index) => {
      const [severity, ...rest] = lineOf(row);
      return [style(colours[issues[index]!.severity], severity!), ...rest].join(gap).trimEnd();
    }),
  ];
}

/** Counts, coverage and warnings: the end of the table, and what stands on standard error beside the other formats. */
export function summaryLines(result: ScanResult, summary: Summary, say: Say, { style }: TableTarget): string[] {
  const { task } = result;
  const facts = [
    say("files_scanned", { files: summary.filesScanned }),
    say("files_skipped", { files: summary.filesSkipped }),
    say("lines", { lines: task.total_lines }),
    ...(summary.analysed ? [say("score", { score: task.quality_score })] : []),
    ...(summary.rulesOnly ? [say("rules_only")] : []),
    say("seconds", { seconds: result.seconds }),
  ];
  const warnings = summary.warnings
    .filter((warning) => warning.key !== "suppressed_findings") // the headline counts them
    .map((warning) => style("yellow", say("warning", { text: noticeText(warning, say) })));
  return [headline(summary, say, style), facts.join(" · "), ...warnings];
}

/** Never "no issues" where nothing was looked at. */
function headline(summary: Summary, say: Say, style: Style): string {
  if (!summary.analysed) return style(["bold", "yellow"], say("nothing_analysed"));
  const silenced = summary.silenced > 0 ? ` (${say("also_silenced", { count: summary.silenced })})` : "";
  if (summary.openTotal === 0) return style("green", say("no_issues", { files: summary.filesScanned })) + silenced;
  return issueCounts(summary, say, style) + silenced;
}

/** "12 issues: 2 critical, 10 low". */
export function issueCounts({ open, openTotal }: Summary, say: Say, style: Style = plainTarget.style): string {
  const counts = severities
    .filter((severity) => open[severity] > 0)
    .map((severity) => style(colours[severity], `${open[severity]} ${say(severity)}`));
  return `${style("bold", say("issues_found", { count: openTotal }))}: ${counts.join(", ")}`;
}
