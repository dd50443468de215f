import { randomUUID } from "node:crypto";
import { type Clock, pause } from "./clock.ts";
import { commitSegment, type IndexedRecord, indexRowOf, indexRowsMax } from "./commit-segment.ts";
import { announceHead } from "./head-watch.ts";
import { bytesOf } from "./payload.ts";
import { isRunError, RunError } from "./run-error.ts";
import { type NewRecord, recordOverhead, type SegmentBody, SegmentEncoder } from "./segment.ts";
import { putSegment } from "./segment-store.ts";

export interface PipelineLimits {
  /** A segment ends before it passes this; a larger item gets one of its own. Readers hold one in memory. @default 8 MiB */
  readonly segmentBytes: number;
  /** @default 1000 */
  readonly segmentItems: number;
  /** No item waits longer for company. It is also how much a crash takes of what was acknowledged from memory. @default 100 */
  readonly lingerMs: number;
  /**
   * Whether a segment that somebody waits for ends while none is on its way: as soon as it holds an item of each who waited for the last
   * commit, for who was answered mostly comes back at once, and a producer that sends one item after the other has no company to wait for.
   * While one is on its way the next one fills, so that there are fewer the slower storing is. @default true
   */
  readonly sealWhenIdle: boolean;
  /** Segments that are uploaded at once. @default 4 */
  readonly uploadsMax: number;
  /** Tries of one write before what waits for it is told; the SDK tries three times within each. @default 5 */
  readonly triesMax: number;
}

export const pipelineLimits: PipelineLimits = {
  segmentBytes: 8 * 1024 * 1024,
  segmentItems: 1000,
  lingerMs: 100,
  sealWhenIdle: true,
  uploadsMax: 4,
  triesMax: 5,
};

/**
 * How long a segment waits for those who were answered last, as a share of what storing took, and in milliseconds: with company it costs what
 * one item alone would, and who never comes back delays the others by no more than this.
 */
const companyShare = 0.5;
const companyMsMax = 20;
/** Between two tries: 50 ms, doubled each time, at random below that. With five tries an outage of a second is ridden out. */
const backOffMs = (attempt: number) => Math.random() * 50 * 2 ** attempt;
/** A call that hangs counts as failed after this; it is safe to repeat. */
const tryMsMax = 60_000;

export type SealReason = "bytes" | "items" | "index" | "linger" | "idle" | "flush";

export interface CommittedSegment {
  readonly items: number;
  readonly bytes: number;
  readonly reason: SealReason;
  /** From its end to its commit. */
  readonly ms: number;
}

export interface PipelineEvents {
  committed(segment: CommittedSegment): void;
  /** Told after each try of a write. */
  tried(ok: boolean): void;
  /** Told once: nothing is taken any more. `lost` items were acknowledged from memory and are not stored. */
  failed(error: RunError, lost: number): void;
}

/** Where an item is in the log; `committed` settles when that is certain. */
export interface Placed {
  readonly offset: number;
  readonly committed: Promise<void>;
}

/**
 * Turns items into segments of the log, for one writer: gathers them, uploads several segments at once, and commits them strictly in
 * order. At the first write that fails for good everything that is not committed fails, and so does the pipeline.
 */
export class SegmentPipeline {
  readonly #runId: string;
  readonly #epoch: number;
  readonly #clock: Clock;
  readonly #limits: PipelineLimits;
  readonly #events: PipelineEvents;
  #next: number;
  #open: OpenSegment | null = null;
  #cancelLinger = () => {};
  /** So many waited for the last commit and may come back; 0 when they have had their time. */
  #company = 0;
  #cancelCompany = () => {};
  #underway = new Set<OpenSegment>();
  #lastCommit: Promise<void> = Promise.resolve();
  #uploads = 0;
  readonly #forUpload: (() => void)[] = [];
  #failure: RunError | null = null;

