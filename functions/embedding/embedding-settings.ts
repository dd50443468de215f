import * as z from "zod";
import type { UserConfig } from "../config/user-config.ts";
import { originOf } from "../llm/model-address.ts";
import { says } from "../platform/contract.ts";
import { isWebAddress } from "../platform/outbound-policy.ts";
import { openSecret } from "../platform/secrets.ts";
import { embeddingKeyOrigin } from "./embedding-address.ts";
import { defaultModelOf, dimensionsOf, embeddingProviders, findEmbeddingProvider } from "./embedding-providers.ts";

/** Texts in one request where a user has said nothing. */
export const batchSizeDefault = 100;

/** Empty stands for the provider's own address, which front ends send as nothing at all. */
export const EmbeddingBaseUrl = z
  .string()
  .trim()
  .max(2000)
  .refine((url) => url === "" || isWebAddress(URL.parse(url)), {
    ...says(
      "应为形如 https://api.example.com/v1 的地址，不含用户名和密码",
      "expected an address such as https://api.example.com/v1, without a name or password",
    ),
  })
  .nullish();

export const EmbeddingConfigView = z.object({
  provider: z.string(),
  model: z.string(),
  /** Masked; null for none. */
  api_key: z.string().nullable(),
  base_url: z.string().nullable(),
  dimensions: z.number().int(),
  batch_size: z.number().int(),
});

/** What a user sees of the settings for embeddings, over the defaults. @param saved as `shownSettings` shows it, its key masked */
export function embeddingConfigView(
  saved: UserConfig["otherConfig"]["embedding_config"],
): z.input<typeof EmbeddingConfigView> {
  const [usual] = embeddingProviders;
  const provider = saved?.provider ? findEmbeddingProvider(saved.provider) : usual;
  const model = saved?.model || (provider ? defaultModelOf(provider) : "");
  return {
    provider: provider?.id ?? saved?.provider ?? "",
    model,
    api_key: saved?.api_key || null,
    base_url: saved?.base_url || null,
    dimensions: saved?.dimensions ?? dimensionsOf(provider, model),
    batch_size: saved?.batch_size ?? batchSizeDefault,
  };
}

/**
 * The key that a user has stored for embeddings, if it was stored for this address.
 * @returns "" when there is none
 * @throws SluiceError secret_unreadable
 */
export async function storedEmbeddingKey(config: UserConfig | null, userId: string, address: string): Promise<string> {
  const stored = config?.otherConfig.embedding_config?.api_key;
  if (!stored || embeddingKeyOrigin(config) !== originOf(address)) return "";
  return (await openSecret(stored, { userId, field: "embedding_config.api_key" })).value.trim();
}
