import * as z from "zod";
import { findUserConfig } from "../config/user-config-store.ts";
import { unitCharactersMax } from "../engine/review/units.ts";
import { AnalysisResult, analysisResult } from "../issues/analysis-result.ts";
import { failureText } from "../llm/failure-texts.ts";
import { ModelFailure } from "../llm/model.ts";
import { says } from "../platform/contract.ts";
import { isSluiceError } from "../platform/errors.ts";
import { type Language, OutputLanguage } from "../platform/language.ts";
import { operation } from "../platform/operation.ts";
import { contentMax } from "./prompt-template.ts";
import { tryTemplate, type UnusableAnswer } from "./try-template.ts";

export const testPromptTemplate = operation(
  {
    method: "POST",
    path: "/prompts/test",
    summary:
      "Try a prompt template on a piece of code with one's own language model; what goes wrong is said in `error`, nothing is saved",
    auth: "user",
    body: z.object({
      content: z.string().min(1).max(contentMax),
      /** As much as a scan shows a model in one call. */
      code: z
        .string()
        .max(unitCharactersMax)
        .refine((code) => /\S/.test(code), { ...says("没有代码", "there is no code") }),
      language: z
        .string()
        .trim()
        .toLowerCase()
        .regex(/^[a-z0-9+#.-]{1,50}$/)
        .default("python"),
      output_language: OutputLanguage.default("zh"),
    }),
    success: z.object({
      success: z.boolean(),
      result: AnalysisResult.nullable(),
      error: z.string().nullable(),
      execution_time: z.number().meta({ description: "seconds" }),
    }),
    failures: [],
    grants: {
      reads: ["userConfig", "applicationKey"],
      writes: ["spending"],
      appends: ["applicationKey"],
      secrets: ["decrypt"],
      bedrock: true,
    },
    memoryMiB: 1024,
    // Longer than its calls may take together, shorter than API Gateway waits.
    timeoutSeconds: 28,
  },
  async ({ body, caller, language, now }) => {
    const { content: template, code, output_language: outputLanguage } = body;
    const started = performance.now();
    const ended = (result: AnalysisResult | null, error: string | null) => ({
      success: error === null,
      result,
      error,
      execution_time: Math.round((performance.now() - started) / 10) / 100,
    });
    try {
      const trial = { template, code, language: body.language, outputLanguage };
      const found = await tryTemplate(trial, caller.id, await findUserConfig(caller.id), now);
      if (typeof found === "string") return ended(null, unusable[found][language]);
      return ended(analysisResult(found, outputLanguage), null);
    } catch (error) {
      return ended(null, explained(error, language));
    }
  },
);

/** @throws what is no failure of the trial but one of ours */
function explained(error: unknown, language: Language): string {
  if (isSluiceError(error) && error.status < 500) return error.text(language);
  if (error instanceof ModelFailure) return failureText(error.category, language);
  throw error;
}

const unusable: Record<UnusableAnswer | "no_model", Record<Language, string>> = {
  no_model: {
    zh: "尚未配置语言模型，请先在设置中选择模型并填写 API Key",
    en: "No language model is configured; choose one in the settings and enter its API key",
  },
  format: {
    zh: "模型的回答不是约定的格式，重试后仍无法解析；请检查模板是否要求了其他格式",
    en: "The model's answers did not have the agreed form, the second one neither; see whether the template asks for another one",
  },
  truncated: {
    zh: "模型的回答被截断，请调大最大 Token 数或缩短代码",
    en: "The model's answer was cut off; raise the maximum number of tokens or shorten the code",
  },
  empty: { zh: "模型返回了空响应", en: "The model's response was empty" },
  refused: { zh: "模型拒绝回答", en: "The model refused to answer" },
};
