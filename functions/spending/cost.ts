import type { UserConfig } from "../config/user-config.ts";
import type { ModelRequest, ModelSettings, ModelUsage } from "../llm/model.ts";
import { listPrice, type ModelPrice } from "../llm/prices.ts";

/** US dollars for a million tokens, which is micro-dollars for one. */
export type Price = ModelPrice;

/** What a call costs, or can cost at most. `micros` are whole millionths of a US dollar, null when nobody knows the price. */
export interface Cost {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly micros: number | null;
}

/**
 * Providers add tokens of their own: roles and separators, the frame around a schema, the system text that some put before a structured
 * answer (at most about 700 where they publish it).
 */
const frameTokens = 1000;

/**
 * The most that a call can cost. No tokeniser in use makes more tokens than there are bytes in UTF-8, and the answer ends at its limit.
 * @param outputTokensMax the limit that is sent along
 */
export function worstCase(request: ModelRequest, outputTokensMax: number, price: Price | null): Cost {
  const { system, messages, schema } = request;
  const texts = [system, ...messages.map(({ content }) => content), schema ? JSON.stringify(schema) : ""];
  const bytes = texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
  return costOf({ inputTokens: bytes + frameTokens, outputTokens: outputTokensMax }, price);
}

/** What tokens cost at a price, rounded up to whole micro-dollars. */
export const costOf = ({ inputTokens, outputTokens }: ModelUsage, price: Price | null): Cost => ({
  inputTokens,
  outputTokens,
  micros: price && Math.ceil(rounded(inputTokens * price.inputUsd + outputTokens * price.outputUsd)),
});

/** 30 tokens at 0.1 are 3 micro-dollars; binary fractions make it a little more, and rounding up a whole one more. */
const rounded = (micros: number): number => Number(micros.toPrecision(12));

/** No model reads or writes as much in one call. */
const tokensMax = 1_000_000_000;

/**
 * The usage that a provider tells, if it can be true. Users name providers of their own, and what those say must not give a budget back
 * or use one up: nonsense counts as silence.
 */
export function believable(usage: ModelUsage | null): ModelUsage | null {
  const isCount = (tokens: number) => Number.isInteger(tokens) && tokens >= 0 && tokens <= tokensMax;
  return usage && isCount(usage.inputTokens) && isCount(usage.outputTokens) ? usage : null;
}

export const tokensOf = ({ inputTokens, outputTokens }: ModelUsage): number => inputTokens + outputTokens;

export const microsOf = (usd: number): number => Math.round(usd * 1_000_000);

export const usdOf = (micros: number): number => micros / 1_000_000;

/**
 * The price that counts: what the user says goes before the list, each part for itself, as nobody knows a private contract or a gateway
 * better.
 * @returns null unless both parts are known
 */
export function priceOf(
  { provider, model }: Pick<ModelSettings, "provider" | "model">,
  config: Pick<UserConfig, "llmConfig"> | null,
): Price | null {
  const listed = listPrice(provider, model);
  const inputUsd = config?.llmConfig.llmInputPrice ?? listed?.inputUsd;
  const outputUsd = config?.llmConfig.llmOutputPrice ?? listed?.outputUsd;
  return inputUsd === undefined || outputUsd === undefined ? null : { inputUsd, outputUsd };
}
