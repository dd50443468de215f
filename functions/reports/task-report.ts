import { type Issue, IssueStatus, severities } from "../issues/issue.ts";
import type { IssueIdentity } from "../issues/issue-identity.ts";
import type { Language } from "../platform/language.ts";
import type { Project } from "../projects/project.ts";
import { ended, type Task, taskView } from "../scans/task.ts";
import { type Fact, issuesListedMax, type Report, type ReportIssue, utc } from "./report.ts";
import { grouped, type Say, sayIn } from "./report-texts.ts";

/** What a task's report is made of. */
export interface TaskReportProps {
  readonly task: Task;
  readonly project: Project;
  /** Every issue of the task; the report counts them. */
  readonly found: readonly IssueIdentity[];
  /** Those of `listedIssues`, in any order. */
  readonly listed: ReadonlyMap<string, Issue>;
  readonly language: Language;
  readonly at: Date;
}

/** The issues that a report lists: most severe first, of equal ones those that are still open, then by place. */
export function listedIssues(found: readonly IssueIdentity[]): IssueIdentity[] {
  const rank = ({ severity, status }: IssueIdentity) => severities.indexOf(severity) * 2 + Number(status !== "open");
  return found
    .toSorted(
      (a, b) =>
        rank(a) - rank(b) ||
        (a.path === b.path ? a.startLine - b.startLine || (a.id < b.id ? -1 : 1) : a.path < b.path ? -1 : 1),
    )
    .slice(0, issuesListedMax);
}

/** The name that a browser saves a task's report under; the day is that of the report, in UTC. */
export const taskReportName = (taskId: string, at: Date): string =>
  `audit-report-${taskId.slice(0, 8)}-${at.toISOString().slice(0, 10).replaceAll("-", "")}.pdf`;

/** What the report of a scan says. */
export function taskReport({ task, project, found, listed, language, at }: TaskReportProps): Report {
  const say = sayIn(language);
  const issues = listedIssues(found).flatMap(({ id }) => {
    const issue = listed.get(id);
    return issue ? [reportIssue(issue, language, say)] : [];
  });
  const branch = task.repository?.branch ?? task.config.branchName;
  return {
    language,
    header: say("header"),
    title: say("project_title"),
    subtitle: [project.name, ...(branch ? [say("branch", { branch })] : [])].join(" / "),
    number: `TASK-${task.id.slice(0, 8)}`,
    generatedAt: at,
    facts: factsOf(task, project, say),
    score: task.status === "completed" ? task.qualityScore : null,
    tiles: [
      { label: say("scanned_files"), value: grouped(task.scannedFiles) },
      { label: say("lines_of_code"), value: grouped(task.totalLines) },
      { label: say("issues"), value: grouped(found.length) },
    ],
    severities: {
      columns: [...IssueStatus.options.map((status) => say(status)), say("total")],
      rows: severities.map((severity) => {
        const some = found.filter((issue) => issue.severity === severity);
        const counts = IssueStatus.options.map((status) => some.filter((issue) => issue.status === status).length);
        return { severity, counts: [...counts, some.length] };
      }),
    },
    notices: noticesOf(task, project, language, say),
    issues,
    issuesTotal: found.length,
    empty:
      task.status === "completed" && task.scannedFiles > 0
        ? say("no_issues_in_files", { files: task.scannedFiles })
        : say("no_issues_yet"),
  };
}

function factsOf(task: Task, project: Project, say: Say): Fact[] {
  const { startedAt, completedAt, model, commit } = task;
  const times = startedAt && completedAt ? say("from_to", { from: utc(startedAt), to: utc(completedAt) }) : null;
  const source = task.taskType === "repository" ? (task.repository?.url ?? project.repositoryUrl) : say("source_zip");
  const given: readonly (readonly [string, string | null])[] = [
    [say("task"), task.id],
    [say("source"), source],
    [say("commit"), commit],
    [say("status"), say(task.status)],
    [say("audited_at"), times ?? (startedAt && utc(startedAt))],
    [say("method"), model ? say("by_this_model", { model: `${model.provider} / ${model.model}` }) : say("by_rules")],
  ];
  return given.flatMap(([label, value]) => (value ? [{ label, value }] : []));
}

function noticesOf(task: Task, project: Project, language: Language, say: Say): string[] {
  const unfinished = ended(task.status) ? [] : [say("not_finished", { status: say(task.status) })];
  const cancelled = task.status === "cancelled" ? [say("audit_cancelled")] : [];
  const reason = taskView(task, project, language).error_message ?? "";
  const failed = task.status === "failed" ? [say("audit_failed", { reason })] : [];
  return [...unfinished, ...cancelled, ...failed, ...task.warnings.map(({ code, count }) => say(code, { count }))];
}

function reportIssue(issue: Issue, language: Language, say: Say): ReportIssue {
  const { adjudication, origins, status, suppression } = issue;
  const silenced = suppression !== null && status === "false_positive";
  return {
    severity: issue.severity,
    title: issue.title[language],
    place: `${issue.path}:${issue.startLine}:${issue.startColumn}`,
    classes: [
      issue.ruleId,
      ...issue.cwe.map((number) => `CWE-${number}`),
      ...(issue.owasp2021 ? [`OWASP ${issue.owasp2021}`] : []),
    ],
    tags: [
      ...(silenced ? [say("suppressed")] : status === "open" ? [] : [say(status)]),
      ...(origins.includes("rule") ? [] : [say("found_by_model")]),
    ],
    remarks: [
      ...(suppression === null ? [] : [{ label: say("silenced_because"), value: suppression }]),
      ...(adjudication ? [{ label: say(`model_${adjudication.verdict}`), value: adjudication.reason }] : []),
    ],
    description: issue.message[language],
    snippet: issue.snippet,
    line: issue.startLine,
    suggestion: issue.fix[language],
  };
}
