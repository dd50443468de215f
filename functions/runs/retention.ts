import { DeleteCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { environment } from "../platform/environment.ts";
import { keys, table, whenConditionFails } from "../platform/table.ts";
import { highWaterOf } from "./identity-store.ts";
import type { Run } from "./run.ts";
import { RunError } from "./run-error.ts";
import { requireRun } from "./run-store.ts";
import { deleteSegments, type SegmentEntry, segmentsFrom, storedSegments } from "./segment-store.ts";

const entriesAtOnce = 100;

/**
 * Takes away what a run need not keep: whole segments, the oldest first. The run says that they are gone before they go, so a reader is told
 * rather than surprised. Safe to repeat; a call that died is finished by the next.
 * @returns the oldest offset that is kept now
 * @throws RunError run_not_found, aborted when another call has just done the same
 */
export async function applyRetention(runId: string, now: Date): Promise<number> {
  const run = await requireRun(runId);
  const { first, freedBytes } = await newBeginning(run, now);
  if (first > run.first) await begin(run, first, freedBytes);
  await deleteBefore(runId, first);
  return first;
}

/** Which offset the log begins with when all is gone that may go. */
async function newBeginning(run: Run, now: Date): Promise<{ first: number; freedBytes: number }> {
  const { ageSeconds, bytes } = run.retention;
  const oldest = ageSeconds === null ? Number.NEGATIVE_INFINITY : now.getTime() - ageSeconds * 1000;
  let { first, storedBytes } = run;
  for (;;) {
    const entries = await segmentsFrom(run.id, first, entriesAtOnce, run.head);
    for (const entry of entries) {
      const mayGo = entry.lastTime < oldest || (bytes !== null && storedBytes > bytes);
      if (!mayGo) return { first, freedBytes: run.storedBytes - storedBytes };
      first = entry.first + entry.count;
      storedBytes -= entry.bytes;
    }
    if (entries.length === 0) return { first, freedBytes: run.storedBytes - storedBytes };
  }
}

async function begin(run: Run, first: number, freedBytes: number): Promise<void> {
  const update = new UpdateCommand({
    TableName: environment().TABLE_NAME,
    Key: keys.run(run.id),
    UpdateExpression: "SET #first = :first ADD storedBytes :freed",
    ConditionExpression: "#first = :before",
    ExpressionAttributeNames: { "#first": "first" },
    ExpressionAttributeValues: { ":first": first, ":before": run.first, ":freed": -freedBytes },
  });
  await table
    .send(update)
    .catch(whenConditionFails(() => new RunError("aborted", `Somebody else shortens the run ${run.name}.`)));
}

/** Objects first, the index last: while it names a segment, the next call finds what is left of it. */
async function deleteBefore(runId: string, first: number): Promise<void> {
  for (;;) {
    const entries = await segmentsFrom(runId, 0, entriesAtOnce, first);
    for (const entry of entries) await deleteSegment(runId, entry);
    if (entries.length === 0) break;
  }
  // Uploads of writers that were shut out lie between the segments, and no index names them.
  for await (const stray of storedSegments(runId, 0)) {
    if (stray.first >= first) return;
    await deleteSegments(runId, stray.first);
  }
}

async function deleteSegment(runId: string, { first, sequences }: SegmentEntry): Promise<void> {
  await deleteSegments(runId, first);
  for (const { producer, last } of sequences) {
    // The newest is the producer's high-water, and stays for as long as the run does.
    if ((await highWaterOf(runId, producer)) !== last) await remove(keys.runSequence(runId, producer, last));
  }
  await remove(keys.runSegment(runId, first));
}

async function remove(Key: Record<string, string>): Promise<void> {
  await table.send(new DeleteCommand({ TableName: environment().TABLE_NAME, Key }));
}
