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

  // Records
  token_not_found: { status: 404, zh: "API 令牌不存在", en: "There is no such API token" },
  token_limit_reached: {
    status: 409,
    zh: "API 令牌最多 {limit} 个，请先删除不用的令牌",
    en: "There can be {limit} API tokens; delete one that is not used first",
  },
  user_not_found: { status: 404, zh: "用户不存在", en: "There is no such user" },
  email_taken: { status: 400, zh: "该邮箱已被注册", en: "This e-mail address is already in use" },
  // The same with another status: existing front ends expect 400 where an account is made, and a conflict is a 409 elsewhere.
  email_in_use: { status: 409, zh: "该邮箱已被其他用户使用", en: "Another user has this e-mail address" },
  user_owns_projects: {
    status: 409,
    zh: "该用户仍拥有项目，请先永久删除这些项目，或仅禁用该用户",
    en: "The user still owns projects; delete those for good first, or only disable the user",
  },
  user_limit_reached: {
    status: 409,
    zh: "用户数量已达上限（约 {limit} 个），无法继续创建",
    en: "There can be about {limit} users, and there are; no more can be created",
  },
  cannot_delete_self: { status: 400, zh: "不能删除自己的账户", en: "You cannot delete your own account" },
  cannot_disable_self: { status: 400, zh: "不能禁用自己的账户", en: "You cannot disable your own account" },
  last_administrator: {
    status: 409,
    zh: "这是最后一个可用的管理员，至少需要保留一个",
    en: "This is the last active administrator; one has to remain",
  },
  project_not_found: { status: 404, zh: "项目不存在", en: "There is no such project" },
  project_not_zip: { status: 400, zh: "该项目不是 ZIP 上传类型", en: "This project does not take ZIP uploads" },
  project_in_recycle_bin: {
    status: 409,
    zh: "项目在回收站中，请先恢复",
    en: "The project is in the recycle bin; restore it first",
  },
  project_owner_fixed: {
    status: 409,
    zh: "项目创建者的角色不能更改或移除",
    en: "Who created the project stays its owner",
  },
  member_not_found: { status: 404, zh: "成员不存在", en: "There is no such member" },
  already_member: { status: 409, zh: "该用户已是项目成员", en: "This user is already a member of the project" },
  task_not_found: { status: 404, zh: "任务不存在", en: "There is no such task" },
  task_already_ended: {
    status: 409,
    zh: "任务已结束（{status}），无法取消",
    en: "The task has already ended ({status})",
  },
  task_not_ended: {
    status: 409,
    zh: "任务尚未结束（{status}），无法重试",
    en: "The task has not ended yet ({status})",
  },
  task_left_nothing: {
    status: 409,
    zh: "任务已完整完成，没有需要重试的文件；请新建扫描",
    en: "The task got through all files and has nothing to try again; start another scan",
  },
  coverage_not_ready: {
    status: 409,
    zh: "扫描结束后才能查看文件覆盖情况（当前状态：{status}）",
    en: "What a scan did with each file is known when it has ended; this one is {status}",
  },
  coverage_not_kept: {
    status: 409,
    zh: "该扫描（{status}）在汇总之前就已停止，没有文件覆盖情况；可以重试该任务",
    en: "This scan ({status}) stopped before it accounted for its files; you can run the task again",
  },
  task_not_completed: {
    status: 409,
    zh: "只能比较已完成的扫描；任务 {task} 的状态为 {status}",
    en: "Only scans that are completed can be compared; task {task} is {status}",
  },
  tasks_of_different_projects: {
    status: 422,
    zh: "只能比较同一项目的扫描",
    en: "Only scans of the same project can be compared",
  },
  comparison_too_large: {
    status: 409,
    zh: "任务 {task} 有 {issues} 个问题，最多可比较 {limit} 个",
    en: "Task {task} has {issues} issues; up to {limit} can be compared",
  },
  task_source_gone: {
    status: 409,
    zh: "该任务扫描的代码已不再保存，请新建扫描",
    en: "The code that this task has scanned is not kept any more; start another scan",
  },
  task_superseded: {
    status: 409,
    zh: "任务已被新的运行取代或已结束",
    en: "The task has ended or a newer attempt has taken over",
  },
  run_not_found: { status: 404, zh: "运行不存在", en: "There is no such run" },
  run_parameters_none: { status: 404, zh: "该运行还没有参数", en: "This run has no parameters yet" },
  run_offset_not_kept: {
    status: 409,
    zh: "偏移量 {offset} 不在保留范围内：从 {first} 开始，下一项为 {next}",
    en: "Offset {offset} is not kept: the run begins at {first} and its next item gets {next}",
  },
  rule_set_not_found: { status: 404, zh: "规则集不存在", en: "There is no such rule set" },
  rule_not_found: { status: 404, zh: "规则不存在", en: "There is no such rule" },
  rule_limit_reached: {
    status: 409,
    zh: "每个规则集最多 {limit} 条规则",
    en: "A rule set holds at most {limit} rules",
  },
  rule_set_too_large: {
    status: 422,
    zh: "规则集的文字共 {characters} 个字符，上限为 {limit}：整个规则集会随每次请求发送给模型",
    en: "The texts of the rule set have {characters} characters; the limit is {limit}, as all of them go into each call to a model",
  },
  rule_set_limit_reached: {
    status: 409,
    zh: "规则集最多 {limit} 个，请先删除不用的规则集",
    en: "There can be {limit} rule sets; delete one that is not used first",
  },
  rule_pattern_invalid: {
    status: 422,
    zh: "规则“{rule}”的正则表达式无效：{reason}。请使用 RE2 语法，不支持环视和反向引用",
    en: "The pattern of rule “{rule}” is no regular expression: {reason}. The syntax is RE2's, which has no look-around and no back-references",
  },
  rule_pattern_too_complex: {
    status: 422,
    zh: "规则“{rule}”的正则表达式过于复杂：编译后有 {size} 条指令，上限为 {limit}，请减少重复次数",
    en: "The pattern of rule “{rule}” is too complex: it compiles to {size} instructions and the limit is {limit}; repeat less",
  },
  rule_pattern_matches_empty: {
    status: 422,
    zh: "规则“{rule}”的正则表达式可以匹配空文本，会命中每一行",
    en: "The pattern of rule “{rule}” matches the empty text, so it would find every line",
  },
  rule_pattern_total_too_long: {
    status: 422,
    zh: "规则集的正则表达式共 {characters} 个字符，上限为 {limit}",
    en: "The patterns of the rule set have {characters} characters together; the limit is {limit}",
  },
  system_record_fixed: {
    status: 403,
    zh: "系统自带的内容只能启用或停用，不能修改或删除",
    en: "What the system ships can be switched on and off, not changed or deleted",
  },
  prompt_template_not_found: { status: 404, zh: "提示词模板不存在", en: "There is no such prompt template" },
  prompt_template_limit_reached: {
    status: 409,
    zh: "提示词模板最多 {limit} 个，请先删除不用的模板",
    en: "There can be {limit} prompt templates; delete one that is not used first",
  },
  prompt_template_not_shared: {
    status: 422,
    zh: "只有所有用户都能看到的系统模板才能设为默认模板",
    en: "Only a template of the system can be the default, because everybody has to be able to see it",
  },
  ssh_key_not_found: { status: 404, zh: "尚未生成 SSH 密钥", en: "There is no SSH key yet" },
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

  // Archives: each names the entry and the reason; the check is in functions/sources/archive
  zip_not_an_archive: {
    status: 422,
    zh: "这不是 ZIP 文件，或者文件不完整",
    en: "This is not a ZIP archive, or it is cut short",
  },
  zip_too_large: {
    status: 422,
    zh: "压缩包大小为 {bytes} 字节，超过上限 {limit} 字节",
    en: "The archive has {bytes} bytes; the limit is {limit}",
  },
  zip_end_misplaced: {
    status: 422,
    zh: "压缩包不完整，或者在结束记录之后还有多余的数据",
    en: "The archive is cut short or has bytes after its end record",
  },
  zip_end_ambiguous: {
    status: 422,
    zh: "压缩包有多个结束记录，或者结束记录互相矛盾，不同工具会读出不同的内容",
    en: "The archive has more than one end record, or they contradict each other; tools would disagree about its content",
  },
  zip_multi_disk: {
    status: 422,
    zh: "不支持分卷压缩包，请上传单个 ZIP 文件",
    en: "The archive is split into several parts; upload a single ZIP file",
  },
  zip_too_many_entries: {
    status: 422,
    zh: "压缩包声明有 {entries} 个条目，上限为 {limit}",
    en: "The archive claims {entries} entries; the limit is {limit}",
  },
  zip_directory_too_large: {
    status: 422,
    zh: "压缩包目录为 {bytes} 字节，上限为 {limit}",
    en: "The archive's directory has {bytes} bytes; the limit is {limit}",
  },
  zip_directory_misplaced: {
    status: 422,
    zh: "压缩包目录不在结束记录所指的位置：文件前后可能附加了数据，或者拼接了两个压缩包",
    en: "The archive's directory is not where its end record says: bytes were added, or two archives were joined",
  },
  zip_directory_broken: {
    status: 422,
    zh: "压缩包目录在第 {at} 字节处损坏，或者条目数量与声明不符",
    en: "The archive's directory is broken at byte {at}, or does not have as many entries as it claims",
  },
  zip_entry_escapes: {
    status: 422,
    zh: "条目“{entry}”的路径指向压缩包之外（包含“..”、绝对路径或盘符）",
    en: "The path of entry “{entry}” leads out of the archive: it has “..”, is absolute or names a drive",
  },
  zip_entry_name: {
    status: 422,
    zh: "条目“{entry}”的名称为空或包含控制字符",
    en: "The name of entry “{entry}” is empty or contains control characters",
  },
  zip_entry_name_too_long: {
    status: 422,
    zh: "条目“{entry}”的名称为 {bytes} 字节，上限为 {limit}",
    en: "The name of entry “{entry}” has {bytes} bytes; the limit is {limit}",
  },
  zip_entry_too_deep: {
    status: 422,
    zh: "条目“{entry}”的目录层级超过上限 {limit}",
    en: "Entry “{entry}” lies more than {limit} folders deep",
  },
  zip_entry_charset: {
    status: 422,
    zh: "条目“{entry}”的名称不是有效的 UTF-8",
    en: "The name of entry “{entry}” is marked as UTF-8 but is not valid UTF-8",
  },
  zip_entry_extra: {
    status: 422,
    zh: "条目“{entry}”的扩展字段损坏、过大或自相矛盾",
    en: "The extra fields of entry “{entry}” are broken, oversized or contradict its header",
  },
  zip_symlink: {
    status: 422,
    zh: "条目“{entry}”是符号链接，只接受普通文件和目录",
    en: "Entry “{entry}” is a symbolic link; only regular files and folders are accepted",
  },
  zip_special_file: {
    status: 422,
    zh: "条目“{entry}”是设备、管道或其他特殊文件，只接受普通文件和目录",
    en: "Entry “{entry}” is a device, pipe or other special file; only regular files and folders are accepted",
  },
  zip_encrypted: {
    status: 422,
    zh: "条目“{entry}”已加密，请上传未设密码的压缩包",
    en: "Entry “{entry}” is encrypted; upload an archive without a password",
  },
  zip_method_unsupported: {
    status: 422,
    zh: "条目“{entry}”使用了不支持的压缩方法 {method}，请使用“存储”或“Deflate”重新打包",
    en: "Entry “{entry}” uses compression method {method}; pack it again with “store” or “deflate”",
  },
  zip_directory_with_content: {
    status: 422,
    zh: "条目“{entry}”是目录却带有内容",
    en: "Entry “{entry}” is a folder but has content",
  },
  zip_duplicate_entry: {
    status: 422,
    zh: "条目“{entry}”出现多次，或者同时是文件和目录",
    en: "Entry “{entry}” occurs more than once, or is a file and a folder at the same time",
  },
  zip_entry_too_large: {
    status: 422,
    zh: "条目“{entry}”解压后为 {bytes} 字节，上限为 {limit}",
    en: "Entry “{entry}” has {bytes} bytes when unpacked; the limit is {limit}",
  },
  zip_total_too_large: {
    status: 422,
    zh: "压缩包解压后共 {bytes} 字节，上限为 {limit}",
    en: "The archive has {bytes} bytes when unpacked; the limit is {limit}",
  },
  zip_bomb_ratio: {
    status: 422,
    zh: "条目“{entry}”的压缩比超过 {limit}，疑似压缩炸弹",
    en: "Entry “{entry}” unpacks to more than {limit} times its size, as a zip bomb does",
  },
  zip_total_ratio: {
    status: 422,
    zh: "压缩包整体压缩比超过 {limit}，疑似压缩炸弹",
    en: "The archive unpacks to more than {limit} times its size, as a zip bomb does",
  },
  zip_header_mismatch: {
    status: 422,
    zh: "条目“{entry}”的本地文件头与目录不一致（{field}）",
    en: "Entry “{entry}”: its local header does not agree with the directory ({field})",
  },
  zip_overlap: {
    status: 422,
    zh: "条目“{entry}”与“{other}”的数据重叠",
    en: "The data of entry “{entry}” overlaps “{other}”",
  },
  zip_extra_bytes: {
    status: 422,
    zh: "压缩包在第 {at} 字节处有 {bytes} 字节不属于任何条目",
    en: "The archive has {bytes} bytes at {at} that belong to no entry",
  },
  zip_size_mismatch: {
    status: 422,
    zh: "条目“{entry}”的实际大小与声明不符",
    en: "Entry “{entry}” does not have the size that it declares",
  },
  zip_crc_mismatch: {
    status: 422,
    zh: "条目“{entry}”的校验和不符，文件已损坏",
    en: "The checksum of entry “{entry}” does not fit its content; the archive is damaged",
  },
  zip_data_broken: {
    status: 422,
    zh: "条目“{entry}”的压缩数据已损坏",
    en: "The compressed data of entry “{entry}” is damaged",
  },

  // Secrets of users: functions/platform/secrets.ts
  secret_unreadable: {
    status: 409,
    zh: "已保存的“{field}”无法解密，请重新输入",
    en: "The stored “{field}” cannot be decrypted; enter it again",
  },
  secret_prefix_reserved: {
    status: 422,
    zh: "“{field}”的值不能以“enc:”开头",
    en: "The value of “{field}” must not begin with “enc:”",
  },
  secret_too_long: {
    status: 422,
    zh: "“{field}”的值为 {bytes} 字节，上限为 {limit}",
    en: "The value of “{field}” has {bytes} bytes; the limit is {limit}",
  },

  // Money: functions/spending
  budget_exhausted: {
    status: 409,
    zh: "模型预算已用完（{level}；scan 为单次扫描，project 为项目，month 为本月）",
    en: "The budget for models is used up: that of the {level}",
  },
  budget_needs_token_cap: {
    status: 422,
    zh: "模型“{model}”的价格未知，无法执行金额上限（{level}）：请填写价格，或设置令牌数上限",
    en: "Nobody knows the price of “{model}”, so the cap in money ({level}) cannot be kept: enter its price, or a cap in tokens",
  },

  project_not_repository: {
    status: 400,
    zh: "该项目没有代码仓库",
    en: "This project has no repository",
  },
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

  // Export and import of one's own data: functions/database
  export_too_large: {
    status: 413,
    zh: "数据超过一个导出文件的上限 {limit}，请使用 ?project_id= 逐个项目导出",
    en: "The data are more than one file may hold ({limit}); export one project at a time with ?project_id=",
  },
  import_not_json: { status: 400, zh: "文件不是有效的 JSON：{reason}", en: "The file is not valid JSON: {reason}" },
  import_without_data: {
    status: 400,
    zh: "文件格式错误：缺少 data 字段",
    en: "The file is no export: it has no field data",
  },
  import_of_other_user: {
    status: 403,
    zh: "只能导入自己导出的数据",
    en: "Only what was exported from one's own account can be imported",
  },
  import_unfinished: {
    status: 409,
    zh: "项目 {project} 正由另一个文件导入且尚未完成，请重新上传那个文件，或永久删除该项目",
    en: "Project {project} is being imported from another file; send that one again, or delete the project for good",
  },
  database_work_unfinished: {
    status: 503,
    zh: "数据较多，一次请求未能全部完成；重复同一请求即可继续",
    en: "There is more to do than one request has time for; repeat the request and it goes on",
  },
  database_too_large: {
    status: 409,
    zh: "共有 {issues} 个问题，最多可统计 {limit} 个",
    en: "There are {issues} issues; up to {limit} can be counted",
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

  // Paths and exclusion patterns of users
  path_not_allowed: {
    status: 422,
    zh: "路径“{path}”无效：必须是项目内的相对路径",
    en: "“{path}” is not a relative path inside the project",
  },
  path_selection_too_large: {
    status: 422,
    zh: "选择了 {count} 个文件，其路径总长超过 {limit} 字节；请改用排除模式，或只选择更少的文件",
    en: "The paths of the {count} chosen files have more than {limit} bytes together; leave files out by exclude_patterns, or choose fewer",
  },
  glob_too_many: {
    status: 422,
    zh: "排除模式共 {count} 个，上限为 {limit}",
    en: "There are {count} exclusion patterns; the limit is {limit}",
  },
  glob_too_long: {
    status: 422,
    zh: "排除模式“{pattern}”超过 {limit} 个字符",
    en: "The exclusion pattern “{pattern}” has more than {limit} characters",
  },
  glob_wildcards: {
    status: 422,
    zh: "排除模式“{pattern}”的通配符过多：每段最多 {perSegment} 处“*”，整个模式最多 {globstars} 处“**”",
    en: "The exclusion pattern “{pattern}” has too many wildcards: at most {perSegment} runs of * in a segment and {globstars} of ** in all",
  },
  glob_braces: {
    status: 422,
    zh: "排除模式“{pattern}”的花括号无效：必须成对、不能嵌套、不支持范围，最多 {limit} 个选项",
    en: "The braces of the exclusion pattern “{pattern}” must be paired, without nesting or ranges, and hold at most {limit} alternatives",
  },
  glob_syntax: {
    status: 422,
    zh: "排除模式“{pattern}”使用了不支持的语法：圆括号、|、开头的“!”、字符类名称、“]”或“}”之后的“+”、控制字符或无效的方括号",
    en: "The exclusion pattern “{pattern}” uses syntax that is not supported: parentheses, |, a leading !, named character classes, + after ] or }, control characters or a bad bracket",
  },
  glob_too_expensive: {
    status: 422,
    zh: "排除模式“{pattern}”匹配耗时过长，请简化",
    en: "The exclusion pattern “{pattern}” is too expensive to match; simplify it",
  },
} as const satisfies Record<string, ProblemText>;
