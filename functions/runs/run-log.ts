import { randomUUID } from "node:crypto";
import { type Clock, pause, systemClock } from "./clock.ts";
import { releaseLease, renewLease, takeLease } from "./lease-store.ts";
import { MemoryBudget } from "./memory-budget.ts";
import { bytesOf, crc32cOf, crc32Of, type Payload } from "./payload.ts";
import { type HoldLimits, holdLimits } from "./producer-sequence.ts";
import { recoverRun } from "./recover-run.ts";
import { ItemKind } from "./run.ts";
import { isRunError, RunError } from "./run-error.ts";
import { RunWriter } from "./run-writer.ts";
import { type NewRecord, recordOverhead } from "./segment.ts";
import { type CommittedSegment, type PipelineLimits, pipelineLimits } from "./segment-pipeline.ts";
import { probeWrites } from "./segment-store.ts";

export interface RunLogLimits extends PipelineLimits, HoldLimits {
  /** How long a writer that has died keeps others out. It is renewed three times within. @default 15 s */
  readonly leaseMs: number;
}

export const runLogLimits: RunLogLimits = { ...pipelineLimits, ...holdLimits, leaseMs: 15_000 };

export interface RunLogOptions {
  /** Who writes: the ARN of a task, or a fixed name where one process is started again and again. */
  readonly ownerId: string;
  /** Shared by all logs of a process. @default 64 MiB for this log */
  readonly budget?: MemoryBudget;
  readonly limits?: Partial<RunLogLimits>;
  /** @default the machine's */
  readonly clock?: Clock;
  /** Told of each segment that has become part of the log. */
  readonly onCommit?: (segment: CommittedSegment) => void;
}

/** An item to be appended. The log keeps a reference to the payload until it is stored: it must not change. */
export interface NewItem {
  readonly kind: ItemKind;
  readonly payload: Payload;
  /** Up to 128 visible ASCII characters. */
  readonly producer?: string;
  /** The producer's own number of the item, from 0 or 1 on; needs `producer`. */
  readonly seq?: number;
  /** Up to 200 visible ASCII characters; not looked at when there is a number. */
  readonly idempotencyKey?: string;
  /** What the caller says that the payload's CRC-32C is. */
  readonly crc32c?: number;
  /** "durable" answers when nothing can lose the item any more; "memory" as soon as it has its place. @default durable */
  readonly ack?: "durable" | "memory";
}

export interface Appended {
  /** Null for a repeat of an item that retention has taken away meanwhile. */
  readonly offset: number | null;
  readonly duplicate: boolean;
  readonly durable: boolean;
}

/** What has happened since the log was opened. */
export interface RunLogCounters {
  items: number;
  bytes: number;
  duplicates: number;
  /** Numbers that a producer left out. */
  gaps: number;
  /** Items that were acknowledged from memory and could not be stored. */
  lost: number;
  /** Tries of writes that failed. */
  failedWrites: number;
}

/** What an item may say of itself, by hand: a schema costs as much as all the rest of taking an item. */
function problemOf({ kind, producer, seq, idempotencyKey }: NewItem): string | null {
  if (!Object.hasOwn(ItemKind, kind)) return `There is no kind ${kind}.`;
  if (producer !== undefined && !/^[\x21-\x7e]{1,128}$/.test(producer))
    return "A producer has 1 to 128 visible ASCII characters.";
  if (idempotencyKey !== undefined && !/^[\x21-\x7e]{1,200}$/.test(idempotencyKey))
    return "A key has 1 to 200 visible ASCII characters.";
  if (seq === undefined) return null;
  if (!Number.isSafeInteger(seq) || seq < 0) return "A number is whole and not negative.";
  return producer === undefined ? "A number needs a producer." : null;
}

/** Once writes have failed for so long, nobody should send here. */
const unhealthyMs = 10_000;
/** Between two tries to open the log again after a failure, at most. */
const reopenMsMax = 2_000;

/**
 * Opens the log of a run for writing, as its one writer, and takes up what the writer before could not finish.
 * @throws RunError run_not_found, run_closed, lease_held; errors of AWS pass
 */
export async function openRunLog(runId: string, options: RunLogOptions): Promise<RunLog> {
  const log = new RunLog(runId, options);
  await log.open();
  return log;
}

