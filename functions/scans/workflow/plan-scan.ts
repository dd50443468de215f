import * as z from "zod";
import { environment } from "../../platform/environment.ts";
import { isSluiceError, SluiceError } from "../../platform/errors.ts";
import { getJson, putJson, putObject } from "../../platform/object-store.ts";
import { workflowTask } from "../../platform/workflow-task.ts";
import type { ByteSource } from "../../sources/archive/byte-source.ts";
import { type ArchiveEntry, checkArchive } from "../../sources/archive/check-archive.ts";
import type { Manifest, ManifestFile } from "../../sources/archive/manifest.ts";
import { readEntries } from "../../sources/archive/read-entries.ts";
import { objectSource } from "../../sources/object-source.ts";
import { selectFiles } from "../../sources/selection.ts";
import { type ChunkFile, chunked, type Plan } from "../plan.ts";
import { scanKeys, type Task } from "../task.ts";
import { changeTask, findTask } from "../task-store.ts";

export const Attempt = z.object({ task_id: z.uuid(), attempt: z.number().int() });

export const planScan = workflowTask(
  {
    summary: "Opens the archive, applies exclusions and selection, and writes the files to scan as chunks",
    input: Attempt,
    grants: { reads: ["task"], writes: ["task"], sources: { reads: ["zips/*"] }, results: { writes: ["scans/*"] } },
    memoryMiB: 1769,
    timeoutSeconds: 600,
  },
  async ({ task_id, attempt }, now) => {
    const task = await begin(task_id, attempt, now());
    const { SOURCES_BUCKET: sources, RESULTS_BUCKET: results } = environment();
    const manifest = await getJson<Manifest>({ bucket: sources, key: task.source.manifestKey });
    if (!manifest) throw new Error(`the manifest ${task.source.manifestKey} is missing`);
    const { filePaths, excludePatterns } = task.config;
    const { accepted, skipped, missing } = selectFiles(manifest.files, {
      filePaths: filePaths ?? undefined,
      excludePatterns,
    });

    const keys = scanKeys(task_id, attempt);
    const plan: Plan = { accepted: accepted.map((file) => file.path), skipped, missing };
    await putJson(results, keys.plan, plan);
    const chunks = chunked(accepted);
    const source = sourceOf(task);
    const entries = await checkArchive(source);
    for (const [n, files] of chunks.entries()) await writeChunk(source, entries, files, keys.chunk(n));
    await putJson(
      results,
      keys.chunks,
      chunks.map((files, chunk) => ({ chunk, files: files.length })),
    );
    await changeTask(task_id, {
      from: ["running"],
      attempt,
      set: { totalFiles: accepted.length, heartbeatAt: now().toISOString() },
    });
    return { task_id, attempt, chunks: chunks.length, chunks_key: keys.chunks };
  },
);

/** Moves the task to running; a plan that runs again finds it there. @throws SluiceError task_superseded */
async function begin(id: string, attempt: number, at: Date): Promise<Task> {
  const set = { status: "running", startedAt: at.toISOString(), heartbeatAt: at.toISOString() } as const;
  return changeTask(id, { from: ["pending"], attempt, set }).catch(async (error) => {
    if (!isSluiceError(error, "task_superseded")) throw error;
    const task = await findTask(id);
    if (task?.status !== "running" || task.attempt !== attempt) throw new SluiceError("task_superseded");
    return task;
  });
}

const sourceOf = ({ source: { key, versionId, bytes } }: Task): ByteSource =>
  objectSource({ bucket: environment().SOURCES_BUCKET, key, versionId }, bytes);

/** Reads the files of one chunk from the archive, checked again while they inflate, and stores them as JSON lines. */
async function writeChunk(
  source: ByteSource,
  entries: readonly ArchiveEntry[],
  files: readonly ManifestFile[],
  key: string,
): Promise<void> {
  const pathOf = new Map(files.map((file) => [file.index, file.path]));
  const wanted = entries.filter((entry) => pathOf.has(entry.index));
  const lines: string[] = [];
  for await (const { entry, bytes } of readEntries(source, wanted)) {
    const line: ChunkFile = { path: pathOf.get(entry.index) as string, base64: (bytes as Buffer).toString("base64") };
    lines.push(JSON.stringify(line));
  }
  await putObject(environment().RESULTS_BUCKET, key, lines.join("\n"), "application/x-ndjson");
}
