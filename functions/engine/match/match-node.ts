import { childIn, type SyntaxNode } from "../parse/syntax.ts";
import { noLimit, type TimeLimit } from "../time-limit.ts";
import { type Binding, type Bindings, bound } from "./bindings.ts";
import { descendants, type FileUnderMatch, isConstant } from "./file-under-match.ts";
import type { Pattern, PatternChild, PatternNode } from "./pattern.ts";
import {
  assignmentOf,
  declared,
  dottedName,
  groupOf,
  isOptional,
  memberOf,
  modifierWords,
  opensFunction,
  parameterName,
  peeled,
  staticText,
  stringTypes,
  templateTypes,
  wordsBetween,
  writtenParts,
} from "./syntax-forms.ts";

/** The steps of a rule over a file are used up. */
export class MatchBudgetExhausted extends Error {}

/** One rule over one file may compare this often: ordinary rules need a few hundred comparisons. */
const stepsMax = 50_000;
/** Ways to match one place; more differ in what nobody asks about. */
const waysMax = 64;

/** Counts comparisons, so that a rule ends after the same work on every machine. */
export class Budget {
  readonly #limit: TimeLimit;
  #left = stepsMax;

  constructor(limit: TimeLimit = noLimit()) {
    this.#limit = limit;
  }

  /** @throws MatchBudgetExhausted, TimeUp */
  charge(steps = 1): void {
    this.#left -= steps;
    if (this.#left < 0) throw new MatchBudgetExhausted();
    this.#limit.check(steps);
  }
}

/** Compares patterns with the tree of one file. Every answer is the list of ways in which a pattern matches, empty for none. */
export class Matcher {
  readonly file: FileUnderMatch;
  readonly budget: Budget;

  constructor(file: FileUnderMatch, budget: Budget) {
    this.file = file;
    this.budget = budget;
  }

  node(pattern: Pattern, outer: SyntaxNode, bindings: Bindings): Bindings[] {
    this.budget.charge();
    const node = peeled(outer);
    switch (pattern.kind) {
      case "any":
        return this.#any(pattern, node, bindings);
      case "rest":
        return one(bound(bindings, pattern.name, this.#binding(node)));
      case "deep":
        return this.#deep(pattern.inner, node, bindings);
      case "chain":
        return this.#chain(pattern.of, node, bindings);
      case "text":
        return this.#text(pattern, node, bindings);
      case "template":
        return this.#isTemplate(node) ? [bindings] : [];
      case "path":
        return this.#isNamed(pattern.segments, node) ? [bindings] : [];
      case "assign":
        return this.#assign(pattern, node, bindings);
      case "node":
        return this.#alike(pattern, node, bindings);
    }
  }

  #any(pattern: Extract<Pattern, { kind: "any" }>, node: SyntaxNode, bindings: Bindings): Bindings[] {
    // Of a parameter it is the name that the body goes on with.
    const target = parameterName(node) ?? node;
    if (pattern.type !== null && !this.#hasType(target, pattern.type)) return [];
    return one(bound(bindings, pattern.name, this.#binding(target)));
  }

  #hasType(node: SyntaxNode, wanted: string): boolean {
    const simple = (type: string) => type.replace(/^\*/, "").split(".").at(-1);
    if (simple(wanted) === "String" && stringTypes.has(node.type)) return true;
    if (node.type === "object_creation_expression") {
      const type = childIn(node, "type");
      return type !== undefined && simple(this.file.textOf(type).replace(/<[\s\S]*$/, "")) === simple(wanted);
    }
    const types = this.file.declaredTypes(this.file.textOf(node).replace(/^this\./, ""));
    return [...types].some((type) => simple(type) === simple(wanted));
  }

  #deep(inner: Pattern, node: SyntaxNode, bindings: Bindings): Bindings[] {
    const found: Bindings[] = [];
    for (const below of descendants(node)) {
      // A wrapper and what it wraps are one thing.
      if (peeled(below) === below) found.push(...this.node(inner, below, bindings));
      if (found.length >= waysMax) break;
    }
    return found.slice(0, waysMax);
  }

  /** The receiver itself, its receiver, and so on. */
  #chain(of: Pattern, node: SyntaxNode, bindings: Bindings): Bindings[] {
    for (let here: SyntaxNode | undefined = node; here; here = receiverOf(here)) {
      const found = this.node(of, here, bindings);
      if (found.length > 0) return found;
    }
    return [];
  }

  #text(pattern: Extract<Pattern, { kind: "text" }>, node: SyntaxNode, bindings: Bindings): Bindings[] {
    const literal = this.#literalOf(node);
    if (!literal) return [];
    const content = staticText(literal, this.file.text);
    if (pattern.name !== null) {
      if (content === null) return [];
      const quote = Math.max(0, this.file.textOf(literal).indexOf(content));
      const start = literal.start + quote;
      return one(bound(bindings, pattern.name, { start, end: start + content.length, text: content, node: null }));
    }
    return pattern.content === null || pattern.content === content ? [bindings] : [];
  }

