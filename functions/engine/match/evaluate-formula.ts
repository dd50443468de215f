import type { RE2JS } from "re2js";
import type { SyntaxNode } from "../parse/syntax.ts";
import { type Binding, type Bindings, bound, merged, noBindings } from "./bindings.ts";
import { evaluateComparison, type Operand } from "./comparison.ts";
import { type Found, findPattern } from "./find.ts";
import type { Matcher } from "./matcher.ts";
import type { All, Condition, Formula } from "./own-rule.ts";
import type { CompiledPattern } from "./pattern.ts";

/** The patterns of a rule for one grammar, by their source. */
export type CompiledPatterns = ReadonlyMap<string, CompiledPattern>;

/** Where a formula is looked for: the whole file, or what a metavariable stands for. */
interface Part {
  readonly start: number;
  readonly end: number;
  readonly node: SyntaxNode | null;
}

/** More matches of one operator are a mistake, and the first say so. */
const foundMax = 2_000;

/** Finds the places where a rule's formula holds. */
export class FormulaSearch {
  readonly #matcher: Matcher;
  readonly #patterns: CompiledPatterns;
  readonly #whole: Part;
  readonly #known = new Map<Formula, Found[]>();

  constructor(matcher: Matcher, patterns: CompiledPatterns) {
    this.#matcher = matcher;
    this.#patterns = patterns;
    this.#whole = { start: 0, end: matcher.file.text.length, node: null };
  }

  find(formula: Formula): Found[] {
    return distinct(this.#find(formula, this.#whole));
  }

  #find(formula: Formula, part: Part): Found[] {
    if (part !== this.#whole) return this.#evaluate(formula, part);
    const known = this.#known.get(formula) ?? this.#evaluate(formula, part);
    this.#known.set(formula, known);
    return known;
  }

  #evaluate(formula: Formula, part: Part): Found[] {
    switch (formula.kind) {
      case "pattern": {
        // What a metavariable stands for is text and no code, where it is the content of a literal.
        if (part !== this.#whole && part.node === null) return [];
        const compiled = this.#patterns.get(formula.source);
        return compiled ? findPattern(this.#matcher, compiled, part.node).slice(0, foundMax) : [];
      }
      case "regex":
        return this.#regex(formula.regex, part);
      case "either":
        return formula.of.flatMap((one) => this.#find(one, part)).slice(0, foundMax);
      case "all":
        return this.#all(formula, part);
    }
  }

  #regex(regex: RE2JS, part: Part): Found[] {
    const text = this.#matcher.file.text.slice(part.start, part.end);
    this.#matcher.budget.chargeRegex(regex, text.length);
    const found: Found[] = [];
    const matcher = regex.matcher(text);
    while (found.length < foundMax && matcher.find()) {
      if (matcher.end() === matcher.start()) continue;
      let bindings: Bindings | null = noBindings;
      for (let group = 1; group <= Math.min(matcher.groupCount(), 9); group++) {
        const start = matcher.start(group);
        if (start < 0) continue;
        const at = { start: part.start + start, end: part.start + matcher.end(group) };
        bindings = bound(bindings, `$${group}`, { ...at, text: matcher.group(group) ?? "", node: null }) ?? bindings;
      }
      found.push({ start: part.start + matcher.start(), end: part.start + matcher.end(), bindings });
    }
    return found;
  }

  #all(all: All, part: Part): Found[] {
    const [first, ...others] = all.matches;
    let found = first ? this.#find(first, part) : null;
    for (const other of others) found = this.#both(found as Found[], other, part);
    for (const inside of all.inside) {
      const outer = () => this.#find(inside, this.#whole);
      // Without anything else, what is inside is all of it.
      found = found === null ? outer() : found.length === 0 ? found : this.#within(found, outer());
    }
    // Only the conditions on a metavariable come with nothing that matches: they ask about all it stands for.
    found ??= [{ start: part.start, end: part.end, bindings: noBindings }];
    if (found.length === 0) return found;
    for (const inside of all.notInside) found = this.#without(found, this.#find(inside, this.#whole), false);
    for (const not of all.not) found = this.#without(found, this.#find(not, part), not.kind === "regex");
    for (const condition of all.conditions) found = found.flatMap((one) => this.#holds(condition, one));
    return all.focus.reduce((focused, names) => focused.flatMap((one) => this.#focus(one, names)), found);
  }

  /** Two patterns about one place: one of the stretches lies in the other, and the smaller one is meant. */
  #both(found: readonly Found[], formula: Formula, part: Part): Found[] {
    if (found.length === 0) return [];
    const others = this.#find(formula, part);
    return this.#pairs(found, others, (a, b) => (contains(b, a) ? a : contains(a, b) ? b : null));
  }

  #within(found: readonly Found[], outer: readonly Found[]): Found[] {
    return this.#pairs(found, outer, (a, b) => (contains(b, a) ? a : null));
  }

  #pairs(found: readonly Found[], others: readonly Found[], place: (a: Found, b: Found) => Found | null): Found[] {
    const result: Found[] = [];
    for (const a of found) {
      for (const b of others) {
        this.#matcher.budget.charge();
        const at = place(a, b);
        const bindings = at && merged(a.bindings, b.bindings);
        if (at && bindings) result.push({ start: at.start, end: at.end, bindings });
      }
      if (result.length >= foundMax) break;
    }
    return distinct(result);
  }

  #without(found: readonly Found[], unwanted: readonly Found[], overlap: boolean): Found[] {
    return found.filter((one) => {
      this.#matcher.budget.charge(unwanted.length);
      return !unwanted.some(
        (other) =>
          (overlap ? other.start < one.end && other.end > one.start : contains(other, one)) &&
          merged(one.bindings, other.bindings) !== null,
      );
    });
  }

