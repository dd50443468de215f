import { setTimeout } from "node:timers/promises";
import { isSluiceError } from "../platform/errors.ts";

/** The longest wait before each further try. A host that is restarted or overloaded is back by then, or its users know. */
const pausesMs = [1_000, 4_000, 8_000];
/** Fetching within less would only fail in another way. */
const tryMsMin = 30_000;

/** What a proxy says while the host behind it does not answer; any other 5xx is the host's own word on this very request. */
const passingStatuses: readonly unknown[] = [502, 503, 504];

/**
 * Runs `work` again, after a while, when a host that users name does not answer for the moment. Who scans would have to do the same by hand.
 * @param work gets the milliseconds that it may take; it must be safe to repeat
 * @param budgetMs for all tries together
 * @throws what `work` threw last
 */
export async function untilAvailable<T>(
  work: (leftMs: number) => Promise<T>,
  budgetMs: number,
  { now = performance.now.bind(performance), pause = randomPause } = {},
): Promise<T> {
  const until = now() + budgetMs;
  for (let tries = 0; ; tries++) {
    try {
      return await work(until - now());
    } catch (error) {
      const pauseMs = pausesMs[tries];
      if (pauseMs === undefined || !isPassing(error) || until - now() - pauseMs < tryMsMin) throw error;
      await pause(pauseMs);
    }
  }
}

const isPassing = (error: unknown): boolean =>
  isSluiceError(error, "outbound_timeout") ||
  isSluiceError(error, "outbound_silent") ||
  (isSluiceError(error, "repository_unavailable") && passingStatuses.includes(error.fields.status));

/** Full jitter: the scans that one outage hits do not come back at the same moment. */
const randomPause = (ms: number): Promise<void> => setTimeout(Math.random() * ms);
