import { v7 as uuid } from "uuid";
import type { Grants } from "../platform/contract.ts";
import { codesOf, type ErrorCode } from "../platform/errors.ts";
import type { Project } from "../projects/project.ts";
import { visibleTemplate } from "../prompts/prompt-template-store.ts";
import { visibleRuleSet } from "../rules/rule-set-store.ts";
import { compileExclusions } from "../sources/exclusions.ts";
import { normalisePath } from "../sources/normalise-path.ts";
import type { StoredZip } from "../sources/stored-zip.ts";
import { startExecution } from "./scan-execution.ts";
import { requireStorable, type ScanRequest, scanConfig } from "./scan-request.ts";
import { newTask, type ScanConfig, type Task } from "./task.ts";
import { createTask } from "./task-store.ts";

/** What is looked at: an archive that is there, or a repository that the workflow fetches. */
export type ScanSubject = Pick<Task, "taskType" | "source" | "repository">;

/** A scan of the archive that a project keeps. */
export const zipSubject = ({ key, versionId, bytes, manifestKey }: StoredZip): ScanSubject => ({
  taskType: "zip_upload",
  source: { key, versionId, bytes, manifestKey },
  repository: null,
});

/** What every operation that starts a scan can refuse, whatever is scanned. */
export const startFailures: readonly ErrorCode[] = [
  "project_not_found",
  "permission_denied",
  "project_in_recycle_bin",
  "rule_set_not_found",
  "prompt_template_not_found",
  ...codesOf("glob"),
  ...codesOf("path"),
];

/** What starting a scan touches by itself. */
export const startGrants = {
  reads: ["project", "member", "ruleSet", "promptTemplate", "override"],
  writes: ["task", "statistics"],
  checks: ["project"],
  scanMachine: ["start"],
} as const satisfies Grants;

/**
 * What a request asks of a scan, checked. It comes before anything is written: a request that is refused must not have replaced the
 * project's archive.
 * @throws SluiceError glob_*, path_*, rule_set_not_found, prompt_template_not_found
 */
export async function acceptedConfig(callerId: string, request: ScanRequest): Promise<ScanConfig> {
  const config = scanConfig(request);
  compileExclusions(config.excludePatterns);
  for (const path of config.filePaths ?? []) normalisePath(path);
  requireStorable(config);
  // A reference in a body is authorised like an id in a path.
  if (config.ruleSetId !== null) await visibleRuleSet(callerId, config.ruleSetId);
  if (config.promptTemplateId !== null) await visibleTemplate(callerId, config.promptTemplateId);
  return config;
}

/**
 * Accepts a scan: writes the task, then starts its execution. A crash in between loses nothing, the sweeper starts
 * what is pending.
 * @param config of `acceptedConfig`
 * @throws SluiceError project_in_recycle_bin: nothing is written then
 */
export async function startScan(
  project: Project,
  callerId: string,
  subject: ScanSubject,
  config: ScanConfig,
  at: Date,
): Promise<Task> {
  const task = newTask(
    {
      id: uuid(),
      projectId: project.id,
      ownerId: project.ownerId,
      createdBy: callerId,
      config,
      ...subject,
    },
    at,
  );
  await createTask(task);
  await startExecution(task);
  return task;
}
