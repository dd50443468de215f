import type { Candidate, OwnRule } from "../artefact.ts";
import type { Catalogue } from "../catalogue/catalogue.ts";
import type { Text } from "../finding.ts";
import { anchorOf, lineAnchor } from "../findings/anchor.ts";
import { candidateOf, type FileContext, snippetOf } from "../findings/candidates.ts";
import { excerptOf } from "../findings/excerpt.ts";
import { interpret } from "../interpret/interpreter.ts";
import type { Module, Span } from "../ir/ir.ts";
import type { SourceParser } from "../parse/parser.ts";
import { noLimit, type TimeLimit, TimeUp } from "../time-limit.ts";
import { type Bindings, noBindings } from "./bindings.ts";
import { type CompiledPatterns, FormulaSearch } from "./evaluate-formula.ts";
import { FileUnderMatch } from "./file-under-match.ts";
import type { Found } from "./find.ts";
import { Budget, MatchBudgetExhausted } from "./match-budget.ts";
import { Matcher } from "./matcher.ts";
import { hasWords, type NeededWords, neededWords } from "./needed-words.ts";
import type { Formula, OwnLanguage, OwnRuleSource, Refusal } from "./own-rule.ts";
import { type CompiledPattern, compilePattern, PatternRefused } from "./pattern.ts";
import { TaintMarks } from "./taint-marks.ts";

/** A rule ready to run over the files of one grammar. */
interface GrammarRule {
  readonly patterns: CompiledPatterns;
  readonly needed: readonly NeededWords[];
}

interface CompiledRule {
  readonly rule: OwnRuleSource;
  readonly ruleId: string;
  /** Null for rules of regular expressions alone, which read any file. */
  readonly grammars: ReadonlyMap<string, GrammarRule> | null;
}

/** A file as rules of users see it. */
export interface OwnRulesFile {
  readonly syntax: FileUnderMatch;
  /** Null where nothing can be followed. */
  readonly module: Module | null;
  readonly context: FileContext;
}

/** A file that has no grammar, or is not parsed for its size: expressions can be searched in it all the same. */
export const unparsedFile = (text: string, context: FileContext): OwnRulesFile => ({
  syntax: new FileUnderMatch(text, "", {
    root: { type: "text", field: null, start: 0, end: text.length, children: [] },
    comments: [],
  }),
  module: null,
  context,
});

export interface OwnRuleMatches {
  readonly candidates: Candidate[];
  /** What was left out; null for nothing. */
  readonly reason: "pattern_invalid" | "pattern_budget" | "time_limit" | null;
}

const grammarsOf: Record<OwnLanguage, readonly string[]> = {
  javascript: ["javascript"],
  typescript: ["typescript", "tsx"],
  python: ["python"],
  java: ["java"],
  php: ["php"],
  go: ["go"],
};

/** A rule that matches everywhere is a mistake, and the first hundred places show it. */
const matchesMax = 100;

/** Rules that a user has brought, compiled; immutable. */
export class OwnRules {
  readonly rules: readonly CompiledRule[];
  readonly refused: readonly Refusal[];

  private constructor(rules: readonly CompiledRule[], refused: readonly Refusal[]) {
    this.rules = rules;
    this.refused = refused;
  }

  /** Parses all patterns. What the grammar of a language does not take refuses the whole rule. */
  static async compile(
    parser: SourceParser,
    sources: readonly OwnRuleSource[],
    refusedBefore: readonly Refusal[] = [],
  ): Promise<OwnRules> {
    const rules: CompiledRule[] = [];
    const refused: Refusal[] = [...refusedBefore];
    for (const rule of sources) {
      const ruleId = ownRuleId(rule.id);
      try {
        rules.push({
          rule,
          ruleId,
          grammars: rule.languages === "any" ? null : await compileFor(parser, rule, rule.languages),
        });
      } catch (error) {
        if (!(error instanceof BadPattern)) throw error;
        refused.push({ id: rule.id, line: error.line, key: "pattern", reason: error.message });
      }
    }
    return new OwnRules(rules, refused);
  }

