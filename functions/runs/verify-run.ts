import type { Run } from "./run.ts";
import { requireRun } from "./run-store.ts";
import { CorruptSegment, decodeSegment } from "./segment.ts";
import { getSegment, type SegmentEntry, segmentsFrom } from "./segment-store.ts";

/** What is wrong at an offset. */
export interface RunDefect {
  readonly offset: number;
  readonly problem: string;
}

export interface RunVerification {
  readonly first: number;
  readonly head: number;
  readonly segments: number;
  readonly items: number;
  readonly bytes: number;
  readonly defects: readonly RunDefect[];
}

const entriesAtOnce = 50;

/**
 * Reads everything that a run keeps and compares it with its index: offsets without a gap from the first to the head, every object whole,
 * every checksum right. One segment is in memory at a time.
 * @throws RunError run_not_found
 */
export async function verifyRun(runId: string): Promise<RunVerification> {
  for (;;) {
    const run = await requireRun(runId);
    const verification = await look(run);
    if (verification.defects.length === 0) return verification;
    // Retention or compaction has been at it meanwhile, so what was missed may not be missing.
    if ((await requireRun(runId)).layout === run.layout) return verification;
  }
}

async function look({ id: runId, first, head }: Run): Promise<RunVerification> {
  const defects: RunDefect[] = [];
  const sum = { segments: 0, items: 0, bytes: 0 };
  let next = first;
  while (next < head) {
    const entries = await segmentsFrom(runId, next, entriesAtOnce, head);
    if (entries.length === 0) break;
    for (const entry of entries) {
      if (entry.first !== next) defects.push({ offset: next, problem: `no segment up to offset ${entry.first}` });
      const problem = await defectOf(runId, entry);
      if (problem) defects.push({ offset: entry.first, problem });
      next = entry.first + entry.count;
      sum.segments += 1;
      sum.items += entry.count;
      sum.bytes += entry.bytes;
    }
  }
  if (next !== head) defects.push({ offset: next, problem: `the index ends here, the run at ${head}` });
  return { first, head, ...sum, defects };
}

async function defectOf(runId: string, entry: SegmentEntry): Promise<string | null> {
  const body = await getSegment(runId, entry);
  if (!body) return "the object is missing";
  try {
    const { header, records } = decodeSegment(body);
    if (header.runId !== runId || header.first !== entry.first) return "the object is another segment";
    if (records.length !== entry.count || body.length !== entry.bytes) return "object and index differ in size";
    return null;
  } catch (error) {
    if (error instanceof CorruptSegment) return error.message;
    throw error;
  }
}