  constructor(props: {
    runId: string;
    epoch: number;
    head: number;
    clock: Clock;
    limits: PipelineLimits;
    events: PipelineEvents;
  }) {
    this.#runId = props.runId;
    this.#epoch = props.epoch;
    this.#next = props.head;
    this.#clock = props.clock;
    this.#limits = props.limits;
    this.#events = props.events;
  }

  /**
   * Puts an item into the open segment.
   * @param after the producer's high-water before the item, when it has a number
   * @param isAwaited whether somebody waits for the commit
   * @throws RunError why the pipeline has failed
   */
  add(record: NewRecord, after: number | null, isAwaited: boolean): Placed {
    if (this.#failure) throw this.#failure;
    const tooFull = this.#open?.refusal(record, this.#limits);
    if (tooFull) this.seal(tooFull);
    const segment = this.#open ?? this.#begin();
    segment.add(record, after, isAwaited);
    this.#next += 1;
    if (segment.encoder.count === this.#limits.segmentItems) this.seal("items");
    else if (isAwaited) this.#sealSoonWhenIdle();
    return { offset: this.#next - 1, committed: segment.committed };
  }

  #begin(): OpenSegment {
    const segment = new OpenSegment(this.#runId, this.#next);
    this.#open = segment;
    this.#cancelLinger = this.#clock.after(this.#limits.lingerMs, () => this.seal("linger"));
    return segment;
  }

  /** Not in this very moment: what arrives in the same turn of the event loop comes along. */
  #sealSoonWhenIdle(): void {
    if (!this.#limits.sealWhenIdle || this.#underway.size > 0) return;
    const segment = this.#open;
    setImmediate(() => {
      if (segment && this.#open === segment && this.#underway.size === 0 && segment.awaited >= this.#company)
        this.seal("idle");
    });
  }

  /** After a commit: who waited for it, and who waits behind it, is expected to be there again soon. */
  #expectCompany(answered: number, ms: number): void {
    this.#company = answered + (this.#open?.awaited ?? 0);
    this.#cancelCompany();
    const waitMs = Math.min(companyMsMax, Math.ceil(ms * companyShare));
    this.#cancelCompany = this.#clock.after(waitMs, () => {
      this.#company = 0;
      if (this.#open && this.#open.awaited > 0) this.#sealSoonWhenIdle();
    });
    if (this.#open && this.#open.awaited > 0) this.#sealSoonWhenIdle();
  }

  /** Ends the open segment and sends it on its way. */
  seal(reason: SealReason): void {
    const segment = this.#open;
    if (!segment || this.#failure) return;
    this.#open = null;
    this.#cancelLinger();
    this.#underway.add(segment);
    const uploaded = this.#upload(segment);
    // Its failure is seen by whoever commits; until then it must not count as unhandled.
    uploaded.catch(() => {});
    this.#lastCommit = this.#commit(segment, uploaded, this.#lastCommit, reason);
  }

  /** Resolves when everything that is in the pipeline now is committed. @throws RunError why it has failed */
  async flush(): Promise<void> {
    this.seal("flush");
    await this.#lastCommit;
    if (this.#failure) throw this.#failure;
  }

  async #upload(segment: OpenSegment): Promise<number> {
    if (this.#uploads === this.#limits.uploadsMax) await new Promise<void>((free) => this.#forUpload.push(free));
    else this.#uploads += 1;
    try {
      const body = segment.body();
      await this.#insist(() => putSegment(this.#runId, { first: segment.first, epoch: this.#epoch, body }));
      return body.bytes;
    } finally {
      const next = this.#forUpload.shift();
      if (next) next();
      else this.#uploads -= 1;
    }
  }

  async #commit(segment: OpenSegment, uploaded: Promise<number>, before: Promise<void>, reason: SealReason) {
    const begun = this.#clock.now();
    try {
      await before;
      if (this.#failure) throw this.#failure;
      const { records, highWaters, first, token } = segment;
      const stored = {
        runId: this.#runId,
        first,
        epoch: this.#epoch,
        bytes: await uploaded,
        records,
        highWaters,
        token,
      };
      await this.#insist(() => commitSegment(stored, this.#epoch, this.#clock.now()));
      this.#underway.delete(segment);
      segment.settle.resolve();
      announceHead(this.#runId);
      const ms = this.#clock.now() - begun;
      this.#events.committed({ items: records.length, bytes: stored.bytes, reason, ms });
      this.#expectCompany(segment.awaited, ms);
    } catch (error) {
      this.stop(isRunError(error) ? error : new RunError("unavailable", "The log cannot be written.", {}, error));
    }
  }

  /** Ends the pipeline: what is not committed fails with this error. */
  stop(error: RunError): void {
    if (this.#failure) return;
    this.#failure = error;
    this.#cancelLinger();
    this.#cancelCompany();
    const left = [...this.#underway, ...(this.#open ? [this.#open] : [])];
    this.#open = null;
    this.#underway.clear();
    for (const segment of left) segment.settle.reject(error);
    this.#events.failed(
      error,
      left.reduce((sum, segment) => sum + segment.unawaited, 0),
    );
  }

  /** Tries a write that is safe to repeat until it works, but not for ever. @throws RunError unavailable, and what is final at once */
  async #insist(write: () => Promise<void>): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      if (this.#failure) throw this.#failure;
      try {
        await this.#withinTime(write());
        return this.#events.tried(true);
      } catch (error) {
        if (isRunError(error)) throw error;
        this.#events.tried(false);
        if (attempt >= this.#limits.triesMax) {
          throw new RunError("unavailable", "The log cannot be written at the moment.", {}, error);
        }
        await pause(this.#clock, backOffMs(attempt));
      }
    }
  }

  #withinTime(write: Promise<void>): Promise<void> {
    return new Promise((resolve, reject) => {
      const cancel = this.#clock.after(tryMsMax, () => reject(new Error(`No answer within ${tryMsMax} ms.`)));
      write.finally(cancel).then(resolve, reject);
    });
  }
}

/** A segment on its way: items come in until it is sealed. */
class OpenSegment {
  readonly first: number;
  readonly token = randomUUID();
  readonly records: IndexedRecord[] = [];
  readonly highWaters = new Map<string, number | null>();
  readonly settle = Promise.withResolvers<void>();
  /** Items that nobody waits for: lost, if the segment is. */
  unawaited = 0;
  encoder: SegmentEncoder;
  readonly #indexRows = new Set<string>();

  constructor(runId: string, first: number) {
    this.first = first;
    this.encoder = new SegmentEncoder({ runId, first });
    // Who waits hears of a failure; with nobody waiting it must not end the process.
    this.settle.promise.catch(() => {});
  }

  get committed(): Promise<void> {
    return this.settle.promise;
  }

  /** Items that somebody waits for. */
  get awaited(): number {
    return this.records.length - this.unawaited;
  }

  /** Why a record has to go into the next segment, or null when it fits. */
  refusal(record: NewRecord, { segmentBytes }: PipelineLimits): SealReason | null {
    const row = indexRowOf(record);
    if (row !== null && !this.#indexRows.has(row) && this.#indexRows.size === indexRowsMax) return "index";
    return this.encoder.bytes + recordOverhead(record) + bytesOf(record.payload) > segmentBytes ? "bytes" : null;
  }

  add(record: NewRecord, after: number | null, isAwaited: boolean): void {
    const { payload, ...rest } = record;
    this.encoder.add(record);
    this.records.push({ ...rest, payloadBytes: bytesOf(payload) });
    if (!isAwaited) this.unawaited += 1;
    const row = indexRowOf(record);
    if (row !== null) this.#indexRows.add(row);
    if (record.seq !== null && !this.highWaters.has(record.producer)) this.highWaters.set(record.producer, after);
  }

  /** The object. Lets go of what it was made of: from here on it is what is held. */
  body(): SegmentBody {
    const body = this.encoder.body();
    this.encoder = new SegmentEncoder(this.encoder.header);
    return body;
  }
}
