import type { Language } from "../platform/language.ts";

/** Everything that a report says by itself. `{slot}` is filled in; `{slot|file|files}` takes the first word for 1, the second otherwise. */
const texts = {
  header: { en: "Sluice Audit Report", zh: "Sluice 审计报告" },
  project_title: { en: "Project Audit Report", zh: "项目审计报告" },
  instant_title: { en: "Instant Analysis Report", zh: "即时分析报告" },

  report_number: { en: "Report number", zh: "报告编号" },
  generated_at: { en: "Generated at", zh: "生成时间" },
  task: { en: "Audit task", zh: "审计任务" },
  analysis: { en: "Analysis", zh: "分析记录" },
  source: { en: "Source", zh: "代码来源" },
  source_zip: { en: "uploaded ZIP archive", zh: "上传的 ZIP 压缩包" },
  commit: { en: "Commit", zh: "提交" },
  branch: { en: "branch {branch}", zh: "分支 {branch}" },
  status: { en: "Status", zh: "状态" },
  audited_at: { en: "Audited", zh: "审计时间" },
  analysed_at: { en: "Analysed at", zh: "分析时间" },
  from_to: { en: "{from} to {to}", zh: "{from} 至 {to}" },
  method: { en: "Method", zh: "方法" },
  by_rules: { en: "rules, without a language model", zh: "规则分析，未使用语言模型" },
  by_rules_and_model: { en: "rules and language model", zh: "规则与语言模型" },
  by_this_model: { en: "rules and language model {model}", zh: "规则与语言模型 {model}" },

  pending: { en: "waiting", zh: "等待中" },
  running: { en: "running", zh: "进行中" },
  completed: { en: "completed", zh: "已完成" },
  failed: { en: "failed", zh: "失败" },
  cancelled: { en: "cancelled", zh: "已取消" },

  score: { en: "Quality score", zh: "质量评分" },
  of_100: { en: "of 100", zh: "满分 100" },
  scanned_files: { en: "Files scanned", zh: "已扫描文件" },
  lines_of_code: { en: "Lines of code", zh: "代码行数" },
  issues: { en: "Issues", zh: "问题数" },
  time_taken: { en: "Time taken", zh: "分析用时" },
  seconds: { en: "{seconds} s", zh: "{seconds} 秒" },

  summary: { en: "Summary", zh: "概览" },
  by_severity: { en: "Issues by severity", zh: "问题级别分布" },
  severity: { en: "Severity", zh: "级别" },
  critical: { en: "Critical", zh: "严重" },
  high: { en: "High", zh: "高危" },
  medium: { en: "Medium", zh: "中危" },
  low: { en: "Low", zh: "低危" },
  open: { en: "Open", zh: "未解决" },
  resolved: { en: "Resolved", zh: "已解决" },
  false_positive: { en: "False positive", zh: "误报" },
  suppressed: { en: "Silenced in code", zh: "代码注释忽略" },
  total: { en: "Total", zh: "合计" },

  notices: { en: "Please note", zh: "请注意" },
  not_finished: {
    en: "This audit has not ended ({status}). The report shows what is known so far, and the score is not final.",
    zh: "本次审计尚未结束（{status}），报告仅包含目前已知的内容，暂无最终评分。",
  },
  audit_cancelled: {
    en: "This audit was cancelled, so it says nothing about code that it did not get to.",
    zh: "本次审计已被取消，尚未分析到的代码不在结论之内。",
  },
  audit_failed: {
    en: "This audit failed, so it says nothing about the code: {reason}",
    zh: "本次审计失败，结果不能说明代码是否安全：{reason}",
  },
  no_scannable_files: {
    en: "There is no file that could be analysed, so this result says nothing about the code.",
    zh: "没有可分析的文件，结果不能说明代码是否安全。",
  },
  paths_not_found: {
    en: "{count} {count|path|paths} asked for {count|was|were} not there.",
    zh: "有 {count} 个指定的路径不存在。",
  },
  files_not_analysed: {
    en: "{count} {count|file was|files were} not analysed.",
    zh: "有 {count} 个文件未能分析。",
  },
  files_partly_analysed: {
    en: "{count} {count|file was|files were} analysed only in part.",
    zh: "有 {count} 个文件仅部分分析。",
  },
  files_left_out: {
    en: "{count} {count|file was|files were} left out as no readable source code.",
    zh: "有 {count} 个文件不是可读的源代码，已略过。",
  },
  files_over_limit: {
    en: "{count} {count|file was|files were} left out: the settings limit how many files a scan looks at.",
    zh: "有 {count} 个文件超出设置的文件数上限，未分析。",
  },
  suppressed_findings: {
    en: "{count} {count|issue is|issues are} silenced by comments in the code and listed as such.",
    zh: "有 {count} 个问题被代码中的注释忽略，已在列表中标明。",
  },
  files_not_in_archive: {
    en: "{count} {count|file of the repository was|files of the repository were} not in what its host delivered.",
    zh: "有 {count} 个仓库文件不在代码托管平台提供的内容中。",
  },
  listing_incomplete: {
    en: "The repository's host did not list all files; some may be missing.",
    zh: "代码托管平台未列出全部文件，可能有遗漏。",
  },
  rules_only: {
    en: "Rules alone have looked at the code; no language model has reviewed it.",
    zh: "仅由规则分析，未经语言模型审查。",
  },
  files_not_reviewed: {
    en: "The language model did not review {count} {count|file|files}.",
    zh: "语言模型未审查 {count} 个文件。",
  },
  review_stopped: {
    en: "The review by the language model ended early.",
    zh: "语言模型的审查提前结束。",
  },
  issues_left_out: {
    en: "This report lists the {listed} most severe of {total} issues; {omitted} are left out.",
    zh: "本报告列出 {total} 个问题中最严重的 {listed} 个，其余 {omitted} 个未列出。",
  },

  details: { en: "Issues in detail", zh: "问题详情" },
  no_issues: { en: "No issues found", zh: "未发现问题" },
  no_issues_in_files: {
    en: "Nothing was found in {files} {files|file|files}. That is no proof that there is nothing to find.",
    zh: "在 {files} 个文件中未发现问题，但这并不证明代码中没有问题。",
  },
  no_issues_yet: { en: "There are no issues to show.", zh: "没有可显示的问题。" },
  no_issues_in_code: {
    en: "Nothing was found in the code. That is no proof that there is nothing to find.",
    zh: "在这段代码中未发现问题，但这并不证明代码中没有问题。",
  },
  nothing_listed: { en: "The issues are too long for a report.", zh: "问题内容过长，无法列入报告。" },
  place_line: { en: "line {line}", zh: "第 {line} 行" },
  suggestion: { en: "Suggestion", zh: "修复建议" },
  silenced_because: { en: "Silenced, stated reason", zh: "忽略理由" },
  found_by_model: { en: "Language model", zh: "语言模型" },
  model_confirmed: { en: "Language model: confirmed", zh: "语言模型判断：属实" },
  model_refuted: { en: "Language model: refuted", zh: "语言模型判断：不成立" },
  model_unsure: { en: "Language model: unsure", zh: "语言模型判断：不确定" },
  cut: { en: "… (shortened)", zh: "……（已截断）" },

  page: { en: "Page {page} of {pages}", zh: "第 {page} 页，共 {pages} 页" },
  disclaimer: {
    en: "Made by automated analysis, in part possibly by AI. Confirm findings before acting on them.",
    zh: "本报告由自动分析生成，部分内容可能来自 AI，请核实后再采取行动。",
  },
  legend_hidden: {
    en: "Orange codes such as [U+202E] stand for characters that are invisible or change how a text reads.",
    zh: "橙色代码（如 [U+202E]）表示不可见或会改变文本显示方式的字符。",
  },
  legend_missing: {
    en: "□ stands for characters that this report has no shape for, such as letters of some scripts.",
    zh: "□ 表示本报告字体中没有的字符，例如某些文字的字母。",
  },
} as const satisfies Record<string, Readonly<Record<Language, string>>>;

export type ReportText = keyof typeof texts;

/** Says something in the report's language. */
export type Say = (text: ReportText, slots?: Readonly<Record<string, string | number>>) => string;

export const sayIn =
  (language: Language): Say =>
  (text, slots = {}) =>
    texts[text][language].replace(
      /\{(\w+)(?:\|([^|}]*)\|([^}]*))?\}/g,
      (whole, slot: string, one?: string, many?: string) => {
        const value = slots[slot];
        if (value === undefined) return whole;
        if (one !== undefined) return (value === 1 ? one : many) as string;
        return typeof value === "number" ? grouped(value) : value;
      },
    );

/** 12345 as 12,345, which both languages read. */
export const grouped = (value: number): string => value.toLocaleString("en-US");
