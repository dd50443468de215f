/**
 * So many calls at the same time and no more. A slot is held from before its call is reserved, so that nothing that was reserved has to wait;
 * what comes after a call, such as booking and keeping its answer, leaves the slot to the next.
 */
export class CallSlots {
  readonly #gapMs: number;
  readonly #sleep: (ms: number) => Promise<unknown>;
  readonly #waiting: (() => void)[] = [];
  #free: number;

  /** @param gapMs how long a slot rests after a call */
  constructor({ slots, gapMs, sleep }: { slots: number; gapMs: number; sleep: (ms: number) => Promise<unknown> }) {
    this.#free = slots;
    this.#gapMs = gapMs;
    this.#sleep = sleep;
  }

  /** Waits for a slot. @returns what gives it back; it may be called again, the first time counts */
  async take(): Promise<() => void> {
    if (this.#free > 0) this.#free -= 1;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    let held = true;
    return () => {
      if (!held) return;
      held = false;
      if (this.#gapMs > 0) void this.#sleep(this.#gapMs).then(() => this.#next());
      else this.#next();
    };
  }

  #next(): void {
    const next = this.#waiting.shift();
    if (next) next();
    else this.#free += 1;
  }
}
