import { RE2JS } from "re2js";
import { isMap, isScalar, isSeq, LineCounter, type Node, type Pair, parseDocument, type YAMLMap } from "yaml";
import type { IssueType, Severity } from "../finding.ts";
import { ComparisonRefused, readComparison } from "./comparison.ts";
import {
  type All,
  type Condition,
  type Formula,
  type OwnLanguage,
  type OwnRuleSource,
  ownLanguages,
  type Refusal,
} from "./own-rule.ts";

/** What a rule file holds. A rule that cannot be used as it is written costs only itself. */
export interface RuleFile {
  readonly rules: readonly OwnRuleSource[];
  readonly refused: readonly Refusal[];
}

/** Rule files of this size are unheard of. */
const charactersMax = 2_000_000;
const rulesMax = 2_000;
/** Nesting of patterns in patterns; people need four. */
const formulaDepthMax = 20;
/** All patterns and conditions of one rule. */
const operatorsMax = 500;
/** As in the patterns of rule sets: RE2 takes time in proportion to text times instructions. */
const programSizeMax = 5_000;

class Refused extends Error {
  readonly at: Node | Pair | null;
  readonly key: string | null;

  constructor(at: Node | Pair | null, key: string | null, reason: string) {
    super(reason);
    this.at = at;
    this.key = key;
  }
}

/** A pattern that is not a regular expression but a rule file, in Semgrep's YAML: it begins with the key `rules`. */
export const isRuleFile = (pattern: string): boolean => /^(?:(?:---)?[ \t\r]*(?:#[^\n]*)?\n)*rules:/.test(pattern);

/** One rule of a file as a file of its own, with what became of it. */
export interface SplitRule {
  readonly text: string;
  readonly rule: OwnRuleSource | null;
  readonly refusal: Refusal | null;
}

/** Cuts a file into its rules; lines are those of the whole file. */
export function splitRuleFile(text: string): SplitRule[] {
  const { rules, refused } = readRuleFile(text);
  const document = parseDocument(text, { uniqueKeys: true });
  const list = isMap(document.contents) ? document.contents.get("rules", true) : null;
  const [whole] = refused;
  if (!isSeq(list)) return [{ text, rule: null, refusal: whole ?? null }];
  const lines = new LineCounter();
  parseDocument(text, { lineCounter: lines });
  const starts = list.items.map((item) => lines.linePos(startOf(item)).line);
  const all = text.split("\n");
  return list.items.map((_, i) => {
    const [from, to] = [starts[i] as number, starts[i + 1] ?? all.length + 1];
    const own = all.slice(from - 1, to - 1);
    // Text on one line cannot be cut by lines, and JSON is YAML too.
    const isBlock = /^\s*-\s/.test(own[0] ?? "") && to > from;
    const alone = isBlock
      ? `rules:\n${own.join("\n").trimEnd()}\n`
      : `rules: ${JSON.stringify([document.toJS({ maxAliasCount: 100 }).rules[i]])}\n`;
    const within = (line: number) => line >= from && line < Math.max(to, from + 1);
    return {
      text: alone,
      rule: rules.find((rule) => within(rule.line)) ?? null,
      refusal: refused.find((refusal) => within(refusal.line)) ?? null,
    };
  });
}

/** Reads a rule file in Semgrep's YAML. Never throws for what the file contains. */
export function readRuleFile(text: string): RuleFile {
  if (text.length > charactersMax) return refusedWhole(1, `the file is longer than ${charactersMax} characters`);
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, uniqueKeys: true });
  const [error] = document.errors;
  if (error)
    return refusedWhole(error.linePos?.[0].line ?? 1, (error.message.split("\n", 1)[0] as string).replace(/:$/, ""));
  const list = isMap(document.contents) ? document.contents.get("rules", true) : null;
  if (!isSeq(list)) return refusedWhole(1, "expected a list named rules");
  if (list.items.length > rulesMax) return refusedWhole(1, `more than ${rulesMax} rules`);
  const rules: OwnRuleSource[] = [];
  const refused: Refusal[] = [];
  const lineOf = (node: unknown): number => lines.linePos(startOf(node)).line;
  for (const item of list.items) {
    const id = isMap(item) ? item.get("id") : null;
    const name = typeof id === "string" ? id : null;
    try {
      if (!isMap(item)) throw new Refused(item as Node, null, "a rule is a map");
      const rule = new RuleReader(lineOf).rule(item);
      if (rules.some((other) => other.id === rule.id)) throw new Refused(item, "id", "an earlier rule has the same id");
      rules.push(rule);
    } catch (problem) {
      if (!(problem instanceof Refused)) throw problem;
      refused.push({ id: name, line: lineOf(problem.at ?? item), key: problem.key, reason: problem.message });
    }
  }
  return { rules, refused };
}