  /** Text that is written there, or that the name there always stands for. */
  #literalOf(node: SyntaxNode): SyntaxNode | null {
    if (isConstant(node, this.file.text)) return node;
    const isName = groupOf(node.type) === "name" || node.type === "variable_name";
    return isName ? this.file.constant(this.file.textOf(node)) : null;
  }

  #isTemplate(node: SyntaxNode): boolean {
    if (templateTypes.has(node.type)) return true;
    return stringTypes.has(node.type) && /^[a-zA-Z]*[fF]/.test(this.file.text.slice(node.start, node.start + 3));
  }

  #isNamed(segments: readonly string[], node: SyntaxNode): boolean {
    const name = dottedName(node.type === "generic_type" ? (node.children[0] as SyntaxNode) : node, this.file.text);
    return name !== null && this.#names(segments.join("."), name);
  }

  /** Whether a name of the file, as it is written or by what its first part was imported from, is the one wanted. */
  #names(wanted: string, [first = "", ...others]: readonly string[]): boolean {
    const tail = others.length > 0 ? `.${others.join(".")}` : "";
    return first + tail === wanted || this.file.qualified(first).some((module) => module + tail === wanted);
  }

  #assign(pattern: Extract<Pattern, { kind: "assign" }>, node: SyntaxNode, bindings: Bindings): Bindings[] {
    const declarations = declared(node);
    if (declarations.length > 0) return this.#first(declarations, (one) => this.#assign(pattern, one, bindings));
    const sides = assignmentOf(node, this.file.text);
    if (!sides) return [];
    return this.node(pattern.left, sides.left, bindings).flatMap((left) => this.node(pattern.right, sides.right, left));
  }

  #first<T>(among: readonly T[], match: (one: T) => Bindings[]): Bindings[] {
    for (const one of among) {
      const found = match(one);
      if (found.length > 0) return found;
    }
    return [];
  }

  #alike(pattern: PatternNode, node: SyntaxNode, bindings: Bindings): Bindings[] {
    const group = groupOf(node.type);
    if (group !== pattern.type) {
      if (node.type === "generic_type" && node.children[0]) return this.#alike(pattern, node.children[0], bindings);
      return this.#imported(pattern, node, bindings);
    }
    if (pattern.token !== null && node.children.length === 0)
      return this.file.textOf(node).replace(/\s+/g, "") === pattern.token ? [bindings] : [];
    if (!this.#wordsFit(pattern, node)) return [];
    return this.#children(pattern, node, bindings);
  }

  /** `module.$F` also means a name that was imported from the module. */
  #imported(pattern: PatternNode, node: SyntaxNode, bindings: Bindings): Bindings[] {
    const [of, name] = pattern.children;
    if (groupOf(node.type) !== "name" || pattern.children.length !== 2) return [];
    if (of?.pattern.kind !== "path" || name?.pattern.kind !== "any") return [];
    const module = `${of.pattern.segments.join(".")}.`;
    const full = this.file.qualified(this.file.textOf(node)).find((path) => path.startsWith(module));
    if (full === undefined) return [];
    return one(bound(bindings, name.pattern.name, { ...this.#binding(node), text: full.slice(module.length) }));
  }

  /** Operators must agree; modifiers that the pattern does not name may be there. */
  #wordsFit({ words }: PatternNode, node: SyntaxNode): boolean {
    const own = wordsBetween(node, this.file.text);
    if (own.length === 0 && words.length === 0) return true;
    const missing = words.filter((word) => !own.includes(word));
    // `var` in a pattern means any declaration.
    if (missing.some((word) => word !== "var" && word !== "function")) return false;
    return own.every(
      (word) =>
        words.includes(word) || modifierWords.has(word) || word === "function" || word === "=>" || word === "def",
    );
  }

  #children(pattern: PatternNode, node: SyntaxNode, bindings: Bindings): Bindings[] {
    if (unordered.has(node.type)) return this.#unordered(pattern.children, node.children, bindings, node.type);
    if (node.type === "argument_list" || node.type === "arguments") {
      const isNamed = (child: SyntaxNode) => child.type === "keyword_argument";
      const wanted = pattern.children.filter(({ pattern: p }) => p.kind === "node" && p.type === "keyword_argument");
      if (wanted.length > 0 || node.children.some(isNamed))
        return this.#arguments(pattern, node, wanted, isNamed, bindings);
    }
    return this.#list(pattern, 0, writtenParts(node), 0, bindings);
  }

  /** Arguments by name may come in any order. */
  #arguments(
    pattern: PatternNode,
    node: SyntaxNode,
    wanted: readonly PatternChild[],
    isNamed: (child: SyntaxNode) => boolean,
    bindings: Bindings,
  ): Bindings[] {
    const named = node.children.filter(isNamed);
    const open = pattern.children.some(({ pattern: p }) => p.kind === "rest");
    const positional = { ...pattern, children: pattern.children.filter((child) => !wanted.includes(child)) };
    const others = node.children.filter((child) => !isNamed(child));
    const rest: PatternChild[] = open ? [{ field: null, pattern: { kind: "rest", name: "" } }] : [];
    return this.#list(positional, 0, others, 0, bindings).flatMap((found) =>
      this.#unordered([...wanted, ...rest], named, found, "arguments"),
    );
  }

  #unordered(
    patterns: readonly PatternChild[],
    nodes: readonly SyntaxNode[],
    bindings: Bindings,
    type: string,
  ): Bindings[] {
    const wanted = patterns.filter(({ pattern }) => pattern.kind !== "rest");
    const rest = patterns.find(({ pattern }) => pattern.kind === "rest");
    const open = rest !== undefined || type === "modifiers" || type === "decorated_definition";
    if (wanted.length > nodes.length || (!open && wanted.length < nodes.length)) return [];
    const [first, ...others] = wanted;
    if (!first) return [bindings];
    const remaining = rest ? [...others, rest] : others;
    const found: Bindings[] = [];
    for (const node of nodes) {
      const left = nodes.filter((other) => other !== node);
      for (const one of this.node(first.pattern, node, bindings)) {
        found.push(...this.#unordered(remaining, left, one, type));
        if (found.length >= waysMax) return found;
      }
    }
    return found;
  }

  /** Children in order: an ellipsis covers any number, and what is optional may be skipped. */
  #list(pattern: PatternNode, i: number, nodes: readonly SyntaxNode[], j: number, bindings: Bindings): Bindings[] {
    this.budget.charge();
    const wanted = pattern.children[i];
    const node = nodes[j];
    // A function that has no name of its own is meant too, unless the name is asked for.
    const isUnnamed = wanted?.field === "name" && node?.field !== "name" && wanted.pattern.kind === "any";
    if (isUnnamed && pattern.type === "function") return this.#list(pattern, i + 1, nodes, j, bindings);
    if (!wanted) return nodes.slice(j).every((left) => this.#maySkip(pattern, left)) ? [bindings] : [];
    if (wanted.pattern.kind === "rest") return this.#rest(pattern, i, nodes, j, bindings);
    if (!node) return [];
    const found = fieldsFit(wanted.field, node.field)
      ? this.#element(wanted.pattern, node, bindings).flatMap((next) => this.#list(pattern, i + 1, nodes, j + 1, next))
      : [];
    if (found.length > 0 || !this.#maySkip(pattern, node)) return found.slice(0, waysMax);
    return this.#list(pattern, i, nodes, j + 1, bindings);
  }

  #rest(pattern: PatternNode, i: number, nodes: readonly SyntaxNode[], j: number, bindings: Bindings): Bindings[] {
    const { field, pattern: rest } = pattern.children[i] as PatternChild & { pattern: { name: string } };
    const found: Bindings[] = [];
    const isStatements = holdsNested.test(pattern.type);
    const next = pattern.children[i + 1];
    for (let end = j; end <= nodes.length; end++) {
      if (
        end > j &&
        !fieldsFit(field, (nodes[end - 1] as SyntaxNode).field) &&
        !this.#maySkip(pattern, nodes[end - 1] as SyntaxNode)
      )
        break;
      const covered = bound(bindings, rest.name, this.#stretch(nodes.slice(j, end), nodes[j]?.start ?? 0));
      if (covered && (next || end === nodes.length)) found.push(...this.#list(pattern, i + 1, nodes, end, covered));
      if (found.length >= waysMax) return found;
    }
    // After an ellipsis the next statement may lie in a block further inside.
    if (found.length === 0 && isStatements && next && j < nodes.length) {
      const flat = nestedStatements(nodes.slice(j));
      for (const [at, inner] of flat.entries())
        for (const one of this.node(next.pattern, inner, bindings))
          found.push(...this.#list(pattern, i + 2, flat, at + 1, one));
    }
    return found;
  }

  #element(pattern: Pattern, node: SyntaxNode, bindings: Bindings): Bindings[] {
    const direct = this.node(pattern, node, bindings);
    if (direct.length > 0 || pattern.kind === "any") return direct;
    const name = parameterName(node);
    return name ? this.node(pattern, name, bindings) : [];
  }

  #maySkip(pattern: PatternNode, node: SyntaxNode): boolean {
    if (pattern.type === "function" && node.field === "name" && !pattern.children.some(({ field }) => field === "name"))
      return true;
    return (
      isOptional(node, pattern.type) && !pattern.children.some(({ field }) => field !== null && field === node.field)
    );
  }

  /** Statements that follow each other, from one place of a list on; `end` is where the last one ends. */
  sequence(
    items: readonly Pattern[],
    nodes: readonly SyntaxNode[],
    from: number,
  ): { bindings: Bindings; end: number }[] {
    return this.#sequence(
      items,
      0,
      nodes,
      from,
      new Map(),
      (nodes[from] as SyntaxNode).start,
      (nodes.at(-1) as SyntaxNode).end,
    );
  }

  #sequence(
    items: readonly Pattern[],
    i: number,
    nodes: readonly SyntaxNode[],
    j: number,
    bindings: Bindings,
    end: number,
    blockEnd: number,
  ): { bindings: Bindings; end: number }[] {
    this.budget.charge();
    const item = items[i];
    if (!item) return [{ bindings, end }];
    if (item.kind === "rest") {
      if (i === items.length - 1) return [{ bindings, end: Math.max(end, blockEnd) }];
      const flat = nestedStatements(nodes.slice(j));
      const found: { bindings: Bindings; end: number }[] = [];
      for (const at of flat.keys()) {
        for (const one of this.node(items[i + 1] as Pattern, flat[at] as SyntaxNode, bindings))
          found.push(
            ...this.#sequence(items, i + 2, flat, at + 1, one, Math.max(end, (flat[at] as SyntaxNode).end), blockEnd),
          );
        if (found.length >= waysMax) break;
      }
      return found;
    }
    const node = nodes[j];
    if (!node) return [];
    return this.node(item, node, bindings).flatMap((one) =>
      this.#sequence(items, i + 1, nodes, j + 1, one, Math.max(end, node.end), blockEnd),
    );
  }

  #binding(node: SyntaxNode): Binding {
    return { start: node.start, end: node.end, text: this.file.textOf(node), node };
  }

  #stretch(nodes: readonly SyntaxNode[], at: number): Binding {
    const start = nodes[0]?.start ?? at;
    const end = nodes.at(-1)?.end ?? start;
    return { start, end, text: this.file.text.slice(start, end), node: null };
  }
}

