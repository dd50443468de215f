/**
 * The bytes of requests that a process holds at once, over all connections. Without it, memory would be bounded by what clients send and not
 * by what the machine has.
 */
export class ByteBudget {
  readonly limit: number;
  #used = 0;

  /** @param limit in bytes */
  constructor(limit: number) {
    this.limit = limit;
  }

  get used(): number {
    return this.#used;
  }

  /** @returns false, and takes nothing, when the bytes do not fit */
  take(bytes: number): boolean {
    if (this.#used + bytes > this.limit) return false;
    this.#used += bytes;
    return true;
  }

  release(bytes: number): void {
    this.#used -= bytes;
  }
}