/** The one writer of a run. Made by `openRunLog`. */
export class RunLog {
  readonly runId: string;
  readonly counters: RunLogCounters = { items: 0, bytes: 0, duplicates: 0, gaps: 0, lost: 0, failedWrites: 0 };
  readonly #ownerId: string;
  readonly #writerId = randomUUID();
  readonly #budget: MemoryBudget;
  readonly #limits: RunLogLimits;
  readonly #clock: Clock;
  readonly #onCommit: (segment: CommittedSegment) => void;
  readonly #closing = new AbortController();
  #writer: RunWriter | null = null;
  /** Why nothing is taken at the moment; for good when `#isOver`. */
  #trouble: RunError = new RunError("unavailable", "The log is not open.");
  #isOver = false;
  #hasBeenOpen = false;
  #failingSince: number | null = null;
  #cancelRenewal = () => {};
  #reopening: Promise<void> = Promise.resolve();

  constructor(runId: string, options: RunLogOptions) {
    this.runId = runId;
    this.#ownerId = options.ownerId;
    this.#budget = options.budget ?? new MemoryBudget(64 * 1024 * 1024);
    this.#limits = { ...runLogLimits, ...options.limits };
    this.#clock = options.clock ?? systemClock;
    this.#onCommit = options.onCommit ?? (() => {});
  }

  /** The writer's number; null while there is none. */
  get epoch(): number | null {
    return this.#writer?.epoch ?? null;
  }

  /** Bytes that wait to be written, in this log and those that share its budget. */
  get bytesHeld(): number {
    return this.#budget.bytesHeld;
  }

  /** True when this log will never take anything any more: fenced, closed, or its run is. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** False once writes have failed for ten seconds, until one succeeds. */
  get isHealthy(): boolean {
    return this.#failingSince === null || this.#clock.now() - this.#failingSince < unhealthyMs;
  }

  /** Resolves when the log takes items again after a failure, or when it never will. At once when all is well. */
  async whenOpen(): Promise<void> {
    await this.#reopening;
  }

  /** For `openRunLog`. */
  async open(): Promise<void> {
    const run = await takeLease(this.runId, {
      ownerId: this.#ownerId,
      writerId: this.#writerId,
      isAgain: this.#hasBeenOpen,
      now: this.#clock.now(),
      leaseMs: this.#limits.leaseMs,
    });
    const head = await recoverRun(run, () => this.#clock.now());
    const writer: RunWriter = new RunWriter({
      runId: this.runId,
      epoch: run.epoch,
      head,
      clock: this.#clock,
      limits: this.#limits,
      onGap: () => {
        this.counters.gaps += 1;
      },
      events: {
        committed: (segment) => this.#onCommit(segment),
        tried: (ok) => this.#noteWrite(ok),
        failed: (error, lost) => this.#onFailure(writer, error, lost),
      },
    });
    this.#writer = writer;
    this.#hasBeenOpen = true;
    this.#renewLater(run.epoch);
  }

  /**
   * Appends an item, once however often it is sent when it has a number or a key.
   * @throws RunError invalid_argument, checksum_mismatch, already_exists, aborted, overloaded, unavailable, fenced, run_closed;
   * after all but the last six nothing of the item is stored, and `unavailable` may be tried again
   */
  async append(item: NewItem): Promise<Appended> {
    const record = this.#recordOf(item);
    const writer = this.#writer;
    if (!writer) throw this.#trouble;
    const isAwaited = item.ack !== "memory";
    const release = this.#budget.take(bytesOf(record.payload) + recordOverhead(record));
    try {
      const decided = writer.admit(record, isAwaited);
      const admitted = decided instanceof Promise ? await decided : decided;
      const { offset, duplicate, committed } = admitted;
      this.#count(record, duplicate);
      if (duplicate) release();
      else committed.then(release, release);
      if (isAwaited) await committed;
      return { offset, duplicate, durable: isAwaited || admitted.isCommitted };
    } catch (error) {
      release();
      throw isRunError(error) ? error : new RunError("unavailable", "The index cannot be read.", {}, error);
    }
  }

  #recordOf(item: NewItem): NewRecord {
    const problem = problemOf(item);
    if (problem) throw new RunError("invalid_argument", problem);
    const { kind, payload, producer = "", seq = null, idempotencyKey: key = "" } = item;
    if (item.crc32c !== undefined) checkCrc32c(payload, item.crc32c);
    return { kind, payload, crc: crc32Of(payload), checksum: "crc32", time: this.#clock.now(), producer, seq, key };
  }

  #count(record: NewRecord, duplicate: boolean): void {
    if (duplicate) this.counters.duplicates += 1;
    else {
      this.counters.items += 1;
      this.counters.bytes += bytesOf(record.payload);
    }
  }

