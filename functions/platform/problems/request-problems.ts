import type { ProblemText } from "./problem-text.ts";

/** What can be wrong with a request itself, and with who sends it. */
export const requestProblems = {
  // The request itself
  invalid_json: { status: 422, zh: "请求体不是有效的 JSON：{reason}", en: "The body is not valid JSON: {reason}" },
  unsupported_media_type: {
    status: 415,
    zh: "不支持的内容类型 {given}，请使用 {expected}",
    en: "The media type {given} is not supported here; send {expected}",
  },
  payload_too_large: { status: 413, zh: "内容过大，上限为 {limit}", en: "The body is too large; the limit is {limit}" },
  validation_failed: { status: 422, zh: "输入不符合要求", en: "The input does not have the expected form" },
  idempotency_key_malformed: {
    status: 422,
    zh: "Idempotency-Key 只能包含 1 到 200 个可见 ASCII 字符",
    en: "Idempotency-Key takes 1 to 200 visible ASCII characters",
  },
  idempotency_key_reused: {
    status: 422,
    zh: "该 Idempotency-Key 已用于另一个请求",
    en: "This Idempotency-Key was used for a different request",
  },
  idempotency_answer_not_kept: {
    status: 409,
    zh: "该 Idempotency-Key 的请求已经完成，但响应过大未能保留，请直接读取结果",
    en: "The request with this Idempotency-Key was carried out; its answer was too large to be kept, so read the result instead",
  },
  request_in_progress: {
    status: 409,
    zh: "相同 Idempotency-Key 的请求正在处理，请稍后重试",
    en: "A request with this Idempotency-Key is still running; try again shortly",
  },
  internal_error: {
    status: 500,
    zh: "服务器内部错误，请稍后重试",
    en: "Something went wrong on our side; try again later",
  },

  // Who is calling
  not_authenticated: { status: 401, zh: "请先登录", en: "Sign in first" },
  login_failed: { status: 400, zh: "邮箱或密码错误", en: "The e-mail address or the password is wrong" },
  token_scope_insufficient: {
    status: 403,
    zh: "该 API 令牌的权限范围不足，需要 {scope}",
    en: "The scope of this API token does not reach; {scope} is needed",
  },
  token_run_insufficient: {
    status: 403,
    zh: "该 API 令牌只能用于运行 {run}",
    en: "This API token is for the run {run} only",
  },
  cursor_invalid: {
    status: 422,
    zh: "分页游标无效、已过期或属于另一个查询，请从第一页重新开始",
    en: "The cursor is invalid, has expired or belongs to another query; start at the first page",
  },
  login_throttled: {
    status: 429,
    zh: "登录失败次数过多，请在 {retryAfterSeconds} 秒后重试",
    en: "Too many failed sign-ins; try again in {retryAfterSeconds} seconds",
  },
  registration_off: {
    status: 403,
    zh: "未开放注册，请联系管理员创建账号",
    en: "Registration is closed; ask an administrator for an account",
  },
  permission_denied: { status: 403, zh: "没有权限执行此操作", en: "You may not do this" },
} as const satisfies Record<string, ProblemText>;
