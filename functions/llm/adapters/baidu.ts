import { createHash } from "node:crypto";
import { APICallError, InvalidResponseDataError, type LanguageModelV4 } from "@ai-sdk/provider";
import { ModelFailure, type ModelFailureCategory } from "../model.ts";
import {
  type AdapterAnswer,
  type AdapterProps,
  adapter,
  codedFailure,
  countOf,
  finishOf,
  plainMessages,
  postJson,
} from "./adapter.ts";
import { forgetToken, knownToken, remember } from "./baidu-tokens.ts";

/**
 * Baidu's ERNIE: the key is `API_KEY:SECRET_KEY` and buys an access token, which goes into the address. Errors come with status 200 and an
 * `error_code`.
 */
export const baidu = (props: AdapterProps): LanguageModelV4 =>
  adapter("baidu", props.model, async ({ prompt, temperature, maxOutputTokens, headers }) => {
    const { model, apiKey, fetch } = props;
    // The address that people know is that of the models, and tokens are made two levels above it.
    const baseURL = props.baseURL.replace(/\/rpc\/2\.0\/ai_custom\/v1(\/wenxinworkshop)?$/, "");
    const holder = createHash("sha256")
      .update(JSON.stringify([baseURL, apiKey]))
      .digest("hex");
    const known = knownToken(holder);
    const token = known ?? (await newToken(baseURL, apiKey, fetch));
    const said = plainMessages(prompt);
    const system = said.filter(({ role }) => role === "system").map(({ content }) => content);
    const { body: answer, headers: its } = await postJson(fetch, {
      url: `${baseURL}/rpc/2.0/ai_custom/v1/wenxinworkshop/chat/${endpointOf(model)}?access_token=${encodeURIComponent(token)}`,
      headers,
      body: {
        messages: said.filter(({ role }) => role !== "system"),
        ...(system.length > 0 && { system: system.join("\n\n") }),
        ...(temperature !== undefined && { temperature: Math.min(1, Math.max(temperatureMin, temperature)) }),
        ...(maxOutputTokens !== undefined && {
          max_output_tokens: Math.min(outputTokensMax(model), Math.max(outputTokensMin, maxOutputTokens)),
        }),
      },
    });
    if (answer.error_code !== undefined) {
      forgetToken(holder);
      // A token that was good a minute ago says nothing against the key: trying again makes a new one.
      const isOldToken = known !== undefined && [110, 111].includes(Number(answer.error_code));
      const category = isOldToken ? "server_error" : categories[Number(answer.error_code)];
      throw codedFailure(category, answer.error_msg, its);
    }
    if (!known) remember(holder, token);
    return answerOf(answer);
  });

function answerOf({ result, finish_reason, is_truncated, usage }: Record<string, unknown>): AdapterAnswer {
  if (typeof result !== "string")
    throw new InvalidResponseDataError({ data: null, message: "no result in the answer" });
  const { prompt_tokens, completion_tokens } = (usage ?? {}) as Record<string, unknown>;
  return {
    text: result,
    finish: is_truncated === true ? "length" : finishOf(finish_reason ?? "stop"),
    inputTokens: countOf(prompt_tokens),
    outputTokens: countOf(completion_tokens),
  };
}

/** Models from before their names were part of the address. All others are addressed by name. */
const endpoints: ReadonlyMap<string, string> = new Map([
  ["ernie-4.5", "ernie-4.5-8k-preview"],
  ["ernie-4.0-8k", "completions_pro"],
  ["ernie-3.5-8k", "completions"],
  ["ernie-speed-8k", "ernie_speed"],
]);

const endpointOf = (model: string): string =>
  encodeURIComponent(endpoints.get(model.toLowerCase()) ?? model.toLowerCase());

/** Values out of range are refused, and none of these is what an audit depends on. */
const temperatureMin = 0.01;
const outputTokensMin = 2;
const outputTokensMax = (model: string): number => (/128k/i.test(model) ? 4096 : 2048);

async function newToken(baseURL: string, apiKey: string, fetch: AdapterProps["fetch"]): Promise<string> {
  const [id = "", ...rest] = apiKey.split(":");
  const secret = rest.join(":");
  if (id === "" || secret === "") throw new ModelFailure("auth_invalid_key");
  const query = new URLSearchParams({ grant_type: "client_credentials", client_id: id, client_secret: secret });
  const { body: answer } = await postJson(fetch, { url: `${baseURL}/oauth/2.0/token?${query}` }).catch((error) => {
    throw APICallError.isInstance(error) && isUnknownClient(error.responseBody)
      ? new ModelFailure("auth_invalid_key", { status: error.statusCode ?? 401 })
      : error;
  });
  if (typeof answer.access_token === "string") return answer.access_token;
  if (isUnknownClient(String(answer.error))) throw new ModelFailure("auth_invalid_key", { status: 200 });
  throw new ModelFailure("auth_failed", { status: 200 });
}

const isUnknownClient = (text = ""): boolean => /invalid_client|unknown client/i.test(text);

/** https://cloud.baidu.com/doc/WENXINWORKSHOP/s/tlmyncueh */
const categories: Readonly<Record<number, ModelFailureCategory>> = {
  1: "server_error",
  2: "server_error",
  3: "model_not_found",
  4: "rate_limit",
  6: "auth_failed",
  13: "auth_failed",
  14: "auth_failed",
  15: "server_error",
  // Daily and total limits are those of an account that has not paid.
  17: "insufficient_balance",
  18: "rate_limit",
  19: "insufficient_balance",
  100: "auth_failed",
  110: "auth_failed",
  111: "auth_failed",
  336000: "server_error",
  336100: "server_error",
  336501: "rate_limit",
  336502: "rate_limit",
  336503: "rate_limit",
  336504: "rate_limit",
  336505: "rate_limit",
};
