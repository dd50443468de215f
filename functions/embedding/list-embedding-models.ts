import * as z from "zod";
import { SluiceError } from "../platform/errors.ts";
import { operation } from "../platform/operation.ts";
import { defaultModelOf, findEmbeddingProvider, modelsOf } from "./embedding-providers.ts";

export const listEmbeddingModels = operation(
  {
    method: "GET",
    path: "/embedding/models/{provider}",
    summary: "List the embedding models of one provider",
    auth: "user",
    params: z.object({ provider: z.string().regex(/^[A-Za-z]{2,30}$/) }),
    success: z.object({
      provider: z.string(),
      models: z.array(z.string()),
      default_model: z.string(),
      requires_api_key: z.boolean(),
    }),
    failures: ["embedding_provider_not_found"],
    grants: {},
  },
  async ({ params }) => {
    const provider = findEmbeddingProvider(params.provider);
    if (!provider) throw new SluiceError("embedding_provider_not_found");
    return {
      provider: provider.id,
      models: modelsOf(provider),
      default_model: defaultModelOf(provider),
      requires_api_key: provider.needsKey,
    };
  },
);
