import type { Language } from "../../functions/platform/language.ts";

/** What can be wrong with a command line. */
const texts = {
  command_unknown: { en: "Say what to do: ls, cat or verify", zh: "请指定操作：ls、cat 或 verify" },
  run_missing: { en: "Name the run to look into", zh: "请指定要查看的运行" },
  word_too_many: { en: "“{given}” is one word too many", zh: "多余的参数“{given}”" },
  option_of_cat: { en: "--{given} belongs to cat", zh: "--{given} 只能用于 cat" },
  number_expected: { en: "--{given} takes a whole number", zh: "--{given} 需要一个整数" },
  run_unknown: { en: "No run is called “{given}”", zh: "没有名为“{given}”的运行" },
  run_ambiguous: {
    en: "Several runs have this name; say which by its id: {given}",
    zh: "有多个运行使用该名称，请用 ID 指定：{given}",
  },
} as const;

export const reasonIn = (language: Language, key: keyof typeof texts, given = ""): string =>
  texts[key][language].replace("{given}", () => given);