  #focus(found: Found, names: readonly string[]): Found[] {
    return names.flatMap((name) => {
      const binding = found.bindings.get(name);
      if (!binding) return [];
      const start = Math.max(found.start, binding.start);
      const end = Math.min(found.end, binding.end);
      // A second focus may lie apart from the first: then nothing is meant by both.
      return start < end ? [{ start, end, bindings: found.bindings }] : [];
    });
  }

  #holds(condition: Condition, found: Found): Found[] {
    this.#matcher.budget.charge();
    if (condition.kind === "comparison") {
      const value = evaluateComparison(condition.comparison, (name) => this.#valueOf(found.bindings.get(name)));
      return value !== null && value !== false && value !== 0 && value !== "" ? [found] : [];
    }
    const binding = found.bindings.get(condition.metavariable);
    if (!binding) return [];
    if (condition.kind === "regex") {
      const content = this.#contentOf(binding);
      const fits = condition.regex.test(binding.text) || (content !== null && condition.regex.test(content));
      return fits ? [found] : [];
    }
    return distinct(
      this.#find(condition.formula, binding).flatMap((inner) => {
        const bindings = merged(found.bindings, inner.bindings);
        return bindings ? [{ ...found, bindings }] : [];
      }),
    );
  }

  /** Of a literal, or of a name that always stands for one. */
  #contentOf({ node, text }: Binding): string | null {
    if (!node) return null;
    const { file } = this.#matcher;
    return file.knownText(file.constant(text) ?? node);
  }

  #valueOf(binding: Binding | undefined): Operand | null {
    if (!binding) return null;
    const text = binding.text.replace(/_/g, "");
    if (/^-?(0[xX][0-9a-fA-F]+|0[oObB]?[0-7]+|\d+(\.\d+)?([eE][-+]?\d+)?)[lLfFn]?$/.test(text)) {
      const octal = /^0([0-7]+)$/.exec(text);
      return octal ? Number.parseInt(octal[1] as string, 8) : Number(text.replace(/(?<!^0x.*)[lLfFn]$/i, ""));
    }
    if (/^(true|false)$/i.test(text)) return /^true$/i.test(text);
    return this.#contentOf(binding) ?? binding.text;
  }
}

const contains = (outer: Found, inner: Found): boolean => outer.start <= inner.start && outer.end >= inner.end;

function distinct(found: readonly Found[]): Found[] {
  if (found.length < 2) return [...found];
  const seen = new Map<string, Found>();
  for (const one of found) {
    const key = `${one.start}:${one.end}:${[...one.bindings].map(([name, { start, end }]) => `${name}=${start}-${end}`).sort()}`;
    if (!seen.has(key)) seen.set(key, one);
  }
  return [...seen.values()];
}