const refusedWhole = (line: number, reason: string): RuleFile => ({
  rules: [],
  refused: [{ id: null, line, key: null, reason }],
});

function startOf(node: unknown): number {
  const at = node as { range?: [number, number, number] | null; key?: { range?: [number, number, number] } };
  return at.range?.[0] ?? at.key?.range?.[0] ?? 0;
}

const formulaKeys = ["pattern", "patterns", "pattern-either", "pattern-regex"];
const ruleKeys = new Set([
  ...formulaKeys,
  "id",
  "message",
  "severity",
  "languages",
  "metadata",
  "paths",
  "fix",
  "mode",
  "options",
  "min-version",
  "max-version",
  "pattern-sources",
  "pattern-sinks",
  "pattern-sanitizers",
]);
/** Say what we do anyway, or what only other programs can do and a rule does not need. */
const harmlessOptions: Record<string, readonly unknown[]> = {
  constant_propagation: [true],
  interfile: [true, false],
  interproc: [true, false],
  symbolic_propagation: [false],
  taint_unify_mvars: [false],
};

const severities: Record<string, Severity> = {
  CRITICAL: "critical",
  ERROR: "high",
  HIGH: "high",
  WARNING: "medium",
  MEDIUM: "medium",
  INFO: "low",
  LOW: "low",
};
const confidences: Record<string, number> = { HIGH: 0.9, MEDIUM: 0.7, LOW: 0.4 };
const issueTypes: Record<string, IssueType> = {
  security: "security",
  correctness: "bug",
  performance: "performance",
  "best-practice": "maintainability",
  maintainability: "maintainability",
  compatibility: "maintainability",
  portability: "maintainability",
  style: "style",
};
const languageNames: Record<string, readonly OwnLanguage[] | "any"> = {
  js: ["javascript", "typescript"],
  javascript: ["javascript", "typescript"],
  jsx: ["javascript", "typescript"],
  ts: ["typescript"],
  typescript: ["typescript"],
  tsx: ["typescript"],
  py: ["python"],
  python: ["python"],
  python3: ["python"],
  java: ["java"],
  php: ["php"],
  go: ["go"],
  golang: ["go"],
  regex: "any",
  generic: "any",
  none: "any",
};

class RuleReader {
  readonly #lineOf: (node: unknown) => number;
  #operators = 0;

  constructor(lineOf: (node: unknown) => number) {
    this.#lineOf = lineOf;
  }

  rule(map: YAMLMap): OwnRuleSource {
    this.#onlyKnown(map, ruleKeys);
    const id = this.#text(map, "id");
    if (!/^[A-Za-z0-9][\w.-]{0,199}$/.test(id))
      throw new Refused(
        pairOf(map, "id"),
        "id",
        "an id has letters, digits, dots, hyphens and underscores, 200 at most",
      );
    const mode = map.has("mode") ? this.#text(map, "mode") : "search";
    if (mode !== "search" && mode !== "taint")
      throw new Refused(pairOf(map, "mode"), "mode", `the mode ${mode} is not supported`);
    this.#checkOptions(map);
    const languages = this.#languages(map);
    const severity = severities[this.#text(map, "severity").toUpperCase()];
    if (!severity)
      throw new Refused(
        pairOf(map, "severity"),
        "severity",
        `the severity ${this.#text(map, "severity")} is not supported`,
      );
    const search = mode === "search" ? this.#search(map) : null;
    const taint = mode === "taint" ? this.#taint(map) : null;
    if (languages === "any" && (taint || !isRegexOnly(search as Formula)))
      throw new Refused(
        pairOf(map, "languages"),
        "languages",
        "in the languages generic and regex only pattern-regex can be used",
      );
    return {
      id,
      line: this.#lineOf(map),
      message: this.#text(map, "message").trim().slice(0, 4_000),
      severity,
      languages,
      paths: this.#paths(map),
      fix: map.has("fix") ? this.#text(map, "fix") : null,
      search,
      taint,
      ...metadataOf(map),
    };
  }

  #search(map: YAMLMap): Formula {
    for (const key of ["pattern-sources", "pattern-sinks", "pattern-sanitizers"])
      if (map.has(key)) throw new Refused(pairOf(map, key), key, "it needs mode: taint");
    return this.#oneFormula(map, 0);
  }

