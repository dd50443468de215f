import type { OwnRuleSource } from "../match/own-rule.ts";
import { OwnRules } from "../match/own-rules.ts";
import { isRuleFile, readRuleFile } from "../match/rule-file.ts";
import type { SourceParser } from "../parse/parser.ts";
import type { UserPattern } from "./user-pattern.ts";

/** The patterns of a scan by how they are run. */
export interface BroughtRules {
  /** Regular expressions, one line at a time. */
  readonly lines: readonly UserPattern[];
  readonly rules: OwnRules;
}

/** All files of a scan come with the same list, so it is compiled once. */
const known = new WeakMap<readonly UserPattern[], Promise<BroughtRules>>();

/** Compiles what a user's rule set brings. */
export function broughtRules(parser: SourceParser, patterns: readonly UserPattern[]): Promise<BroughtRules> {
  const seen = known.get(patterns) ?? compile(parser, patterns);
  known.set(patterns, seen);
  return seen;
}

async function compile(parser: SourceParser, patterns: readonly UserPattern[]): Promise<BroughtRules> {
  const read = patterns
    .filter(({ pattern }) => isRuleFile(pattern))
    .map((pattern) => ({ pattern, file: readRuleFile(pattern.pattern) }));
  const sources = read.flatMap(({ pattern, file }) =>
    file.rules.flatMap((rule) => asSet(rule, pattern, file.rules.length)),
  );
  return {
    lines: patterns.filter(({ pattern }) => !isRuleFile(pattern)),
    rules: await OwnRules.compile(
      parser,
      sources,
      read.flatMap(({ file }) => file.refused),
    ),
  };
}

/** What the owner of a set has changed of a rule counts more than what its file says. */
function asSet(rule: OwnRuleSource, set: UserPattern, rules: number): OwnRuleSource[] {
  const languages =
    rule.languages === "any" || set.language === "all"
      ? rule.languages
      : rule.languages.filter((l) => l === set.language);
  if (languages.length === 0) return [];
  if (rules > 1) return [{ ...rule, languages }];
  return [{ ...rule, languages, severity: set.severity, issueType: set.category, fix: set.fixSuggestion ?? rule.fix }];
}
