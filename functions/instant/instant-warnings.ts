import type { Coverage } from "../engine/artefact.ts";
import type { ReviewSkip } from "../engine/review/units.ts";
import { failureText } from "../llm/failure-texts.ts";
import { type ModelFailureCategory, modelFailures } from "../llm/model.ts";
import { type ErrorCode, SluiceError } from "../platform/errors.ts";
import type { Language } from "../platform/language.ts";
import type { ReviewReason } from "../scans/review-result.ts";
import type { InstantWarning } from "./instant-analysis.ts";

type Texts = Readonly<Record<Language, string>>;

const texts = {
  no_model: {
    zh: "尚未配置语言模型，仅使用规则分析",
    en: "No language model is configured; only rules have looked at the code",
  },
  secrets_only: {
    zh: "规则尚不支持该语言，只在其中查找了密钥",
    en: "No rule knows this language yet; rules have searched it for secrets only",
  },
  partly_analysed: {
    zh: "规则只分析了部分代码（{reason}）",
    en: "Rules have analysed only a part of the code ({reason})",
  },
  not_analysed: { zh: "规则无法分析这段代码（{reason}）", en: "Rules could not analyse the code ({reason})" },
  not_reviewed: {
    zh: "语言模型不审查这类内容（{reason}）",
    en: "A model does not look at this kind of content ({reason})",
  },
  review_failed: {
    zh: "语言模型未完成审查，规则分析结果不受影响：{reason}",
    en: "The model has not reviewed all of the code; what rules have found stands: {reason}",
  },
  suppressed_findings: {
    zh: "有 {reason} 个问题被代码中的 audit-ignore 注释忽略",
    en: "{reason} findings are silenced by audit-ignore comments in the code",
  },
  issues_omitted: {
    zh: "问题过多，仅列出最严重的 {reason} 个",
    en: "There are too many issues; only the worst {reason} are listed",
  },
} as const satisfies Record<string, Texts>;

/** A warning; `reason` fills the slot of its text. */
export const instantWarning = (code: keyof typeof texts, language: Language, reason: string | number = "") => ({
  code,
  message: texts[code][language].replace("{reason}", String(reason)),
});

/** What the rules did not look at. */
export function warningsOfRules({ status, reason }: Coverage, isText: boolean, language: Language): InstantWarning[] {
  if (isText || reason === "language_not_supported") return [instantWarning("secrets_only", language)];
  if (status === "skipped" || status === "failed") return [instantWarning("not_analysed", language, reason ?? "")];
  return reason === null ? [] : [instantWarning("partly_analysed", language, reason)];
}

export const warningOfSkip = (skip: ReviewSkip, language: Language): InstantWarning =>
  instantWarning("not_reviewed", language, skip);

/** Why a model's review is missing or has holes; the code is the reason's own. */
export const warningOfReview = (reason: ReviewReason, language: Language): InstantWarning => ({
  code: reason,
  message: instantWarning("review_failed", language, reasonText(reason, language)).message,
});

const reasonTexts: Partial<Record<ReviewReason, Texts>> = {
  format: { zh: "模型的回答不是约定的格式", en: "its answers did not have the agreed form" },
  truncated: { zh: "模型的回答被截断，请调大最大 Token 数", en: "its answer was cut off; raise the maximum of tokens" },
  empty: { zh: "模型返回了空响应", en: "its answer was empty" },
  refused: { zh: "模型拒绝回答", en: "it refused to answer" },
};

function reasonText(reason: ReviewReason, language: Language): string {
  if ((modelFailures as readonly string[]).includes(reason))
    return failureText(reason as ModelFailureCategory, language);
  if (reason === "budget_exhausted" || reason === "budget_needs_token_cap")
    return new SluiceError(reason satisfies ErrorCode, { level: "month" }).text(language);
  return reasonTexts[reason]?.[language] ?? reason;
}
