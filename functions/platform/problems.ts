/** The only place that knows HTTP statuses: every error code with its status and its text in both languages. */
export interface ProblemText {
  readonly status: number;
  readonly zh: string;
  readonly en: string;
}

/** Values for the `{slots}` of a text. */
export type ErrorFields = Readonly<Record<string, string | number>>;

export const problems = {
  // The request itself
  route_not_found: { status: 404, zh: "没有这个接口：{method} {path}", en: "There is no operation {method} {path}" },
  invalid_json: { status: 422, zh: "请求体不是有效的 JSON：{reason}", en: "The body is not valid JSON: {reason}" },
  unsupported_media_type: {
    status: 415,
    zh: "不支持的内容类型 {given}，请使用 {expected}",
    en: "The media type {given} is not supported here; send {expected}",
  },
  payload_too_large: { status: 413, zh: "内容过大，上限为 {limit}", en: "The body is too large; the limit is {limit}" },
  validation_failed: { status: 422, zh: "输入不符合要求", en: "The input does not have the expected form" },
  internal_error: {
    status: 500,
    zh: "服务器内部错误，请稍后重试",
    en: "Something went wrong on our side; try again later",
  },

  // Who is calling
  not_authenticated: { status: 401, zh: "请先登录", en: "Sign in first" },
  login_failed: { status: 400, zh: "邮箱或密码错误", en: "The e-mail address or the password is wrong" },
  permission_denied: { status: 403, zh: "没有权限执行此操作", en: "You may not do this" },

  // Records
  user_not_found: { status: 404, zh: "用户不存在", en: "There is no such user" },
  email_taken: { status: 400, zh: "该邮箱已被注册", en: "This e-mail address is already in use" },
  project_not_found: { status: 404, zh: "项目不存在", en: "There is no such project" },
  project_not_zip: { status: 400, zh: "该项目不是 ZIP 上传类型", en: "This project does not take ZIP uploads" },
  task_not_found: { status: 404, zh: "任务不存在", en: "There is no such task" },
  task_already_ended: {
    status: 409,
    zh: "任务已结束（{status}），无法取消",
    en: "The task has already ended ({status})",
  },
  task_superseded: {
    status: 409,
    zh: "任务已被新的运行取代或已结束",
    en: "The task has ended or a newer attempt has taken over",
  },
  issue_not_found: { status: 404, zh: "问题不存在", en: "There is no such issue" },
  stale_version: {
    status: 409,
    zh: "数据已被他人修改，请刷新后重试",
    en: "Somebody changed this in the meantime; read it again and retry",
  },

  // Uploads
  zip_not_stored: { status: 400, zh: "该项目尚未上传 ZIP 文件", en: "No ZIP file is stored for this project" },
  zip_name_expected: { status: 400, zh: "请上传 .zip 文件", en: "The file name must end in .zip" },
  upload_not_found: {
    status: 404,
    zh: "上传不存在或已过期，请重新上传",
    en: "There is no such upload, or it has expired; upload again",
  },
} as const satisfies Record<string, ProblemText>;
