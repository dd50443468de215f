import { defaultSettings, type UserConfig } from "../config/user-config.ts";
import { findUserConfig } from "../config/user-config-store.ts";
import { openSecret } from "../platform/secrets.ts";
import { customHeaders } from "./custom-headers.ts";
import type { ModelSettings } from "./model.ts";
import { activeProvider, addressOf, keyOrigin, originOf, withoutSlash } from "./model-address.ts";
import { type Provider, providers } from "./providers.ts";

const defaults = defaultSettings.llmConfig;

/**
 * The model that a user has configured, with what counts by default where they said nothing.
 * @returns null when there is none to ask: no key for a provider that needs one, or no address for one that has none of its own
 * @throws SluiceError secret_unreadable, llm_header_malformed, llm_header_refused
 */
export const userModel = async (userId: string): Promise<ModelSettings | null> =>
  modelOf(await findUserConfig(userId), userId);

/** The same from settings that are at hand. */
export async function modelOf(config: UserConfig | null, userId: string): Promise<ModelSettings | null> {
  const llm = config?.llmConfig;
  const provider = activeProvider(config);
  // Whoever names a provider that nobody knows wants one: asking it tells them.
  const baseUrl = provider ? addressOf(config, provider) : withoutSlash(llm?.llmBaseUrl ?? "");
  const apiKey = provider ? await storedKey(config, userId, provider, baseUrl) : "";
  if (provider?.needsKey && apiKey === "") return null;
  if (provider && baseUrl === "" && provider.wire !== "bedrock") return null;
  return {
    provider: provider?.id ?? llm?.llmProvider ?? "",
    model: llm?.llmModel?.trim() || provider?.defaultModel || "",
    baseUrl,
    apiKey: apiKey === "" ? null : apiKey,
    ...limitsOf(config),
    headers: customHeaders(llm?.llmCustomHeaders ?? ""),
  };
}

/**
 * The model that may look at what the configured one refuses: the default model of the next provider that the user has set up as well, in
 * the order of the catalogue and from its end on to its beginning. Set up is what has a key of its own, and Ollama at an address of the
 * user's. Custom headers stay behind: they were entered for the other address and may hold secrets.
 * @returns null when there is none
 * @throws SluiceError secret_unreadable
 */
export async function alternativeModelOf(config: UserConfig | null, userId: string): Promise<ModelSettings | null> {
  const active = activeProvider(config);
  const from = active ? providers.indexOf(active) + 1 : 0;
  for (const provider of [...providers.slice(from), ...providers.slice(0, from)]) {
    if (provider === active || !isSetUp(config, provider)) continue;
    const baseUrl = addressOf(config, provider);
    const apiKey = await storedKey(config, userId, provider, baseUrl);
    if (provider.needsKey && apiKey === "") continue;
    return {
      ...{ provider: provider.id, model: provider.defaultModel, baseUrl },
      ...{ apiKey: apiKey === "" ? null : apiKey, headers: {}, ...limitsOf(config) },
    };
  }
  return null;
}

/** Front ends store Ollama's usual address for everybody, so it says nothing about whether there is one. */
const isSetUp = (config: UserConfig | null, provider: Provider): boolean =>
  provider.keyField
    ? Boolean(config?.llmConfig[provider.keyField])
    : provider.id === "ollama" && addressOf(config, provider) !== provider.baseUrl;

const limitsOf = (config: UserConfig | null) => ({
  timeoutMs: milliseconds(config?.llmConfig.llmTimeout ?? defaults.llmTimeout),
  temperature: config?.llmConfig.llmTemperature ?? defaults.llmTemperature,
  maxTokens: config?.llmConfig.llmMaxTokens ?? defaults.llmMaxTokens,
});

/**
 * The key that a user has stored for a provider at an address, the general one before the provider's own. A key that was stored for another
 * origin is none.
 * @returns "" when there is none
 * @throws SluiceError secret_unreadable
 */
export async function storedKey(
  config: UserConfig | null,
  userId: string,
  provider: Provider,
  baseUrl: string,
): Promise<string> {
  if (provider.wire === "bedrock") return "";
  const fields = ["llmApiKey" as const, ...(provider.keyField ? [provider.keyField] : [])];
  for (const field of fields) {
    const stored = config?.llmConfig[field];
    if (stored && keyOrigin(config, field) === originOf(baseUrl))
      return (await openSecret(stored, { userId, field })).value.trim();
  }
  return "";
}

/** Front ends send seconds or milliseconds. No model is given less than a second, nor a quarter of an hour. */
export const milliseconds = (timeout: number): number => (timeout < 1000 ? timeout * 1000 : timeout);
