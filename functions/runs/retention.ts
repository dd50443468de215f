import { UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { deleteItems } from "../platform/delete-partition.ts";
import { environment } from "../platform/environment.ts";
import { deleteVersions } from "../platform/object-store.ts";
import { keys, table, whenConditionFails } from "../platform/table.ts";
import { passedSequences } from "./identity-store.ts";
import type { Run } from "./run.ts";
import { RunError } from "./run-error.ts";
import { rearranging } from "./run-layout.ts";
import { requireRun } from "./run-store.ts";
import { segmentsFrom, storedVersions } from "./segment-store.ts";

const entriesAtOnce = 500;

/**
 * Takes away what a run need not keep: whole segments, the oldest first. The run says that they are gone before they go, so a reader is told
 * rather than surprised. Safe to repeat; a call that died is finished by the next.
 * @returns the oldest offset that is kept now
 * @throws RunError run_not_found, aborted when another call has just rearranged the run
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
  const layout = rearranging(run.layout);
  const update = new UpdateCommand({
    TableName: environment().TABLE_NAME,
    Key: keys.run(run.id),
    UpdateExpression: `SET #first = :first, ${layout.update} ADD storedBytes :freed`,
    ConditionExpression: `#first = :before AND ${layout.condition}`,
    ExpressionAttributeNames: { "#first": "first" },
    ExpressionAttributeValues: { ...layout.values, ":first": first, ":before": run.first, ":freed": -freedBytes },
  });
  await table
    .send(update)
    .catch(whenConditionFails(() => new RunError("aborted", `Somebody else rearranges the run ${run.name}.`)));
}

/** The index goes last: while it names a segment, the next call finds what is left of it. */
async function deleteBefore(runId: string, first: number): Promise<void> {
  await deleteObjectsBefore(runId, first);
  for (;;) {
    const entries = await segmentsFrom(runId, 0, entriesAtOnce, first);
    if (entries.length === 0) return;
    const producers = new Set(entries.flatMap(({ sequences }) => sequences.map(({ producer }) => producer)));
    for (const producer of producers) {
      for await (const passed of passedSequences(runId, producer, first)) await deleteItems(passed);
    }
    await deleteItems(entries.map((entry) => keys.runSegment(runId, entry.first)));
  }
}

/** All that lie there, whether or not an index names them: uploads of writers that were shut out lie between the segments. */
async function deleteObjectsBefore(runId: string, first: number): Promise<void> {
  for await (const versions of storedVersions(runId)) {
    const old = versions.filter(({ name }) => name.first < first);
    await deleteVersions(
      environment().RESULTS_BUCKET,
      old.map(({ object }) => object),
    );
    if (old.length < versions.length) return;
  }
}
