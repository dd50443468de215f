import type { Language } from "../platform/language.ts";
import type { ModelFailureCategory } from "./model.ts";

/** Why a model did not answer, and what its user can do about it. */
const texts: Readonly<Record<ModelFailureCategory, Readonly<Record<Language, string>>>> = {
  insufficient_balance: {
    zh: "账户余额不足或配额已用尽，请在模型服务商处充值后重试",
    en: "The account has no balance or quota left; top it up at the provider",
  },
  auth_invalid_key: {
    zh: "API Key 无效，请检查后重新输入",
    en: "The API key is invalid; check it and enter it again",
  },
  auth_failed: {
    zh: "认证失败，该密钥没有访问此服务或模型的权限",
    en: "Authentication failed; the key may not use this service or model",
  },
  timeout: {
    zh: "请求超时，模型未在限定时间内完成回答",
    en: "The request timed out; the model did not finish its answer in time",
  },
  connection: {
    zh: "无法连接到模型服务，请检查 Base URL 和网络",
    en: "The connection to the model failed; check the base URL and the network",
  },
  rate_limit: {
    zh: "请求过于频繁，已触发服务商的速率限制，请稍后重试",
    en: "The provider's rate limit is reached; try again later",
  },
  model_not_found: {
    zh: "模型不存在或地址不正确，请检查模型名称和 Base URL",
    en: "There is no such model at this address; check the model's name and the base URL",
  },
  empty_response: { zh: "模型返回了空响应", en: "The model's response was empty" },
  unsupported_provider: { zh: "不支持的模型服务商", en: "This provider is not supported" },
  bad_request: {
    zh: "模型服务拒绝了该请求，请检查模型名称和参数",
    en: "The provider refused the request; check the model's name and the parameters",
  },
  server_error: {
    zh: "模型服务出错或返回了无法识别的内容，请稍后重试",
    en: "The provider failed, or its answer was not understood; try again later",
  },
  unknown: { zh: "调用模型时发生未知错误", en: "The call of the model failed for an unknown reason" },
};

export const failureText = (category: ModelFailureCategory, language: Language): string => texts[category][language];
