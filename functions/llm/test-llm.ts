import * as z from "zod";
import type { UserConfig } from "../config/user-config.ts";
import { findUserConfig } from "../config/user-config-store.ts";
import { isSluiceError } from "../platform/errors.ts";
import type { Language } from "../platform/language.ts";
import { operation } from "../platform/operation.ts";
import { forgetTokens } from "./adapters/baidu.ts";
import { askModel } from "./ask-model.ts";
import { StoredKeyElsewhere, testedSettings, testTimeoutMsMax, wantedTimeoutMs } from "./connection-test.ts";
import { failureText } from "./failure-texts.ts";
import { type ModelAnswer, ModelFailure, type ModelSettings, type modelFailures } from "./model.ts";
import { TestDebug, testDebug } from "./test-debug.ts";

const text = (max: number) => z.string().max(max);

const TestRequest = z.object({
  provider: text(50),
  /** Empty for providers that need none; the mask of a stored key means that key, at the address it was stored for. */
  apiKey: text(10_000),
  model: text(200).nullish(),
  baseUrl: text(2000).nullish(),
  timeout: z.number().min(1).max(900_000).nullish(),
  maxTokens: z.number().int().min(1).max(1_000_000).nullish(),
  temperature: z.number().min(0).max(2).nullish(),
  customHeaders: text(10_000).nullish(),
});
type TestRequest = z.output<typeof TestRequest>;

const TestResult = z.object({
  success: z.boolean(),
  message: z.string(),
  model: z.string().nullable(),
  response: z.string().nullable(),
  debug: TestDebug,
});
type TestResult = z.input<typeof TestResult>;

const greeting = { system: "", messages: [{ role: "user" as const, content: 'Say "Hello" in one word.' }] };

export const testLlm = operation(
  {
    method: "POST",
    path: "/config/test-llm",
    summary: "Ask a language model for a greeting and say in words what is wrong when none comes",
    auth: "user",
    body: TestRequest,
    success: TestResult,
    failures: [],
    grants: { reads: ["userConfig"], secrets: ["decrypt"], bedrock: true },
    // Longer than the call may take, shorter than API Gateway waits.
    timeoutSeconds: 28,
  },
  async ({ body, caller, language }) => {
    const config = await findUserConfig(caller.id);
    // What a key is worth shows in a fresh call only: Baidu's could go by a token that an earlier test got.
    forgetTokens();
    const started = performance.now();
    let settings: ModelSettings | undefined;
    const debug = () => testDebug(body, settings, config, performance.now() - started);
    try {
      settings = await testedSettings(body, config, caller.id);
      const answer = await askModel(settings, greeting);
      if (answer.text.trim() === "") return failed(emptyAnswer(answer, language), debug());
      return greeted(answer, settings, clampNote(body, language), debug(), language);
    } catch (error) {
      return failed(explained(error, body, config, language), { ...debug(), ...statusOf(error) });
    }
  },
);

interface Explanation {
  readonly category: (typeof modelFailures)[number];
  readonly message: string;
}

/** @throws what is no failure of a test but one of ours */
function explained(error: unknown, test: TestRequest, config: UserConfig | null, language: Language): Explanation {
  if (error instanceof StoredKeyElsewhere) return { category: "auth_invalid_key", message: elsewhere[language] };
  if (isSluiceError(error, "secret_unreadable")) return { category: "auth_invalid_key", message: error.text(language) };
  if (isSluiceError(error, "llm_header_malformed", "llm_header_refused"))
    return { category: "bad_request", message: error.text(language) };
  if (!(error instanceof ModelFailure)) throw error;
  const { category, cause } = error;
  const said = failureText(category, language);
  if (category === "timeout") return { category, message: said + waitNote(wantedTimeoutMs(test, config), language) };
  // Our own client names the very reason, such as an address that the operator has to allow.
  const reason = isSluiceError(cause) ? (language === "zh" ? `：${cause.text("zh")}` : `: ${cause.text("en")}`) : "";
  return { category, message: said + reason };
}

const elsewhere = {
  zh: "API Key 无效：没有为该地址保存的密钥，请重新输入",
  en: "The API key is invalid: none is stored for this address; enter it again",
};

/** Models that think can spend all their tokens before the first word. */
function emptyAnswer({ finish }: ModelAnswer, language: Language): Explanation {
  const said = failureText("empty_response", language);
  const hint = {
    zh: "：最大 Token 数在回答之前已用尽，请调大",
    en: ": it ran out of tokens before its first word; raise the maximum",
  };
  return { category: "empty_response", message: finish === "length" ? said + hint[language] : said };
}

/** Said of a good answer too, when the request itself asked for more. */
const clampNote = (test: TestRequest, language: Language): string =>
  test.timeout && wantedTimeoutMs(test, null) > testTimeoutMsMax ? waitNote(wantedTimeoutMs(test, null), language) : "";

function waitNote(wantedMs: number, language: Language): string {
  const seconds = Math.min(wantedMs, testTimeoutMsMax) / 1000;
  if (wantedMs <= testTimeoutMsMax) return language === "zh" ? `（${seconds} 秒）` : ` (${seconds} s)`;
  return language === "zh"
    ? `（测试最多等待 ${seconds} 秒，扫描时为 ${wantedMs / 1000} 秒）`
    : ` (a test waits ${seconds} s at most, a scan ${wantedMs / 1000} s)`;
}

function greeted(
  { text, usage, model }: ModelAnswer,
  settings: ModelSettings,
  note: string,
  debug: TestDebug,
  language: Language,
): TestResult {
  const shown = withoutKey(text, settings).replace(unprintable, " ").trim();
  return {
    success: true,
    message: (language === "zh" ? "连接成功" : "The connection works") + note,
    model: withoutKey(model, settings),
    response: [...shown].slice(0, shownMax).join(""),
    debug: {
      ...debug,
      model_used: withoutKey(model, settings),
      response_length: text.length,
      ...(usage && { usage: { input_tokens: usage.inputTokens, output_tokens: usage.outputTokens } }),
    },
  };
}

/** A server can say the key that it was sent; the API shows no stored one, not even so. */
const withoutKey = (text: string, { apiKey }: ModelSettings): string =>
  (apiKey ?? "")
    .split(":")
    // Shorter ones are no keys, and the greeting may well have them.
    .filter((part) => part.length >= 8)
    .reduce((rest, part) => rest.replaceAll(part, "••••"), text);

const shownMax = 100;
/** Control characters, and those that turn the direction of a text. */
const unprintable = /[\u0000-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

const failed = ({ category, message }: Explanation, debug: TestDebug): TestResult => ({
  success: false,
  message,
  model: debug.model_requested,
  response: null,
  debug: { ...debug, error_category: category, error_type: category, error_message: message },
});

const statusOf = (error: unknown): { status_code?: number } =>
  error instanceof ModelFailure && error.status !== null ? { status_code: error.status } : {};
