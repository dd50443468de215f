import type { LanguageModelV4 } from "@ai-sdk/provider";
import { type AdapterProps, adapter, choiceOf, plainMessages, postJson } from "./adapter.ts";

/** Doubao on Volcano Ark: the shape of OpenAI, with error codes of its own that come with fitting statuses. */
export const doubao = ({ model, baseURL, apiKey, fetch }: AdapterProps): LanguageModelV4 =>
  adapter("doubao", model, async ({ prompt, temperature, maxOutputTokens, headers }) => {
    const { body } = await postJson(fetch, {
      url: `${baseURL}/chat/completions`,
      headers: { ...headers, Authorization: `Bearer ${apiKey}` },
      body: { model, messages: plainMessages(prompt), temperature, max_tokens: maxOutputTokens },
    });
    return choiceOf(body);
  });
