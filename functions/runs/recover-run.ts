import { randomUUID } from "node:crypto";
import { commitSegment } from "./commit-segment.ts";
import { highWaterOf } from "./identity-store.ts";
import type { Run } from "./run.ts";
import { CorruptSegment, decodeSegment, type SegmentRecord } from "./segment.ts";
import { getSegment, storedSegments } from "./segment-store.ts";

/**
 * Takes up what the writer before has stored and could not commit any more. Only an object that begins exactly at the head, is whole, and
 * is not older than the newest segment belongs to the log; the newest writer's goes first. Anything else was acknowledged to nobody as
 * durable, and its items may have been sent again and stored since.
 * @param run as `takeLease` returned it
 * @returns the head to go on from
 * @throws RunError fenced, run_closed
 */
export async function recoverRun(run: Run, nowMs: () => number): Promise<number> {
  let { head, headEpoch } = run;
  for await (const found of newestFirst(run.id, head)) {
    if (found.first > head) return head;
    // Either it lies within a segment taken up just now, or a newer writer has written since.
    if (found.first < head || found.epoch < headEpoch) continue;
    const body = await getSegment(run.id, found);
    const records = body && wholeRecords(body, run.id, found.first);
    if (!records) continue;
    const segment = {
      runId: run.id,
      ...found,
      bytes: body.length,
      records: records.map(({ payload, ...record }) => ({ ...record, payloadBytes: payload.length })),
      highWaters: await highWaters(run.id, records),
      token: randomUUID(),
    };
    await commitSegment(segment, run.epoch, nowMs());
    head += records.length;
    headEpoch = found.epoch;
  }
  return head;
}

/** Objects in order of their offsets, those of one offset by the newest writer first. */
async function* newestFirst(runId: string, from: number) {
  let same: { first: number; epoch: number }[] = [];
  for await (const found of storedSegments(runId, from)) {
    if (same[0]?.first !== found.first) {
      yield* same;
      same = [];
    }
    same.unshift(found);
  }
  yield* same;
}

function wholeRecords(body: Buffer, runId: string, first: number): readonly SegmentRecord[] | null {
  try {
    const { header, records } = decodeSegment(body);
    return header.runId === runId && header.first === first && records.length > 0 ? records : null;
  } catch (error) {
    if (error instanceof CorruptSegment) return null;
    throw error;
  }
}

async function highWaters(runId: string, records: readonly SegmentRecord[]): Promise<Map<string, number | null>> {
  const producers = new Set(records.flatMap(({ producer, seq }) => (seq === null ? [] : [producer])));
  const found = [...producers].map(async (producer) => [producer, await highWaterOf(runId, producer)] as const);
  return new Map(await Promise.all(found));
}
