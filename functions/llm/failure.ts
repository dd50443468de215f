import { APICallError, InvalidResponseDataError, LoadAPIKeyError, TypeValidationError } from "@ai-sdk/provider";
import { type ErrorCode, isSluiceError, type SluiceError } from "../platform/errors.ts";
import { ModelFailure, type ModelFailureCategory } from "./model.ts";

/**
 * Says why a call brought no answer. What the provider sent is read to tell the reason and then dropped: it can repeat the prompt and the
 * key, and so can the errors of the AI SDK, none of which is kept as a cause.
 */
export function modelFailure(error: unknown, now = Date.now()): ModelFailure {
  const chain = [...causes(error)];
  const known = chain.find((one) => one instanceof ModelFailure);
  if (known) return known;
  const refusal = chain.find((one) => isSluiceError(one));
  if (refusal) return outboundFailure(refusal);
  const answered = chain.find((one) => APICallError.isInstance(one));
  if (answered?.statusCode)
    return answerFailure(answered.statusCode, answered.responseBody, answered.responseHeaders, now);
  if (LoadAPIKeyError.isInstance(error)) return new ModelFailure("auth_invalid_key");
  // It answered, and not in the form that was agreed on: the work may be done and charged for all the same.
  if (InvalidResponseDataError.isInstance(error) || TypeValidationError.isInstance(error))
    return new ModelFailure("server_error", { status: 200, maybeCharged: true });
  return new ModelFailure("unknown", { maybeCharged: true });
}

/** The error and what caused it, as far as that goes. */
function* causes(error: unknown): Generator<unknown> {
  const depthMax = 10;
  for (let depth = 0; error instanceof Error && depth < depthMax; depth++, error = error.cause) yield error;
}

/**
 * What an answer with an error in it means, whatever its form: providers agree on statuses only roughly, so their words decide where they
 * are clear.
 * @param body as the provider sent it; nothing of it is kept
 */
export function answerFailure(
  status: number,
  body = "",
  headers: Readonly<Record<string, string>> = {},
  now = Date.now(),
): ModelFailure {
  const retryAfterMs = retryAfter(headers, body, now);
  return new ModelFailure(categoryOf(status, wordsOf(status, body)), {
    status,
    ...(retryAfterMs !== null && { retryAfterMs }),
    maybeCharged: lostStatuses.has(status),
  });
}

/** A proxy that lost the model while it worked, and a good answer that could not be read: nobody knows what will be charged. */
const lostStatuses: ReadonlySet<number> = new Set([200, 408, 502, 504, 524]);

function categoryOf(status: number, words: string): ModelFailureCategory {
  if (status === 402) return "insufficient_balance";
  if (status === 408) return "timeout";
  if (status >= 500) return "server_error";
  // Gemini speaks of quota and billing in what is only a limit per minute.
  if (status === 429 && /RESOURCE_EXHAUSTED/.test(words)) return "rate_limit";
  if (balanceWords.test(words)) return "insufficient_balance";
  if (status === 429) return "rate_limit";
  if (keyWords.test(words)) return "auth_invalid_key";
  if (status === 401 || status === 403) return "auth_failed";
  if (status === 404 || modelWords.test(words)) return "model_not_found";
  return status < 400 ? "server_error" : "bad_request";
}

/**
 * What an error says of itself. The rest of a body is left alone: it can repeat the prompt, and code under audit may well speak of balances
 * and of keys.
 */
function wordsOf(status: number, body: string): string {
  const answer = parsedObject(body);
  if (!answer) return status < 400 ? "" : body.slice(0, wordsMax);
  const { error } = answer;
  // An answer that is no error has no words of one, whatever is wrong with its form.
  if (status < 400 && !error) return "";
  const said = typeof error === "object" && error !== null ? (error as Record<string, unknown>) : {};
  return [error, ...named.map((name) => said[name]), ...named.map((name) => answer[name])]
    .filter((word) => typeof word === "string" || typeof word === "number")
    .map((word) => String(word).slice(0, wordsMax))
    .join(" ");
}

const named = ["code", "type", "status", "message", "msg", "detail", "error_description"];
const wordsMax = 500;

