import { RE2JS } from "re2js";
import { isMap, isScalar, isSeq, type Node, type Pair, type YAMLMap } from "yaml";
import { ComparisonRefused, readComparison } from "./comparison.ts";
import type { All, Condition, Formula } from "./own-rule.ts";
import { compileRegex, RegexRefused } from "./regular-expression.ts";
import { asMap, keyOf, onlyKnown, pairOf, Refused, requiredText, textOf } from "./rule-yaml.ts";

/** Nesting of patterns in patterns; people need four. */
const formulaDepthMax = 20;
/** All patterns and conditions of one rule. */
const operatorsMax = 500;

/** Operators that can stand alone; a map has one of them. */
export const formulaKeys = ["pattern", "patterns", "pattern-either", "pattern-regex"];

/** The operands of `patterns` while they are read. */
type Operands = { [K in Exclude<keyof All, "kind">]: All[K][number][] };

/** Reads the patterns and conditions of one rule: what may stand where, and how much of it. */
export class FormulaReader {
  readonly #lineOf: (node: unknown) => number;
  #operators = 0;
  /** `metavariable-pattern` may ask only what must not be; everywhere else that would match everything. */
  #negationsSuffice = false;

  constructor(lineOf: (node: unknown) => number) {
    this.#lineOf = lineOf;
  }

  /** The entries of a list, any of which counts. */
  alternatives(map: YAMLMap, key: string): Formula {
    const list = map.get(key, true);
    if (!isSeq(list) || list.items.length === 0)
      throw new Refused(pairOf(map, key) ?? map, key, `${key} must be a list`);
    const of = list.items.map((item) => {
      if (!isMap(item)) throw new Refused(item as Node, key, "expected a map");
      // What is asked of all at once may stand beside its focus in older files, as in a list.
      return this.#alternative(item, 1);
    });
    return { kind: "either", of };
  }

  /** The one operator of a rule. */
  formula(map: YAMLMap): Formula {
    return this.#oneFormula(map, 0);
  }

  /** The one operator of a map that stands alone. */
  #oneFormula(map: YAMLMap, depth: number): Formula {
    if (depth > 0) onlyKnown(map, new Set(formulaKeys));
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
      return { kind: "either", of: value.items.map((item) => this.#alternative(asMap(item, key), depth + 1)) };
    return this.#all(value.items, key, depth + 1);
  }

  /** One of several: an operator, or code that something else is to lie in. */
  #alternative(map: YAMLMap, depth: number): Formula {
    return map.has("pattern-inside") ? this.#all([map], "pattern-inside", depth) : this.#oneFormula(map, depth);
  }

  #all(items: readonly unknown[], key: string, depth: number): All {
    const all: Operands = { matches: [], inside: [], not: [], notInside: [], conditions: [], focus: [] };
    for (const item of items) this.#operand(asMap(item, key), all, depth);
    if (all.matches.length + all.inside.length === 0 && !this.#negationsSuffice)
      throw new Refused(items[0] as Node, key, "patterns needs at least one that matches");
    return { kind: "all", ...all };
  }

  #operand(map: YAMLMap, all: Operands, depth: number): void {
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
      case "pattern-regex": {
        const formula = inner(key);
        (isSurrounding(formula) ? all.inside : all.matches).push(formula);
        return;
      }
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
      onlyKnown(map, new Set(["metavariable", "regex"]));
      const metavariable = this.#metavariable(map, key);
      return {
        kind: "regex",
        metavariable,
        regex: compiled(pairOf(map, "regex") ?? pair, "regex", requiredText(map, "regex"), ""),
      };
    }
    if (key === "metavariable-comparison") {
      onlyKnown(map, new Set(["metavariable", "comparison"]));
      if (map.has("metavariable")) this.#metavariable(map, key);
      return {
        kind: "comparison",
        comparison: comparisonOf(pairOf(map, "comparison") ?? pair, requiredText(map, "comparison")),
      };
    }
    onlyKnown(map, new Set(["metavariable", "language", ...formulaKeys]));
    const metavariable = this.#metavariable(map, key);
    const before = this.#negationsSuffice;
    this.#negationsSuffice = true;
    const rest = map.clone() as YAMLMap;
    rest.delete("metavariable");
    rest.delete("language");
    const formula = this.#oneFormula(rest, depth + 1);
    // A text that is code of its own would have to be parsed; as text any can be searched.
    if (map.has("language") && !(isTextOnly(requiredText(map, "language")) && isRegexOnly(formula)))
      throw new Refused(pairOf(map, "language"), "language", "only expressions can be searched in another language");
    this.#negationsSuffice = before;
    return { kind: "formula", metavariable, formula };
  }

  #metavariable(map: YAMLMap, key: string): string {
    const name = requiredText(map, "metavariable");
    checkName(pairOf(map, "metavariable"), key, name);
    return name;
  }
}

const isTextOnly = (language: string): boolean => /^(regex|generic|none)$/.test(language);

function checkName(at: Pair | null, key: string, name: string): void {
  if (!/^\$((\.\.\.)?[A-Z_][A-Z0-9_]*|\d)$/.test(name)) throw new Refused(at, key, `${name} is no metavariable`);
}

function compiled(at: Pair, key: string, source: string, flags: "m" | ""): RE2JS {
  try {
    // A condition looks from the beginning of what a metavariable stands for, as others do.
    return flags === "" ? compileRegex(`^(?:${source})`) : compileRegex(source, RE2JS.MULTILINE);
  } catch (error) {
    if (!(error instanceof RegexRefused)) throw error;
    throw new Refused(at, key, error.message);
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

/** Whether a formula only says what lies around the place: `pattern-inside`, or any of several. */
function isSurrounding(formula: Formula): boolean {
  if (formula.kind === "either") return formula.of.every(isSurrounding);
  return formula.kind === "all" && formula.matches.length === 0 && formula.inside.length > 0;
}

/** True when a formula needs no syntax tree. */
export const isRegexOnly = (formula: Formula): boolean => {
  if (formula.kind === "pattern") return false;
  if (formula.kind === "regex") return true;
  if (formula.kind === "either") return formula.of.every(isRegexOnly);
  const { matches, inside, not, notInside } = formula;
  return [...matches, ...inside, ...not, ...notInside].every(isRegexOnly);
};
