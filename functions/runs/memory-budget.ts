import { RunError } from "./run-error.ts";

/** The bytes that wait in memory to be written, of one log or of all logs of a process. What does not fit is refused, never queued. */
export class MemoryBudget {
  readonly bytesMax: number;
  #held = 0;

  constructor(bytesMax: number) {
    this.bytesMax = bytesMax;
  }

  get bytesHeld(): number {
    return this.#held;
  }

  /**
   * Takes bytes until the function returned is called. An item always fits into an empty budget, or it could never be written.
   * @throws RunError overloaded
   */
  take(bytes: number): () => void {
    if (this.#held > 0 && this.#held + bytes > this.bytesMax) {
      throw new RunError("overloaded", `${this.#held} bytes wait to be written; ${this.bytesMax} may.`);
    }
    this.#held += bytes;
    let isHeld = true;
    return () => {
      if (isHeld) this.#held -= bytes;
      isHeld = false;
    };
  }
}
