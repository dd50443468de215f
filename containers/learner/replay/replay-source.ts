import type { RecordReader } from "../../../functions/runs/record-reader.ts";
import { type ItemKind, runIdOf } from "../../../functions/runs/run.ts";
import { findRun } from "../../../functions/runs/run-store.ts";
import { type SegmentEntry, segmentAt, segmentsFrom } from "../../../functions/runs/segment-store.ts";

/** Items in a row that were stored together. */
interface Stretch {
  /** Offset of the first. */
  readonly first: number;
  readonly count: number;
  /** How many are of the kind that is wanted, and how many of these came before. */
  readonly matching: number;
  readonly before: number;
  readonly entry: SegmentEntry;
  /** Which are, counted from `first`: only where both kinds are stored together, and only once somebody asked. */
  selected?: readonly number[];
}

const entriesAtOnce = 100;

/**
 * The items of one run that a table may draw, by number: those of the wanted kind, from the oldest one kept when the table was made. Numbers
 * stay the same when segments are put together; an item costs no memory, only its segment does.
 */
export class ReplaySource {
  readonly run: string;
  readonly runId: string;
  readonly #kind: ItemKind | null;
  readonly #reader: RecordReader;
  #stretches: Stretch[] = [];
  #nextOffset = 0;
  /** Items below this number are not kept any more. */
  removed = 0;
  /** Items below this number are part of the table. */
  admitted = 0;
  /** Items below this number are in the log, as far as is known. */
  known = 0;
  isClosed = false;

  /** @param kind null for any */
  constructor(tenant: string, run: string, kind: ItemKind | null, reader: RecordReader) {
    this.run = run;
    this.runId = runIdOf(tenant, run);
    this.#kind = kind;
    this.#reader = reader;
  }

  get size(): number {
    return this.admitted - this.removed;
  }

  /** Looks what has come and what has gone. A run that has not begun yet is empty. */
  async refresh(): Promise<void> {
    const run = await findRun(this.runId);
    if (!run) return;
    this.#forget(run.first);
    while (this.#nextOffset < run.head) {
      let entries = await segmentsFrom(this.runId, this.#nextOffset, entriesAtOnce, run.head);
      if (entries[0]?.first !== this.#nextOffset) {
        const holding = await segmentAt(this.runId, this.#nextOffset);
        // Retention was faster, and the next look finds that.
        if (!holding || holding.first + holding.count <= this.#nextOffset) return;
        entries = [holding, ...entries];
      }
      for (const entry of entries) this.#add(entry);
    }
    // Only now: before its last items were seen it would look as if nothing more could come.
    this.isClosed = run.status === "closed";
  }

  #add(entry: SegmentEntry): void {
    const end = entry.first + entry.count;
    if (end <= this.#nextOffset) return;
    // What begins before was put together with what is known already.
    const from = Math.max(entry.first, this.#nextOffset);
    const knownOfIt = from === entry.first ? 0 : this.known - this.#startOf(entry.first);
    const matching = this.#matching(entry) - knownOfIt;
    this.#stretches.push({ first: from, count: end - from, matching, before: this.known, entry });
    this.known += matching;
    this.#nextOffset = end;
  }

  #matching({ count, transitions, interactions }: SegmentEntry): number {
    return this.#kind === null ? count : this.#kind === "transition" ? transitions : interactions;
  }

  /** The number of the first item of a stretch; compaction keeps the borders that it does not remove. */
  #startOf(offset: number): number {
    return this.#stretches.find(({ first }) => first === offset)?.before ?? this.removed;
  }

  #forget(firstKept: number): void {
    if (this.#nextOffset < firstKept) {
      this.#stretches = [];
      this.#nextOffset = firstKept;
    }
    const kept = this.#stretches.findIndex(({ first, count }) => first + count > firstKept);
    if (kept > 0) this.#stretches.splice(0, kept);
    this.removed = this.#stretches[0]?.before ?? this.known;
    this.admitted = Math.max(this.admitted, this.removed);
  }

  /** Where an item is. @returns null when it is not kept any more */
  async locate(number: number): Promise<{ offset: number; entry: SegmentEntry } | null> {
    const stretch = this.#last(({ before }) => before <= number);
    if (!stretch || number >= stretch.before + stretch.matching) return null;
    const index = number - stretch.before;
    if (stretch.matching === stretch.count) return { offset: stretch.first + index, entry: stretch.entry };
    const selected = await this.#selected(stretch);
    return selected && { offset: stretch.first + (selected[index] as number), entry: stretch.entry };
  }

  /** How many items lie before an offset: the number of the item there, if `isItem`. */
  async numberAt(offset: number): Promise<{ number: number; isItem: boolean }> {
    const stretch = this.#last(({ first }) => first <= offset);
    if (!stretch) return { number: this.removed, isItem: false };
    const index = offset - stretch.first;
    if (index >= stretch.count) return { number: stretch.before + stretch.matching, isItem: false };
    if (stretch.matching === stretch.count) return { number: stretch.before + index, isItem: true };
    const selected = (await this.#selected(stretch)) ?? [];
    const place = selected.findIndex((one) => one >= index);
    const isItem = selected[place] === index;
    return { number: stretch.before + (place < 0 ? stretch.matching : place), isItem };
  }

  /** The offset of the first item that is not part of the table. */
  async nextOffset(): Promise<number> {
    return (await this.locate(this.admitted))?.offset ?? this.#nextOffset;
  }

  async #selected(stretch: Stretch): Promise<readonly number[] | null> {
    if (stretch.selected) return stretch.selected;
    if (stretch.matching === 0) return [];
    const kinds = await this.#reader.kinds(this.runId, stretch.first, stretch.count, stretch.entry);
    if (!kinds) return null;
    stretch.selected = kinds.flatMap((kind, index) => (kind === this.#kind ? index : []));
    return stretch.selected;
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
