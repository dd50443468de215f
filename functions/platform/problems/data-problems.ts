import type { ProblemText } from "./problem-text.ts";

/** What can be wrong with secrets, budgets, and the export and import of one's own data. */
export const dataProblems = {
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
} as const satisfies Record<string, ProblemText>;
