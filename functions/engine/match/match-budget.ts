import type { RE2JS } from "re2js";
import { noLimit, type TimeLimit } from "../time-limit.ts";

/** The steps of a rule over a file are used up. */
export class MatchBudgetExhausted extends Error {}

/** One rule over one file may compare this often: most need a few hundred, statements that follow each other somewhere a hundred thousand. */
const stepsMax = 200_000;
/** Longer regular expressions and texts cost more of the rule's steps. */
const instructionsPerStep = 2_000;
/** Ways to match one place; more differ in what nobody asks about. */
export const waysMax = 64;

/** Counts comparisons, so that a rule ends after the same work on every machine. */
export class Budget {
  readonly #limit: TimeLimit;
  #left = stepsMax;

  constructor(limit: TimeLimit = noLimit()) {
    this.#limit = limit;
  }

  /** @throws MatchBudgetExhausted, TimeUp */
  charge(steps = 1): void {
    this.#left -= steps;
    if (this.#left < 0) throw new MatchBudgetExhausted();
    this.#limit.check(steps);
  }

  /** @throws MatchBudgetExhausted, TimeUp */
  chargeRegex(regex: RE2JS, characters: number): void {
    this.charge(Math.ceil((characters * regex.programSize()) / instructionsPerStep));
  }
}
