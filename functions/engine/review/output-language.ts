/** A language name, a place and a few identifiers are no sign of another language. */
const foreignShareMax = 0.3;

/**
 * Whether a text is in the wanted language. Chinese must have a Chinese character for every three words in Latin letters, since
 * code names stay as they are; English must be mostly Latin. Other languages in Latin letters pass for English: telling them apart
 * needs dictionaries, and nothing unsafe follows from one that slips through.
 */
export function isInLanguage(text: string, language: "zh" | "en"): boolean {
  const letters = text.match(/\p{L}/gu)?.length ?? 0;
  if (letters < 4) return true;
  const han = text.match(/\p{Script=Han}/gu)?.length ?? 0;
  const latin = text.match(/\p{Script=Latin}+/gu) ?? [];
  if (language === "en") return letters - latin.join("").length <= letters * foreignShareMax;
  const others = text.match(/[\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/gu)?.length ?? 0;
  return han * 3 >= latin.length && han > others * 3;
}