  /** Runs every rule that can match over one file. A rule that is used up costs the others nothing. */
  run(catalogue: Catalogue, file: OwnRulesFile, limit: TimeLimit = noLimit()): OwnRuleMatches {
    const candidates: Candidate[] = [];
    let reason: OwnRuleMatches["reason"] = this.refused.length > 0 ? "pattern_invalid" : null;
    for (const rule of this.rules) {
      const compiled = rule.grammars?.get(file.syntax.grammar);
      if (rule.grammars && !compiled) continue;
      if (compiled && !compiled.needed.every((needed) => hasWords(file.syntax.words, needed))) continue;
      try {
        candidates.push(...runRule(catalogue, rule, compiled?.patterns ?? new Map(), file, limit));
      } catch (error) {
        if (error instanceof TimeUp) return { candidates, reason: "time_limit" };
        if (!(error instanceof MatchBudgetExhausted)) throw error;
        reason = "pattern_budget";
      }
    }
    return { candidates, reason };
  }
}

class BadPattern extends Error {
  readonly line: number;

  constructor(line: number, message: string) {
    super(message);
    this.line = line;
  }
}

/** JavaScript is read by three grammars: one of them must take all patterns of a rule. */
async function compileFor(
  parser: SourceParser,
  rule: OwnRuleSource,
  languages: readonly OwnLanguage[],
): Promise<ReadonlyMap<string, GrammarRule>> {
  const formulas = rule.search ? [rule.search] : rule.taint ? [rule.taint.sources, rule.taint.sinks] : [];
  const all = [...formulas, ...(rule.taint?.sanitizers ? [rule.taint.sanitizers] : [])].flatMap(patternsIn);
  const compiled = new Map<string, GrammarRule>();
  const troubles = new Map<string, BadPattern>();
  for (const language of languages) {
    for (const grammar of grammarsOf[language]) {
      const patterns = new Map<string, CompiledPattern>();
      try {
        for (const { source, line } of all)
          if (!patterns.has(source)) patterns.set(source, await compileAt(parser, source, grammar, line));
        compiled.set(grammar, { patterns, needed: formulas.map((formula) => neededWords(formula, patterns)) });
      } catch (error) {
        if (!(error instanceof BadPattern)) throw error;
        troubles.set(language, error);
      }
    }
  }
  const reads = (language: OwnLanguage) => grammarsOf[language].some((grammar) => compiled.has(grammar));
  const isScript = (language: OwnLanguage) => language === "javascript" || language === "typescript";
  for (const language of languages) {
    const family = isScript(language) ? languages.filter(isScript) : [language];
    const trouble = troubles.get(language);
    if (trouble && !family.some(reads)) throw trouble;
  }
  return compiled;
}

async function compileAt(
  parser: SourceParser,
  source: string,
  grammar: string,
  line: number,
): Promise<CompiledPattern> {
  try {
    return await compilePattern(parser, source, grammar);
  } catch (error) {
    throw error instanceof PatternRefused ? new BadPattern(line, error.message) : error;
  }
}

function patternsIn(formula: Formula): Extract<Formula, { kind: "pattern" }>[] {
  switch (formula.kind) {
    case "pattern":
      return [formula];
    case "regex":
      return [];
    case "either":
      return formula.of.flatMap(patternsIn);
    case "all": {
      const { matches, inside, not, notInside, conditions } = formula;
      const asked = conditions.flatMap((condition) => (condition.kind === "formula" ? [condition.formula] : []));
      return [...matches, ...inside, ...not, ...notInside, ...asked].flatMap(patternsIn);
    }
  }
}

function runRule(
  catalogue: Catalogue,
  compiled: CompiledRule,
  patterns: CompiledPatterns,
  file: OwnRulesFile,
  limit: TimeLimit,
): Candidate[] {
  const { rule } = compiled;
  const search = new FormulaSearch(new Matcher(file.syntax, new Budget(limit)), patterns);
  if (rule.taint) return file.module ? followTaint(catalogue, compiled, search, file, file.module, limit) : [];
  const found = rule.search ? outermost(search.find(rule.search)) : [];
  return found.slice(0, matchesMax).map((one) => candidateAt(compiled, file.context, one));
}