  #taint(map: YAMLMap): NonNullable<OwnRuleSource["taint"]> {
    for (const key of formulaKeys)
      if (map.has(key)) throw new Refused(pairOf(map, key), key, "it cannot stand beside mode: taint");
    return {
      sources: this.#alternatives(map, "pattern-sources"),
      sinks: this.#alternatives(map, "pattern-sinks"),
      sanitizers: map.has("pattern-sanitizers") ? this.#alternatives(map, "pattern-sanitizers") : null,
    };
  }

  /** The entries of a list, any of which counts. */
  #alternatives(map: YAMLMap, key: string): Formula {
    const list = map.get(key, true);
    if (!isSeq(list) || list.items.length === 0)
      throw new Refused(pairOf(map, key) ?? map, key, `${key} must be a list`);
    const of = list.items.map((item) => {
      if (!isMap(item)) throw new Refused(item as Node, key, "expected a map");
      // What is asked of all at once may stand beside its focus in older files, as in a list.
      return this.#oneFormula(item, 1);
    });
    return { kind: "either", of };
  }

  /** The one operator of a map that stands alone. */
  #oneFormula(map: YAMLMap, depth: number): Formula {
    if (depth > 0) this.#onlyKnown(map, new Set(formulaKeys));
    const given = formulaKeys.filter((key) => map.has(key));
    const [key] = given;
    if (!key) throw new Refused(map, null, "it has no pattern");
    if (given.length > 1)
      throw new Refused(
        pairOf(map, given[1] as string),
        given[1] as string,
        `only one of ${given.join(", ")} can be used`,
      );
    return this.#operator(pairOf(map, key) as Pair, key, depth);
  }

  #operator(pair: Pair, key: string, depth: number): Formula {
    if (++this.#operators > operatorsMax)
      throw new Refused(pair, key, `the rule has more than ${operatorsMax} patterns`);
    if (depth > formulaDepthMax) throw new Refused(pair, key, "the patterns are nested too deeply");
    const value = pair.value as Node;
    if (key === "pattern") return { kind: "pattern", source: textOf(pair, key), line: this.#lineOf(value) };
    if (key === "pattern-regex") return { kind: "regex", regex: compiled(pair, key, textOf(pair, key), "m") };
    if (!isSeq(value) || value.items.length === 0) throw new Refused(pair, key, `${key} must be a list`);
    if (key === "pattern-either")
      return { kind: "either", of: value.items.map((item) => this.#oneFormula(asMap(item, key), depth + 1)) };
    return this.#all(value.items, key, depth + 1);
  }

  #all(items: readonly unknown[], key: string, depth: number): All {
    const all = { matches: [], inside: [], not: [], notInside: [], conditions: [], focus: [] } as {
      [K in Exclude<keyof All, "kind">]: All[K][number][];
    };
    for (const item of items) this.#operand(asMap(item, key), all, depth);
    if (all.matches.length + all.inside.length === 0 && depth < formulaDepthMax) {
      // `metavariable-pattern` may ask only what must not be; everywhere else that would match everything.
      if (!this.#negationsSuffice) throw new Refused(items[0] as Node, key, "patterns needs at least one that matches");
    }
    return { kind: "all", ...all };
  }

  #negationsSuffice = false;

  #operand(map: YAMLMap, all: { [K in Exclude<keyof All, "kind">]: All[K][number][] }, depth: number): void {
    const [pair, ...others] = map.items as Pair[];
    if (!pair) throw new Refused(map, null, "an empty entry");
    const key = keyOf(pair);
    if (others.length > 0)
      throw new Refused(others[0] as Pair, keyOf(others[0] as Pair), "each entry of patterns has one key");
    const inner = (as: string) => this.#operator(pair, as, depth);
    switch (key) {
      case "pattern":
      case "patterns":
      case "pattern-either":
      case "pattern-regex":
        all.matches.push(inner(key));
        return;
      case "pattern-inside":
        all.inside.push(this.#nested(pair, depth));
        return;
      case "pattern-not":
        all.not.push(this.#nested(pair, depth));
        return;
      case "pattern-not-inside":
        all.notInside.push(this.#nested(pair, depth));
        return;
      case "pattern-not-regex":
        all.not.push(inner("pattern-regex"));
        return;
      case "focus-metavariable":
        all.focus.push(this.#names(pair));
        return;
      case "metavariable-regex":
      case "metavariable-pattern":
      case "metavariable-comparison":
        all.conditions.push(this.#condition(pair, key, depth));
        return;
      default:
        throw new Refused(pair, key, `the key ${key} is not supported`);
    }
  }

  /** A pattern, or a map with one operator, as some files write it. */
  #nested(pair: Pair, depth: number): Formula {
    return isMap(pair.value) ? this.#oneFormula(pair.value, depth + 1) : this.#operator(pair, "pattern", depth);
  }

  #names(pair: Pair): string[] {
    const value = pair.value as Node;
    const names = (isSeq(value) ? value.items : [value]).map((item) => (isScalar(item) ? String(item.value) : ""));
    for (const name of names) checkName(pair, "focus-metavariable", name);
    return names;
  }

  #condition(pair: Pair, key: string, depth: number): Condition {
    if (++this.#operators > operatorsMax)
      throw new Refused(pair, key, `the rule has more than ${operatorsMax} patterns`);
    const map = asMap(pair.value, key);
    if (key === "metavariable-regex") {
      this.#onlyKnown(map, new Set(["metavariable", "regex"]));
      const metavariable = this.#metavariable(map, key);
      return {
        kind: "regex",
        metavariable,
        regex: compiled(pairOf(map, "regex") ?? pair, "regex", this.#text(map, "regex"), ""),
      };
    }
    if (key === "metavariable-comparison") {
      this.#onlyKnown(map, new Set(["metavariable", "comparison"]));
      if (map.has("metavariable")) this.#metavariable(map, key);
      return {
        kind: "comparison",
        comparison: comparisonOf(pairOf(map, "comparison") ?? pair, this.#text(map, "comparison")),
      };
    }
    this.#onlyKnown(map, new Set(["metavariable", ...formulaKeys]));
    const metavariable = this.#metavariable(map, key);
    const before = this.#negationsSuffice;
    this.#negationsSuffice = true;
    const rest = map.clone() as YAMLMap;
    rest.delete("metavariable");
    const formula = this.#oneFormula(rest, depth + 1);
    this.#negationsSuffice = before;
    return { kind: "formula", metavariable, formula };
  }

  #metavariable(map: YAMLMap, key: string): string {
    const name = this.#text(map, "metavariable");
    checkName(pairOf(map, "metavariable"), key, name);
    return name;
  }

  #languages(map: YAMLMap): readonly OwnLanguage[] | "any" {
    const list = map.get("languages", true);
    if (!isSeq(list) || list.items.length === 0)
      throw new Refused(pairOf(map, "languages") ?? map, "languages", "languages must be a list");
    const found = new Set<OwnLanguage>();
    for (const item of list.items) {
      const name = String((item as { value?: unknown }).value);
      const meant = Object.hasOwn(languageNames, name) ? languageNames[name] : undefined;
      if (!meant) throw new Refused(item as Node, "languages", `the language ${name} is not supported`);
      if (meant === "any") return "any";
      for (const language of meant) found.add(language);
    }
    return ownLanguages.filter((language) => found.has(language));
  }

  #paths(map: YAMLMap): OwnRuleSource["paths"] {
    const paths = map.get("paths", true);
    if (paths === undefined || paths === null) return { include: [], exclude: [] };
    const given = asMap(paths, "paths");
    this.#onlyKnown(given, new Set(["include", "exclude"]));
    const list = (key: string): string[] => {
      const value = given.get(key, true);
      if (value === undefined) return [];
      if (!isSeq(value)) throw new Refused(pairOf(given, key), key, `${key} must be a list`);
      return value.items.map((item) => String((item as { value?: unknown }).value).slice(0, 500));
    };
    return { include: list("include"), exclude: list("exclude") };
  }

  #checkOptions(map: YAMLMap): void {
    const options = map.get("options", true);
    if (!isMap(options)) return;
    for (const pair of options.items as Pair[]) {
      const key = keyOf(pair);
      const value = isScalar(pair.value) ? pair.value.value : null;
      if (!Object.hasOwn(harmlessOptions, key) || !harmlessOptions[key]?.includes(value))
        throw new Refused(pair, key, `the option ${key} is not supported`);
    }
  }

  #text(map: YAMLMap, key: string): string {
    const pair = pairOf(map, key);
    if (!pair) throw new Refused(map, key, `${key} is missing`);
    return textOf(pair, key);
  }

  #onlyKnown(map: YAMLMap, known: ReadonlySet<string>): void {
    for (const pair of map.items as Pair[]) {
      const key = keyOf(pair);
      if (!known.has(key)) throw new Refused(pair, key, `the key ${key} is not supported`);
    }
  }
}

