import type { Clock } from "./clock.ts";
import { findSequenced, highWaterOf } from "./identity-store.ts";
import { RunError } from "./run-error.ts";
import { hasChecksum, type NewRecord } from "./segment.ts";
import type { Placed } from "./segment-pipeline.ts";

/** What became of an item that was handed in. */
export interface Admitted {
  /** Null for a repeat of what retention has taken away: it was stored, nobody knows any more where. */
  readonly offset: number | null;
  readonly duplicate: boolean;
  /** Settles when the item is durable. */
  readonly committed: Promise<void>;
  readonly isCommitted: boolean;
}

/** A repeat of an item that is stored for good. */
export const stored = (offset: number | null): Admitted => ({
  offset,
  duplicate: true,
  committed: Promise.resolve(),
  isCommitted: true,
});

export const otherBytes = (what: string, offset: number): RunError =>
  new RunError("already_exists", `${what} was sent before with other bytes.`, { offset });

export interface HoldLimits {
  /** How long an item waits for those before it. @default 1000 */
  readonly holdMs: number;
  /** How many of one producer wait at most. @default 1000 */
  readonly holdItems: number;
}

export const holdLimits: HoldLimits = { holdMs: 1000, holdItems: 1000 };

interface Held {
  readonly record: NewRecord;
  readonly isAwaited: boolean;
  readonly until: number;
  readonly admitted: PromiseWithResolvers<Admitted>;
}

/**
 * The order of one producer's numbered items, for one writer. A number goes into the log behind the one before it. When one is missing,
 * those behind it wait a while; then the gap counts as meant, for a producer may drop what it likes. What arrives from within a gap after
 * that is refused, because saying that it was stored would be a lie and storing it would break the order.
 */
export class ProducerSequence {
  readonly #runId: string;
  readonly #producer: string;
  readonly #clock: Clock;
  readonly #limits: HoldLimits;
  readonly #add: (record: NewRecord, after: number | null, isAwaited: boolean) => Placed;
  readonly #onGap: () => void;
  readonly #loaded: Promise<void>;
  #high: number | null = null;
  /** In the log, not committed yet; for those that are, the index is asked. */
  readonly #pending = new Map<number, Placed & { readonly crc: number }>();
  readonly #held = new Map<number, Held>();
  #cancelHold = () => {};
  #busy = 0;

