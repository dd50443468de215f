import { v5 as uuidOfName } from "uuid";
import * as z from "zod";
import { type Finding, origins } from "../engine/finding.ts";
import type { Language } from "../platform/language.ts";

export const Severity = z.enum(["critical", "high", "medium", "low"]);
export type Severity = z.infer<typeof Severity>;

/** Most severe first; severities never sort as text. */
export const severities = Severity.options;

export const IssueStatus = z.enum(["open", "resolved", "false_positive"]);
export type IssueStatus = z.infer<typeof IssueStatus>;

const Text = z.object({ zh: z.string(), en: z.string() });

const TraceStep = z.object({
  path: z.string(),
  startLine: z.number(),
  startColumn: z.number(),
  endLine: z.number(),
  endColumn: z.number(),
  code: z.string(),
  role: z.enum(["source", "step", "sink"]),
});

const Adjudication = z.object({ verdict: z.enum(["confirmed", "refuted", "unsure"]), reason: z.string() });

/** What somebody said about an issue, and when. */
const Verdict = z.object({
  status: IssueStatus,
  by: z.uuid().nullable(),
  at: z.iso.datetime(),
  note: z.string().nullable(),
  /** The issue of an earlier scan where it was said, when it was carried over from there. */
  from: z.object({ taskId: z.uuid(), issueId: z.uuid() }).nullable(),
});

/** An item of DynamoDB ends at 400 KB: so many verdicts with the longest notes take 150 KB, and an issue needs room for its trace. */
export const verdictsMax = 50;
export const noteCharactersMax = 1000;

/** One problem that a scan found in one place. */
export const Issue = z.object({
  id: z.uuid(),
  taskId: z.uuid(),
  ownerId: z.uuid(),
  ruleId: z.string(),
  fingerprint: z.string(),
  movedFingerprint: z.string(),
  issueType: z.enum(["security", "bug", "performance", "style", "maintainability"]),
  vulnerabilityType: z.string(),
  severity: Severity,
  confidence: z.number(),
  cwe: z.array(z.number()),
  owasp2021: z.string().nullable(),
  owasp2025: z.string().nullable(),
  title: Text,
  message: Text,
  fix: Text,
  path: z.string(),
  startLine: z.number(),
  startColumn: z.number(),
  endLine: z.number(),
  endColumn: z.number(),
  symbol: z.string(),
  snippet: z.string(),
  trace: z.array(TraceStep),
  /** Why an inline comment silences it; such an issue is born as a false positive. */
  suppression: z.string().nullable(),
  /** Issues that were stored before there were reviews are the rules' own. */
  origins: z.array(z.enum(origins)).default(["rule"]),
  /** What a model thinks of it; it changes neither status nor severity. */
  adjudication: Adjudication.nullable().default(null),
  explanation: z.object({ what: z.string(), why: z.string(), how: z.string() }).nullable().default(null),
  status: IssueStatus,
  resolvedBy: z.uuid().nullable(),
  resolvedAt: z.iso.datetime().nullable(),
  /** The latest verdicts, oldest first. */
  history: z.array(Verdict).default([]),
  createdAt: z.iso.datetime(),
  updatedAt: z.iso.datetime().nullable(),
  version: z.number().int(),
});
export type Issue = z.infer<typeof Issue>;

/** A scan that runs twice over the same finding makes the same issue: its id is named by task and fingerprint. */
export function newIssue(finding: Finding, taskId: string, ownerId: string, at: string): Issue {
  const { type, suppressed, ruleVersion: _ruleVersion, family: _family, severity, ...rest } = finding;
  return {
    ...rest,
    id: uuidOfName(finding.fingerprint, taskId),
    taskId,
    ownerId,
    vulnerabilityType: type,
    severity: severity === "info" ? "low" : severity,
    suppression: suppressed?.reason ?? null,
    status: suppressed ? "false_positive" : "open",
    resolvedBy: null,
    resolvedAt: null,
    history: [],
    createdAt: at,
    updatedAt: null,
    version: 1,
  };
}

/** An issue that another attempt of its scan found again: its place and texts as found now, its verdict as given then. */
export const foundAgain = (found: Issue, known: Issue): Issue => ({
  ...found,
  status: known.status,
  resolvedBy: known.resolvedBy,
  resolvedAt: known.resolvedAt,
  history: known.history,
  createdAt: known.createdAt,
  updatedAt: known.updatedAt,
  version: known.version,
});

/**
 * Records a reviewer's verdict; a later one replaces an earlier one, and the history keeps both. Who repeats the latest word for word, as
 * after a lost answer, has said nothing new.
 * @returns the issue to store, `resolvedAt` set exactly while the status is "resolved"; the very same issue for a repetition
 */
