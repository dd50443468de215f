import * as z from "zod";
import type { Language } from "../platform/language.ts";

export const DatabaseHealth = z.object({
  status: z.enum(["healthy", "warning", "error"]),
  database_connected: z.boolean(),
  total_records: z.number(),
  /** Always null: the table is backed up continuously, and no function may look at the operator's backups. */
  last_backup_date: z.string().nullable(),
  issues: z.array(z.string()),
  warnings: z.array(z.string()),
});

/** What can be the matter with somebody's data: an issue is a fault of the service, a warning passes or is the user's to settle. */
const complaints = {
  database_unreachable: {
    level: "issue",
    zh: "无法读取数据库，请稍后重试",
    en: "The database cannot be read; try again later",
  },
  secrets_key_unusable: {
    level: "issue",
    zh: "用于加密密钥的主密钥当前不可用",
    en: "The key that encrypts secrets cannot be used now",
  },
  tasks_orphaned: {
    level: "issue",
    zh: "有 {count} 个任务不属于任何项目",
    en: "{count} tasks belong to no project",
  },
  deletion_failing: {
    level: "issue",
    zh: "有 {count} 个项目的永久删除尚未成功，系统会继续重试",
    en: "{count} projects deleted for good are not erased yet, later than they should be; it is tried again",
  },
  deletion_running: {
    level: "warning",
    zh: "有 {count} 个项目正在永久删除",
    en: "{count} projects are being erased for good",
  },
  statistics_drifted: {
    level: "warning",
    zh: "统计数字与实际数据不一致，将在夜间自动修正",
    en: "The counters differ from what is there; they are set right at night",
  },
  tasks_silent: {
    level: "warning",
    zh: "有 {count} 个任务超过 {minutes} 分钟没有进展",
    en: "{count} tasks have made no progress for more than {minutes} minutes",
  },
  import_unfinished: {
    level: "warning",
    zh: "项目“{name}”的导入尚未完成，请重新上传同一文件",
    en: "The import of project “{name}” is not finished; send the same file again",
  },
  secret_unreadable: {
    level: "warning",
    zh: "配置项 {field} 无法解密，请重新输入",
    en: "The setting {field} cannot be decrypted; enter it again",
  },
} as const satisfies Record<string, Readonly<Record<Language, string>> & { readonly level: "issue" | "warning" }>;

export interface Complaint {
  readonly code: keyof typeof complaints;
  readonly fields?: Readonly<Record<string, string | number>>;
}

/** @param totalRecords null when nothing could be read */
export function databaseHealth(
  found: readonly Complaint[],
  totalRecords: number | null,
  language: Language,
): z.input<typeof DatabaseHealth> {
  const of = (level: "issue" | "warning") =>
    found.filter(({ code }) => complaints[code].level === level).map((complaint) => textOf(complaint, language));
  const [issues, warnings] = [of("issue"), of("warning")];
  return {
    status: issues.length > 0 ? "error" : warnings.length > 0 ? "warning" : "healthy",
    database_connected: totalRecords !== null,
    total_records: totalRecords ?? 0,
    last_backup_date: null,
    issues,
    warnings,
  };
}

const textOf = ({ code, fields = {} }: Complaint, language: Language): string =>
  complaints[code][language].replace(/\{(\w+)\}/g, (_, name: string) => String(fields[name]));
