import { describe, expect, it } from "vitest";
import { languageOf, OutputLanguage } from "../../functions/platform/language.ts";

it.each([
  [undefined, "zh"],
  ["", "zh"],
  ["en", "en"],
  ["en-GB,en;q=0.9", "en"],
  ["zh-CN,zh;q=0.9,en;q=0.8", "zh"],
  ["en;q=0.3, zh;q=0.5", "zh"],
  ["fr-FR, en;q=0.1", "en"],
  ["en;q=0, *", "zh"],
  ["de", "zh"],
])("chooses for Accept-Language %o the language %s", (header, language) => {
  expect(languageOf(header)).toBe(language);
});

describe("the language of results", () => {
  it.each([
    ["zh", "zh"],
    ["en", "en"],
    ["zh-CN", "zh"],
    ["en-US", "en"],
  ])("%s, as requests and settings name it, is %s", (asked, language) => {
    expect(OutputLanguage.parse(asked)).toBe(language);
  });

  it("is none that we do not write", () => {
    expect(OutputLanguage.safeParse("fr").success).toBe(false);
  });
});
