import * as z from "zod";
import { operation } from "../platform/operation.ts";
import { defaultModelOf, embeddingProviders, modelsOf } from "./embedding-providers.ts";

const ProviderView = z.object({
  id: z.string(),
  name: z.string(),
  description: z.string(),
  models: z.array(z.string()),
  requires_api_key: z.boolean(),
  default_model: z.string(),
});

export const listEmbeddingProviders = operation(
  {
    method: "GET",
    path: "/embedding/providers",
    summary: "List the providers of embedding models with their models and defaults",
    auth: "user",
    success: z.array(ProviderView),
    failures: [],
    grants: {},
  },
  async ({ language }) =>
    embeddingProviders.map((provider) => ({
      id: provider.id,
      name: provider.name,
      description: provider.description[language],
      models: modelsOf(provider),
      requires_api_key: provider.needsKey,
      default_model: defaultModelOf(provider),
    })),
);
