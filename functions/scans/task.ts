import * as z from "zod";
import { isErrorCode, SluiceError } from "../platform/errors.ts";
import type { Language } from "../platform/language.ts";
import { type Project, ProjectView, projectView } from "../projects/project.ts";
import { LeftOut, RepositoryRef } from "../sources/repository-snapshot.ts";
import { type Spending, SpendingView, spendingView } from "../spending/spending.ts";
import { scanFailureText } from "./scan-failure.ts";

export const TaskStatus = z.enum(["pending", "running", "completed", "failed", "cancelled"]);
export type TaskStatus = z.infer<typeof TaskStatus>;

/** States that a task never leaves, except by a new attempt. */
export const ended = (status: TaskStatus): boolean =>
  status === "completed" || status === "failed" || status === "cancelled";

/** Something the reader of a result has to know. `paths` shows the first few of `count`. */
export const Warning = z.object({
  code: z.enum([
    "no_scannable_files",
    "paths_not_found",
    "files_not_analysed",
    "files_partly_analysed",
    "files_left_out",
    "files_over_limit",
    "suppressed_findings",
    "files_not_in_archive",
    "listing_incomplete",
    "rules_only",
    "files_not_reviewed",
    "review_stopped",
  ]),
  count: z.number().int(),
  paths: z.array(z.string()),
  /** Why, where one code has many reasons: a failure category of the model layer, or one of review-result.ts. */
  reason: z.string().optional(),
});
export type Warning = z.infer<typeof Warning>;

/** What a running task is doing. */
export const Phase = z.enum(["planning", "rules", "linking", "review", "concluding"]);
export type Phase = z.infer<typeof Phase>;

/** What a scan was asked to do, kept with the task for as long as the task lives. */
export const ScanConfig = z.object({
  filePaths: z.array(z.string()).nullable(),
  fullScan: z.boolean(),
  excludePatterns: z.array(z.string()),
  branchName: z.string().nullable(),
  ruleSetId: z.string().nullable(),
  promptTemplateId: z.string().nullable(),
  /** Most that this scan may spend on models, where it asks for less than its user's settings allow. */
  budgetTokens: z.number().int().nullable().default(null),
  budgetUsd: z.number().nullable().default(null),
});
export type ScanConfig = z.infer<typeof ScanConfig>;

/** The very bytes that are scanned; replacing or deleting the project's ZIP, or a push, does not touch a running scan. */
export const ScanSource = z.object({
  key: z.string(),
  versionId: z.string().optional(),
  bytes: z.number().int(),
  manifestKey: z.string(),
});
export type ScanSource = z.infer<typeof ScanSource>;

/** One audit of a project's code. */
export const Task = z.object({
  id: z.uuid(),
  projectId: z.uuid(),
  /** Owner of the project; its counters count the task. */
  ownerId: z.uuid(),
  /** Who started it; tasks of before there were members have none and were started by the owner. */
  createdBy: z.uuid().optional(),
  /** Who started the current attempt; by default who created the task. */
  startedBy: z.uuid().optional(),
  taskType: z.enum(["repository", "zip_upload"]),
  status: TaskStatus,
  /** Fences late writes: a run of an earlier attempt changes nothing any more. */
  attempt: z.number().int(),
  config: ScanConfig,
  /** Null until the repository has been fetched. */
  source: ScanSource.nullable(),
  repository: RepositoryRef.nullable().default(null),
  /** What was fetched of the repository. */
  commit: z.string().nullable().default(null),
  leftOut: LeftOut.nullable().default(null),
  /** Null before it runs and after it has ended. */
  phase: Phase.nullable().default(null),
  /** The model that reviews; null when rules alone judge, and until the plan knows. */
  model: z.object({ provider: z.string(), model: z.string() }).nullable().default(null),
  totalFiles: z.number().int(),
  /** Files that every pass is through with. */
  scannedFiles: z.number().int(),
  filesToReview: z.number().int().default(0),
  filesReviewed: z.number().int().default(0),
  /** Why no more calls are made in this attempt. */
  reviewStopped: z.string().nullable().default(null),
  /** Of the rules that its result is from; null before there is one, and for results from before it was kept. */
  engineVersion: z.string().nullable().default(null),
  totalLines: z.number().int(),
  issuesCount: z.number().int(),
  /** How many of its issues are resolved now. */
  issuesResolved: z.number().int().default(0),
  qualityScore: z.number(),
  warnings: z.array(Warning),
  /** Why it failed: a stable code, and a sentence for the log of the person who looks. */
  failure: z
    .object({
      code: z.string(),
      message: z.string(),
      /** Of a refusal, so that its text can be had in the language of who reads it. */
      fields: z.record(z.string(), z.union([z.string(), z.number()])).optional(),
    })
    .nullable(),
  createdAt: z.iso.datetime(),
  startedAt: z.iso.datetime().nullable(),
  completedAt: z.iso.datetime().nullable(),
  heartbeatAt: z.iso.datetime(),
});
export type Task = z.infer<typeof Task>;

export const newTask = (
  given: Pick<Task, "id" | "projectId" | "ownerId" | "createdBy" | "taskType" | "config" | "source"> &
    Partial<Pick<Task, "repository">>,
  at: Date,
): Task => ({
  repository: null,
  commit: null,
  leftOut: null,
  ...given,
  ...unstarted(at),
  attempt: 1,
  issuesResolved: 0,
  createdAt: at.toISOString(),
});

