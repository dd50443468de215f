import * as z from "zod";
import { EmbeddingSettings, type UserConfig } from "../config/user-config.ts";
import { savedSettings } from "../config/user-config-secrets.ts";
import { findUserConfig, replaceUserConfig } from "../config/user-config-store.ts";
import { SluiceError } from "../platform/errors.ts";
import { operation } from "../platform/operation.ts";
import { dimensionsOf, type EmbeddingProvider, findEmbeddingProvider } from "./embedding-providers.ts";
import { batchSizeDefault, EmbeddingBaseUrl } from "./embedding-settings.ts";

export const updateEmbeddingConfig = operation(
  {
    method: "PUT",
    path: "/embedding/config",
    summary:
      "Replace one's own settings for embeddings; a key that is not named or masked stays, unless the address changes that it was entered for",
    auth: "user",
    body: z.object({
      provider: z.string().trim().min(1).max(50),
      model: z.string().trim().min(1).max(200),
      api_key: EmbeddingSettings.shape.api_key,
      base_url: EmbeddingBaseUrl,
      dimensions: EmbeddingSettings.shape.dimensions,
      batch_size: z.number().int().min(1).max(2048).default(batchSizeDefault),
    }),
    success: z.object({ message: z.string(), provider: z.string(), model: z.string() }),
    failures: [
      "embedding_provider_unknown",
      "embedding_key_needed",
      "embedding_address_needed",
      "stale_version",
      "secret_unreadable",
      "secret_prefix_reserved",
      "secret_too_long",
    ],
    grants: { reads: ["userConfig"], writes: ["userConfig"], checks: ["user"], secrets: ["encrypt", "decrypt"] },
  },
  async ({ body, caller, language, now }) => {
    const provider = findEmbeddingProvider(body.provider);
    if (!provider) throw new SluiceError("embedding_provider_unknown", { provider: body.provider });
    const embedding_config = {
      ...body,
      provider: provider.id,
      base_url: body.base_url ?? "",
      dimensions: body.dimensions ?? dimensionsOf(provider, body.model),
    };
    const before = await findUserConfig(caller.id);
    const next = await savedSettings(before, { otherConfig: { embedding_config } }, caller.id, now());
    checkUsable(provider, next);
    await replaceUserConfig(before, next);
    const message = language === "zh" ? "嵌入模型配置已保存" : "The settings for embeddings are saved";
    return { message, provider: provider.id, model: body.model };
  },
);

/** @throws SluiceError embedding_key_needed, embedding_address_needed for settings that no call could be made with */
function checkUsable(provider: EmbeddingProvider, { otherConfig }: UserConfig): void {
  if (provider.needsKey && !otherConfig.embedding_config?.api_key)
    throw new SluiceError("embedding_key_needed", { provider: provider.name });
  if (provider.baseUrl === "" && !otherConfig.embedding_config?.base_url)
    throw new SluiceError("embedding_address_needed", { provider: provider.name });
}
