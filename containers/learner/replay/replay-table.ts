import type { Clock } from "../../../functions/runs/clock.ts";
import { waitForHead } from "../../../functions/runs/head-watch.ts";
import type { RecordReader } from "../../../functions/runs/record-reader.ts";
import type { ItemKind } from "../../../functions/runs/run.ts";
import { RateLimiter, type RateLimits } from "./rate-limiter.ts";
import { ReplaySource } from "./replay-source.ts";
import { SumTree } from "./sum-tree.ts";

export interface TableOptions {
  readonly runs: readonly string[];
  /** Null for any. */
  readonly kind: ItemKind | null;
  readonly limits: RateLimits;
  /** Of priorities. */
  readonly exponent: number;
}

/** Where a table is, to go on from there in another process. */
export interface TableCheckpoint {
  readonly offsets: readonly { readonly run: string; readonly nextOffset: number }[];
  readonly inserts: number;
  readonly samples: number;
}

export type Selector = "uniform" | "fifo" | "prioritised";

/** An item that was drawn. */
export interface Drawn {
  readonly source: ReplaySource;
  readonly number: number;
  readonly probability: number;
  readonly priority: number;
  readonly tableSize: number;
}

/** How far a call has come that takes every item once: the number of its next one in each run. */
export type FifoPlace = Map<ReplaySource, number>;

/** Weights are 16 to 32 bytes an item. */
export const prioritisedItemsMax = 4_000_000;
/** A table that is sampled all the time still looks as often what has come. */
const refreshMilliseconds = 100;
const waitMilliseconds = { min: 20, max: 250 };

/**
 * What can be sampled of some runs. Items lie in the log; the table knows which segments there are, how many items the rate limiter has let
 * in, and priorities. What is drawn depends only on random numbers, items and priorities: items are numbered run by run in the order of
 * their offsets, in whatever order they came.
 */
export class ReplayTable {
  readonly options: TableOptions;
  readonly limiter: RateLimiter;
  readonly sources: readonly ReplaySource[];
  /** Calls of Sample under way. */
  samplers = 0;
  readonly #clock: Clock;
  readonly #weights = new Map<ReplaySource, SumTree>();
  readonly #resume: TableCheckpoint | null;
  #isPrioritised = false;
  #highestPriority = 1;
  #refreshing: Promise<void> | null = null;
  #refreshedAt = Number.NEGATIVE_INFINITY;
  #changed = new AbortController();

