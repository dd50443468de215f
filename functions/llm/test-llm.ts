import * as z from "zod";
import { findUserConfig } from "../config/user-config-store.ts";
import type { Language } from "../platform/language.ts";
import { operation } from "../platform/operation.ts";
import { capsFor } from "../spending/caps.ts";
import { priceOf } from "../spending/cost.ts";
import { paidCall } from "../spending/paid-call.ts";
import { spendingGrants } from "../spending/spending-store.ts";
import { forgetTokens } from "./adapters/baidu-tokens.ts";
import { askModel } from "./ask-model.ts";
import { isOwnModel, testedSettings } from "./connection-test.ts";
import { type ModelAnswer, ModelFailure, type ModelSettings } from "./model.ts";
import { TestDebug, testDebug } from "./test-debug.ts";
import { clampNote, type Explanation, emptyAnswer, explained } from "./test-messages.ts";

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
    summary:
      "Ask a language model for a greeting, at the expense of the caller's month, and say in words what is wrong when none comes",
    auth: "user",
    body: TestRequest,
    success: TestResult,
    failures: [],
    grants: { reads: ["userConfig"], writes: spendingGrants.writes, secrets: ["decrypt"], bedrock: true },
    // Longer than the call may take, shorter than API Gateway waits.
    timeoutSeconds: 28,
  },
  async ({ body, caller, language, now }) => {
    const config = await findUserConfig(caller.id);
    // What a key is worth shows in a fresh call only: Baidu's could go by a token that an earlier test got.
    forgetTokens();
    const started = performance.now();
    let settings: ModelSettings | undefined;
    const debug = () => testDebug(body, settings, config, performance.now() - started);
    try {
      settings = await testedSettings(body, config, caller.id);
      // The prices in the settings are those of the model in the settings.
      const price = priceOf(settings, isOwnModel(settings, config) ? config : null);
      const budget = { userId: caller.id, scan: null, price, caps: capsFor(config, null, null) };
      const answer = await paidCall(budget, settings, greeting, askModel, now);
      if (answer.text.trim() === "") return failed(emptyAnswer(answer, language), debug());
      return greeted(answer, settings, clampNote(body, language), debug(), language);
    } catch (error) {
      return failed(explained(error, body, config, language), { ...debug(), ...statusOf(error) });
    }
  },
);

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
