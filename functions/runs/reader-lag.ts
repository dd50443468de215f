import type { Run } from "./run.ts";
import { findRun } from "./run-store.ts";
import { segmentAt, segmentsFrom } from "./segment-store.ts";

/** How far a reader is behind the log. */
export interface ReaderLag {
  readonly items: number;
  /** Of segments: payloads and what describes them. */
  readonly bytes: number;
}

/** Segments that are added up. Who is further behind has so many bytes before him that the rest may be a guess. */
const segmentsMax = 200;

/**
 * What a reader has not got yet. The bytes are those of the next two hundred segments and an average of the run for what lies behind them.
 * @param next offset that the reader gets next
 */
export async function readerLag(runId: string, next: number): Promise<ReaderLag> {
  const run = await findRun(runId);
  if (!run || next >= run.head) return { items: 0, bytes: 0 };
  const from = Math.max(next, run.first);
  const near = await nearBytes(run, from);
  const far = ((run.head - near.end) * run.storedBytes) / (run.head - run.first);
  return { items: run.head - from, bytes: Math.round(near.bytes + far) };
}

async function nearBytes({ id, head }: Run, from: number): Promise<{ bytes: number; end: number }> {
  let bytes = 0;
  let end = from;
  const holding = await segmentAt(id, from);
  if (holding && holding.first + holding.count > from) {
    end = holding.first + holding.count;
    bytes = (holding.bytes * (end - from)) / holding.count;
  }
  for (const entry of await segmentsFrom(id, end, segmentsMax, head)) {
    bytes += entry.bytes;
    end = entry.first + entry.count;
  }
  return { bytes, end };
}
