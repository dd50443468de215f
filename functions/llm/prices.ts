import { findProvider } from "./providers.ts";

/** US dollars for a million tokens. */
export interface ModelPrice {
  readonly inputUsd: number;
  readonly outputUsd: number;
}

const price = (inputUsd: number, outputUsd: number): ModelPrice => ({ inputUsd, outputUsd });

/**
 * List prices of the providers' own APIs for requests of ordinary length, of those models only whose price is published in US dollars and
 * has been stable. A user's own figures come before these, and a model that is not here is capped in tokens.
 */
const listPrices = new Map<string, ModelPrice>(
  Object.entries({
    openai: {
      "gpt-5": price(1.25, 10),
      "gpt-5.1": price(1.25, 10),
      "gpt-5-mini": price(0.25, 2),
      "gpt-5-nano": price(0.05, 0.4),
      "gpt-4.1": price(2, 8),
      "gpt-4.1-mini": price(0.4, 1.6),
      "gpt-4.1-nano": price(0.1, 0.4),
      "gpt-4o": price(2.5, 10),
      "gpt-4o-mini": price(0.15, 0.6),
      o3: price(2, 8),
      "o4-mini": price(1.1, 4.4),
    },
    claude: {
      "claude-opus-4-5": price(5, 25),
      "claude-opus-4-1": price(15, 75),
      "claude-sonnet-4-5": price(3, 15),
      "claude-sonnet-4-0": price(3, 15),
      "claude-haiku-4-5": price(1, 5),
    },
    gemini: {
      "gemini-3-pro-preview": price(2, 12),
      "gemini-2.5-pro": price(1.25, 10),
      "gemini-2.5-flash": price(0.3, 2.5),
      "gemini-2.5-flash-lite": price(0.1, 0.4),
      "gemini-2.0-flash": price(0.1, 0.4),
    },
  }).flatMap(([provider, models]) =>
    Object.entries(models).map(([model, its]) => [`${provider} ${model}`, its] as const),
  ),
);

/** What a model costs by its provider's list, dated names included (`gpt-5-2025-08-07`). @returns null when that is not known; nothing for Ollama */
export function listPrice(providerId: string, model: string): ModelPrice | null {
  const provider = findProvider(providerId);
  if (provider?.id === "ollama") return price(0, 0);
  const named = (provider?.apiNames?.get(model) ?? model).replace(/-(\d{8}|\d{4}-\d{2}-\d{2})$/, "");
  return listPrices.get(`${provider?.id} ${named}`) ?? null;
}
