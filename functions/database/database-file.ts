import * as z from "zod";
import { LlmSettings, OtherSettings } from "../config/user-config.ts";
import { origins } from "../engine/finding.ts";
import { InstantMode } from "../instant/instant-analysis.ts";
import { Issue, IssueStatus, noteCharactersMax, Severity, verdictsMax } from "../issues/issue.ts";
import { Id } from "../platform/contract.ts";
import { ProjectDraft, SourceType } from "../projects/project.ts";
import { PromptTemplateDraft } from "../prompts/prompt-template.ts";
import { RuleSetDraft } from "../rules/rule-set-draft.ts";
import { TaskStatus, Warning } from "../scans/task.ts";
import { isRepositoryUrl } from "../sources/repository-url.ts";

/** The contract's limit for what a front end sends. An export is never longer, so what was exported can be imported. */
export const fileBytesMax = 50 * 1024 * 1024;

/** An item of the table ends at 400 KB; keys and names that an import adds take a few of them. */
const recordBytesMax = 350_000;

/** A path stands in a sort key, which ends at 1,024 bytes, with 50 bytes beside it. */
const pathBytesMax = 970;

const Time = z.iso.datetime({ offset: true }).transform((time) => new Date(time).toISOString());
const Text = z.string().max(100_000);
const Count = z.number().int().min(0).max(1_000_000_000);
const Lines = z.number().int().min(0).max(1_000_000_000);
const Path = z.string().refine((path) => Buffer.byteLength(path) <= pathBytesMax, {
  error: `a path has ${pathBytesMax} bytes at most`,
});

const storable = (row: object): boolean => Buffer.byteLength(JSON.stringify(row)) <= recordBytesMax;
const tooLong = { error: `a record has ${recordBytesMax} bytes at most` };

const FileProject = ProjectDraft.extend({
  id: Id,
  /** Older exports have none: what has an address is a repository. */
  source_type: SourceType.nullish(),
  default_branch: z.string().trim().min(1).max(255).nullish(),
  /** Older projects may have what is none; it could never be read, and must not keep the rest from coming back. */
  repository_url: z
    .string()
    .trim()
    .max(2000)
    .transform((url) => (isRepositoryUrl(url) ? url : null))
    .nullish(),
  is_active: z.boolean().default(true),
  created_at: Time,
  updated_at: Time.nullish(),
});

const FileTask = z
  .object({
    id: Id,
    project_id: Id,
    task_type: z.enum(["repository", "zip_upload"]),
    status: TaskStatus,
    branch_name: z.string().max(255).nullish(),
    exclude_patterns: z.array(z.string().max(1024)).max(100).default([]),
    scan_config: z
      .object({
        file_paths: z.array(z.string().max(4096)).nullish(),
        full_scan: z.boolean().default(true),
        budget_tokens: Count.nullish(),
        budget_usd: z.number().min(0).max(1_000_000).nullish(),
      })
      .prefault({}),
    commit_sha: z.string().max(100).nullish(),
    total_files: Count.default(0),
    scanned_files: Count.default(0),
    files_to_review: Count.default(0),
    files_reviewed: Count.default(0),
    total_lines: Count.default(0),
    quality_score: z.number().min(0).max(100).default(0),
    model: z.object({ provider: z.string().max(50), model: z.string().max(200) }).nullish(),
    warnings: z.array(Warning).default([]),
    failure: z
      .object({
        code: z.string().max(100),
        message: z.string().max(1000),
        fields: z.record(z.string().max(50), z.union([z.string().max(1000), z.number()])).optional(),
      })
      .nullish(),
    started_at: Time.nullish(),
    completed_at: Time.nullish(),
    created_at: Time,
  })
  .refine(storable, tooLong);

const Texts = z.object({ title: Text, message: Text, fix: Text });

