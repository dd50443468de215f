import * as z from "zod";
import { tokensOf, usdOf } from "./cost.ts";

/** What is committed at a level: all that was spent and all that calls under way may still cost. */
export const Committed = z.object({ committedTokens: z.number().int(), committedMicros: z.number().int() });
export type Committed = z.infer<typeof Committed>;

export const nothingCommitted: Committed = { committedTokens: 0, committedMicros: 0 };

/** What one model has cost at a level. */
export const ModelSpending = z.object({
  provider: z.string(),
  model: z.string(),
  calls: z.number().int(),
  inputTokens: z.number().int(),
  outputTokens: z.number().int(),
  micros: z.number().int(),
  /** Calls whose price nobody knew; they cost nothing in `micros`. */
  unpricedCalls: z.number().int(),
  /** Calls whose usage the provider did not tell; they count with the most that they can have cost. */
  unmeteredCalls: z.number().int(),
});
export type ModelSpending = z.infer<typeof ModelSpending>;

/** All that was spent at a level, and what is reserved for calls that are not settled: under way, or lost in a crash. */
export interface Spending {
  readonly committed: Committed;
  /** In the order of provider and model. */
  readonly models: readonly ModelSpending[];
}

const figures = {
  calls: z.number(),
  input_tokens: z.number(),
  output_tokens: z.number(),
  tokens: z.number(),
  /** Null when nobody knows the price of any of the calls. */
  cost_usd: z.number().nullable(),
  /** Calls that `cost_usd` lacks, because nobody knows the price of their model. */
  unpriced_calls: z.number(),
  /** Calls whose usage the provider did not tell; they count with the most that they can have cost. */
  unmetered_calls: z.number(),
};

export const SpendingView = z.object({
  ...figures,
  /** Set aside for calls that are under way or whose outcome is unknown. It counts against the caps. */
  reserved_tokens: z.number(),
  reserved_usd: z.number(),
  models: z.array(z.object({ provider: z.string(), model: z.string(), ...figures })),
});
export type SpendingView = z.input<typeof SpendingView>;

type Figures = Omit<ModelSpending, "provider" | "model">;

const nothing: Figures = {
  calls: 0,
  inputTokens: 0,
  outputTokens: 0,
  micros: 0,
  unpricedCalls: 0,
  unmeteredCalls: 0,
};

export function spendingView({ committed, models }: Spending): SpendingView {
  const names = Object.keys(nothing) as (keyof Figures)[];
  const total = { ...nothing };
  for (const model of models) for (const name of names) total[name] += model[name];
  return {
    ...figuresView(total),
    // Counter and models are read one after the other: a call that is settled in between must not show as less than nothing.
    reserved_tokens: Math.max(0, committed.committedTokens - tokensOf(total)),
    reserved_usd: usdOf(Math.max(0, committed.committedMicros - total.micros)),
    models: models.map((one) => ({ provider: one.provider, model: one.model, ...figuresView(one) })),
  };
}

const figuresView = (of: Figures) => ({
  calls: of.calls,
  input_tokens: of.inputTokens,
  output_tokens: of.outputTokens,
  tokens: tokensOf(of),
  cost_usd: of.calls > 0 && of.unpricedCalls === of.calls ? null : usdOf(of.micros),
  unpriced_calls: of.unpricedCalls,
  unmetered_calls: of.unmeteredCalls,
});
