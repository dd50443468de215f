import { RunError } from "./run-error.ts";
import { decodeSegment, SegmentEncoder } from "./segment.ts";
import { getSegment, type SegmentEntry } from "./segment-store.ts";

/**
 * The end of a segment as a segment of its own, for who has the items before already.
 * @param from an offset within it
 * @returns what an index would say of it, and its bytes
 * @throws RunError data_loss, CorruptSegment
 */
export async function cutSegment(
  runId: string,
  entry: SegmentEntry,
  from: number,
): Promise<{ entry: SegmentEntry; body: Buffer }> {
  const whole = await getSegment(runId, entry);
  if (!whole) throw new RunError("data_loss", `The segment at offset ${entry.first} is gone.`, { offset: entry.first });
  const records = decodeSegment(whole).records.slice(from - entry.first);
  const encoder = new SegmentEncoder({ runId, first: from });
  for (const record of records) encoder.add(record);
  const transitions = records.filter(({ kind }) => kind === "transition").length;
  const cut = {
    ...entry,
    first: from,
    count: records.length,
    bytes: encoder.bytes,
    transitions,
    interactions: records.length - transitions,
    firstTime: records[0]?.time ?? entry.firstTime,
  };
  return { entry: cut, body: encoder.encode() };
}
