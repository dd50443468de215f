import { sliceBytesMax } from "../engine/review/excerpts.ts";
import { unitCharactersMax } from "../engine/review/units.ts";
import type { ModelRequest } from "../llm/model.ts";
import type { Cap } from "./caps.ts";
import { type Cost, costOf, type Price, tokensOf, worstCase } from "./cost.ts";
import { isBlind } from "./reservation.ts";
import type { Committed } from "./spending.ts";

/** What a review needs if all goes as it mostly does, and if everything goes badly. */
export interface Range<T> {
  readonly likely: T;
  readonly atMost: T;
}

export interface Estimate {
  readonly calls: Range<number>;
  readonly cost: Range<Cost>;
  /** The worst case of the largest single call. */
  readonly largest: Cost;
}

/** The files that a model looks at, and how it is asked. */
export interface PlannedReview {
  /** Sizes in bytes; null where nobody tells. */
  readonly sizes: readonly (number | null)[];
  /** What is asked with no code in it. */
  readonly frame: ModelRequest;
  readonly outputTokensMax: number;
  readonly price: Price | null;
}

/** A source file of ordinary size, for those whose size nobody tells. */
export const ordinaryBytes = 6_000;

/** Files are cut at top-level boundaries, some before the limit; a file of long lines can lose half of each unit to that. */
const unitBytes = { likely: 0.9 * unitCharactersMax, atMost: 0.5 * unitCharactersMax };
/** Each line gets its number in front, which tells more in short lines. */
const numbering = { likely: 1.15, atMost: 1.5 };
/** Of code with line numbers, and of prose and schema, as the tokenisers of the large providers cut them. */
const bytesPerToken = { code: 3, frame: 4 };
/** A few findings with their reasons. */
const answerTokens = 600;
/** An answer that cannot be read is asked for once more. */
const asksMax = 2;

/** Estimates a review from sizes alone. What was reviewed before comes from the cache and costs nothing, which is not counted here. */
export function estimate({ sizes, frame, outputTokensMax, price }: PlannedReview): Estimate {
  const bytes = sizes.map((size) => size ?? ordinaryBytes);
  const total = bytes.reduce((sum, size) => sum + size, 0);
  const units = (each: number) => bytes.reduce((sum, size) => sum + unitsOf(size, each), 0);
  const calls = { likely: units(unitBytes.likely), atMost: units(unitBytes.atMost) * asksMax };
  const framed = worstCase(frame, outputTokensMax, null).inputTokens;
  const likely = {
    inputTokens: Math.ceil(
      (calls.likely * framed) / bytesPerToken.frame + (total * numbering.likely) / bytesPerToken.code,
    ),
    outputTokens: calls.likely * Math.min(answerTokens, outputTokensMax),
  };
  const atMost = {
    inputTokens: Math.ceil(calls.atMost * (framed + sliceBytesMax) + total * numbering.atMost * asksMax),
    outputTokens: calls.atMost * outputTokensMax,
  };
  const largestUnit =
    Math.min(
      unitCharactersMax,
      bytes.reduce((a, b) => Math.max(a, b), 0),
    ) * numbering.atMost;
  const largest = { inputTokens: Math.ceil(framed + sliceBytesMax + largestUnit), outputTokens: outputTokensMax };
  return {
    calls,
    cost: { likely: costOf(likely, price), atMost: costOf(atMost, price) },
    largest: costOf(largest, price),
  };
}

/** What fits into one unit is one; the limits count characters, of which there are never more than bytes. */
const unitsOf = (size: number, each: number): number => (size <= unitCharactersMax ? 1 : Math.ceil(size / each));

export type Sufficiency = "yes" | "likely" | "no";

/**
 * Whether what is left of a cap is enough. Calls set their worst case aside first, so a scan that makes `concurrency` calls at a time
 * needs room for that many beside what it will really cost.
 */
export function sufficiency(
  cap: Cap,
  committed: Committed,
  { calls, cost, largest }: Estimate,
  concurrency: number,
): Sufficiency {
  const fits = (...costs: readonly Cost[]): boolean => {
    const sum = (of: (cost: Cost) => number) => costs.reduce((total, one) => total + of(one), 0);
    const tokens = committed.committedTokens + sum(tokensOf);
    const micros = committed.committedMicros + sum((one) => one.micros ?? 0);
    return tokens <= (cap.tokens ?? tokens) && micros <= (cap.micros ?? micros);
  };
  if (calls.likely === 0) return "yes";
  if (isBlind(cap, largest)) return "no";
  const underWay = Array.from({ length: Math.min(concurrency, calls.likely) }, () => largest);
  if (!fits(cost.likely, ...underWay)) return "no";
  return fits(cost.atMost) ? "yes" : "likely";
}
