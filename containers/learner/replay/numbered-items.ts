import type { ItemKind } from "../../../functions/runs/run.ts";
import type { SegmentEntry } from "../../../functions/runs/segment-store.ts";

/** Items in a row that were stored together. */
export interface Stretch {
  /** Offset of the first. */
  readonly first: number;
  readonly count: number;
  /** How many are of the kind that is wanted, and the number of the first of these. */
  readonly matching: number;
  readonly before: number;
  readonly entry: SegmentEntry;
  /** Which are, counted from `first`: only where both kinds are stored together, and only once somebody asked. */
  selected?: readonly number[];
}

/** Numbers the items of one kind by the segments that hold them, without looking into these. */
export class NumberedItems {
  readonly #kind: ItemKind | null;
  #stretches: Stretch[] = [];
  #nextOffset: number;
  #end: number;

  /** @param kind null for any @param offset it begins with, @param number of the first item there */
  constructor(kind: ItemKind | null, offset: number, number: number) {
    this.#kind = kind;
    this.#nextOffset = offset;
    this.#end = number;
  }

  /** The offset that the next segment begins with. */
  get nextOffset(): number {
    return this.#nextOffset;
  }

  /** The number that the next item gets. */
  get end(): number {
    return this.#end;
  }

  /** Adds a segment that holds `nextOffset`; one that lies before has been added already. */
  add(entry: SegmentEntry): void {
    const end = entry.first + entry.count;
    if (end <= this.#nextOffset) return;
    // What begins before was put together with what is known already.
    const first = Math.max(entry.first, this.#nextOffset);
    const knownOfIt = first === entry.first ? 0 : this.#end - (this.ofOffset(entry.first)?.before ?? this.#end);
    const matching = this.#matching(entry) - knownOfIt;
    this.#stretches.push({ first, count: end - first, matching, before: this.#end, entry });
    this.#end += matching;
    this.#nextOffset = end;
  }

  #matching({ count, transitions, interactions }: SegmentEntry): number {
    return this.#kind === null ? count : this.#kind === "transition" ? transitions : interactions;
  }

  /** Forgets whole segments before an offset. @returns the number of the first item that is left, or is to come */
  forget(firstKept: number): number {
    this.#nextOffset = Math.max(this.#nextOffset, firstKept);
    const kept = this.#stretches.findIndex(({ first, count }) => first + count > firstKept);
    this.#stretches.splice(0, kept < 0 ? this.#stretches.length : kept);
    return this.#stretches[0]?.before ?? this.#end;
  }

  /** What holds the item of a number. */
  ofNumber(number: number): Stretch | undefined {
    const stretch = this.#last(({ before }) => before <= number);
    return stretch && number < stretch.before + stretch.matching ? stretch : undefined;
  }

  /** What begins at an offset or as the last before it. */
  ofOffset(offset: number): Stretch | undefined {
    return this.#last(({ first }) => first <= offset);
  }

  /** The last stretch for which something is true that is true for all before it. */
  #last(isBefore: (stretch: Stretch) => boolean): Stretch | undefined {
    let from = 0;
    let to = this.#stretches.length;
    while (from < to) {
      const middle = (from + to) >> 1;
      if (isBefore(this.#stretches[middle] as Stretch)) from = middle + 1;
      else to = middle;
    }
    return this.#stretches[from - 1];
  }
}
