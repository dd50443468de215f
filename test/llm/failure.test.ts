import { describe, expect, it } from "vitest";
import { answerFailure, modelFailure } from "../../functions/llm/failure.ts";
import { failureText } from "../../functions/llm/failure-texts.ts";
import { modelFailures } from "../../functions/llm/model.ts";
import { SluiceError } from "../../functions/platform/errors.ts";

const openAi = (message: string, code: string | null = null) => JSON.stringify({ error: { message, code } });

describe("an answer with an error", () => {
  it.each([
    // OpenAI
    [401, openAi("Incorrect API key provided: sk-a***b.", "invalid_api_key"), "auth_invalid_key"],
    [401, openAi("You didn't provide an API key."), "auth_failed"],
    [
      429,
      openAi("You exceeded your current quota, please check your plan.", "insufficient_quota"),
      "insufficient_balance",
    ],
    [429, openAi("Rate limit reached for gpt-5", "rate_limit_exceeded"), "rate_limit"],
    [404, openAi("The model `gpt-9` does not exist", "model_not_found"), "model_not_found"],
    [400, openAi("Unsupported parameter: 'temperature'"), "bad_request"],
    // DeepSeek, Moonshot, Zhipu, Qwen
    [402, openAi("Insufficient Balance"), "insufficient_balance"],
    [401, openAi("Authentication Fails, Your api key: ****1234 is invalid"), "auth_invalid_key"],
    [
      429,
      openAi("Your account is suspended, please check your plan", "exceeded_current_quota_error"),
      "insufficient_balance",
    ],
    [429, openAi("您的账户已欠费，请充值后重试", "1113"), "insufficient_balance"],
    [400, openAi("模型不存在，请检查模型代码", "1211"), "model_not_found"],
    [401, openAi("身份验证失败", "1000"), "auth_invalid_key"],
    [
      400,
      openAi("Access denied, please make sure your account is in good standing", "Arrearage"),
      "insufficient_balance",
    ],
    // Anthropic, Gemini, Bedrock
    [
      400,
      JSON.stringify({ error: { message: "Your credit balance is too low to access the API" } }),
      "insufficient_balance",
    ],
    [401, JSON.stringify({ error: { message: "invalid x-api-key" } }), "auth_invalid_key"],
    [529, JSON.stringify({ error: { type: "overloaded_error" } }), "server_error"],
    [
      400,
      JSON.stringify([{ error: { message: "API key not valid. Please pass a valid API key." } }]),
      "auth_invalid_key",
    ],
    [
      429,
      JSON.stringify({ error: { status: "RESOURCE_EXHAUSTED", message: "You exceeded your current quota" } }),
      "rate_limit",
    ],
    [400, JSON.stringify({ message: "The provided model identifier is invalid." }), "model_not_found"],
    [
      403,
      JSON.stringify({ message: "You don't have access to the model with the specified model ID." }),
      "auth_failed",
    ],
    // Anything
    [403, "<html>forbidden</html>", "auth_failed"],
    [404, "404 page not found", "model_not_found"],
    [408, "", "timeout"],
    [418, "", "bad_request"],
    [503, openAi("insufficient balance"), "server_error"],
  ] as const)("of status %i saying %s is %s", (status, body, category) => {
    expect(answerFailure(status, body)).toMatchObject({ category, status });
  });

  it("is not told by the prompt that it repeats", () => {
    const input = "if (account.balance < 0) throw new Error('insufficient balance, invalid api key')";
    const detail = [{ loc: ["body", "messages"], msg: "too long", input }];
    expect(answerFailure(422, JSON.stringify({ detail })).category).toBe("bad_request");
    expect(answerFailure(400, JSON.stringify({ error: { message: "too long", prompt: input } })).category).toBe(
      "bad_request",
    );
  });

  it("may be charged for only when nobody knows what became of the work", () => {
    const charged = [200, 400, 401, 402, 408, 429, 500, 502, 503, 504].filter((s) => answerFailure(s).maybeCharged);
    expect(charged).toEqual([200, 408, 502, 504]);
  });

  it("says when to come back, however the provider says it", () => {
    const now = Date.parse("2030-01-01T00:00:00Z");
    const waitOf = (headers: Record<string, string>, body?: string) =>
      answerFailure(429, body, headers, now).retryAfterMs;
    expect(waitOf({ "retry-after": "7" })).toBe(7000);
    expect(waitOf({ "retry-after": "1.5" })).toBe(1500);
    expect(waitOf({ "retry-after": "Tue, 01 Jan 2030 00:02:00 GMT" })).toBe(120_000);
    expect(waitOf({ "retry-after": "Mon, 31 Dec 2029 23:00:00 GMT" })).toBe(0);
    expect(waitOf({ "retry-after-ms": "250", "retry-after": "9" })).toBe(250);
    expect(waitOf({}, '{"error":{"details":[{"retryDelay":"17s"}]}}')).toBe(17_000);
    for (const said of ["", "soon", "-5", "NaN"]) expect(waitOf({ "retry-after": said })).toBeNull();
  });
});

describe("an error on the way", () => {
  it.each([
    ["outbound_timeout", {}, "timeout", true],
    ["outbound_unreachable", { reason: "ENOTFOUND" }, "connection", false],
    ["outbound_unreachable", { reason: "ECONNREFUSED" }, "connection", false],
    ["outbound_unreachable", { reason: "DEPTH_ZERO_SELF_SIGNED_CERT" }, "connection", false],
    ["outbound_unreachable", { reason: "ECONNRESET" }, "connection", true],
    ["outbound_too_large", {}, "server_error", true],
    ["outbound_address_refused", {}, "connection", false],
    ["outbound_redirects", {}, "connection", false],
    ["outbound_credentials_malformed", {}, "auth_invalid_key", false],
  ] as const)("%s %j is %s", (code, fields, category, maybeCharged) => {
    const cause = new SluiceError(code, { host: "model.example", ...fields });
    // A library may wrap it, at any depth.
    for (const error of [cause, new Error("wrapped", { cause: new Error("again", { cause }) })])
      expect(modelFailure(error)).toMatchObject({ category, maybeCharged, cause });
  });

  it("of a kind that nobody foresaw keeps nothing that could hold a key", () => {
    const failure = modelFailure(new TypeError("sk-CANARY is an invalid header value"));
    expect(failure).toMatchObject({ category: "unknown", cause: undefined, maybeCharged: true });
    expect(modelFailure(failure)).toBe(failure);
    expect(modelFailure("a string")).toMatchObject({ category: "unknown" });
  });
});

it("has a text for people for every category, another one in each language", () => {
  const texts = modelFailures.flatMap((category) => [failureText(category, "zh"), failureText(category, "en")]);
  expect(new Set(texts).size).toBe(modelFailures.length * 2);
});
