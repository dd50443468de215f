import * as z from "zod";

/** Languages of our messages. */
export type Language = "zh" | "en";

/** The language that results are asked for in; the longer names are those of the settings. */
export const OutputLanguage = z
  .enum(["zh", "en", "zh-CN", "en-US"])
  .transform((asked): Language => (asked.startsWith("en") ? "en" : "zh"));

/** The language a caller asks for; Chinese when the header names neither, as the existing front ends expect. */
export function languageOf(acceptLanguage: string | undefined): Language {
  const wanted = (acceptLanguage ?? "")
    .split(",")
    .map((part) => {
      const [tag = "", ...parameters] = part.trim().toLowerCase().split(";");
      const quality = parameters.map((p) => /^\s*q=([\d.]+)$/.exec(p)?.[1]).find(Boolean);
      return { tag, quality: quality === undefined ? 1 : Number(quality) };
    })
    .filter(({ tag, quality }) => /^(zh|en)\b/.test(tag) && quality > 0)
    .sort((a, b) => b.quality - a.quality)[0];
  return wanted?.tag.startsWith("en") ? "en" : "zh";
}
