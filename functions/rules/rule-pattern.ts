import { RE2JS, type RE2JSSyntaxException } from "re2js";
import type { Refusal } from "../engine/match/own-rule.ts";
import { isRuleFile, readRuleFile } from "../engine/match/rule-file.ts";
import { SluiceError } from "../platform/errors.ts";

/**
 * Matching takes time in proportion to text times instructions: RE2 never backtracks, but `(?:…){1000}` makes a short pattern a long
 * program. Patterns that people write have below a hundred.
 */
const programSizeMax = 1000;

/**
 * Refuses a pattern that the engine could not or should not run: what is not RE2's syntax (look-around and back-references are not),
 * what is too expensive, and what would find every line.
 * @param rule what the refusal calls the rule
 * @throws SluiceError rule_pattern_invalid, rule_pattern_too_complex, rule_pattern_matches_empty
 */
export function checkPattern(pattern: string, rule: string): void {
  const compiled = compile(pattern, rule);
  const size = compiled.programSize();
  if (size > programSizeMax) throw new SluiceError("rule_pattern_too_complex", { rule, size, limit: programSizeMax });
  if (compiled.test("")) throw new SluiceError("rule_pattern_matches_empty", { rule });
}

/** What stands in the way of a rule in YAML; null when nothing does, and of regular expressions, which are checked when written. */
export function refusalOf(pattern: string | null): string | null {
  if (pattern === null || !isRuleFile(pattern)) return null;
  const { rules, refused } = readRuleFile(pattern);
  const [refusal] = refused;
  if (refusal) return refusalText(refusal);
  return rules.length === 1 ? null : "one rule is expected, and its file may have no others";
}

/** @param file where the rule comes from, if it was sent as a file */
export const refusalText = ({ line, key, reason }: Refusal, file?: string): string =>
  `${file === undefined ? "" : `${file}, `}line ${line}${key === null ? "" : `, ${key}`}: ${reason}`;

function compile(pattern: string, rule: string): RE2JS {
  try {
    return RE2JS.compile(pattern);
  } catch (error) {
    const { message } = error as RE2JSSyntaxException;
    const reason = message.replace(/^error parsing regexp: /, "");
    throw new SluiceError("rule_pattern_invalid", { rule, reason });
  }
}
