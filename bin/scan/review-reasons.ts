import type { Language } from "../../functions/platform/language.ts";
import type { ReviewReason } from "../../functions/scans/review-result.ts";

/** Why a model did not review something, to be read after a colon. */
const reasons: Readonly<Record<ReviewReason, Readonly<Record<Language, string>>>> = {
  insufficient_balance: { en: "the account has no balance left", zh: "账户余额不足" },
  auth_invalid_key: { en: "the API key is not valid", zh: "API Key 无效" },
  auth_failed: { en: "the provider refused the credentials", zh: "认证失败" },
  timeout: { en: "the provider did not answer in time", zh: "请求超时" },
  connection: { en: "the provider could not be reached", zh: "无法连接服务商" },
  rate_limit: { en: "the provider's rate limit", zh: "触发频率限制" },
  model_not_found: { en: "the provider does not know the model", zh: "模型不存在" },
  empty_response: { en: "the answers were empty", zh: "模型返回为空" },
  unsupported_provider: { en: "the provider is not supported", zh: "不支持该服务商" },
  bad_request: { en: "the provider refused the request", zh: "服务商拒绝了请求" },
  server_error: { en: "the provider failed", zh: "服务商内部错误" },
  unknown: { en: "the provider failed for an unknown reason", zh: "未知错误" },
  format: { en: "the answers were not in the form asked for", zh: "回答格式不符合要求" },
  truncated: { en: "the answers were cut off", zh: "回答被截断" },
  empty: { en: "the answers were empty", zh: "模型返回为空" },
  refused: { en: "the model refused to answer", zh: "模型拒绝回答" },
  budget_exhausted: { en: "the budget is used up", zh: "预算已用完" },
  budget_needs_token_cap: {
    en: "nobody knows the model's price; set a cap in tokens",
    zh: "模型价格未知，请设置 token 上限",
  },
  time_limit: { en: "the scan took too long", zh: "扫描时间过长" },
  model_changed: { en: "the model was changed during the scan", zh: "扫描期间更换了模型" },
  model_unusable: { en: "the model's settings cannot be used", zh: "模型配置不可用" },
  internal_error: { en: "an internal error", zh: "内部错误" },
};

/** @returns the reason in words; its code when a newer service sends one that this command does not know */
export const reasonText = (reason: string, language: Language): string =>
  reasons[reason as ReviewReason]?.[language] ?? reason;
