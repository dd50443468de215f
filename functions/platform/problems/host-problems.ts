import type { ProblemText } from "./problem-text.ts";

/** What can be wrong with hosts that users name: repositories and models, and the way there. */
export const hostProblems = {
  // Repositories at a provider: functions/sources/providers. What a user can mend is a 422, what only the host can is a 502 or 503.
  repository_url_invalid: {
    status: 422,
    zh: "仓库地址无效，应为 {example}",
    en: "This is not the address of a repository; expected is {example}",
  },
  repository_not_found: {
    status: 422,
    zh: "“{host}”上没有该仓库，或者没有访问权限",
    en: "“{host}” has no such repository, or you have no access to it",
  },
  repository_unauthorised: {
    status: 422,
    zh: "“{host}”拒绝了访问令牌，或者令牌权限不足",
    en: "“{host}” does not accept the access token, or the token may not do this",
  },
  repository_branch_invalid: {
    status: 422,
    zh: "“{branch}”不是有效的分支名",
    en: "“{branch}” cannot be the name of a branch",
  },
  repository_branch_not_found: {
    status: 422,
    zh: "仓库中没有分支“{branch}”",
    en: "The repository has no branch “{branch}”",
  },
  repository_rate_limited: {
    status: 503,
    zh: "“{host}”限制了请求频率，请在 {seconds} 秒后重试",
    en: "“{host}” limits how often it is asked; try again in {seconds} s",
  },
  repository_unavailable: {
    status: 502,
    zh: "“{host}”暂时不可用（状态 {status}）",
    en: "“{host}” is not available at the moment (status {status})",
  },
  repository_answer_unexpected: {
    status: 502,
    zh: "“{host}”的响应不符合预期，请检查仓库类型和地址",
    en: "“{host}” does not answer as a host of this type does; check the type and the address of the repository",
  },

  // Repositories over git's own protocol: functions/sources/git
  repository_too_large: {
    status: 422,
    zh: "“{host}”上的仓库过大（{what}），上限为 {limit}",
    en: "The repository at “{host}” is too large: it has more than {limit} {what}",
  },
  repository_damaged: {
    status: 502,
    zh: "“{host}”发送的仓库数据已损坏或不一致（{part}）",
    en: "What “{host}” sent of the repository is damaged or contradicts itself ({part})",
  },
  repository_key_missing: {
    status: 422,
    zh: "通过 SSH 访问“{host}”需要 SSH 密钥，请先生成",
    en: "“{host}” is reached over SSH, which needs an SSH key; generate one first",
  },
  repository_key_unreadable: {
    status: 422,
    zh: "无法读取 SSH 私钥，请重新生成",
    en: "The SSH private key cannot be read; generate a new one",
  },
  repository_key_refused: {
    status: 422,
    zh: "“{host}”不接受该 SSH 密钥，请在该主机上添加公钥",
    en: "“{host}” does not accept the SSH key; add its public part there",
  },
  repository_host_key_changed: {
    status: 422,
    zh: "“{host}”的主机密钥与已保存的不同，可能存在中间人攻击；确认该主机更换了密钥后，请清除已知主机（DELETE /ssh-keys/known-hosts）",
    en: "“{host}” does not show the host key by which it is known; somebody may be in between. Once you are sure that it was replaced, forget the known hosts (DELETE /ssh-keys/known-hosts)",
  },

  // Settings of models: functions/llm
  instant_analysis_not_found: { status: 404, zh: "分析记录不存在", en: "There is no such analysis" },
  instant_analysis_limit_reached: {
    status: 429,
    zh: "每小时最多 {limit} 次即时分析，请在 {retryAfterSeconds} 秒后重试；更多代码请创建项目扫描",
    en: "There are at most {limit} instant analyses an hour; try again in {retryAfterSeconds} seconds, or scan more code as a project",
  },
  embedding_provider_unknown: {
    status: 400,
    zh: "不支持的嵌入模型服务商“{provider}”",
    en: "There is no provider of embeddings called “{provider}”",
  },
  embedding_provider_not_found: {
    status: 404,
    zh: "嵌入模型服务商不存在",
    en: "There is no such provider of embeddings",
  },
  embedding_key_needed: {
    status: 400,
    zh: "{provider} 需要 API Key；更换地址后请重新输入",
    en: "{provider} needs an API key; enter it again when the address is another one",
  },
  embedding_address_needed: { status: 400, zh: "{provider} 需要 Base URL", en: "{provider} needs a base URL" },
  llm_header_malformed: {
    status: 422,
    zh: "自定义请求头“{header}”格式不正确，请使用 JSON 对象或每行一个“名称: 值”",
    en: "The custom header “{header}” is malformed; write a JSON object, or one “Name: value” a line",
  },
  llm_header_refused: {
    status: 422,
    zh: "不允许自定义请求头“{header}”；密钥请填写在 API Key 中",
    en: "The header “{header}” cannot be set; a key belongs into the field for the API key",
  },

  // Requests to hosts that users name: functions/platform/outbound.ts. None of these texts repeats what a host answered.
  outbound_url_malformed: { status: 422, zh: "地址不是有效的 URL", en: "The address is not a valid URL" },
  outbound_not_https: {
    status: 422,
    zh: "访问“{host}”必须使用 https",
    en: "“{host}” can only be reached over https",
  },
  outbound_userinfo: {
    status: 422,
    zh: "访问“{host}”的 URL 不能包含用户名或密码",
    en: "The URL of “{host}” must not contain a user name or password",
  },
  outbound_port: {
    status: 422,
    zh: "不允许访问“{host}”的端口 {port}，允许的端口：{ports}；如需其他端口，请由管理员将该主机加入允许列表",
    en: "Port {port} of “{host}” may not be reached, only {ports}; the operator can allow others by host",
  },
  outbound_address_refused: {
    status: 422,
    zh: "主机“{host}”指向内部网络，不允许访问；如需访问，请由管理员将其加入允许列表",
    en: "The host “{host}” leads into a private network; the operator can allow it by name",
  },
  outbound_credentials_malformed: {
    status: 422,
    zh: "访问“{host}”的令牌包含不允许的字符，请重新输入",
    en: "The token for “{host}” has characters that no token has; enter it again",
  },
  outbound_unreachable: {
    status: 502,
    zh: "无法连接“{host}”（{reason}）",
    en: "“{host}” cannot be reached ({reason})",
  },
  outbound_timeout: {
    status: 504,
    zh: "“{host}”未在 {seconds} 秒内完成响应",
    en: "“{host}” did not finish its answer within {seconds} s",
  },
  outbound_silent: {
    status: 504,
    zh: "“{host}”在 {seconds} 秒内没有发来任何数据",
    en: "“{host}” sent nothing for {seconds} s",
  },
  outbound_too_large: {
    status: 502,
    zh: "“{host}”的响应超过上限 {limit} 字节",
    en: "The answer of “{host}” is larger than the limit of {limit} bytes",
  },
  outbound_redirects: {
    status: 502,
    zh: "“{host}”的重定向过多或无效",
    en: "“{host}” redirects too often, or to nowhere",
  },
  outbound_encoding: {
    status: 502,
    zh: "“{host}”的响应编码不受支持或已损坏",
    en: "The answer of “{host}” has an encoding that is not supported, or is damaged",
  },
} as const satisfies Record<string, ProblemText>;
