import type { Run } from "./run.ts";
import { newestSegments } from "./segment-store.ts";

/** What came in a time that ends now. */
export interface RunRate {
  /** How long that time is. Shorter than asked for when more segments fell into it than are looked at or kept. */
  readonly seconds: number;
  readonly transitionsPerSecond: number;
  readonly interactionsPerSecond: number;
  /** Of segments: payloads and what describes them. */
  readonly bytesPerSecond: number;
}

/** Ten pages of the index, some tens of milliseconds: a writer under full load makes as many segments in a few minutes. */
const segmentsMax = 5000;

/**
 * How fast a run has grown, from the arrival times in its index. A segment that lies across the beginning of a time counts by the part of
 * its own time that lies within, as if its items had come evenly: it holds what came between two flushes, so that is exact enough.
 * @param windows in seconds
 */
export async function runRates(run: Run, windows: readonly number[], now: Date): Promise<RunRate[]> {
  const nowMs = now.getTime();
  const begins = windows.map((seconds) => nowMs - 1000 * seconds);
  const sums = windows.map(() => ({ transitions: 0, interactions: 0, bytes: 0 }));
  /** Since when everything is known that came. What retention has taken, or is too much to look at, lies before. */
  let knownFrom = run.head === 0 ? Number.NEGATIVE_INFINITY : nowMs;
  let seen = 0;
  for await (const entry of newestSegments(run.id, run.head)) {
    sums.forEach((sum, index) => {
      const share = shareWithin(entry, begins[index] as number);
      sum.transitions += share * entry.transitions;
      sum.interactions += share * entry.interactions;
      sum.bytes += share * entry.bytes;
    });
    knownFrom = entry.first === 0 ? Number.NEGATIVE_INFINITY : Math.min(knownFrom, entry.firstTime);
    if (knownFrom <= Math.min(...begins) || ++seen === segmentsMax) break;
  }
  return windows.map((asked, index) => {
    const seconds = Math.min(asked, Math.max(1, (nowMs - knownFrom) / 1000));
    const { transitions, interactions, bytes } = sums[index] as (typeof sums)[number];
    return {
      seconds,
      transitionsPerSecond: transitions / seconds,
      interactionsPerSecond: interactions / seconds,
      bytesPerSecond: bytes / seconds,
    };
  });
}

/** The part of a segment that arrived at `begin` or later. */
function shareWithin({ firstTime, lastTime }: { firstTime: number; lastTime: number }, begin: number): number {
  if (lastTime < begin) return 0;
  if (firstTime >= begin) return 1;
  return (lastTime - begin) / (lastTime - firstTime);
}
