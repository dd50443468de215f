/** Time as a log sees it, so that a test can turn it. */
export interface Clock {
  /** Whole milliseconds since 1970. */
  now(): number;
  /** Calls back once, later. @returns what takes it back */
  after(ms: number, call: () => void): () => void;
}

/** The machine's. */
export const systemClock: Clock = {
  now: () => Date.now(),
  after(ms, call) {
    const timer = setTimeout(call, ms);
    return () => clearTimeout(timer);
  },
};

/** Resolves after a while, or at once when `signal` says that nobody waits any more. */
export const pause = (clock: Clock, ms: number, signal?: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal?.aborted) return resolve();
    const done = () => {
      cancel();
      signal?.removeEventListener("abort", done);
      resolve();
    };
    const cancel = clock.after(ms, done);
    signal?.addEventListener("abort", done);
  });