/** What an attempt begins with. How many issues are resolved is no matter of attempts. */
const unstarted = (at: Date) => ({
  status: "pending" as const,
  phase: null,
  model: null,
  totalFiles: 0,
  scannedFiles: 0,
  filesToReview: 0,
  filesReviewed: 0,
  reviewStopped: null,
  engineVersion: null,
  totalLines: 0,
  issuesCount: 0,
  qualityScore: 0,
  warnings: [],
  failure: null,
  startedAt: null,
  completedAt: null,
  heartbeatAt: at.toISOString(),
});

/** The task as another attempt begins: the same bytes, read with the model and the purse of who asks for it. */
export const nextAttempt = (task: Task, startedBy: string, at: Date): Task => ({
  ...task,
  ...unstarted(at),
  startedBy,
  attempt: task.attempt + 1,
});

/** Trouble that another attempt may not have. */
const passing: ReadonlySet<Warning["code"]> = new Set(["files_not_analysed", "files_not_reviewed", "review_stopped"]);

/** True when another attempt can do better than the last: it did not get to its end, or not with every file. */
export const leftSomething = ({ status, warnings }: Task): boolean =>
  status !== "completed" || warnings.some(({ code }) => passing.has(code));

/** Whose settings, tokens and money the current attempt uses. */
export const actorOf = ({ startedBy, createdBy, ownerId }: Pick<Task, "startedBy" | "createdBy" | "ownerId">): string =>
  startedBy ?? createdBy ?? ownerId;

export const TaskView = z.object({
  id: z.string(),
  project_id: z.string(),
  task_type: z.string(),
  status: TaskStatus,
  branch_name: z.string().nullable(),
  /** The commit that a repository scan looked at. */
  commit_sha: z.string().nullable(),
  /** JSON as text, both: existing front ends parse them themselves. */
  exclude_patterns: z.string(),
  scan_config: z.string(),
  /** What a running task is doing; null before and after. */
  phase: Phase.nullable(),
  total_files: z.number(),
  /** Files that every pass is through with. */
  scanned_files: z.number(),
  /** Files that the model looks at, and of these the ones it is through with. */
  files_to_review: z.number(),
  files_reviewed: z.number(),
  /** The model that reviews; null when rules alone judge. */
  model: z.object({ provider: z.string(), model: z.string() }).nullable(),
  /** What its calls of models have cost, all attempts together; where one task is read. */
  usage: SpendingView.optional(),
  total_lines: z.number(),
  issues_count: z.number(),
  quality_score: z.number(),
  started_at: z.string().nullable(),
  completed_at: z.string().nullable(),
  created_by: z.string(),
  created_at: z.string(),
  project: ProjectView.omit({ owner: true }).nullable(),
  warnings: z.array(Warning),
  error_code: z.string().nullable(),
  error_message: z.string().nullable(),
});

export const taskView = (
  task: Task,
  project: Project | null,
  language: Language,
  spending?: Spending,
): z.input<typeof TaskView> => ({
  id: task.id,
  project_id: task.projectId,
  task_type: task.taskType,
  status: task.status,
  branch_name: task.config.branchName,
  commit_sha: task.commit,
  exclude_patterns: JSON.stringify(task.config.excludePatterns),
  scan_config: JSON.stringify({
    file_paths: task.config.filePaths,
    full_scan: task.config.fullScan,
    exclude_patterns: task.config.excludePatterns,
    rule_set_id: task.config.ruleSetId,
    prompt_template_id: task.config.promptTemplateId,
    budget_tokens: task.config.budgetTokens,
    budget_usd: task.config.budgetUsd,
  }),
  phase: ended(task.status) ? null : task.phase,
  total_files: task.totalFiles,
  scanned_files: task.scannedFiles,
  files_to_review: task.filesToReview,
  files_reviewed: task.filesReviewed,
  model: task.model,
  ...(spending && { usage: spendingView(spending) }),
  total_lines: task.totalLines,
  issues_count: task.issuesCount,
  quality_score: task.qualityScore,
  started_at: task.startedAt,
  completed_at: task.completedAt,
  created_by: task.createdBy ?? task.ownerId,
  created_at: task.createdAt,
  project: project && projectView(project, null),
  warnings: task.warnings,
  error_code: task.failure?.code ?? null,
  error_message: failureText(task.failure, language),
});

function failureText(failure: Task["failure"], language: Language): string | null {
  if (!failure) return null;
  const refusal = isErrorCode(failure.code) ? new SluiceError(failure.code, failure.fields) : null;
  return refusal?.text(language) ?? scanFailureText(failure.code, language) ?? failure.message;
}

/** Where all attempts of a task keep their work in the results bucket. */
export const scanFolder = (taskId: string): string => `scans/${taskId}/`;

/** Where an attempt keeps its work in the results bucket. */
export const scanKeys = (taskId: string, attempt: number) => {
  const folder = `${scanFolder(taskId)}${attempt}`;
  return {
    plan: `${folder}/plan.json`,
    chunks: `${folder}/chunks.json`,
    places: `${folder}/places.json`,
    chunk: (n: number) => `${folder}/chunks/${n}.json`,
    artefacts: (n: number) => `${folder}/artefacts/${n}.json`,
    findings: `${folder}/findings.json`,
    instructions: `${folder}/instructions.json`,
    reviewPlan: `${folder}/review/plan.json`,
    reviewBatches: `${folder}/review/batches.json`,
    reviewBatch: (n: number) => `${folder}/review/batch-${n}.ndjson`,
    reviewResult: (n: number) => `${folder}/review/result-${n}.json`,
    coverage: `${folder}/coverage.json`,
  };
};
