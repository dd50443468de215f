/** Milliseconds of work done, counted from anywhere. */
export type WorkClock = () => number;

/** What a file costs is counted in steps wherever it can be; where it cannot, this many milliseconds end it. */
const millisecondsMax = 2_000;
/** Asking the clock of a thread costs as much as some twenty steps of ours. */
const stepsBetween = 256;

/** The time of a file is used up. */
export class TimeUp extends Error {}

/**
 * The time that the analysis of one file may take. It only kills: budgets counted in steps end what is merely large, and do so after the
 * same work on every machine. What this ends may be found the next time, so nobody keeps it; see `isRepeatable`.
 */
export class TimeLimit {
  readonly #clock: WorkClock | null;
  readonly #until: number;
  #left = 0;
  #isUp = false;

  /** @param clock null for no limit at all */
  constructor(clock: WorkClock | null) {
    this.#clock = clock;
    this.#until = clock ? clock() + millisecondsMax : 0;
  }

  /** Whether the time was found to be used up; does not look again. */
  get isUp(): boolean {
    return this.#isUp;
  }

  /** Counts steps, and looks at the clock now and then. @returns whether the time is used up */
  passes(steps = 1): boolean {
    if (this.#isUp || this.#clock === null) return this.#isUp;
    this.#left -= steps;
    if (this.#left > 0) return false;
    this.#left = stepsBetween;
    this.#isUp = this.#clock() > this.#until;
    return this.#isUp;
  }

  /** The same for who cannot go on. @throws TimeUp */
  check(steps = 1): void {
    if (this.passes(steps)) throw new TimeUp("the time of this file is used up");
  }
}

/** For who has no file to blame. */
export const noLimit = (): TimeLimit => new TimeLimit(null);
