import { createHash, hash } from "node:crypto";
import { v7 as uuid, v5 as uuidOfName } from "uuid";
import { type InstantAnalysis, instantResult } from "../instant/instant-analysis.ts";
import type { Issue } from "../issues/issue.ts";
import type { Language } from "../platform/language.ts";
import { newProject, type Project } from "../projects/project.ts";
import { newPromptTemplate, type PromptTemplate } from "../prompts/prompt-template.ts";
import { newAuditRule } from "../rules/rule-draft.ts";
import type { RuleSet } from "../rules/rule-set.ts";
import { newRuleSet } from "../rules/rule-set-draft.ts";
import { ended, newTask, type Task } from "../scans/task.ts";
import { zipKeys } from "../sources/stored-zip.ts";
import type { FileAnalysis, FileIssue, FileProject, FileRuleSet, FileTask, FileTemplate } from "./database-file.ts";

/**
 * The id of what an import makes of a row: in the order of time, as all our ids are, and the same whenever the row is imported into the
 * same place. A file can choose neither an id nor anything beside its own place.
 */
export function importedId(place: string, row: { readonly id: string; readonly created_at: string }): string {
  const random = createHash("sha256").update(`${place}#${row.id}`).digest().subarray(0, 16);
  return uuid({ msecs: Math.max(0, Date.parse(row.created_at)), random, seq: random.readUInt32BE(12) });
}

/** A project of a file as one of its new owner's, active until its tasks are there. */
export const importedProject = (row: FileProject, id: string, ownerId: string): Project => ({
  ...newProject(
    {
      ...row,
      source_type: row.source_type ?? (row.repository_url ? "repository" : "zip"),
      default_branch: row.default_branch ?? "main",
    },
    id,
    ownerId,
    new Date(row.created_at),
  ),
  updatedAt: row.updated_at ?? null,
});

/** A task of a file as it is while its issues are written. What it has scanned is not there any more, so it cannot be tried again. */
export function importedTask(row: FileTask, id: string, project: Project): Task {
  const { projectId, ownerId } = { projectId: project.id, ownerId: project.ownerId };
  const config = {
    filePaths: row.scan_config.file_paths ?? null,
    fullScan: row.scan_config.full_scan,
    excludePatterns: row.exclude_patterns,
    branchName: row.branch_name ?? null,
    // They may have been those of another member of the project.
    ruleSetId: null,
    promptTemplateId: null,
    budgetTokens: row.scan_config.budget_tokens ?? null,
    budgetUsd: row.scan_config.budget_usd ?? null,
  };
  const gone = { key: zipKeys.archive(projectId, id), bytes: 0, manifestKey: zipKeys.archive(projectId, id) };
  const given = { id, projectId, ownerId, createdBy: ownerId, taskType: row.task_type, config, source: gone };
  return {
    ...newTask(given, new Date(row.created_at)),
    status: "running",
    commit: row.commit_sha ?? null,
    model: row.model ?? null,
    totalFiles: row.total_files,
    scannedFiles: row.scanned_files,
    filesToReview: row.files_to_review,
    filesReviewed: row.files_reviewed,
    totalLines: row.total_lines,
    startedAt: row.started_at ?? null,
  };
}

/** What a task becomes when all its issues are there. One that was still going on when it was exported went no further. */
export const importedEnd = (row: FileTask, issuesCount: number) => ({
  status: ended(row.status) ? row.status : ("cancelled" as const),
  issuesCount,
  qualityScore: row.quality_score,
  warnings: row.warnings,
  failure: row.failure ? { ...row.failure, fields: row.failure.fields ?? {} } : null,
  completedAt: row.completed_at ?? row.created_at,
});

/** Ids of issues and tasks of the file and what the import has made of them. */
export interface NewIds {
  readonly task: (id: string) => string | undefined;
  readonly issue: (id: string) => string | undefined;
}

/** The id of an issue is named by task and fingerprint, as for one that a scan finds. */
export const issueIdOf = (row: FileIssue, taskId: string): string => uuidOfName(fingerprintOf(row), taskId);

const fingerprintOf = (row: FileIssue): string =>
  row.fingerprint ?? hash("sha256", `${row.id}#${row.file_path}#${row.title}`);