const keyOf = (pair: Pair): string => String(isScalar(pair.key) ? pair.key.value : pair.key);

const pairOf = (map: YAMLMap, key: string): Pair | null =>
  (map.items as Pair[]).find((pair) => keyOf(pair) === key) ?? null;

function textOf(pair: Pair, key: string): string {
  const value = isScalar(pair.value) ? pair.value.value : null;
  if (value === null || value === "" || (typeof value !== "string" && typeof value !== "number"))
    throw new Refused(pair, key, `${key} must be text`);
  return String(value);
}

function asMap(node: unknown, key: string): YAMLMap {
  if (!isMap(node)) throw new Refused(node as Node, key, "expected a map");
  return node;
}

function checkName(at: Pair | null, key: string, name: string): void {
  if (!/^\$(\.\.\.)?[A-Z_][A-Z0-9_]*$/.test(name)) throw new Refused(at, key, `${name} is no metavariable`);
}

function compiled(at: Pair, key: string, source: string, flags: "m" | ""): RE2JS {
  try {
    // A condition looks from the beginning of what a metavariable stands for, as others do.
    const regex = RE2JS.compile(flags === "" ? `^(?:${source})` : source, flags === "m" ? RE2JS.MULTILINE : 0);
    if (regex.programSize() > programSizeMax) throw new Refused(at, key, "the regular expression is too large");
    return regex;
  } catch (error) {
    if (error instanceof Refused) throw error;
    const reason = (error as Error).message.replace(/^error parsing regexp: /, "");
    throw new Refused(
      at,
      key,
      `the regular expression is not RE2 syntax, which has no look-around and no back-references: ${reason}`,
    );
  }
}

