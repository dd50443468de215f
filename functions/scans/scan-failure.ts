import type { Language } from "../platform/language.ts";
import type { Task } from "./task.ts";

type Failure = NonNullable<Task["failure"]>;

/** How a scan fails where nothing was refused: the codes that a task keeps, and what its reader is told. */
const texts = {
  nothing_analysed: {
    zh: "所选文件均无法分析",
    en: "None of the selected files could be analysed",
  },
  timed_out: {
    zh: "扫描耗时过长，已被停止",
    en: "The scan took too long and was stopped",
  },
  workflow_error: {
    zh: "扫描工作流出错，未能得出结果",
    en: "The scan's workflow failed and ended without a result",
  },
  workflow_stopped: {
    zh: "扫描工作流被从外部停止",
    en: "The scan's workflow was stopped from outside",
  },
} as const satisfies Record<string, Record<Language, string>>;

export type ScanFailureCode = keyof typeof texts;

/** The failure as a task keeps it. */
export const scanFailure = (code: ScanFailureCode): Failure => ({ code, message: texts[code].en });

/** What a failure of a scan says to its reader; undefined for the codes of refusals. */
export const scanFailureText = (code: string, language: Language): string | undefined =>
  Object.hasOwn(texts, code) ? texts[code as ScanFailureCode][language] : undefined;