function parsedObject(text: string): Record<string, unknown> | null {
  try {
    const parsed: unknown = JSON.parse(text);
    // Gemini puts its errors into a list of one.
    const value: unknown = Array.isArray(parsed) ? parsed[0] : parsed;
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}

const balanceWords =
  /insufficient[\s_-]*(?:account[\s_-]*)?(?:quota|balance|funds?|credits?)|exceeded[\s_-](?:your[\s_-])?current[\s_-]quota|credit balance|out of credits?|arrearage|overdue|QuotaExceeded|SetLimitExceeded|billing_(?:hard_limit|not_active)|余额|欠费|充值|资源包|额度(?:已|不足|用)/i;

const keyWords =
  /(?:invalid|incorrect|wrong|malformed|expired)[\s_-]*(?:\w+[\s_-]+){0,2}?(?:api[\s_-]?key|access[\s_-]?key|x-api-key)|(?:api|access)[\s_-]?key\b[^"{}]{0,80}(?:not valid|invalid|incorrect|expired)|(?:密钥|令牌|api[\s_-]?key|身份验证)[^"{}]{0,12}(?:无效|错误|不正确|失败|过期)|无效的?[^"{}]{0,8}(?:密钥|令牌|key)/i;

const modelWords =
  /model[\s_-]?not[\s_-]?(?:found|exist|open|supported)|(?:unknown|invalid|no such|unsupported|non-?existent)[\s_-]model|model\b[^{}]{0,120}?(?:not found|does(?:n't| not) exist|not exist|is not supported|identifier is invalid)|模型[^"{}]{0,40}(?:不存在|未找到|未开通|已下线)/i;

/** True for a request that the provider turned down because of what is in it: an answer, if an unwelcome one. */
export function isRefusal(error: unknown): boolean {
  const answered = [...causes(error)].find((one) => APICallError.isInstance(one));
  return answered?.statusCode === 400 && refusalWords.test(wordsOf(400, answered.responseBody ?? ""));
}

const refusalWords =
  /content_filter|content_policy|ResponsibleAI|data_?inspection_?failed|SensitiveContent|prohibited_content|敏感内容/i;

/** Retry-After in either form, OpenAI's header in milliseconds, or Gemini's detail in the body. */
function retryAfter(headers: Readonly<Record<string, string>>, body: string, now: number): number | null {
  const milliseconds = Number(headers["retry-after-ms"] ?? Number.NaN);
  if (milliseconds >= 0) return Math.ceil(milliseconds);
  const said = headers["retry-after"]?.trim() ?? "";
  if (/^\d+(\.\d+)?$/.test(said)) return Math.ceil(Number(said) * 1000);
  const at = Date.parse(said);
  // Date.parse takes many a number for a year.
  if (said.endsWith("GMT") && !Number.isNaN(at)) return Math.max(0, at - now);
  const delay = /"retryDelay"\s*:\s*"(\d+(?:\.\d+)?)s"/.exec(body)?.[1];
  return delay === undefined ? null : Math.ceil(Number(delay) * 1000);
}

/** Before the request was sent nothing can have been charged. */
const unsent = new Set(["ENOTFOUND", "EAI_AGAIN", "ECONNREFUSED", "EHOSTUNREACH", "ENETUNREACH"]);

const ofOutbound: Partial<Record<ErrorCode, ModelFailureCategory>> = {
  outbound_timeout: "timeout",
  outbound_credentials_malformed: "auth_invalid_key",
  outbound_too_large: "server_error",
  outbound_encoding: "server_error",
};

/** Our own client's refusals are kept as the cause: their texts are ours, and they name the very reason. */
function outboundFailure(cause: SluiceError): ModelFailure {
  const reason = String(cause.fields.reason ?? "");
  const isCut =
    cause.code === "outbound_unreachable" && !unsent.has(reason) && !/CERT|SSL|TLS|SELF_SIGNED/.test(reason);
  return new ModelFailure(ofOutbound[cause.code] ?? "connection", {
    maybeCharged: isCut || ["outbound_timeout", "outbound_too_large", "outbound_encoding"].includes(cause.code),
    cause,
  });
}
