import type { ReviewOutcome, ReviewUnit } from "../engine/review/review.ts";
import { ModelFailure } from "../llm/model.ts";
import { isSluiceError } from "../platform/errors.ts";
import { OutOfTime } from "./careful-asking.ts";
import {
  type BatchResult,
  type ModelName,
  type Reviewed,
  type ReviewReason,
  stopsReview,
  type UnitResult,
} from "./review-result.ts";
import { ReviewStopped } from "./review-stopped.ts";

/** A provider that fails so often in a row, each time after all tries, is down: asking on would take hours and tell nothing. */
const failuresInRowMax = 8;

export interface Alternative extends Pick<BatchReviewProps, "review" | "find" | "keep"> {
  readonly model: ModelName;
}

export interface BatchReviewProps {
  readonly units: readonly ReviewUnit[];
  /** What an earlier run of this batch is through with. */
  readonly done: BatchResult;
  /** Units in hand at the same time. */
  readonly workers: number;
  /** Has the model look at a unit. Throws ModelFailure, ReviewStopped, OutOfTime, SluiceError. */
  readonly review: (unit: ReviewUnit) => Promise<ReviewOutcome>;
  /** A review that is paid for already. */
  readonly find: (unit: ReviewUnit) => Promise<Reviewed | null>;
  readonly keep: (unit: ReviewUnit, outcome: Reviewed) => Promise<void>;
  /** Another model, which looks once at what the first one refuses; null when there is none. */
  readonly alternative: Alternative | null;
  /** Tells the other batches that no further call is to be made. */
  readonly stop: (reason: ReviewReason) => Promise<void>;
}

/**
 * Reviews the units of a batch, some at a time. Trouble with one is its result; trouble that concerns all ends the calls, and the units left
 * get that reason, unless their review was paid for earlier. What the model refuses goes to another one, where there is one; trouble with
 * that one costs nothing but its help, and the unit counts as refused.
 */
export class BatchReview {
  readonly #props: BatchReviewProps;
  readonly #results: Record<number, UnitResult>;
  readonly #waiting: number[];
  #stopped: ReviewReason | null = null;
  #failuresInRow = 0;
  #alternative: Alternative | null;
  #alternativeFailuresInRow = 0;
  #ended = false;

  constructor(props: BatchReviewProps) {
    this.#props = props;
    this.#results = { ...props.done };
    this.#alternative = props.alternative;
    this.#waiting = [...props.units.keys()].filter((at) => !isThrough(this.#results[at]));
  }

  /** What it is through with so far. */
  get results(): BatchResult {
    return this.#results;
  }

  get finished(): boolean {
    return this.#props.units.every((_, at) => isThrough(this.#results[at]));
  }

  /**
   * Works until every unit has its result or time is over; see `finished`.
   * @throws what is nobody's answer: SluiceError task_superseded, a fault of a service. `results` holds what was done by then.
   */
  async run(): Promise<void> {
    const workers = Array.from({ length: this.#props.workers }, () => this.#work());
    const failed = (await Promise.allSettled(workers)).find((worker) => worker.status === "rejected");
    if (failed) throw failed.reason;
  }

  async #work(): Promise<void> {
    for (let at = this.#next(); at !== undefined; at = this.#next()) {
      try {
        await this.#lookAt(at, this.#props.units[at] as ReviewUnit);
      } catch (error) {
        this.#ended = true;
        if (!(error instanceof OutOfTime)) throw error;
      }
    }
  }

  async #lookAt(at: number, unit: ReviewUnit): Promise<void> {
    const found = await this.#find(unit);
    if (found) {
      this.#results[at] = { ...placeOf(unit), ...found };
      return;
    }
    // One that an earlier run has referred was refused then, and is not asked for again.
    if (!this.#results[at]) {
      const result: UnitResult = { ...placeOf(unit), ...(await this.#review(unit)) };
      const referred = result.status === "failed" && result.reason === "refused" && this.#alternative !== null;
      this.#results[at] = referred ? { ...result, referred } : result;
      if (result.status === "reviewed") await this.#props.keep(unit, result.outcome);
      if (!referred) return;
    }
    const alternative = this.#alternative;
    const outcome = alternative && (await this.#reviewInstead(alternative, unit));
    if (!outcome) this.#results[at] = { ...placeOf(unit), ...failed("refused") };
    else {
      this.#results[at] = { ...placeOf(unit), status: "reviewed", outcome, by: alternative.model };
      await alternative.keep(unit, outcome);
    }
  }

  /** What was paid for: the first model's review, else the other one's of what the first has refused. */
  async #find(unit: ReviewUnit) {
    const own = await this.#props.find(unit);
    if (own) return { status: "cached" as const, outcome: own };
    const other = await this.#props.alternative?.find(unit);
    return other ? { status: "cached" as const, outcome: other, by: this.#props.alternative?.model } : null;
  }

  #next(): number | undefined {
    return this.#ended ? undefined : this.#waiting.shift();
  }

  async #review(unit: ReviewUnit) {
    if (this.#stopped) return failed(this.#stopped);
    try {
      const outcome = await this.#props.review(unit);
      this.#failuresInRow = 0;
      return outcome.status === "failed"
        ? failed(outcome.category, outcome.reply)
        : { status: "reviewed" as const, outcome };
    } catch (error) {
      const reason = reasonOf(error);
      if (reason === null) throw error;
      this.#failuresInRow += 1;
      if (error instanceof ReviewStopped) this.#stopped = reason;
      else if (stopsReview.has(reason) || this.#failuresInRow >= failuresInRowMax) {
        this.#stopped = reason;
        await this.#props.stop(reason);
      }
      return failed(reason);
    }
  }

  /** Null when the other model does not review it either, for whatever reason. */
  async #reviewInstead(alternative: Alternative, unit: ReviewUnit): Promise<Reviewed | null> {
    try {
      const outcome = await alternative.review(unit);
      this.#alternativeFailuresInRow = 0;
      return outcome.status === "reviewed" ? outcome : null;
    } catch (error) {
      const reason = reasonOf(error);
      if (reason === null) throw error;
      this.#alternativeFailuresInRow += 1;
      const isOver = error instanceof ReviewStopped || stopsReview.has(reason);
      if (isOver || this.#alternativeFailuresInRow >= failuresInRowMax) this.#alternative = null;
      return null;
    }
  }
}

const isThrough = (result: UnitResult | undefined): boolean =>
  result !== undefined && !(result.status === "failed" && result.referred);

const failed = (reason: ReviewReason, reply?: string) => ({
  status: "failed" as const,
  reason,
  ...(reply && { reply }),
});

const placeOf = ({ path, startLine }: ReviewUnit) => ({ path, startLine });

/** Null for what is no reason of a unit but trouble of the whole batch. */
function reasonOf(error: unknown): ReviewReason | null {
  if (error instanceof ModelFailure) return error.category;
  if (error instanceof ReviewStopped) return error.reason;
  if (isSluiceError(error, "budget_exhausted", "budget_needs_token_cap"))
    return error.code as "budget_exhausted" | "budget_needs_token_cap";
  return null;
}
