import { RE2JS } from "re2js";
import { describe, expect, it } from "vitest";
import { checkPattern } from "../../functions/rules/rule-pattern.ts";

const refusal = (pattern: string): string | null => {
  try {
    checkPattern(pattern, "C1");
    return null;
  } catch (error) {
    return (error as { code: string }).code;
  }
};

describe("a pattern", () => {
  it.each([
    "eval",
    "\\beval\\s*\\(",
    "(?i)password\\s*=\\s*[\"'][^\"']+",
    "(?P<name>md5|sha1)",
    "\\p{Han}+",
    "[[:alpha:]]{3,30}",
    "^import ",
    "(a+)+$",
    "a{1,100}",
  ])("%s is taken", (pattern) => expect(refusal(pattern)).toBeNull());

  it.each([
    ["look-ahead", "a(?=b)"],
    ["negative look-ahead", "a(?!b)"],
    ["look-behind", "(?<=a)b"],
    ["negative look-behind", "(?<!a)b"],
    ["a back-reference", "(a)\\1"],
    ["a named back-reference", "(?P<x>a)(?P=x)"],
    ["an atomic group", "(?>a)b"],
    ["a possessive quantifier", "a++"],
    ["recursion", "(a|(?R))"],
    ["an open group", "(a"],
    ["an open class", "[a"],
    ["a trailing backslash", "a\\"],
    ["a repeated repetition", "a**"],
    ["too many repetitions", "a{1001}"],
    ["nested repetitions", "((a{100}){100}){100}"],
    ["an unknown class", "\\p{Nothing}"],
  ])("with %s is refused with the reason", (_, pattern) => expect(refusal(pattern)).toBe("rule_pattern_invalid"));

  it.each([
    ["a long body many times", `(?:${"a".repeat(980)}){1000}`],
    ["classes many times", `(?:${"\\pL".repeat(300)}){1000}`],
    ["options many times", `(?:${"a?".repeat(480)}b){1000}`],
    ["ranges within ranges", "(.{1,30}){1,30}x"],
  ])("that repeats %s is refused as too complex", (_, pattern) =>
    expect(refusal(pattern)).toBe("rule_pattern_too_complex"),
  );

  it.each(["", "x*", "a|", "(?:)", "^", "$", "\\b|", "(a?){3}"])("%j that finds every line is refused", (pattern) =>
    expect(refusal(pattern)).toBe("rule_pattern_matches_empty"),
  );

  it("says in both languages which rule it is and why it was refused", () => {
    expect(() => checkPattern("a(?=b)", "C7")).toThrow(/“C7”.*`\(\?=`.*no look-around/);
    try {
      checkPattern("(a)\\1", "C7");
    } catch (error) {
      expect((error as { text(language: "zh"): string }).text("zh")).toMatch(/“C7”.*不支持环视和反向引用/);
    }
  });

  it("that is taken costs no more on hostile text than its size says", () => {
    // What makes backtracking engines run for ever is one pass here: it ends, without a look at the clock.
    for (const pattern of ["(a+)+$", "(a|aa)+$", "(.*a){12}$", "([a-z]+)*\\d"]) {
      if (refusal(pattern) !== null) continue;
      expect(
        RE2JS.compile(pattern)
          .matcher(`${"a".repeat(10_000)}!`)
          .find(),
      ).toBe(false);
    }
  });
});
