/** Holds all who come until so many are there at the same time; from then on everybody passes. */
export class Barrier {
  readonly #wanted: number;
  readonly #waiting = new Set<() => void>();
  #open = false;

  constructor(wanted: number) {
    this.#wanted = wanted;
  }

  /** @param gone aborts when whoever came has left without waiting to the end: they do not count as being there */
  async pass(gone: AbortSignal): Promise<void> {
    if (this.#open || this.#wanted === 0 || gone.aborted) return;
    await new Promise<void>((resolve) => {
      this.#waiting.add(resolve);
      gone.addEventListener("abort", () => {
        this.#waiting.delete(resolve);
        resolve();
      });
      if (this.#waiting.size >= this.#wanted) this.open();
    });
  }

  open(): void {
    this.#open = true;
    for (const resolve of this.#waiting) resolve();
    this.#waiting.clear();
  }
}