const FileIssue = z
  .object({
    id: Id,
    task_id: Id,
    file_path: Path,
    line_number: Lines.nullish(),
    column_number: Lines.nullish(),
    end_line: Lines.nullish(),
    end_column: Lines.nullish(),
    issue_type: Issue.shape.issueType,
    severity: Severity,
    status: IssueStatus.default("open"),
    /** In one language; what counts is `texts`, where it is there. */
    title: Text.nullish(),
    message: Text.nullish(),
    description: Text.nullish(),
    suggestion: Text.nullish(),
    texts: z.object({ zh: Texts, en: Texts }).nullish(),
    code_snippet: Text.nullish(),
    explanation: Issue.shape.explanation,
    rule_id: z.string().max(200).nullish(),
    vulnerability_type: z.string().max(100).nullish(),
    confidence: z.number().min(0).max(1).default(0.5),
    cwe: z.array(Count).max(50).default([]),
    owasp_2021: z.string().max(200).nullish(),
    owasp_2025: z.string().max(200).nullish(),
    symbol: z.string().max(2000).default(""),
    fingerprint: z.string().min(1).max(200).nullish(),
    moved_fingerprint: z.string().min(1).max(200).nullish(),
    suppression: Text.nullish(),
    origins: z.array(z.enum(origins)).max(2).default(["rule"]),
    adjudication: Issue.shape.adjudication,
    trace: z
      .array(
        z.object({
          file_path: z.string(),
          line: Lines,
          column: Lines,
          end_line: Lines,
          end_column: Lines,
          code: z.string(),
          role: z.enum(["source", "step", "sink"]),
        }),
      )
      .default([]),
    /** Verdicts, oldest first. Who gave them is said of the file's own user only. */
    history: z
      .array(
        z.object({
          status: IssueStatus,
          by: Id.nullish(),
          at: Time,
          note: z.string().max(noteCharactersMax).nullish(),
          from: z.object({ task_id: Id, issue_id: Id }).nullish(),
        }),
      )
      .max(verdictsMax)
      .default([]),
    resolved_by: Id.nullish(),
    resolved_at: Time.nullish(),
    created_at: Time,
    updated_at: Time.nullish(),
  })
  .refine(storable, tooLong);

const FileAnalysis = z.object({
  id: Id,
  language: z.string().max(50),
  mode: InstantMode.default("rules"),
  issues_count: Count,
  quality_score: z.number().min(0).max(100),
  analysis_time: z.number().min(0).max(1_000_000),
  created_at: Time,
});

const written = { id: Id, created_at: Time, updated_at: Time.nullish() };
/** Judged as the forms judge what is new, so a file brings nothing that could not be typed in. */
const FileTemplate = PromptTemplateDraft.extend(written);
const FileRuleSet = RuleSetDraft.extend(written);

/** What an export holds and an import takes. Fields that it does not name are ignored. */
export const DatabaseFile = z.object({
  data: z
    .object({
      user: z.object({ id: Id }),
      projects: z.array(FileProject).default([]),
      tasks: z.array(FileTask).default([]),
      issues: z.array(FileIssue).default([]),
      instant_analyses: z.array(FileAnalysis).default([]),
      prompt_templates: z.array(FileTemplate).default([]),
      rule_sets: z.array(FileRuleSet).default([]),
      user_config: z
        .object({ llm_config: LlmSettings.prefault({}), other_config: OtherSettings.prefault({}) })
        .prefault({}),
    })
    .superRefine((data, context) => {
      const projects = onceEach(data.projects, "projects", context);
      const tasks = onceEach(data.tasks, "tasks", context);
      onceEach(data.issues, "issues", context);
      onceEach(data.instant_analyses, "instant_analyses", context);
      onceEach(data.prompt_templates, "prompt_templates", context);
      onceEach(data.rule_sets, "rule_sets", context);
      data.tasks.forEach(({ project_id }, row) => {
        if (!projects.has(project_id)) dangling(context, ["tasks", row, "project_id"]);
      });
      const found = new Set<string>();
      data.issues.forEach(({ task_id, fingerprint }, row) => {
        if (!tasks.has(task_id)) dangling(context, ["issues", row, "task_id"]);
        if (fingerprint && found.size === found.add(`${task_id} ${fingerprint}`).size)
          complain(context, ["issues", row, "fingerprint"], "the task has another issue with this fingerprint");
      });
    }),
});

export type DatabaseFile = z.output<typeof DatabaseFile>["data"];
export type FileProject = z.output<typeof FileProject>;
export type FileTask = z.output<typeof FileTask>;
export type FileIssue = z.output<typeof FileIssue>;
export type FileAnalysis = z.output<typeof FileAnalysis>;
export type FileTemplate = z.output<typeof FileTemplate>;
export type FileRuleSet = z.output<typeof FileRuleSet>;
/** The rows as they are written. */
export type ProjectRow = z.input<typeof FileProject>;
export type TaskRow = z.input<typeof FileTask>;
export type IssueRow = z.input<typeof FileIssue>;
export type AnalysisRow = z.input<typeof FileAnalysis>;
export type TemplateRow = z.input<typeof FileTemplate>;
export type RuleSetRow = z.input<typeof FileRuleSet>;

type Context = Parameters<Parameters<z.ZodObject["superRefine"]>[0]>[1];

function complain(context: Context, path: (string | number)[], message: string): void {
  context.addIssue({ code: "custom", path, message });
}

const dangling = (context: Context, path: (string | number)[]) =>
  complain(context, path, "nothing in this file has this id");

/** The ids of a list, each of which stands there once. */
function onceEach(rows: readonly { readonly id: string }[], list: string, context: Context): Set<string> {
  const ids = new Set<string>();
  rows.forEach(({ id }, row) => {
    if (ids.has(id)) complain(context, [list, row, "id"], "this id stands here twice");
    ids.add(id);
  });
  return ids;
}
