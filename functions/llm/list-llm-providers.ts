import * as z from "zod";
import { operation } from "../platform/operation.ts";
import { providers } from "./providers.ts";

const ProviderView = z.object({
  id: z.string(),
  name: z.string(),
  defaultModel: z.string(),
  models: z.array(z.string()),
  defaultBaseUrl: z.string(),
});

export const listLlmProviders = operation(
  {
    method: "GET",
    path: "/config/llm-providers",
    summary: "List the providers of language models with their models and defaults",
    auth: "anyone",
    success: z.object({ providers: z.array(ProviderView) }),
    failures: [],
    grants: {},
  },
  async () => ({
    providers: providers.map(({ id, defaultModel, models, baseUrl }) => ({
      id,
      name: id.toUpperCase(),
      defaultModel,
      models: [...models],
      defaultBaseUrl: baseUrl,
    })),
  }),
);
