import { stat } from "node:fs/promises";
import { setTimeout as pause } from "node:timers/promises";
import type { RuleFileDraft } from "../../functions/rules/rule-file-drafts.ts";
import { ended } from "../../functions/scans/task.ts";
import { CannotScan } from "./cannot-scan.ts";
import type { Client } from "./client.ts";
import type { Progress } from "./progress.ts";
import type { Issue, Project, Task } from "./views.ts";

/** An archive on the disk, ready to be sent. */
export interface Archive {
  readonly file: string;
  /** What its project is called. */
  readonly project: string;
}

export interface Audited {
  readonly task: Task;
  readonly issues: readonly Issue[];
  /** How many issues the service has; more than it lists in the extreme. */
  readonly total: number;
  /** Files in the archive. */
  readonly files: number;
}

/**
 * Has an archive audited by the service: upload, scan, wait, read.
 * Interrupted by the signal it cancels the scan on the service, then throws the signal's reason.
 * @throws CannotScan
 */
export async function audit(
  client: Client,
  archive: Archive,
  asked: { readonly exclude: readonly string[]; readonly rules: readonly RuleFileDraft[]; readonly quality: boolean },
  progress: Progress,
  signal: AbortSignal,
): Promise<Audited> {
  const project = await client.project(archive.project);
  const stored = await upload(client, project.id, archive, progress);
  progress.stage("queued");
  const { exclude, quality } = asked;
  const rules = [...asked.rules, ...(quality ? await client.qualityRules() : [])];
  const ruleSet = rules.length === 0 ? null : await client.importRules(`scan of ${project.name}`, rules);
  try {
    return await scan(client, project, stored, await client.startScan(project.id, exclude, ruleSet), progress, signal);
  } finally {
    // The set is for this scan alone.
    if (ruleSet !== null) await client.deleteRules(ruleSet).catch(() => {});
  }
}

async function scan(
  client: Client,
  project: Project,
  stored: { readonly sha256: string | null; readonly file_count: number },
  taskId: string,
  progress: Progress,
  signal: AbortSignal,
): Promise<Audited> {
  try {
    signal.throwIfAborted();
    // Runs that share a project by its name can overtake each other between upload and start.
    if ((await client.storedSha256(project.id)) !== stored.sha256) {
      await client.cancel(taskId).catch(() => {});
      throw new CannotScan("archive_replaced", { project: project.name });
    }
    const task = await wait(client, taskId, progress, signal);
    progress.stage("reading");
    return { task, files: stored.file_count, ...(await client.issues(taskId)) };
  } catch (error) {
    if (signal.aborted) {
      progress.stage("cancelling");
      // Best effort: it may just have ended, or the service is what went away.
      await client.cancel(taskId).catch(() => {});
    }
    throw error;
  }
}

async function upload(client: Client, projectId: string, archive: Archive, progress: Progress) {
  const { size } = await stat(archive.file);
  progress.stage("uploading", { size: sizeOf(size) });
  const form = await client.beginUpload(projectId, `${archive.project}.zip`);
  if (size > form.max_bytes)
    throw new CannotScan("archive_too_large", { size: sizeOf(size), limit: sizeOf(form.max_bytes) });
  await client.sendArchive(form, archive.file);
  return client.finishUpload(projectId, form.upload_id);
}

const firstPauseMilliseconds = 200;
const longestPauseMilliseconds = 2000;

/** Asks often at first, for small scans end soon, and every two seconds in the end. */
async function wait(client: Client, taskId: string, progress: Progress, signal: AbortSignal): Promise<Task> {
  let running = false;
  for (let ms = firstPauseMilliseconds; ; ms = Math.min(ms * 1.5, longestPauseMilliseconds)) {
    const task = await client.task(taskId);
    if (task.status === "failed")
      throw new CannotScan("task_failed", { reason: task.error_message ?? task.error_code ?? "?" });
    if (task.status === "cancelled") throw new CannotScan("task_cancelled");
    if (ended(task.status)) return task;
    if (task.status === "running") {
      if (!running) progress.stage("analysing");
      running = true;
      progress.advance(task.scanned_files, task.total_files);
    }
    await pause(ms, undefined, { signal });
  }
}

const sizeOf = (bytes: number): string =>
  bytes < 1_000_000 ? `${Math.ceil(bytes / 1000)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