/** One finding a place: alternatives and metavariables can match the same stretch in several ways. */
function outermost(found: readonly Found[]): Found[] {
  const places = new Map<string, Found>();
  for (const one of found) {
    const key = `${one.start}:${one.end}`;
    if (!places.has(key)) places.set(key, one);
  }
  return [...places.values()].sort((a, b) => a.start - b.start || a.end - b.end);
}

function candidateAt(
  { rule, ruleId }: CompiledRule,
  { text, lines, suppressions, hashComments }: FileContext,
  found: Found,
): Candidate {
  const place = lines.place(found.start, found.end);
  return {
    ...place,
    ruleId,
    severity: rule.severity,
    confidence: rule.confidence,
    source: "",
    sink: "",
    symbol: "",
    anchor:
      anchorOf(text.slice(found.start, found.end), hashComments) ||
      lineAnchor(lines.line(place.startLine), hashComments),
    snippet: snippetOf(lines, place),
    trace: [],
    suppressed: suppressions.of(ruleId, place.startLine),
    own: ownRule(rule, text, found.bindings),
  };
}

/** Finds the marked places by their syntax and has the interpreter follow values between them. */
function followTaint(
  catalogue: Catalogue,
  { rule, ruleId }: CompiledRule,
  search: FormulaSearch,
  { syntax, context }: OwnRulesFile,
  module: Module,
  limit: TimeLimit,
): Candidate[] {
  if (!rule.taint) return [];
  const sinks = search.find(rule.taint.sinks);
  const sources = sinks.length === 0 ? [] : search.find(rule.taint.sources);
  if (sources.length === 0) return [];
  const sanitizers = rule.taint.sanitizers ? search.find(rule.taint.sanitizers) : [];
  const marks = new TaintMarks(rule, ruleId, { sources, sinks, sanitizers });
  const { run } = interpret(catalogue, module, syntax.grammar, syntax.text, marks, limit);
  const hits = [...run.hits.values()].filter((hit) => hit.match === marks.match && hit.flow?.source.outside === null);
  return hits.slice(0, matchesMax).map((hit) => {
    const bindings = bindingsAt(sinks, hit.at);
    return { ...candidateOf(context, hit), own: ownRule(rule, context.text, bindings) };
  });
}

const bindingsAt = (sinks: readonly Found[], at: Span): Bindings =>
  sinks.find(({ start, end }) => start === at.start && end === at.end)?.bindings ?? noBindings;

/** The id that findings of a user's rule carry, as comments and reports can name it. */
export const ownRuleId = (id: string): string => `user.${id.toLowerCase()}`;

const boundTextMax = 80;

/** The texts travel with what they found: the catalogue does not know a user's rules. */
function ownRule(rule: OwnRuleSource, text: string, bindings: Bindings): OwnRule {
  const message = rule.message.replace(/\$(?:\.\.\.)?[A-Z_][A-Z0-9_]*|\$[1-9]/g, (name) => {
    const bound = bindings.get(name);
    return bound ? excerptOf(text, bound, boundTextMax) : name;
  });
  return {
    family: `rule.${rule.id.toLowerCase()}`,
    issueType: rule.issueType,
    title: both(titleOf(message)),
    message: both(message),
    fix: both(rule.fix ?? ""),
    cwe: rule.cwe,
    owasp2021: rule.owasp2021,
    owasp2025: rule.owasp2025,
    paths: rule.paths,
  };
}

const both = (text: string): Text => ({ zh: text, en: text });

/** The first sentence says what is wrong; more would not fit into a list. */
const titleOf = (message: string): string => {
  const sentence = (message.split(/(?<=[.!?])\s|\n/, 1)[0] as string).trim();
  return sentence.length > 120 ? `${sentence.slice(0, 119)}…`.toWellFormed() : sentence;
};
