import { defaultSettings, type UserConfig } from "../config/user-config.ts";
import { findUserConfig } from "../config/user-config-store.ts";
import { openSecret } from "../platform/secrets.ts";
import { customHeaders } from "./custom-headers.ts";
import type { ModelSettings } from "./model.ts";
import { activeProvider, addressOf, keyOrigin, originOf, withoutSlash } from "./model-address.ts";
import type { Provider } from "./providers.ts";

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
    timeoutMs: milliseconds(llm?.llmTimeout ?? defaults.llmTimeout),
    temperature: llm?.llmTemperature ?? defaults.llmTemperature,
    maxTokens: llm?.llmMaxTokens ?? defaults.llmMaxTokens,
    headers: customHeaders(llm?.llmCustomHeaders ?? ""),
  };
}

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