  /** Resolves when all that was appended before is durable. @throws RunError unavailable, fenced, run_closed when it cannot be */
  async flush(): Promise<void> {
    if (!this.#writer) throw this.#trouble;
    await this.#writer.flush();
  }

  /**
   * Stores what is there, then lets the next writer in. Nothing is taken any more from the first moment.
   * @throws RunError unavailable, when something that was acknowledged from memory could not be stored
   */
  async close(): Promise<void> {
    if (this.#closing.signal.aborted) return;
    const writer = this.#writer;
    this.#writer = null;
    this.#closing.abort();
    this.#cancelRenewal();
    const wasOver = this.#isOver;
    this.#end(new RunError("unavailable", "The log is closed."));
    const lostBefore = this.counters.lost;
    // A failure is told to those who wait for the items.
    await writer?.flush().catch(() => {});
    writer?.stop(this.#trouble);
    await this.#reopening;
    if (writer && !wasOver) await releaseLease(this.runId, writer.epoch).catch(() => {});
    const lost = this.counters.lost - lostBefore;
    if (lost > 0) throw new RunError("unavailable", `${lost} items acknowledged from memory are lost.`, { lost });
  }

  #end(error: RunError): void {
    this.#isOver = true;
    this.#trouble = error;
  }

  #noteWrite(ok: boolean): void {
    if (ok) this.#failingSince = null;
    else {
      this.counters.failedWrites += 1;
      this.#failingSince ??= this.#clock.now();
    }
  }

  #onFailure(writer: RunWriter, error: RunError, lost: number): void {
    this.counters.lost += lost;
    writer.stop(error);
    if (this.#writer !== writer) return;
    this.#writer = null;
    this.#cancelRenewal();
    if (error.code === "unavailable") {
      this.#trouble = error;
      this.#reopening = this.#reopen();
    } else this.#end(error);
  }

  /**
   * After a failure nobody knows what has reached S3 and DynamoDB, just as after a crash, and the same recovery finds out. It ends when a
   * write works again, for otherwise a service that is told to send nothing here would never learn that it could.
   */
  async #reopen(): Promise<void> {
    for (let attempt = 1; !this.#closing.signal.aborted; attempt++) {
      const waitMs = Math.min(reopenMsMax, 50 * 2 ** attempt) * (0.5 + Math.random() / 2);
      await pause(this.#clock, waitMs, this.#closing.signal);
      if (this.#closing.signal.aborted) return;
      try {
        await probeWrites(this.runId);
        await this.open();
        this.#noteWrite(true);
        if (this.#closing.signal.aborted) await this.#giveUp();
        return;
      } catch (error) {
        if (isRunError(error)) return this.#end(fencedBy(error));
        this.#noteWrite(false);
      }
    }
  }

  /** The log was closed while it opened again. */
  async #giveUp(): Promise<void> {
    this.#cancelRenewal();
    const epoch = this.epoch;
    this.#writer = null;
    if (epoch !== null) await releaseLease(this.runId, epoch).catch(() => {});
  }

  #renewLater(epoch: number): void {
    this.#cancelRenewal = this.#clock.after(this.#limits.leaseMs / 3, () => void this.#renew(epoch));
  }

  async #renew(epoch: number): Promise<void> {
    const until = this.#clock.now() + this.#limits.leaseMs;
    // Without an answer the lease may run out; whoever takes it then raises the epoch, and our commits fail.
    const isOurs = await renewLease(this.runId, epoch, until).catch(() => true);
    if (this.#writer?.epoch !== epoch) return;
    if (isOurs) this.#renewLater(epoch);
    else this.#writer.stop(new RunError("fenced", "Another writer has taken the run over."));
  }
}

/** @throws RunError checksum_mismatch */
function checkCrc32c(payload: Payload, said: number): void {
  const crc = crc32cOf(payload);
  if (crc === said) return;
  throw new RunError("checksum_mismatch", `The payload's CRC-32C is ${crc}, not ${said}.`, { crc });
}

/** Whoever holds the lease now has taken it while this log was in trouble. */
const fencedBy = (error: RunError): RunError =>
  error.code === "lease_held" ? new RunError("fenced", "Another writer has taken the run over.") : error;
