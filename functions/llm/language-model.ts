import type { LanguageModelV4 } from "@ai-sdk/provider";
import { mendedFetch, withIndexes, withUsage } from "./mended-fetch.ts";
import { ModelFailure, type ModelSettings } from "./model.ts";
import { apiModelName, findProvider, type Wire } from "./providers.ts";

/** One call's way to a provider: what to call it by, how to reach it, and nothing that outlives the call. */
interface Connection {
  readonly name: string;
  readonly model: string;
  readonly baseURL: string;
  readonly apiKey: string;
  readonly schemas: boolean;
  readonly fetch: typeof fetch;
}

/** Packages are loaded when they are needed: a function reads only the one that its user's provider takes. */
const wires: Record<Wire, (connection: Connection) => Promise<LanguageModelV4>> = {
  async openai({ model, baseURL, apiKey, fetch }) {
    const { createOpenAI } = await import("@ai-sdk/openai");
    // Chat completions and not the newer API: proxies that stand in for OpenAI know no other.
    return createOpenAI({ baseURL, apiKey, fetch: mendedFetch(fetch, withIndexes) }).chat(model);
  },
  async "openai-compatible"({ model, apiKey, schemas, ...settings }) {
    const { createOpenAICompatible } = await import("@ai-sdk/openai-compatible");
    const options = { ...settings, supportsStructuredOutputs: schemas };
    return createOpenAICompatible(apiKey === "" ? options : { ...options, apiKey })(model);
  },
  async anthropic({ model, baseURL, apiKey, fetch }) {
    const { createAnthropic } = await import("@ai-sdk/anthropic");
    return createAnthropic({ baseURL, apiKey, fetch: mendedFetch(fetch, withUsage) })(model);
  },
  async google({ model, baseURL, apiKey, fetch }) {
    const { createGoogle } = await import("@ai-sdk/google");
    return createGoogle({ baseURL, apiKey, fetch })(model);
  },
  async bedrock({ model, fetch }) {
    const { createAmazonBedrock } = await import("@ai-sdk/amazon-bedrock");
    // Address and credentials are the function's own and come from its environment; signed requests go to no address that a user names.
    return createAmazonBedrock({ fetch })(model);
  },
  baidu: async (connection) => (await import("./adapters/baidu.ts")).baidu(connection),
  minimax: async (connection) => (await import("./adapters/minimax.ts")).minimax(connection),
  doubao: async (connection) => (await import("./adapters/doubao.ts")).doubao(connection),
};

/**
 * The AI SDK's model for a user's settings, made for one call.
 * @throws ModelFailure unsupported_provider
 */
export async function languageModel(settings: ModelSettings, fetch: typeof globalThis.fetch): Promise<LanguageModelV4> {
  const provider = findProvider(settings.provider);
  if (!provider) throw new ModelFailure("unsupported_provider");
  return wires[provider.wire]({
    name: provider.id,
    model: apiModelName(provider, settings.model, settings.baseUrl),
    baseURL: settings.baseUrl,
    apiKey: settings.apiKey ?? "",
    schemas: provider.structured === "schema",
    fetch,
  });
}