export function triage(
  issue: Issue,
  status: IssueStatus,
  reviewer: string,
  at: Date,
  note: string | null = null,
): Issue {
  const latest = issue.history.at(-1);
  const repeated = latest?.status === status && latest.by === reviewer && latest.note === note;
  if (repeated && issue.status === status) return issue;
  const resolved = status === "resolved";
  const verdict = { status, by: reviewer, at: at.toISOString(), note, from: null };
  return {
    ...issue,
    status,
    resolvedBy: resolved ? reviewer : null,
    resolvedAt: resolved ? at.toISOString() : null,
    history: [...issue.history, verdict].slice(-verdictsMax),
    updatedAt: at.toISOString(),
  };
}

/** True when a person has called it a false positive. A comment in the code that does so speaks for itself in each scan. */
export const isJudgedFalse = ({ status, suppression, history }: Issue): boolean =>
  status === "false_positive" && (suppression === null || history.length > 0);

/** An issue as it is born when an earlier scan of the project had it as a false positive: with that verdict, and from where it comes. */
export function bornFalse(issue: Issue, earlier: Issue): Issue {
  const latest = earlier.history.at(-1);
  const verdict = {
    status: "false_positive" as const,
    by: latest?.by ?? null,
    at: latest?.at ?? earlier.updatedAt ?? earlier.createdAt,
    note: latest?.note ?? null,
    // A verdict that was carried over before still names the place where somebody gave it.
    from: latest?.from ?? { taskId: earlier.taskId, issueId: earlier.id },
  };
  return { ...issue, status: "false_positive", history: [verdict] };
}

export const IssueView = z.object({
  id: z.string(),
  task_id: z.string(),
  file_path: z.string(),
  line_number: z.number().nullable(),
  column_number: z.number().nullable(),
  end_line: z.number(),
  end_column: z.number(),
  issue_type: z.string(),
  severity: Severity,
  title: z.string().nullable(),
  message: z.string().nullable(),
  description: z.string().nullable(),
  suggestion: z.string().nullable(),
  code_snippet: z.string().nullable(),
  ai_explanation: z.string().nullable(),
  status: IssueStatus,
  resolved_by: z.string().nullable(),
  resolved_at: z.string().nullable(),
  created_at: z.string(),
  updated_at: z.string().nullable(),
  rule_id: z.string(),
  vulnerability_type: z.string(),
  confidence: z.number(),
  cwe: z.array(z.number()),
  owasp_2021: z.string().nullable(),
  owasp_2025: z.string().nullable(),
  symbol: z.string(),
  fingerprint: z.string(),
  suppression: z.string().nullable(),
  origins: z.array(z.enum(origins)),
  adjudication: Adjudication.nullable(),
  trace: z.array(
    z.object({
      file_path: z.string(),
      line: z.number(),
      column: z.number(),
      end_line: z.number(),
      end_column: z.number(),
      code: z.string(),
      role: z.string(),
    }),
  ),
});

/** The way of a value, as every answer and every file shows it. */
export const traceView = (trace: Issue["trace"]) =>
  trace.map((step) => ({
    file_path: step.path,
    line: step.startLine,
    column: step.startColumn,
    end_line: step.endLine,
    end_column: step.endColumn,
    code: step.code,
    role: step.role,
  }));

export const issueView = (issue: Issue, language: Language): z.input<typeof IssueView> => ({
  id: issue.id,
  task_id: issue.taskId,
  file_path: issue.path,
  line_number: issue.startLine,
  column_number: issue.startColumn,
  end_line: issue.endLine,
  end_column: issue.endColumn,
  issue_type: issue.issueType,
  severity: issue.severity,
  title: issue.title[language],
  message: issue.message[language],
  description: issue.message[language],
  suggestion: issue.fix[language],
  code_snippet: issue.snippet,
  ai_explanation: issue.explanation && JSON.stringify(issue.explanation),
  status: issue.status,
  resolved_by: issue.resolvedBy,
  resolved_at: issue.resolvedAt,
  created_at: issue.createdAt,
  updated_at: issue.updatedAt,
  rule_id: issue.ruleId,
  vulnerability_type: issue.vulnerabilityType,
  confidence: issue.confidence,
  cwe: issue.cwe,
  owasp_2021: issue.owasp2021,
  owasp_2025: issue.owasp2025,
  symbol: issue.symbol,
  fingerprint: issue.fingerprint,
  suppression: issue.suppression,
  origins: issue.origins,
  adjudication: issue.adjudication,
  trace: traceView(issue.trace),
});

/** One issue for who looks at it closely: with what was said about it. */
export const IssueDetailView = IssueView.extend({
  /** Oldest first, at most the latest fifty. */
  history: z.array(
    z.object({
      status: IssueStatus,
      by: z.string().nullable(),
      at: z.string(),
      note: z.string().nullable(),
      /** The issue of an earlier scan that the verdict was given on. */
      from: z.object({ task_id: z.string(), issue_id: z.string() }).nullable(),
    }),
  ),
});

export const issueDetailView = (issue: Issue, language: Language): z.input<typeof IssueDetailView> => ({
  ...issueView(issue, language),
  history: issue.history.map(({ status, by, at, note, from }) => ({
    ...{ status, by, at, note },
    from: from && { task_id: from.taskId, issue_id: from.issueId },
  })),
});
