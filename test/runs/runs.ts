import { randomUUID } from "node:crypto";
import type { Clock } from "../../functions/runs/clock.ts";
import { type ReadFrom, type RunItem, readRun } from "../../functions/runs/read-run.ts";
import type { Run } from "../../functions/runs/run.ts";
import { ensureRun } from "../../functions/runs/run-store.ts";

/** A run that no other test knows. */
export const freshRun = (): Promise<Run> => ensureRun("test", randomUUID(), new Date());

/** What is in a run now. */
export async function allItems(runId: string, from: ReadFrom = "earliest"): Promise<RunItem[]> {
  const { items } = await readRun(runId, from, { isLive: false });
  return Array.fromAsync(items);
}

export const textOf = ({ payload }: { payload: Buffer }): string => payload.toString();

/** A clock on which waits of up to two seconds are over at once and have taken their time all the same. Longer ones never end. */
export function hurryingClock(): Clock {
  let now = Date.parse("2026-01-01T00:00:00Z");
  return {
    now: () => now,
    after(ms, call) {
      if (ms > 2000) return () => {};
      const soon = setImmediate(() => {
        now += Math.ceil(ms);
        call();
      });
      return () => clearImmediate(soon);
    },
  };
}

/** A clock whose short waits, of less than a second, are over when the test says so. Longer ones never end. */
export function heldClock(): Clock & { pass(): void } {
  const waiting = new Set<() => void>();
  return {
    now: () => Date.now(),
    after(ms, call) {
      if (ms < 1000) waiting.add(call);
      return () => void waiting.delete(call);
    },
    pass() {
      for (const call of waiting) {
        waiting.delete(call);
        call();
      }
    },
  };
}