function comparisonOf(at: Pair, source: string) {
  try {
    return readComparison(source);
  } catch (error) {
    if (!(error instanceof ComparisonRefused)) throw error;
    throw new Refused(at, "comparison", error.message);
  }
}

const isRegexOnly = (formula: Formula): boolean => {
  if (formula.kind === "pattern") return false;
  if (formula.kind === "regex") return true;
  if (formula.kind === "either") return formula.of.every(isRegexOnly);
  const { matches, inside, not, notInside } = formula;
  return [...matches, ...inside, ...not, ...notInside].every(isRegexOnly);
};

function metadataOf(map: YAMLMap) {
  const metadata = map.get("metadata", true);
  const given = new Map(
    isMap(metadata) ? (metadata.items as Pair[]).map((pair) => [keyOf(pair), plain(pair.value)]) : [],
  );
  const owasp = texts(given.get("owasp"));
  const category = (year: string) =>
    owasp.map((text) => new RegExp(`\\b(A\\d\\d)\\b:?${year}`).exec(text)?.[1]).find(Boolean) ?? null;
  return {
    confidence: confidences[String(given.get("confidence")).toUpperCase()] ?? 0.6,
    issueType: issueTypes[String(given.get("category"))] ?? "security",
    cwe: texts(given.get("cwe")).flatMap((text) => {
      const number = Number(/\d+/.exec(text)?.[0]);
      return number > 0 && number < 100_000 ? [number] : [];
    }),
    owasp2021: category("2021"),
    owasp2025: category("2025"),
    references: texts(given.get("references")).slice(0, 20),
  };
}

/** Scalars and lists of them; whatever else metadata holds is for others. */
const plain = (node: unknown): unknown =>
  isScalar(node) ? node.value : isSeq(node) ? node.items.map((item) => (isScalar(item) ? item.value : null)) : null;

const texts = (value: unknown): string[] =>
  (Array.isArray(value) ? value : [value]).flatMap((one) =>
    typeof one === "string" || typeof one === "number" ? [String(one)] : [],
  );
