import type { UserConfig } from "../config/user-config.ts";
import { originOf, withoutSlash } from "../llm/model-address.ts";
import { embeddingProviders, findEmbeddingProvider } from "./embedding-providers.ts";

/** Where a provider is reached, without a trailing slash; empty when nobody said so and there is no default. */
export const embeddingAddress = (provider: string, baseUrl: string | null | undefined): string =>
  withoutSlash(baseUrl?.trim() ?? "") || (findEmbeddingProvider(provider)?.baseUrl ?? "");

/** The one origin that the stored key may be sent to. */
export function embeddingKeyOrigin(config: UserConfig | null): string {
  const saved = config?.otherConfig.embedding_config;
  return originOf(embeddingAddress(saved?.provider || (embeddingProviders[0] as { id: string }).id, saved?.base_url));
}

/**
 * Takes the key away when the address has another origin now, for the reason that keys of models go in the same case.
 * @param entered names of the secrets that came with this very change, for the new address
 */
export function withoutMovedEmbeddingKey(
  before: UserConfig | null,
  after: UserConfig,
  entered: ReadonlySet<string>,
): UserConfig {
  const moved = embeddingKeyOrigin(before) !== embeddingKeyOrigin(after);
  if (!moved || entered.has("embedding_config.api_key") || !after.otherConfig.embedding_config) return after;
  const { api_key: _, ...rest } = after.otherConfig.embedding_config;
  return { ...after, otherConfig: { ...after.otherConfig, embedding_config: rest } };
}
