import { defaultSettings, type UserConfig } from "../config/user-config.ts";
import { findProvider, type Provider, providers } from "./providers.ts";

/** The provider that a user's general settings are about: its address and `llmApiKey` belong to it. @returns undefined for a name that nobody knows */
export const activeProvider = (config: UserConfig | null): Provider | undefined =>
  findProvider(config?.llmConfig.llmProvider || defaultSettings.llmConfig.llmProvider);

/** Where a user's provider is reached, without a trailing slash; empty when nobody said so and there is no default. */
export function addressOf(config: UserConfig | null, provider: Provider): string {
  // Bedrock's requests are signed by the function itself and go to no address that a user names.
  if (provider.wire === "bedrock") return "";
  const own = provider === activeProvider(config) ? config?.llmConfig.llmBaseUrl?.trim() : "";
  const ollama = provider.id === "ollama" ? config?.llmConfig.ollamaBaseUrl?.trim() : "";
  return withoutSlash(own || ollama || provider.baseUrl);
}

export const withoutSlash = (url: string): string => url.replace(/\/+$/, "");

/** Names of the settings that hold keys of models. */
export const keyFields = ["llmApiKey", ...providers.flatMap(({ keyField }) => keyField ?? [])] as const;
export type KeyField = (typeof keyFields)[number];

/** The one origin that a stored key may be sent to: that of the address which its provider had when it was stored. */
export function keyOrigin(config: UserConfig | null, field: KeyField): string {
  const provider =
    field === "llmApiKey" ? activeProvider(config) : providers.find(({ keyField }) => keyField === field);
  return provider ? originOf(addressOf(config, provider)) : originOf(config?.llmConfig.llmBaseUrl ?? "");
}

/** What is no web address has no origin, and differs from everything but itself. */
export function originOf(address: string): string {
  const url = URL.parse(address);
  return url && /^https?:$/.test(url.protocol) ? url.origin : address;
}

/**
 * Takes the keys of models away whose provider has another origin now, for the reason that tokens of git hosts go in the same case: whoever
 * gets hold of a session could otherwise have a key sent to a host of their own.
 * @param entered names of the secrets that came with this very change, for the new address
 */
export function withoutMovedKeys(
  before: UserConfig | null,
  after: UserConfig,
  entered: ReadonlySet<string>,
): UserConfig {
  const llmConfig = { ...after.llmConfig };
  for (const field of keyFields)
    if (keyOrigin(before, field) !== keyOrigin(after, field) && !entered.has(field)) delete llmConfig[field];
  return { ...after, llmConfig };
}
