import { RE2JS } from "re2js";

/** As in the patterns of rule sets: RE2 takes time in proportion to text times instructions. */
const programSizeMax = 5_000;

/** Why an expression cannot be used. */
export class RegexRefused extends Error {}

/**
 * Compiles an expression of a user's rule.
 * @throws RegexRefused for what takes more than linear time, or is too large
 */
export function compileRegex(source: string, flags = 0): RE2JS {
  let regex: RE2JS;
  try {
    regex = RE2JS.compile(source, flags);
  } catch (error) {
    const reason = (error as Error).message.replace(/^error parsing regexp: /, "");
    throw new RegexRefused(
      `the regular expression is not RE2 syntax, which has no look-around and no back-references: ${reason}`,
    );
  }
  if (regex.programSize() > programSizeMax) throw new RegexRefused("the regular expression is too large");
  return regex;
}