  constructor(
    tenant: string,
    options: TableOptions,
    deps: { readonly reader: RecordReader; readonly clock: Clock; readonly resume?: TableCheckpoint | null },
  ) {
    this.options = options;
    this.#clock = deps.clock;
    this.#resume = deps.resume ?? null;
    this.limiter = new RateLimiter(options.limits, this.#resume ?? undefined);
    this.sources = options.runs.map((run) => new ReplaySource(tenant, run, options.kind, deps.reader));
  }

  get size(): number {
    return this.sources.reduce((sum, { size }) => sum + size, 0);
  }

  /** Items that the limiter keeps waiting in the log. */
  get waiting(): number {
    return this.sources.reduce((sum, { known, admitted }) => sum + known - admitted, 0);
  }

  /** Every run is closed, and a call that takes every item once has had all of them. */
  isDelivered(fifo: FifoPlace): boolean {
    return this.sources.every((source) => source.isClosed && placeIn(fifo, source) >= source.known);
  }

  /** Takes up what has come and forgets what has gone; calls at the same time share one look. */
  async refresh(): Promise<void> {
    this.#refreshing ??= this.#look().finally(() => {
      this.#refreshing = null;
    });
    await this.#refreshing;
  }

  async #look(): Promise<void> {
    const isFirst = this.#refreshedAt === Number.NEGATIVE_INFINITY;
    const removed = new Map(this.sources.map((source) => [source, source.removed]));
    await Promise.all(this.sources.map((source) => source.refresh()));
    if (isFirst && this.#resume) await this.#admitAgain(this.#resume);
    for (const source of this.sources) this.#dropWeights(source, removed.get(source) as number);
    this.#admit();
    this.#refreshedAt = this.#clock.now();
  }

  /** What was part of the table before a restart has been counted already. */
  async #admitAgain({ offsets }: TableCheckpoint): Promise<void> {
    for (const source of this.sources) {
      const nextOffset = offsets.find(({ run }) => run === source.run)?.nextOffset ?? 0;
      const { number } = await source.numberAt(nextOffset);
      source.admitted = Math.max(source.admitted, number);
    }
  }

  /** Lets in as many items as the limiter allows. */
  #admit(): void {
    let came = false;
    for (const source of this.sources) {
      const count = this.limiter.insertable(source.known - source.admitted, this.size);
      if (count === 0) continue;
      came = true;
      this.limiter.inserted(count);
      source.admitted += count;
      if (this.#isPrioritised) this.#weigh(source, source.admitted - count);
    }
    if (came) this.#wake();
  }

  #wake(): void {
    this.#changed.abort();
    this.#changed = new AbortController();
  }

  /**
   * Draws as many of `wanted` items as may be sampled now, without waiting.
   * @param fifo where the call is, for that selector; it is moved on
   */
  draw(selector: Selector, wanted: number, random: () => number, fifo: FifoPlace): Drawn[] {
    if (selector === "prioritised") this.#prioritise();
    const left = this.#drawable(selector, wanted, fifo);
    const count = this.limiter.samplable(left, this.size);
    if (count === 0) return [];
    const tableSize = this.size;
    const drawn = Array.from({ length: count }, (): Drawn => {
      if (selector === "fifo") return { ...this.#drawNext(fifo), tableSize };
      return { ...(selector === "uniform" ? this.#drawAny(random) : this.#drawWeighted(random)), tableSize };
    });
    this.limiter.sampled(count);
    this.#admit();
    this.#wake();
    return drawn;
  }

  #drawable(selector: Selector, wanted: number, fifo: FifoPlace): number {
    if (selector === "uniform") return wanted;
    if (selector === "prioritised") return this.#total() > 0 ? wanted : 0;
    const left = this.sources.reduce((sum, source) => sum + source.admitted - placeIn(fifo, source), 0);
    return Math.min(wanted, left);
  }

  #drawNext(fifo: FifoPlace): Omit<Drawn, "tableSize"> {
    const source = this.sources.find((one) => placeIn(fifo, one) < one.admitted) as ReplaySource;
    const number = placeIn(fifo, source);
    fifo.set(source, number + 1);
    return { source, number, probability: 1, priority: this.#priorityOf(source, number) };
  }

  #drawAny(random: () => number): Omit<Drawn, "tableSize"> {
    let index = Math.floor(random() * this.size);
    const source = this.sources.find((one) => {
      if (index < one.size) return true;
      index -= one.size;
      return false;
    }) as ReplaySource;
    const number = source.removed + index;
    return { source, number, probability: 1 / this.size, priority: this.#priorityOf(source, number) };
  }

  #drawWeighted(random: () => number): Omit<Drawn, "tableSize"> {
    const total = this.#total();
    let sum = random() * total;
    const weighted = this.sources.filter((source) => this.#weightsOf(source).total > 0);
    const source = weighted.find((one, index) => {
      const { total } = this.#weightsOf(one);
      // The last one takes what rounding has left over.
      if (sum < total || index === weighted.length - 1) return true;
      sum -= total;
      return false;
    }) as ReplaySource;
    const number = this.#weightsOf(source).find(sum);
    const weight = this.#weightsOf(source).get(number);
    return { source, number, probability: weight / total, priority: this.#priorityOf(source, number) };
  }

  #total(): number {
    return this.sources.reduce((sum, source) => sum + this.#weightsOf(source).total, 0);
  }

  #weightsOf(source: ReplaySource): SumTree {
    const known = this.#weights.get(source) ?? new SumTree();
    this.#weights.set(source, known);
    return known;
  }

  #priorityOf(source: ReplaySource, number: number): number {
    const { exponent } = this.options;
    if (!this.#isPrioritised || exponent === 0) return this.#highestPriority;
    return this.#weightsOf(source).get(number) ** (1 / exponent);
  }

  /** Weights are kept from when they are first needed on. */
  #prioritise(): void {
    if (this.#isPrioritised) return;
    this.#isPrioritised = true;
    for (const source of this.sources) this.#weigh(source, source.removed);
  }

  /** Gives items from a number on the highest priority there is, so that each has its chance. */
  #weigh(source: ReplaySource, from: number): void {
    const weight = this.#highestPriority ** this.options.exponent;
    for (let number = from; number < source.admitted; number++) this.#weightsOf(source).set(number, weight);
  }

  #dropWeights(source: ReplaySource, from: number): void {
    if (!this.#isPrioritised) return;
    for (let number = from; number < source.removed; number++) this.#weightsOf(source).set(number, 0);
  }

  /** True when a table is too large for priorities. */
  get isTooLargeForPriorities(): boolean {
    return this.sources.reduce((sum, { known }) => sum + known, 0) > prioritisedItemsMax;
  }

  /** Takes an item out of what can be drawn by priority: it cannot be read. */
  leaveOut({ source, number }: Drawn): void {
    if (this.#isPrioritised) this.#weightsOf(source).set(number, 0);
  }

  /** Gives an item another priority. @returns false when it is not in the table */
  async setPriority(run: string, offset: number, priority: number): Promise<boolean> {
    const source = this.sources.find((one) => one.run === run);
    const { number, isItem } = (await source?.numberAt(offset)) ?? { number: 0, isItem: false };
    if (!source || !isItem || number < source.removed || number >= source.admitted) return false;
    this.#prioritise();
    this.#highestPriority = Math.max(this.#highestPriority, priority);
    // Zero to the power of zero is one, and would be drawn.
    this.#weightsOf(source).set(number, priority === 0 ? 0 : priority ** this.options.exponent);
    this.#wake();
    return true;
  }

  /** Looks at the log when the last look was a while ago. */
  async refreshIfDue(): Promise<void> {
    if (this.#clock.now() - this.#refreshedAt >= refreshMilliseconds) await this.refresh();
  }

  /** Waits until there may be more to draw, or the signal aborts. @param tries in vain so far: waits grow */
  async changed(tries: number, signal: AbortSignal): Promise<void> {
    const ms = Math.min(waitMilliseconds.min * 2 ** tries, waitMilliseconds.max);
    const stop = new AbortController();
    const ended = AbortSignal.any([signal, stop.signal, this.#changed.signal]);
    await Promise.race(this.sources.map(({ runId }) => waitForHead(runId, ms, this.#clock, ended)));
    stop.abort();
    if (!signal.aborted) await this.refresh();
  }

  async checkpoint(): Promise<TableCheckpoint> {
    const { inserts, samples } = this.limiter;
    const offsets = this.sources.map(async (source) => ({ run: source.run, nextOffset: await source.nextOffset() }));
    return { offsets: await Promise.all(offsets), inserts, samples };
  }
}

const placeIn = (fifo: FifoPlace, source: ReplaySource): number => Math.max(fifo.get(source) ?? 0, source.removed);
