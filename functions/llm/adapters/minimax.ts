import type { LanguageModelV4 } from "@ai-sdk/provider";
import type { ModelFailureCategory } from "../model.ts";
import { type AdapterProps, adapter, choiceOf, codedFailure, plainMessages, postJson } from "./adapter.ts";

/** MiniMax: answers errors with status 200 and a code in `base_resp`. */
export const minimax = ({ model, baseURL, apiKey, fetch }: AdapterProps): LanguageModelV4 =>
  adapter("minimax", model, async ({ prompt, temperature, maxOutputTokens, headers }) => {
    const answer = await postJson(fetch, {
      url: `${baseURL}/text/chatcompletion_v2`,
      headers: { ...headers, Authorization: `Bearer ${apiKey}` },
      body: {
        model,
        messages: plainMessages(prompt),
        max_tokens: maxOutputTokens,
        ...(temperature !== undefined && { temperature: Math.min(1, Math.max(temperatureMin, temperature)) }),
      },
    });
    const { status_code: code = 0, status_msg } = (answer.body.base_resp ?? {}) as Record<string, unknown>;
    if (refusedCodes.has(Number(code))) return { text: "", finish: "content-filter" };
    if (code !== 0) throw codedFailure(categories[Number(code)], status_msg, answer.headers);
    return choiceOf(answer.body);
  });

/** Its range begins above zero. */
const temperatureMin = 0.01;

/** Something in the prompt, or in what the model wrote, is not to be spoken of. */
const refusedCodes = new Set([1026, 1027]);

/** https://platform.minimaxi.com/docs/api-reference/errorcode */
const categories: Readonly<Record<number, ModelFailureCategory>> = {
  1000: "server_error",
  1001: "timeout",
  1002: "rate_limit",
  1004: "auth_failed",
  1008: "insufficient_balance",
  1013: "server_error",
  1024: "server_error",
  1033: "server_error",
  1039: "rate_limit",
  1041: "rate_limit",
  2045: "rate_limit",
  2049: "auth_invalid_key",
  2056: "rate_limit",
  2061: "auth_failed",
};
