import { createHash } from "node:crypto";
import { RE2JS } from "re2js";
import type { Candidate, OwnRule } from "../artefact.ts";
import type { IssueType, Severity, Text } from "../finding.ts";
import { lineAnchor } from "../findings/anchor.ts";
import { snippetOf } from "../findings/candidates.ts";
import type { LineIndex } from "../inventory/line-index.ts";
import { commentStyle } from "../review/review-language.ts";
import { noLimit, type TimeLimit } from "../time-limit.ts";

/** A rule of a user's rule set that has a pattern. */
export interface UserPattern {
  readonly code: string;
  readonly name: string;
  readonly description: string | null;
  readonly category: IssueType;
  readonly severity: Severity;
  readonly fixSuggestion: string | null;
  /** "all", or a language as coverage names it. */
  readonly language: string;
  /** RE2 syntax; it sees one line at a time. */
  readonly pattern: string;
}

/** As in every rule of ours that looks at names only. */
const confidence = 0.6;
/** Longer lines are cut here: nobody writes them, and one match on them would say nothing about the rest. */
const lineCharactersMax = 10_000;
/** A pattern that matches everywhere is a mistake, and the first hundred places show it. */
const matchesMax = 100;
/**
 * Characters times instructions, for all patterns over one file. Enough for 50 ordinary patterns over the largest file that is scanned;
 * the worst patterns there are need 25 s of one core for as much. Counted in steps and not in time, so that a file gives the same
 * findings on every machine.
 */
const stepsMax = 400_000_000;

interface Compiled {
  readonly rule: UserPattern;
  readonly ruleId: string;
  readonly regex: RE2JS;
}

/** What the patterns found; `reason` says what was left out, null for nothing. */
export interface PatternMatches {
  readonly candidates: Candidate[];
  readonly reason: "pattern_invalid" | "pattern_budget" | "time_limit" | null;
}

/** What the patterns need to know of a file. */
export interface PatternFile {
  readonly language: string;
  readonly lines: LineIndex;
  /** The same lines as findings may show them. */
  readonly shown: LineIndex;
  readonly suppressed: (ruleId: string, line: number) => Candidate["suppressed"];
}

/** Runs a user's patterns over the lines of one file. */
export function scanPatterns(
  patterns: readonly UserPattern[],
  file: PatternFile,
  limit: TimeLimit = noLimit(),
): PatternMatches {
  const { compiled, invalid } = compileOnce(patterns);
  const fitting = compiled.filter(({ rule }) => rule.language === "all" || rule.language === file.language);
  const count = fitting.length > 0 ? file.lines.count : 0;
  const lines = Array.from({ length: count }, (_, i) => file.lines.line(i + 1).slice(0, lineCharactersMax));
  const candidates: Candidate[] = [];
  let left = stepsMax;
  for (const pattern of fitting) {
    let matches = 0;
    for (const [i, line] of lines.entries()) {
      if (matches === matchesMax) break;
      left -= (line.length + 1) * pattern.regex.programSize();
      if (left < 0) return { candidates, reason: "pattern_budget" };
      if (limit.passes(1 + (line.length >> 3))) return { candidates, reason: "time_limit" };
      const found = firstMatch(pattern.regex, line);
      if (!found) continue;
      matches++;
      candidates.push(candidateAt(pattern, file, i + 1, found));
    }
  }
  return { candidates, reason: invalid ? "pattern_invalid" : null };
}

/** The first match that is not empty. */
function firstMatch(regex: RE2JS, line: string): { start: number; end: number } | null {
  // Asking whether something matches is much faster than asking where.
  if (!regex.test(line)) return null;
  const matcher = regex.matcher(line);
  while (matcher.find()) if (matcher.end() > matcher.start()) return { start: matcher.start(), end: matcher.end() };
  return null;
}

function candidateAt(
  { rule, ruleId }: Compiled,
  { language, shown, suppressed }: PatternFile,
  line: number,
  found: { start: number; end: number },
): Candidate {
  const place = { startLine: line, startColumn: found.start + 1, endLine: line, endColumn: found.end + 1 };
  return {
    ...place,
    ruleId,
    severity: rule.severity,
    confidence,
    source: "",
    sink: "",
    symbol: "",
    anchor: lineAnchor(shown.line(line), commentStyle(language) === "hash"),
    snippet: snippetOf(shown, place),
    trace: [],
    suppressed: suppressed(ruleId, line),
    own: ownRule(rule),
  };
}

/** The texts travel with what they found: the catalogue does not know a user's rules. */
function ownRule(rule: UserPattern): OwnRule {
  return {
    family: ruleFamily(rule.code),
    issueType: rule.category,
    title: both(rule.name),
    message: both(rule.description || rule.name),
    fix: both(rule.fixSuggestion ?? ""),
  };
}

const both = (text: string): Text => ({ zh: text, en: text });

/** All files of a scan come with the same list, so it is compiled once. */
const known = new WeakMap<readonly UserPattern[], { compiled: Compiled[]; invalid: boolean }>();

function compileOnce(patterns: readonly UserPattern[]): { compiled: Compiled[]; invalid: boolean } {
  const seen = known.get(patterns);
  if (seen) return seen;
  const compiled = patterns.flatMap((rule): Compiled[] => {
    try {
      return [{ rule, ruleId: `user.${slugOf(rule.code)}`, regex: RE2JS.compile(rule.pattern) }];
    } catch {
      // Refused when it was written; one that comes here all the same must not cost the file its other findings.
      return [];
    }
  });
  const result = { compiled, invalid: compiled.length < patterns.length };
  known.set(patterns, result);
  return result;
}

/** The family of what a user's own rule finds, by pattern or by a model: both find one thing. */
export const ruleFamily = (code: string): string => `rule.${slugOf(code)}`;

/** A user's code as it may stand in a rule id. Codes in other scripts keep apart by a hash. */
export function slugOf(code: string): string {
  const slug = code
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-|-$/g, "")
    .slice(0, 60);
  const hash = createHash("sha256").update(code).digest("hex").slice(0, 8);
  return [slug, ...(/[^\0-\x7f]/.test(code) || slug === "" ? [hash] : [])].filter(Boolean).join("-");
}
