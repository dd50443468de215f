import * as z from "zod";
import { environment } from "../../platform/environment.ts";
import { isSluiceError, SluiceError } from "../../platform/errors.ts";
import { getJson, putJson, putObject } from "../../platform/object-store.ts";
import { workflowTask } from "../../platform/workflow-task.ts";
import { findProject } from "../../projects/project-store.ts";
import { checkArchive } from "../../sources/archive/check-archive.ts";
import type { Manifest, ManifestFile } from "../../sources/archive/manifest.ts";
import { readEntries } from "../../sources/archive/read-entries.ts";
import { objectSource } from "../../sources/object-source.ts";
import { repositoryGrants } from "../../sources/project-repository.ts";
import { selectFiles } from "../../sources/selection.ts";
import { instructionsOnce } from "../instructions-store.ts";
import { type ChunkOfAttempt, EarlierAttempt } from "../kept-artefacts.ts";
import { type ChunkFile, inChunks, type Plan } from "../plan.ts";
import { resolveInstructions } from "../resolve-instructions.ts";
import { ScanMustWait } from "../scan-must-wait.ts";
import { type SourcedTask, withSource } from "../scan-source.ts";
import { scanKeys, type Task } from "../task.ts";
import { enterPhase } from "../task-progress-store.ts";
import { changeTask, findTask, orFail } from "../task-store.ts";

export const Attempt = z.object({ task_id: z.uuid(), attempt: z.number().int() });

export const planScan = workflowTask(
  {
    summary:
      "Fetches a repository or opens the archive, applies exclusions and selection, and writes the files to scan as chunks",
    input: Attempt,
    grants: {
      reads: [
        ...(["project", "task", "ruleSet", "promptTemplate", "defaultTemplate", "override"] as const),
        ...repositoryGrants.reads,
      ],
      writes: ["task", "project", "statistics", ...repositoryGrants.writes],
      indexes: ["gsi1"],
      checks: repositoryGrants.checks,
      sources: { reads: ["zips/*"], writes: ["zips/*"], deletes: ["zips/*"] },
      results: { reads: ["scans/*"], writes: ["scans/*"] },
      secrets: repositoryGrants.secrets,
    },
    memoryMiB: 1769,
    // Over git's own protocol the objects of a commit, and first the pack and then the archive beside them, have up to 500 MB each. The
    // rest is for headers and the file system. Nothing else is there: the files go with the process, even one that is cut off.
    ephemeralStorageMiB: 1280,
    timeoutSeconds: 780,
  },
  async ({ task_id, attempt }, now) => {
    const begun = await begin(task_id, attempt, now());
    await cancelIfUnwanted(begun, now());
    const instructions = await instructionsOnce(begun, () => orFail(begun, now, resolveInstructions(begun)));
    const task = await withSource(begun, now);
    const { SOURCES_BUCKET: sources, RESULTS_BUCKET: results } = environment();
    const manifest = await getJson<Manifest>({ bucket: sources, key: task.source.manifestKey });
    if (!manifest) throw new Error(`the manifest ${task.source.manifestKey} is missing`);
    const { filePaths, excludePatterns } = task.config;
    const { accepted, skipped, missing } = selectFiles(manifest.files, {
      filePaths: filePaths ?? undefined,
      root: manifest.root,
      excludePatterns,
      maxFiles: instructions.filesMax ?? undefined,
    });

    const keys = scanKeys(task_id, attempt);
    const plan: Plan = { accepted: accepted.map((file) => file.path), skipped, missing, leftOut: task.leftOut };
    await putJson(results, keys.plan, plan);
    const earlier = await EarlierAttempt.before(task);
    const places: Record<string, number> = {};
    const chunks: { chunk: number; files: number; earlier: ChunkOfAttempt[] }[] = [];
    for await (const files of inChunks(readFiles(task, accepted))) {
      const chunk = chunks.length;
      const lines = files.map(({ path, bytes }) =>
        JSON.stringify({ path, base64: bytes.toString("base64") } satisfies ChunkFile),
      );
      await putObject(results, keys.chunk(chunk), lines.join("\n"), "application/x-ndjson");
      const paths = files.map((file) => file.path);
      for (const path of paths) places[path] = chunk;
      chunks.push({ chunk, files: files.length, earlier: earlier.chunksOf(paths) });
    }
    await putJson(results, keys.places, places);
    await putJson(results, keys.chunks, chunks);
    const { model } = instructions;
    await enterPhase(task_id, attempt, "rules", now(), {
      totalFiles: accepted.length,
      model: model && { provider: model.provider, model: model.model },
    });
    const review = model !== null && accepted.length > 0;
    return { task_id, attempt, chunks: chunks.length, chunks_key: keys.chunks, review };
  },
);

/** Moves the task to running; a plan that runs again finds it there. @throws SluiceError task_superseded; ScanMustWait */
async function begin(id: string, attempt: number, at: Date): Promise<Task> {
  const set = {
    status: "running",
    phase: "planning",
    startedAt: at.toISOString(),
    heartbeatAt: at.toISOString(),
  } as const;
  return changeTask(id, { from: ["pending"], attempt, set }).catch(async (error) => {
    // A sign of life, or the sweeper would look at those that wait instead of those that have died.
    if (error instanceof ScanMustWait)
      await changeTask(id, { from: ["pending"], attempt, set: { heartbeatAt: at.toISOString() } });
    if (!isSluiceError(error, "task_superseded")) throw error;
    const task = await findTask(id);
    if (task?.status !== "running" || task.attempt !== attempt) throw new SluiceError("task_superseded");
    return task;
  });
}

/**
 * The recycle bin cancels the tasks that an index lists, and the index may not have had this one yet.
 * @throws SluiceError task_superseded
 */
async function cancelIfUnwanted({ id, attempt, projectId }: Task, at: Date): Promise<void> {
  if ((await findProject(projectId))?.isActive) return;
  await changeTask(id, { from: ["running"], attempt, set: { status: "cancelled", completedAt: at.toISOString() } });
  throw new SluiceError("task_superseded");
}

/** The accepted files out of the archive, checked again while they inflate. */
async function* readFiles(
  task: SourcedTask,
  accepted: readonly ManifestFile[],
): AsyncGenerator<{ path: string; bytes: Buffer }> {
  const { key, versionId, bytes: size } = task.source;
  const source = objectSource({ bucket: environment().SOURCES_BUCKET, key, versionId }, size);
  const pathOf = new Map(accepted.map((file) => [file.index, file.path]));
  const entries = (await checkArchive(source)).filter((entry) => pathOf.has(entry.index));
  for await (const { entry, bytes } of readEntries(source, entries)) {
    if (!bytes) throw new Error(`entry ${entry.index} of ${key} is larger than a file to scan may be`);
    yield { path: pathOf.get(entry.index) as string, bytes };
  }
}
