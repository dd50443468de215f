export interface RateLimits {
  /** How often each item is to be sampled in the mean; 0 does not limit. */
  readonly samplesPerInsert: number;
  /** Before the table has held as many, nothing is sampled. */
  readonly minSize: number;
  /** How far inserts * samplesPerInsert - samples may be off from what it is at `minSize`. */
  readonly errorBuffer: number;
}

/**
 * Keeps training and experience in step, as in Reverb: what is ahead waits. Once the table has been filled to its least size,
 * inserts * samplesPerInsert - samples stays within `band`. A buffer of at least 1 and samplesPerInsert is wide enough that never both wait.
 * https://arxiv.org/abs/2102.04736, section 3.3
 */
export class RateLimiter {
  readonly #limits: RateLimits;
  readonly band: { readonly min: number; readonly max: number };
  #inserts: number;
  #samples: number;

  /** @param counted what it goes on with after a restart */
  constructor(limits: RateLimits, counted: { readonly inserts: number; readonly samples: number } = none) {
    this.#limits = limits;
    const { samplesPerInsert, minSize, errorBuffer } = limits;
    const target = samplesPerInsert * minSize;
    const isLimited = samplesPerInsert > 0;
    this.band = { min: isLimited ? target - errorBuffer : -Infinity, max: isLimited ? target + errorBuffer : Infinity };
    this.#inserts = counted.inserts;
    this.#samples = counted.samples;
  }

  get inserts(): number {
    return this.#inserts;
  }

  get samples(): number {
    return this.#samples;
  }

  get difference(): number {
    return this.#inserts * this.#limits.samplesPerInsert - this.#samples;
  }

  /** How many of so many items may come in now. */
  insertable(wanted: number, size: number): number {
    const { samplesPerInsert, minSize } = this.#limits;
    if (samplesPerInsert === 0) return wanted;
    // Up to the least size nothing stands against it, or a table that has lost its items would never fill again.
    const toFill = Math.max(0, minSize - size);
    return Math.min(wanted, Math.max(toFill, Math.floor((this.band.max - this.difference) / samplesPerInsert)));
  }

  inserted(count: number): void {
    this.#inserts += count;
  }

  /** How many of so many samples may be taken now. */
  samplable(wanted: number, size: number): number {
    if (size < this.#limits.minSize || size === 0) return 0;
    if (this.#limits.samplesPerInsert === 0) return wanted;
    return Math.min(wanted, Math.max(0, Math.floor(this.difference - this.band.min)));
  }

  sampled(count: number): void {
    this.#samples += count;
  }
}

const none = { inserts: 0, samples: 0 };
