import type { ProblemText } from "./problem-text.ts";

/** What can be wrong with what is kept: users, projects, tasks, issues, templates, rules and the like. */
export const recordProblems = {
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
} as const satisfies Record<string, ProblemText>;
