import * as z from "zod";
import { defaultSettings, type UserConfig } from "../config/user-config.ts";
import { budgetRefusals, type ConnectionTest } from "./connection-test.ts";
import { type ModelSettings, modelFailures } from "./model.ts";
import { findProvider } from "./providers.ts";

/** What helps to find out what is wrong, without any secret and without a word of what the provider sent. */
export const TestDebug = z.object({
  provider: z.string(),
  model_requested: z.string().nullable(),
  model_used: z.string().optional(),
  base_url_requested: z.string().nullable(),
  base_url_used: z.string().optional(),
  api_key_prefix: z.string(),
  api_key_length: z.number(),
  adapter_type: z.string().optional(),
  is_native_adapter: z.boolean().optional(),
  elapsed_time_ms: z.number(),
  saved_config: z.object({
    timeout_ms: z.number(),
    temperature: z.number(),
    max_tokens: z.number(),
    concurrency: z.number(),
    gap_ms: z.number(),
    max_analyze_files: z.number(),
    output_language: z.string(),
  }),
  test_params: z.object({ timeout: z.number(), temperature: z.number(), max_tokens: z.number() }).optional(),
  error_category: z.enum([...modelFailures, ...budgetRefusals]).optional(),
  error_type: z.string().optional(),
  error_message: z.string().optional(),
  status_code: z.number().optional(),
  usage: z.object({ input_tokens: z.number(), output_tokens: z.number() }).optional(),
  response_length: z.number().optional(),
});
export type TestDebug = z.input<typeof TestDebug>;

/** The block for a test, whose settings are not known when it ended before them. */
export function testDebug(
  test: ConnectionTest,
  settings: ModelSettings | undefined,
  config: UserConfig | null,
  elapsedMs: number,
): TestDebug {
  const { wire } = findProvider(test.provider) ?? {};
  const key = settings?.apiKey ?? "";
  const llm = { ...defaultSettings.llmConfig, ...config?.llmConfig };
  const other = { ...defaultSettings.otherConfig, ...config?.otherConfig };
  return {
    provider: test.provider,
    model_requested: test.model || null,
    base_url_requested: test.baseUrl ? shownAddress(test.baseUrl) : null,
    ...(settings && {
      model_used: settings.model,
      base_url_used: shownAddress(settings.baseUrl),
      test_params: {
        timeout: settings.timeoutMs,
        temperature: settings.temperature,
        max_tokens: settings.maxTokens,
      },
    }),
    // Four of few characters would be most of a key.
    api_key_prefix: key.length < 12 ? "" : key.slice(0, 4),
    api_key_length: key.length,
    ...(wire && { adapter_type: wire, is_native_adapter: ["baidu", "minimax", "doubao"].includes(wire) }),
    elapsed_time_ms: Math.round(elapsedMs),
    saved_config: {
      timeout_ms: Number(llm.llmTimeout),
      temperature: Number(llm.llmTemperature),
      max_tokens: Number(llm.llmMaxTokens),
      concurrency: Number(other.llmConcurrency),
      gap_ms: Number(other.llmGapMs),
      max_analyze_files: Number(other.maxAnalyzeFiles),
      output_language: String(other.outputLanguage),
    },
  };
}

/** People put keys into addresses too. */
function shownAddress(address: string): string {
  const url = URL.parse(address);
  return url && /^https?:$/.test(url.protocol) ? `${url.origin}${url.pathname}` : "";
}