const holdsNested =
  /^(program|module|block|statement_block|compound_statement|source_file|constructor_body|statement_list)$/;
/** Order means nothing in these. */
const unordered = new Set([
  "object",
  "dictionary",
  "modifiers",
  "annotation_argument_list",
  "decorated_definition",
  "literal_value",
  "object_pattern",
]);

const one = (bindings: Bindings | null): Bindings[] => (bindings ? [bindings] : []);

/** Grammars name the same place in functions and methods, loops and branches alike; a name on one side only is a wrapper's. */
const fieldsFit = (wanted: string | null, given: string | null): boolean =>
  wanted === given || (wanted === "parameters" && given === "parameter") || wanted === "member" || given === "member";

/** Statements with those in their blocks, in source order; what another function does is another matter. */
function nestedStatements(nodes: readonly SyntaxNode[]): SyntaxNode[] {
  const found: SyntaxNode[] = [];
  const open = [...nodes].reverse().map((node) => ({ node, listed: true }));
  for (let next = open.pop(); next; next = open.pop()) {
    const { node, listed } = next;
    if (listed) found.push(node);
    if (
      opensFunction(node.type) ||
      !/statement|block|clause|body|case|group|^elif|^else|program|module/.test(node.type)
    )
      continue;
    const isList = holdsNested.test(node.type) || /case|group|clause/.test(node.type);
    for (let i = node.children.length - 1; i >= 0; i--) {
      const child = node.children[i] as SyntaxNode;
      open.push({ node: child, listed: isList || /statement$/.test(child.type) });
    }
  }
  return found;
}

/** What a call or member is applied to. */
function receiverOf(node: SyntaxNode): SyntaxNode | undefined {
  const member = memberOf(node);
  if (member) return member.of;
  const next = childIn(node, "object") ?? childIn(node, "function") ?? childIn(node, "operand");
  return next && peeled(next);
}
