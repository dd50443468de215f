import type { ClockProps } from "../../lib/local/states/clock.ts";

/**
 * A clock for executions whose waits nobody wants to sit out: one of up to `milliseconds` is over at once, and the time has moved on by
 * as much. What is longer runs in real time, as do time-outs of tasks that are meant to hold.
 */
export function skippingClock(milliseconds: number): Required<ClockProps> {
  let skipped = 0;
  return {
    now: () => new Date(Date.now() + skipped),
    setTimer(run, left) {
      if (left > milliseconds) {
        const timer = setTimeout(run, left);
        return () => clearTimeout(timer);
      }
      const timer = setImmediate(() => {
        skipped += left;
        run();
      });
      return () => clearImmediate(timer);
    },
  };
}

/** Skips what a workflow waits between two tries: half a minute at most, where no task has less than a whole one. */
export const retriesAtOnce = () => skippingClock(30_000);