  constructor(props: {
    runId: string;
    producer: string;
    clock: Clock;
    limits: HoldLimits;
    add: (record: NewRecord, after: number | null, isAwaited: boolean) => Placed;
    onGap: () => void;
  }) {
    this.#runId = props.runId;
    this.#producer = props.producer;
    this.#clock = props.clock;
    this.#limits = props.limits;
    this.#add = props.add;
    this.#onGap = props.onGap;
    this.#loaded = highWaterOf(props.runId, props.producer).then((high) => {
      this.#high = high;
    });
    this.#loaded.catch(() => {});
  }

  /** True when nothing is lost by forgetting this object. */
  get isIdle(): boolean {
    return this.#busy === 0 && this.#pending.size === 0 && this.#held.size === 0;
  }

  /** @throws RunError already_exists, aborted, and why the writer has failed */
  async admit(record: NewRecord, isAwaited: boolean): Promise<Admitted> {
    this.#busy += 1;
    try {
      await this.#loaded;
      return await this.#decide(record, record.seq as number, isAwaited);
    } finally {
      this.#busy -= 1;
    }
  }

  #decide(record: NewRecord, seq: number, isAwaited: boolean): Admitted | Promise<Admitted> {
    const pending = this.#pending.get(seq);
    if (pending) return this.#repeat(record, pending);
    const held = this.#held.get(seq);
    if (held) return this.#repeatHeld(record, held);
    if (this.#high !== null && seq <= this.#high) return this.#lookUp(record, seq);
    if (this.#isNext(seq)) {
      const admitted = this.#append(record, isAwaited);
      this.#release();
      return admitted;
    }
    return this.#hold(record, seq, isAwaited);
  }

  /** Producers count from 0 or from 1. */
  #isNext(seq: number): boolean {
    return this.#high === null ? seq <= 1 : seq === this.#high + 1;
  }

  #append(record: NewRecord, isAwaited: boolean): Admitted {
    const seq = record.seq as number;
    const placed = this.#add(record, this.#high, isAwaited);
    this.#high = seq;
    this.#pending.set(seq, { ...placed, crc: record.crc });
    placed.committed.then(
      () => this.#pending.delete(seq),
      () => {}, // The writer has failed, and this object goes with it.
    );
    return { ...placed, duplicate: false, isCommitted: false };
  }

  #repeat(record: NewRecord, { offset, crc, committed }: Placed & { crc: number }): Admitted {
    if (!hasChecksum(record, crc)) throw otherBytes(this.#name(record), offset);
    return { offset, committed, duplicate: true, isCommitted: false };
  }

  async #repeatHeld(record: NewRecord, held: Held): Promise<Admitted> {
    const first = await held.admitted.promise;
    if (!hasChecksum(record, held.record.crc)) throw otherBytes(this.#name(record), first.offset as number);
    return { ...first, duplicate: true };
  }

  async #lookUp(record: NewRecord, seq: number): Promise<Admitted> {
    const known = await findSequenced(this.#runId, this.#producer, seq);
    if (known === "forgotten") return stored(null);
    if (known === "passed") {
      throw new RunError("aborted", `${this.#name(record)} arrives after later ones and cannot go before them.`, {
        seq,
      });
    }
    if (!hasChecksum(record, known.crc)) throw otherBytes(this.#name(record), known.offset);
    return stored(known.offset);
  }

  #name(record: NewRecord): string {
    return `Item ${record.seq} of producer ${this.#producer}`;
  }

  #hold(record: NewRecord, seq: number, isAwaited: boolean): Promise<Admitted> {
    const admitted = Promise.withResolvers<Admitted>();
    this.#held.set(seq, { record, isAwaited, until: this.#clock.now() + this.#limits.holdMs, admitted });
    if (this.#held.size > this.#limits.holdItems) this.#passGap(Math.min(...this.#held.keys()));
    else if (this.#held.size === 1) this.#startTimer();
    return admitted.promise;
  }

  #startTimer(): void {
    this.#cancelHold();
    this.#cancelHold = () => {};
    const [oldest] = this.#held.values();
    if (!oldest) return;
    const seq = oldest.record.seq as number;
    this.#cancelHold = this.#clock.after(Math.max(0, oldest.until - this.#clock.now()), () => this.#passGap(seq));
  }

  /** Lets everything up to a number go into the log, whatever is missing before it. */
  #passGap(upTo: number): void {
    for (const seq of [...this.#held.keys()].toSorted((a, b) => a - b)) {
      if (seq > upTo) break;
      if (!this.#isNext(seq)) this.#onGap();
      this.#let(seq);
    }
    this.#release();
  }

  /** Lets those go that nothing is missing before any more. */
  #release(): void {
    if (this.#held.size === 0) return;
    while (this.#high !== null && this.#held.has(this.#high + 1)) this.#let(this.#high + 1);
    this.#startTimer();
  }

  #let(seq: number): void {
    const { record, isAwaited, admitted } = this.#held.get(seq) as Held;
    this.#held.delete(seq);
    try {
      admitted.resolve(this.#append(record, isAwaited));
    } catch (error) {
      admitted.reject(error);
      this.#high = Math.max(this.#high ?? 0, seq); // The writer has failed; only so that loops end.
    }
  }

  /** Ends everything that waits. */
  stop(error: RunError): void {
    this.#cancelHold();
    for (const { admitted } of this.#held.values()) admitted.reject(error);
    this.#held.clear();
  }
}
