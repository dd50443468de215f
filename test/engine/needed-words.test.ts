import { RE2JS } from "re2js";
import { expect, it } from "vitest";
import { compileCatalogue } from "../../functions/engine/catalogue/compile.ts";
import { foldsCase, hasNeeded, neededWords } from "../../functions/engine/catalogue/needed-words.ts";
import { readCatalogue } from "../../lib/bundle/engine-assets.ts";
import { sampleApplications } from "./sample-applications.ts";

it.each([
  ["csrf|xsrf", ["csrf", "xsrf"]],
  ["(?i)^(get|find)User(Name)?$", ["user"]],
  ["log_?in", ["log"]],
  ["ab+cde", ["cde"]],
  ["a{0,3}bc", ["bc"]],
  ["(?:x)?\\.query\\(", [".query("]],
  ["[abc]def", ["def"]],
  ["[]a]bc[[:alpha:]]", ["bc"]],
  ["\\x41\\x{42}cd", ["cd"]],
  ["\\pLab|\\p{Lu}cd", ["ab", "cd"]],
  ["auth|oauth", ["auth"]],
  ["(?s)ab.*cde", ["cde"]],
])("%s needs one of %j", (source, words) => {
  expect(neededWords(source)).toEqual(words);
});

it.each(["", "a|", "(abc)?", "(abc)*", "\\w+", "(?!abc)x", "\\Qabc\\E", "abc|\\d", "é{2}"])(
  "%s needs none",
  (source) => {
    expect(neededWords(source)).toBeNull();
  },
);

it("looks past the case where an expression folds it", () => {
  expect(hasNeeded(["user"], foldsCase("(?i)user"), "getUSER")).toBe(true);
  expect(hasNeeded(["sk"], true, "\u017fk")).toBe(true);
  expect(hasNeeded(["user"], foldsCase("user"), "getUSER")).toBe(false);
});

it("never says of an expression of rules and models that it is not in a text where it is", async () => {
  const { head, languages } = compileCatalogue(await readCatalogue());
  const all = Object.entries(Object.assign({}, head.needed, ...[...languages.values()].map(({ needed }) => needed)));
  const texts = sampleApplications().flatMap(({ files }) =>
    files.flatMap(({ bytes }) => Buffer.from(bytes).toString().split("\n").slice(0, 12)),
  );
  let found = 0;
  // Each compiles slowly, and they are much alike.
  for (const [source, words] of all.filter((_, i) => i % 7 === 0) as [string, string[]][]) {
    const regex = RE2JS.compile(source);
    for (const text of texts.filter((text) => regex.test(text))) {
      found++;
      expect(hasNeeded(words, foldsCase(source), text), `${source} in ${text}`).toBe(true);
    }
  }
  expect(all.length).toBeGreaterThan(500);
  expect(found).toBeGreaterThan(100);
});
