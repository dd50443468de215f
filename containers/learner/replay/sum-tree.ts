/**
 * Weights of items in order, to be drawn from by weight. Setting and finding take time by the logarithm. Each sum is computed from its two
 * parts and not adjusted by differences, so rounding errors do not pile up, and the same weights give the same sums however they came about.
 */
export class SumTree {
  /** A power of two: leaves are behind as many sums, the root is at 1. */
  #leaves = 1024;
  #sums = new Float64Array(2 * this.#leaves);

  get total(): number {
    return this.#sums[1] as number;
  }

  /** 0 for what was never set. */
  get(index: number): number {
    return index < this.#leaves ? (this.#sums[this.#leaves + index] as number) : 0;
  }

  set(index: number, weight: number): void {
    while (index >= this.#leaves) this.#grow();
    let at = this.#leaves + index;
    this.#sums[at] = weight;
    for (at >>= 1; at >= 1; at >>= 1) this.#sums[at] = this.#part(2 * at) + this.#part(2 * at + 1);
  }

  /** The item at which the sum of weights, in order, comes to lie above `sum`, which is from 0 to below the total. Never one without weight. */
  find(sum: number): number {
    let at = 1;
    let rest = sum;
    while (at < this.#leaves) {
      at *= 2;
      const left = this.#part(at);
      // Rounding can leave a rest where there is no weight any more.
      if (rest < left || this.#part(at + 1) === 0) continue;
      rest -= left;
      at += 1;
    }
    return at - this.#leaves;
  }

  #part(at: number): number {
    return this.#sums[at] as number;
  }

  #grow(): void {
    const old = this.#sums;
    const leaves = this.#leaves;
    this.#leaves *= 2;
    this.#sums = new Float64Array(2 * this.#leaves);
    // Each level becomes the left half of the one below it.
    for (let level = 1; level <= leaves; level *= 2) this.#sums.set(old.subarray(level, 2 * level), 2 * level);
    this.#sums[1] = this.#part(2);
  }
}
