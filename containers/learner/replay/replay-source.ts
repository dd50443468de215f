import type { RecordReader } from "../../../functions/runs/record-reader.ts";
import type { ItemKind } from "../../../functions/runs/run.ts";
import { runIdOf } from "../../../functions/runs/run-name.ts";
import { findRun } from "../../../functions/runs/run-store.ts";
import { type SegmentEntry, segmentAt, segmentsFrom } from "../../../functions/runs/segment-store.ts";
import { NumberedItems, type Stretch } from "./numbered-items.ts";

const entriesAtOnce = 500;

/**
 * The items of one run that a table may draw, by number: those of the wanted kind, from the oldest one kept when the table was made. Numbers
 * stay the same when segments are put together; an item costs no memory, only its segment does.
 */
export class ReplaySource {
  readonly run: string;
  readonly runId: string;
  readonly #kind: ItemKind | null;
  readonly #reader: RecordReader;
  #items = new NumberedItems(null, 0, 0);
  /** Of the run, when its segments were looked up. */
  #layout = -1;
  /** Items below this number are not kept any more. */
  removed = 0;
  /** Items below this number are part of the table. */
  admitted = 0;
  isClosed = false;

  /** @param kind null for any */
  constructor(tenant: string, run: string, kind: ItemKind | null, reader: RecordReader) {
    this.run = run;
    this.runId = runIdOf(tenant, run);
    this.#kind = kind;
    this.#reader = reader;
  }

  /** Items below this number are in the log, as far as is known. */
  get known(): number {
    return this.#items.end;
  }

  get size(): number {
    return this.admitted - this.removed;
  }

  /** Looks what has come and what has gone. A run that has not begun yet is empty. */
  async refresh(): Promise<void> {
    const run = await findRun(this.runId);
    if (!run) return;
    this.removed = this.#items.forget(run.first);
    this.admitted = Math.max(this.admitted, this.removed);
    // Segments that were put together are looked up anew: where they were, they can be read for a day only.
    const isAnew = run.layout !== this.#layout;
    const items = isAnew ? new NumberedItems(this.#kind, run.first, this.removed) : this.#items;
    while (items.nextOffset < run.head) {
      const entries = await this.#entriesFrom(items.nextOffset, run.head);
      // Retention was faster, and the next look finds that.
      if (!entries) return;
      for (const entry of entries) items.add(entry);
    }
    this.#items = items;
    this.#layout = run.layout;
    // Only now: before its last items were seen it would look as if nothing more could come.
    this.isClosed = run.status === "closed";
  }

  async #entriesFrom(offset: number, head: number): Promise<SegmentEntry[] | null> {
    const entries = await segmentsFrom(this.runId, offset, entriesAtOnce, head);
    if (entries[0]?.first === offset) return entries;
    const holding = await segmentAt(this.runId, offset);
    return holding && holding.first + holding.count > offset ? [holding, ...entries] : null;
  }

  /** Where an item is. @returns null when it is not kept any more */
  async locate(number: number): Promise<{ offset: number; entry: SegmentEntry } | null> {
    const stretch = this.#items.ofNumber(number);
    if (!stretch) return null;
    const index = number - stretch.before;
    if (stretch.matching === stretch.count) return { offset: stretch.first + index, entry: stretch.entry };
    const selected = await this.#selected(stretch);
    return selected && { offset: stretch.first + (selected[index] as number), entry: stretch.entry };
  }

  /** How many items lie before an offset: the number of the item there, if `isItem`. */
  async numberAt(offset: number): Promise<{ number: number; isItem: boolean }> {
    const stretch = this.#items.ofOffset(offset);
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
    return (await this.locate(this.admitted))?.offset ?? this.#items.nextOffset;
  }

  async #selected(stretch: Stretch): Promise<readonly number[] | null> {
    if (stretch.selected) return stretch.selected;
    if (stretch.matching === 0) return [];
    const kinds = await this.#reader.kinds(this.runId, stretch.first, stretch.count, stretch.entry);
    if (!kinds) return null;
    stretch.selected = kinds.flatMap((kind, index) => (kind === this.#kind ? index : []));
    return stretch.selected;
  }
}
