import type { ReviewPrompt } from "../engine/review/review.ts";
import { type ModelAnswer, ModelFailure, type ModelFailureCategory } from "../llm/model.ts";
import { isSluiceError } from "../platform/errors.ts";
import { RoomTaken } from "../spending/spending-store.ts";
import type { CallSlots } from "./call-slots.ts";

/** A provider that trips once is asked again. Each try is a call of its own, reserved and settled. */
const triesMax = 3;
const passing: ReadonlySet<ModelFailureCategory> = new Set(["server_error", "connection", "timeout"]);
const backOffMs = 1_000;

/** How often a call waits for a rate limit, and how long at most each time; a limit that outlasts this is no hiccup. */
const waitsMax = 6;
const waitMsMax = 60_000;

/**
 * How long a scan waits, a few seconds each time, for room in its budget that calls elsewhere have taken and may give back. A scan makes no
 * further call once its budget is used up, so it makes sure of that.
 */
export const roomWaitsMs = [500, 1_000, 2_000, 4_000];

/** The function's time is over before the model could answer: the unit is left to the next run. */
export class OutOfTime extends Error {}

export interface CarefulAskingProps {
  /**
   * Makes one call and books it. Throws ModelFailure, and SluiceError when it may not be made.
   * @param answered to be called when the model has answered, whatever remains to be done
   */
  readonly call: (prompt: ReviewPrompt, answered: () => void) => Promise<ModelAnswer>;
  readonly slots: CallSlots;
  /** Waits for room that calls elsewhere have taken; none where somebody waits for the answer, who is refused at once. */
  readonly roomWaitsMs: readonly number[];
  /** Throws when calls have come to an end: another batch has stopped the review, the scan was cancelled. */
  readonly mayGoOn: () => Promise<void>;
  /** No call begins after it. */
  readonly until: Date;
  readonly now: () => Date;
  readonly sleep: (ms: number) => Promise<unknown>;
  /** Between 0 and 1. */
  readonly random: () => number;
}

/**
 * Asks a model with the patience that providers need: passing trouble is met with another try, and a rate limit, which is one for the whole
 * account, makes all workers of the batch wait.
 */
export class CarefulAsking {
  readonly #props: CarefulAskingProps;
  #pausedUntil = 0;
  /** Calls that are reserved and not settled. */
  #underWay = 0;
  readonly #waitingForRoom: (() => void)[] = [];

  constructor(props: CarefulAskingProps) {
    this.#props = props;
  }

  /**
   * @throws ModelFailure when the model did not answer after all, OutOfTime, ReviewStopped, SluiceError
   */
  async ask(prompt: ReviewPrompt): Promise<Pick<ModelAnswer, "text" | "finish">> {
    const { sleep, random } = this.#props;
    let tries = 0;
    let waits = 0;
    let roomWaits = 0;
    for (;;) {
      try {
        return await this.#askOnce(prompt);
      } catch (error) {
        if (error instanceof RoomTaken) {
          if (this.#underWay > 0) {
            await new Promise<void>((resolve) => this.#waitingForRoom.push(resolve));
            continue;
          }
          const wait = this.#props.roomWaitsMs[roomWaits++];
          if (wait !== undefined) {
            await sleep(wait * (0.5 + random()));
            continue;
          }
        }
        if (!(error instanceof ModelFailure)) {
          // Whatever ends this call ends those that wait as well, and each of them has to hear it.
          this.#wake(this.#waitingForRoom.length);
          throw error;
        }
        // Nothing at all is an answer too; what becomes of it is the review's to say.
        if (error.category === "empty_response") return { text: "", finish: "stop" };
        if (error.category === "rate_limit" && waits < waitsMax) {
          waits += 1;
          this.#pauseFor(error.retryAfterMs ?? backOffMs * 2 ** waits);
        } else if (passing.has(error.category) && tries < triesMax - 1) {
          tries += 1;
          await sleep(backOffMs * 2 ** (tries - 1) * (0.5 + random()));
        } else throw error;
      }
    }
  }

  async #askOnce(prompt: ReviewPrompt): Promise<ModelAnswer> {
    const { call, slots, mayGoOn } = this.#props;
    const release = await slots.take();
    try {
      await this.#pause();
      await mayGoOn();
      return await this.#counted(() => call(prompt, release));
    } finally {
      release();
    }
  }

  /**
   * A call costs less than was set aside for it. So whoever is refused while others of this batch are under way waits until one of them is
   * settled, and a budget is used up by what calls cost and not by what they might have cost.
   */
  async #counted(call: () => Promise<ModelAnswer>): Promise<ModelAnswer> {
    let refused = false;
    this.#underWay += 1;
    try {
      return await call();
    } catch (error) {
      refused = isSluiceError(error, "budget_exhausted");
      throw error;
    } finally {
      this.#underWay -= 1;
      if (!refused) this.#wake(1);
    }
  }

  #wake(count: number): void {
    for (const wake of this.#waitingForRoom.splice(0, count)) wake();
  }

  #pauseFor(ms: number): void {
    // A provider that asks for an hour gets no further call from this unit: the reader is told instead.
    if (ms > waitMsMax) throw new ModelFailure("rate_limit");
    this.#pausedUntil = Math.max(this.#pausedUntil, this.#props.now().getTime() + ms);
  }

  async #pause(): Promise<void> {
    const { now, until, sleep, random } = this.#props;
    const wait = this.#pausedUntil - now().getTime();
    if (now().getTime() + Math.max(wait, 0) >= until.getTime()) throw new OutOfTime("no time for another call");
    // Not all at the same moment: that would be the next burst.
    if (wait > 0) await sleep(wait + random() * 500);
  }
}
