/** A clock that stands still until the test moves it: what waits for hours is tested in milliseconds. */
export class ManualClock {
  #now: number;
  readonly #timers = new Map<object, { at: number; run: () => void }>();
  #armed: (() => void)[] = [];

  constructor(start: string) {
    this.#now = Date.parse(start);
  }

  readonly now = (): Date => new Date(this.#now);

  readonly setTimer = (run: () => void, milliseconds: number): (() => void) => {
    const timer = {};
    this.#timers.set(timer, { at: this.#now + milliseconds, run });
    for (const tell of this.#armed.splice(0)) tell();
    return () => this.#timers.delete(timer);
  };

  /** Waits until something waits for the time, then moves on to the earliest such time. @returns milliseconds moved */
  async tick(): Promise<number> {
    while (this.#timers.size === 0) await new Promise<void>((resolve) => this.#armed.push(resolve));
    const next = Math.min(...[...this.#timers.values()].map(({ at }) => at));
    const moved = next - this.#now;
    this.advance(moved);
    return moved;
  }

  advance(milliseconds: number): void {
    this.#now += milliseconds;
    for (const [timer, { at, run }] of [...this.#timers]) {
      if (at > this.#now || !this.#timers.delete(timer)) continue;
      run();
    }
  }

  get waiting(): number {
    return this.#timers.size;
  }
}
