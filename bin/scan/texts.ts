import type { Language } from "../../functions/platform/language.ts";
import { printable } from "./printable.ts";

/** Everything the command says. `{slot}` is filled in, `{slot|file|files}` takes the first word for 1 and the second for any other number. */
const texts = {
  // What is going on
  packing: { en: "Packing {files} {files|file|files}", zh: "正在打包 {files} 个文件" },
  starting: { en: "Starting the service on this machine", zh: "正在本机启动服务" },
  uploading: { en: "Uploading {size}", zh: "正在上传 {size}" },
  queued: { en: "Queued", zh: "排队中" },
  analysing: { en: "Analysing", zh: "正在分析" },
  reading: { en: "Reading the result", zh: "正在读取结果" },
  interrupted: { en: "Interrupted.", zh: "已中断。" },
  cancelling: { en: "Interrupted; cancelling the scan", zh: "已中断，正在取消扫描" },
  written: { en: "Written to {path}", zh: "已写入 {path}" },
  token_in_clear: {
    en: "Warning: the token travels to {host} without encryption; use https",
    zh: "警告：令牌将以明文发送到 {host}，请使用 https",
  },
  issues_left_out: {
    en: "Warning: the service lists no more than {shown} of its {total} issues",
    zh: "警告：服务共有 {total} 个问题，只能列出 {shown} 个",
  },

  rule_refused: { en: "Warning: a rule is not used: {refusal}", zh: "警告：规则未使用：{refusal}" },

  // The result
  critical: { en: "critical", zh: "严重" },
  high: { en: "high", zh: "高危" },
  medium: { en: "medium", zh: "中危" },
  low: { en: "low", zh: "低危" },
  column_severity: { en: "SEVERITY", zh: "级别" },
  column_place: { en: "PLACE", zh: "位置" },
  column_rule: { en: "RULE", zh: "规则" },
  column_title: { en: "PROBLEM", zh: "问题" },
  issues_found: { en: "{count} {count|issue|issues}", zh: "{count} 个问题" },
  no_issues: { en: "No issues found in {files} {files|file|files}", zh: "在 {files} 个文件中未发现问题" },
  nothing_analysed: {
    en: "Nothing was analysed, so this result says nothing about the code",
    zh: "没有分析任何文件，因此结果不能说明代码是否安全",
  },
  also_silenced: { en: "{count} more silenced", zh: "另有 {count} 个已忽略" },
  files_scanned: { en: "{files} {files|file|files} scanned", zh: "已扫描 {files} 个文件" },
  files_skipped: { en: "{files} skipped", zh: "跳过 {files} 个" },
  lines: { en: "{lines} {lines|line|lines}", zh: "{lines} 行" },
  score: { en: "quality score {score}", zh: "质量评分 {score}" },
  seconds: { en: "{seconds} s", zh: "{seconds} 秒" },
  warning: { en: "Warning: {text}", zh: "警告：{text}" },
  no_scannable_files: { en: "there is no file that Sluice can analyse", zh: "没有可分析的文件" },
  paths_not_found: {
    en: "{count} {count|path|paths} asked for {count|is|are} not there",
    zh: "有 {count} 个指定的路径不存在",
  },
  files_not_analysed: {
    en: "{count} {count|file was|files were} not analysed",
    zh: "有 {count} 个文件未能分析",
  },
  files_partly_analysed: {
    en: "{count} {count|file was|files were} analysed only in part",
    zh: "有 {count} 个文件仅部分分析",
  },
  files_left_out: {
    en: "{count} {count|file is|files are} no readable source and {count|was|were} left out",
    zh: "有 {count} 个文件不是可读的源代码，已略过",
  },
  files_over_limit: {
    en: "{count} {count|file was|files were} left out: the settings limit how many files a scan looks at",
    zh: "有 {count} 个文件超出设置的文件数上限，未分析",
  },
  files_not_in_archive: {
    en: "{count} {count|file of the repository is|files of the repository are} not in the archive that its host made",
    zh: "有 {count} 个仓库文件不在代码托管平台生成的归档中",
  },
  listing_incomplete: {
    en: "The repository's host did not list all files; some may be missing in its archive",
    zh: "代码托管平台未列出全部文件，归档中可能缺少部分文件",
  },
  rules_only: { en: "rules only", zh: "仅规则" },
  files_not_reviewed: {
    en: "the model did not review {count} {count|file|files}: {reason}",
    zh: "模型未审查 {count} 个文件：{reason}",
  },
  review_stopped: {
    en: "the review by the model ended early: {reason}",
    zh: "模型审查提前结束：{reason}",
  },
  suppressed_findings: {
    en: "{count} {count|finding is|findings are} silenced by comments in the code",
    zh: "有 {count} 个问题被代码中的注释忽略",
  },
  names_not_packed: {
    en: "{count} {count|file has a name|files have names} that no ZIP archive can hold, and {count|was|were} left out",
    zh: "有 {count} 个文件的名称无法写入 ZIP，已略过",
  },
  and_more: { en: "and {count} more", zh: "另有 {count} 个" },
  report_title: { en: "Security audit of {name}", zh: "{name} 安全审计报告" },
  report_overview: { en: "Overview", zh: "概览" },
  report_warnings: { en: "Warnings", zh: "警告" },
  report_silenced: { en: "Silenced", zh: "已忽略" },
  report_count: { en: "Issues", zh: "数量" },
  report_severity: { en: "Severity", zh: "级别" },
  report_fix: { en: "How to fix it", zh: "修复建议" },
  report_trace: { en: "How the value gets there", zh: "数据流" },
  report_rule: { en: "rule", zh: "规则" },
  report_no_reason: { en: "no reason given", zh: "未说明理由" },
  source: { en: "source", zh: "来源" },
  step: { en: "step", zh: "传播" },
  sink: { en: "sink", zh: "汇点" },

  // Why it could not scan
  usage: {
    en: "{reason} (--help shows the options)",
    zh: "{reason}（用 --help 查看选项）",
  },
  target_missing: { en: "Name the folder or ZIP file to scan", zh: "请指定要扫描的文件夹或 ZIP 文件" },
  target_twice: {
    en: "One folder or ZIP file at a time: {second} is one too many",
    zh: "一次只能扫描一个文件夹或 ZIP 文件，多余的是 {second}",
  },
  choice_unknown: {
    en: "--{option} does not know “{given}”; choose from {choices}",
    zh: "--{option} 不支持“{given}”，可选值：{choices}",
  },
  url_malformed: {
    en: "--url takes the http or https address of a service, such as https://sluice.example.com, not “{given}”",
    zh: "--url 应为服务的 http 或 https 地址，例如 https://sluice.example.com，而不是“{given}”",
  },
  token_missing: {
    en: "--url needs a token: --token T, or better the environment variable SLUICE_TOKEN",
    zh: "使用 --url 时需要令牌：--token T，或者更安全的环境变量 SLUICE_TOKEN",
  },
  token_alone: { en: "--token goes together with --url", zh: "--token 必须与 --url 一起使用" },
  target_not_found: { en: "There is no file or folder {path}", zh: "文件或文件夹 {path} 不存在" },
  target_unreadable: { en: "{path} cannot be read: {reason}", zh: "无法读取 {path}：{reason}" },
  file_unreadable: {
    en: "{path} cannot be read: {reason}. Leave it out with --exclude if it does not matter",
    zh: "无法读取 {path}：{reason}。如果不重要，可用 --exclude 排除",
  },
  rules_not_found: {
    en: "There are no rule files (.yaml, .yml) in {path}",
    zh: "{path} 中没有规则文件（.yaml、.yml）",
  },
  target_special: { en: "{path} is neither a folder nor a file", zh: "{path} 既不是文件夹也不是文件" },
  not_a_zip: { en: "{path} is neither a folder nor a ZIP archive", zh: "{path} 既不是文件夹也不是 ZIP 压缩包" },
  folder_empty: {
    en: "The folder {path} is empty: there is nothing to scan",
    zh: "文件夹 {path} 为空，没有可扫描的内容",
  },
  folder_unscannable: {
    en: "There is nothing to scan in {path}: none of its {files} {files|file|files} is source code that Sluice reads and no exclusion covers",
    zh: "{path} 中没有可扫描的内容：{files} 个文件都不是 Sluice 支持的源代码，或已被排除",
  },
  archive_too_large: {
    en: "The archive has {size}; the service takes {limit}. Leave folders out with --exclude",
    zh: "压缩包大小为 {size}，服务上限为 {limit}。可用 --exclude 排除部分文件夹",
  },
  out_unwritable: { en: "{path} cannot be written: {reason}", zh: "无法写入 {path}：{reason}" },
  settings_wrong: { en: "A setting is wrong: {reason}", zh: "设置有误：{reason}" },
  service_not_started: { en: "The service did not start: {reason}", zh: "服务启动失败：{reason}" },
  service_unreachable: { en: "{url} cannot be reached: {reason}", zh: "无法连接 {url}：{reason}" },
  service_redirects: {
    en: "{url} redirects to {location}; give that address if you trust it, a token never follows a redirect",
    zh: "{url} 重定向到 {location}；令牌不会随重定向发送，如信任该地址请直接使用它",
  },
  service_refused: { en: "The service refused: {detail}", zh: "服务拒绝了请求：{detail}" },
  service_strange: {
    en: "{url} does not answer as a Sluice service of this version does (HTTP {status})",
    zh: "{url} 的应答不符合本版本 Sluice 服务的格式（HTTP {status}）",
  },
  token_refused: {
    en: "{url} does not accept the token: it is wrong, has expired or was revoked",
    zh: "{url} 不接受该令牌：令牌错误、已过期或已被撤销",
  },
  upload_failed: { en: "The upload failed: {reason}", zh: "上传失败：{reason}" },
  archive_replaced: {
    en: "Somebody else uploaded to the project “{project}” at the same moment, so the result would not be yours; try again",
    zh: "其他人同时向项目“{project}”上传了文件，结果可能不属于您，请重试",
  },
  task_failed: { en: "The scan failed: {reason}", zh: "扫描失败：{reason}" },
  task_cancelled: { en: "Somebody cancelled the scan", zh: "扫描已被他人取消" },
} as const satisfies Record<string, Record<Language, string>>;

export type TextKey = keyof typeof texts;
export type Fields = Readonly<Record<string, string | number>>;
/** Says a text in the language of the run. */
export type Say = (key: TextKey, fields?: Fields) => string;

const grouped = new Intl.NumberFormat("en-US", { maximumFractionDigits: 1 });

/** @returns the texts in one language; values are made printable, for a path may come from the code that is scanned */
export const sayIn =
  (language: Language): Say =>
  (key, fields = {}) =>
    texts[key][language].replace(
      /\{(\w+)(?:\|([^|}]*)\|([^}]*))?\}/g,
      (slot, name: string, one?: string, many?: string) => {
        const value = fields[name];
        if (value === undefined) return slot;
        if (one !== undefined) return (value === 1 ? one : many) as string;
        return typeof value === "number" ? grouped.format(value) : printable(value);
      },
    );
