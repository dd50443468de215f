import { shownSettings } from "../config/user-config-secrets.ts";
import { findUserConfig } from "../config/user-config-store.ts";
import { operation } from "../platform/operation.ts";
import { EmbeddingConfigView, embeddingConfigView } from "./embedding-settings.ts";

export const readEmbeddingConfig = operation(
  {
    method: "GET",
    path: "/embedding/config",
    summary: "Read one's own settings for embeddings over the defaults; the key is masked",
    auth: "user",
    success: EmbeddingConfigView,
    failures: [],
    grants: { reads: ["userConfig"], secrets: ["decrypt"] },
  },
  async ({ caller }) => {
    const config = await findUserConfig(caller.id);
    const { embedding_config } = config?.otherConfig ?? {};
    // Nothing else is decrypted for its mask.
    const only = config && { ...config, llmConfig: {}, otherConfig: { embedding_config } };
    return embeddingConfigView((await shownSettings(only, caller.id)).otherConfig.embedding_config);
  },
);
