/** Keeps what was read last, up to a number of bytes, so that many who want the same read it once. */
export class RecentStretches<T extends { readonly bytes: number; readonly loss: Error | null }> {
  readonly bytesMax: number;
  #bytesHeld = 0;
  /** In order of use. Promises, so that who comes while it is read waits for it. */
  readonly #kept = new Map<string, Promise<T>>();

  constructor(bytesMax: number) {
    this.bytesMax = bytesMax;
  }

  /** What cannot be read, or not all of it, is tried again next time. @throws what `read` throws, to all who waited for it */
  async get(key: string, read: () => Promise<T>): Promise<T> {
    const known = this.#kept.get(key);
    if (known) {
      this.#kept.delete(key);
      this.#kept.set(key, known);
      return await known;
    }
    const reading = read();
    this.#kept.set(key, reading);
    try {
      const found = await reading;
      if (found.loss) this.#kept.delete(key);
      else {
        this.#bytesHeld += found.bytes;
        await this.#shrink();
      }
      return found;
    } catch (error) {
      this.#kept.delete(key);
      throw error;
    }
  }

  async #shrink(): Promise<void> {
    for (const [key, reading] of this.#kept) {
      if (this.#bytesHeld <= this.bytesMax) return;
      // One that is still being read has not been counted yet.
      const found = await Promise.race([reading, null]).catch(() => null);
      if (!found || this.#kept.get(key) !== reading) continue;
      this.#kept.delete(key);
      this.#bytesHeld -= found.bytes;
    }
  }
}
