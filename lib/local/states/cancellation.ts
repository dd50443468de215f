/** Unwinds work that nobody waits for any more; it is never an answer to anybody and writes nothing. */
export class Cancelled extends Error {}

/**
 * A tree of scopes that can be given up: an execution, each of its parallel branches, each wait within them.
 * An AbortSignal would do, but each of ten thousand children adds a listener and Node warns of those as leaks.
 */
export class Cancellation {
  cancelled = false;
  readonly #listeners = new Set<() => void>();
  #leaveParent: () => void = () => {};

  cancel(): void {
    if (this.cancelled) return;
    this.cancelled = true;
    this.#leaveParent();
    for (const listener of [...this.#listeners]) listener();
    this.#listeners.clear();
  }

  /** Runs `listener` at cancellation, at once if that has been. @returns forgets the listener */
  onCancel(listener: () => void): () => void {
    if (this.cancelled) listener();
    else this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** A scope that ends with this one, or earlier by its own `cancel`, which must come in any case. */
  child(): Cancellation {
    const child = new Cancellation();
    child.#leaveParent = this.onCancel(() => child.cancel());
    return child;
  }

  /** @throws Cancelled */
  check(): void {
    if (this.cancelled) throw new Cancelled();
  }

  /** The result of `work`, or Cancelled as soon as this scope is given up; what `work` brings later is ignored. */
  guard<T>(work: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const forget = this.onCancel(() => reject(new Cancelled()));
      work.then(resolve, reject).finally(forget);
    });
  }
}
