import type { Clock } from "./clock.ts";
import { findKeyed } from "./identity-store.ts";
import { type Admitted, type HoldLimits, otherBytes, ProducerSequence, stored } from "./producer-sequence.ts";
import type { RunError } from "./run-error.ts";
import { hasChecksum, type NewRecord } from "./segment.ts";
import { type PipelineEvents, type PipelineLimits, SegmentPipeline } from "./segment-pipeline.ts";

/** Producers remembered at once; one that is forgotten costs a read when it comes again. Names come from callers, so there is a limit. */
const producersMax = 10_000;

/** One epoch of a log: decides what of an item is new, and puts that into the pipeline. It ends with the first write that fails. */
export class RunWriter {
  readonly epoch: number;
  readonly #runId: string;
  readonly #clock: Clock;
  readonly #limits: HoldLimits;
  readonly #pipeline: SegmentPipeline;
  readonly #onGap: () => void;
  readonly #producers = new Map<string, ProducerSequence>();
  /** By idempotency key, while an item is not committed: of several that come at once one is looked up and stored. */
  readonly #keyed = new Map<string, { readonly crc: number; readonly admitted: Promise<Admitted> }>();

  constructor(props: {
    runId: string;
    epoch: number;
    head: number;
    clock: Clock;
    limits: PipelineLimits & HoldLimits;
    events: PipelineEvents;
    onGap: () => void;
  }) {
    this.epoch = props.epoch;
    this.#runId = props.runId;
    this.#clock = props.clock;
    this.#limits = props.limits;
    this.#onGap = props.onGap;
    this.#pipeline = new SegmentPipeline(props);
  }

  /**
   * Takes an item into the log, unless it is there. Items without a number keep the order of the calls.
   * @throws RunError already_exists, aborted, and why the writer has failed
   */
  admit(record: NewRecord, isAwaited: boolean): Admitted | Promise<Admitted> {
    // A number says more than a key: order too. Who sends both is known by the number.
    if (record.seq !== null) return this.#admitSequenced(record, isAwaited);
    if (record.key !== "") return this.#admitKeyed(record, isAwaited);
    return this.#append(record, isAwaited);
  }

  #append(record: NewRecord, isAwaited: boolean): Admitted {
    return { ...this.#pipeline.add(record, null, isAwaited), duplicate: false, isCommitted: false };
  }

  async #admitSequenced(record: NewRecord, isAwaited: boolean): Promise<Admitted> {
    const { producer } = record;
    const sequence = this.#producers.get(producer) ?? this.#newSequence(producer);
    try {
      return await sequence.admit(record, isAwaited);
    } catch (error) {
      // Perhaps its high-water could not be read; the next one reads again.
      if (sequence.isIdle && this.#producers.get(producer) === sequence) this.#producers.delete(producer);
      throw error;
    }
  }

  #newSequence(producer: string): ProducerSequence {
    for (const [name, { isIdle }] of this.#producers) {
      if (this.#producers.size < producersMax) break;
      if (isIdle) this.#producers.delete(name);
    }
    const sequence = new ProducerSequence({
      runId: this.#runId,
      producer,
      clock: this.#clock,
      limits: this.#limits,
      add: (record, after, isAwaited) => this.#pipeline.add(record, after, isAwaited),
      onGap: this.#onGap,
    });
    this.#producers.set(producer, sequence);
    return sequence;
  }

  async #admitKeyed(record: NewRecord, isAwaited: boolean): Promise<Admitted> {
    const { key, crc } = record;
    const same = this.#keyed.get(key);
    if (same) {
      const first = await same.admitted;
      if (!hasChecksum(record, same.crc)) throw otherBytes(`Key ${key}`, first.offset as number);
      return { ...first, duplicate: true };
    }
    const admitted = this.#lookUp(record, isAwaited);
    this.#keyed.set(key, { crc, admitted });
    const forget = () => void this.#keyed.delete(key);
    admitted.then(({ committed }) => committed.then(forget, forget), forget);
    return admitted;
  }

  async #lookUp(record: NewRecord, isAwaited: boolean): Promise<Admitted> {
    const known = await findKeyed(this.#runId, record.key, this.#clock.now());
    if (!known) return this.#append(record, isAwaited);
    if (!hasChecksum(record, known.crc)) throw otherBytes(`Key ${record.key}`, known.offset);
    return stored(known.offset);
  }

  flush(): Promise<void> {
    return this.#pipeline.flush();
  }

  /** Ends everything that is not committed with this error. */
  stop(error: RunError): void {
    this.#pipeline.stop(error);
    for (const sequence of this.#producers.values()) sequence.stop(error);
  }
}
