import { expect, it } from "vitest";
import { languageOf } from "../../functions/platform/language.ts";

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