/** @param ownerId who imports: the one person whose verdicts a file can tell of */
export function importedIssue(row: FileIssue, taskId: string, ownerId: string, ids: NewIds): Issue {
  const one = { title: row.title ?? "", message: row.message ?? row.description ?? "", fix: row.suggestion ?? "" };
  const texts = row.texts ?? { zh: one, en: one };
  const both = (name: keyof typeof one) => ({ zh: texts.zh[name], en: texts.en[name] });
  const known = (id: string | null | undefined) => (id === ownerId ? ownerId : null);
  const resolved = row.status === "resolved";
  const [startLine, startColumn] = [row.line_number ?? 1, row.column_number ?? 1];
  return {
    id: issueIdOf(row, taskId),
    taskId,
    ownerId,
    ruleId: row.rule_id ?? "imported",
    fingerprint: fingerprintOf(row),
    movedFingerprint: row.moved_fingerprint ?? fingerprintOf(row),
    issueType: row.issue_type,
    vulnerabilityType: row.vulnerability_type ?? "other",
    severity: row.severity,
    confidence: row.confidence,
    cwe: row.cwe,
    owasp2021: row.owasp_2021 ?? null,
    owasp2025: row.owasp_2025 ?? null,
    title: both("title"),
    message: both("message"),
    fix: both("fix"),
    path: row.file_path,
    ...{ startLine, startColumn, endLine: row.end_line ?? startLine, endColumn: row.end_column ?? startColumn },
    symbol: row.symbol,
    snippet: row.code_snippet ?? "",
    trace: row.trace.map((step) => ({
      path: step.file_path,
      startLine: step.line,
      startColumn: step.column,
      endLine: step.end_line,
      endColumn: step.end_column,
      code: step.code,
      role: step.role,
    })),
    suppression: row.suppression ?? null,
    origins: row.origins,
    adjudication: row.adjudication,
    explanation: row.explanation,
    status: row.status,
    resolvedBy: resolved ? known(row.resolved_by) : null,
    resolvedAt: resolved ? (row.resolved_at ?? row.updated_at ?? row.created_at) : null,
    history: row.history.map(({ status, by, at, note, from }) => {
      const taskOf = from && ids.task(from.task_id);
      const issueOf = from && ids.issue(from.issue_id);
      return {
        ...{ status, by: known(by), at, note: note ?? null },
        from: taskOf && issueOf ? { taskId: taskOf, issueId: issueOf } : null,
      };
    }),
    createdAt: row.created_at,
    updatedAt: row.updated_at ?? null,
    version: 1,
  };
}

const resultGone = {
  zh: "该记录来自导入的文件，文件中不含分析结果",
  en: "This entry comes from an imported file, which holds no results of analyses",
};

export function importedAnalysis(row: FileAnalysis, ownerId: string, language: Language): InstantAnalysis {
  const warnings = [{ code: "result_not_in_file", message: resultGone[language] }];
  const result = instantResult({ findings: [], looked: true, mode: row.mode, warnings }, language);
  return {
    id: importedId(ownerId, row),
    ownerId,
    language: row.language,
    mode: row.mode,
    issuesCount: row.issues_count,
    qualityScore: row.quality_score,
    analysisTime: row.analysis_time,
    result: JSON.stringify({ ...result, quality_score: row.quality_score }),
    createdAt: row.created_at,
  };
}

export const importedTemplate = (row: FileTemplate, ownerId: string): PromptTemplate => ({
  ...newPromptTemplate(row, importedId(ownerId, row), ownerId, new Date(row.created_at)),
  updatedAt: row.updated_at ?? null,
});

/** A set with its rules, whose ids follow from their places in it: a repetition writes the same rules and not more of them. */
export function importedRuleSet({ rules, ...row }: FileRuleSet, ownerId: string): RuleSet {
  const id = importedId(ownerId, row);
  const at = new Date(row.created_at);
  const made = rules.map((rule, place) =>
    newAuditRule(rule, importedId(id, { id: String(place), created_at: row.created_at }), id, at),
  );
  return { ...newRuleSet(row, made, id, ownerId, at), updatedAt: row.updated_at ?? null };
}
