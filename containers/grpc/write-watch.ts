import { type Clock, pause, systemClock } from "../../functions/runs/clock.ts";

/** Once writes have failed for so long, nobody should send here. */
const unhealthyMs = 10_000;
/** Between two tries, at most. */
const probeMsMax = 2_000;

/**
 * Knows since when writes fail. A service that says so gets no calls any more, so none would ever tell it that writes work again: from the
 * first failure on it tries by itself.
 */
export class WriteWatch {
  readonly #clock: Clock;
  readonly #stopping = new AbortController();
  #failingSince: number | null = null;

  constructor(clock: Clock = systemClock) {
    this.#clock = clock;
  }

  /** False once writes have failed for ten seconds, until one succeeds. */
  get isHealthy(): boolean {
    return this.#failingSince === null || this.#clock.now() - this.#failingSince < unhealthyMs;
  }

  succeeded(): void {
    this.#failingSince = null;
  }

  /** @param probe a write of no meaning that goes the way of the one that failed; @throws as long as that one would */
  failed(probe: () => Promise<void>): void {
    if (this.#failingSince !== null) return;
    this.#failingSince = this.#clock.now();
    void this.#probe(probe);
  }

  stop(): void {
    this.#stopping.abort();
  }

  async #probe(probe: () => Promise<void>): Promise<void> {
    const { signal } = this.#stopping;
    for (let waitMs = 100; this.#failingSince !== null && !signal.aborted; waitMs = Math.min(2 * waitMs, probeMsMax)) {
      await pause(this.#clock, waitMs, signal);
      if (signal.aborted) return;
      await probe().then(
        () => this.succeeded(),
        () => undefined,
      );
    }
  }
}
