/** Languages of our messages. */
export type Language = "zh" | "en";

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
