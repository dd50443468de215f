import { v7 as uuid } from "uuid";
import type { Finding } from "../../functions/engine/finding.ts";
import { newIssue } from "../../functions/issues/issue.ts";
import { writeIssues } from "../../functions/issues/issue-store.ts";
import { environment } from "../../functions/platform/environment.ts";
import { putJson } from "../../functions/platform/object-store.ts";
import type { FileCoverage } from "../../functions/scans/coverage.ts";
import type { ScanInstructions } from "../../functions/scans/instructions.ts";
import { newTask, scanKeys, type Task } from "../../functions/scans/task.ts";
import { changeTask, createTask } from "../../functions/scans/task-store.ts";
import type { Person } from "./person.ts";

/** A project of somebody, without sources. */
export const projectOf = async (somebody: Person): Promise<string> =>
  (await somebody.ok("createProject", { json: { name: "p", source_type: "zip" } })).id;

/** What a scan of everything in an archive is asked to do. */
export const wholeZip: Pick<Task, "taskType" | "config" | "source"> = {
  taskType: "zip_upload",
  config: {
    filePaths: null,
    fullScan: true,
    excludePatterns: [],
    branchName: null,
    ruleSetId: null,
    promptTemplateId: null,
    budgetTokens: null,
    budgetUsd: null,
  },
  source: { key: "none", bytes: 0, manifestKey: "none" },
};

/** A pending task in a project, which no workflow will ever take up: tests bring it to where they need it. */
export async function taskOf(somebody: Person, projectId: string, at = new Date()): Promise<Task> {
  const { id: ownerId } = somebody.user;
  const task = newTask({ id: uuid(), projectId, ownerId, createdBy: ownerId, ...wholeZip }, at);
  await createTask(task);
  return task;
}

/** How a scan by rules alone goes about it. */
export const byRules: ScanInstructions = {
  model: null,
  alternative: null,
  modelTrouble: null,
  review: { template: null, rules: [], outputLanguage: "en" },
  patterns: [],
  codes: [],
  categoriesOff: [],
  filesMax: null,
  concurrency: 1,
  gapMs: 0,
};

/** A file that the rules have been through. */
export const analysed = (path: string): FileCoverage => ({
  path,
  status: "analysed",
  reason: null,
  excluded_by: null,
  language: "python",
  lines: 1,
  review: "not_reviewed",
  review_reason: "rules_only",
  other_model: null,
});

/** A completed task with these findings, as its conclusion leaves it. */
export async function scannedTask(
  somebody: Person,
  projectId: string,
  findings: readonly Finding[],
  {
    at = new Date(),
    coverage = findings.map(({ path }) => analysed(path)),
    engineVersion = "1-test" as string | null,
  } = {},
): Promise<Task> {
  const { id, ownerId } = await taskOf(somebody, projectId, at);
  const task = await changeTask(id, { from: ["pending"], attempt: 1, set: { status: "running" } });
  const bucket = environment().RESULTS_BUCKET;
  await putJson(bucket, scanKeys(id, 1).coverage, coverage);
  await putJson(bucket, scanKeys(id, 1).instructions, byRules);
  const issues = await writeIssues(
    task,
    findings.map((finding) => newIssue(finding, id, ownerId, at.toISOString())),
    at,
  );
  const set = {
    status: "completed",
    issuesCount: issues.length,
    engineVersion,
    completedAt: at.toISOString(),
  } as const;
  return changeTask(id, { from: ["running"], attempt: 1, set });
}
