import type { RE2JS } from "re2js";
import { childIn, type SyntaxNode } from "../parse/syntax.ts";
import { importsOf, inAnyOrder, partial, unordered } from "./any-order.ts";
import { type Binding, type Bindings, bound } from "./bindings.ts";
import { descendants, type FileUnderMatch, isConstant } from "./file-under-match.ts";
import { type Budget, waysMax } from "./match-budget.ts";
import { NestedStatements } from "./nested-statements.ts";
import type { Pattern, PatternChild, PatternNode } from "./pattern.ts";
import {
  callsAnything,
  computes,
  declaredName,
  fieldsFit,
  holdsNested,
  isOpen,
  nameless,
  receiverOf,
  standIn,
} from "./pattern-forms.ts";
import {
  anyFor,
  assignmentOf,
  declared,
  dottedName,
  forTypes,
  groupOf,
  isCall,
  isMember,
  isNamed,
  isOptional,
  modifierWords,
  opensFunction,
  parameterName,
  peeled,
  stringTypes,
  templateTypes,
  wordsBetween,
  writtenParts,
} from "./syntax-forms.ts";

/** Compares patterns with the tree of one file. Every answer is the list of ways in which a pattern matches, empty for none. */
export class Matcher {
  readonly file: FileUnderMatch;
  readonly budget: Budget;
  readonly nested: NestedStatements;

  constructor(file: FileUnderMatch, budget: Budget) {
    this.file = file;
    this.budget = budget;
    this.nested = new NestedStatements(budget);
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
      case "stated":
        return this.#stated(pattern.inner, node, bindings);
      case "node":
        return this.#alike(pattern, node, bindings, outer);
    }
  }

  #any(pattern: Extract<Pattern, { kind: "any" }>, node: SyntaxNode, bindings: Bindings): Bindings[] {
    // Of a parameter it is the name that the body goes on with.
    const target = parameterName(node) ?? (node.type === "variable_declarator" ? declaredName(node) : node);
    if (target === null || nameless.test(node.type)) return [];
    if (pattern.type !== null && !this.#hasType(target, pattern.type)) return [];
    return one(bound(bindings, pattern.name, this.#binding(target)));
  }

  #hasType(node: SyntaxNode, wanted: string): boolean {
    const simple = (type: string) =>
      type
        .replace(/^\*|<[\s\S]*$/g, "")
        .split(".")
        .at(-1);
    if (simple(wanted) === "String" && stringTypes.has(node.type)) return true;
    if (node.type === "object_creation_expression") {
      const type = childIn(node, "type");
      return type !== undefined && simple(this.file.textOf(type).replace(/<[\s\S]*$/, "")) === simple(wanted);
    }
    const types = this.file.declaredTypes(this.file.textOf(node).replace(/^this\./, ""));
    return [...types].some((type) => simple(type) === simple(wanted));
  }

  /** The statement itself, or what it assigns, declares or gives is computed with it. */
  #stated(inner: Pattern, node: SyntaxNode, bindings: Bindings): Bindings[] {
    const found = this.node(inner, node, bindings);
    return found.length > 0 || !computes.test(node.type) ? found : this.#deep(inner, node, bindings);
  }

  #deep(inner: Pattern, node: SyntaxNode, bindings: Bindings): Bindings[] {
    const found: Bindings[] = [];
    for (const below of descendants(node, ({ type }) => !opensFunction(type))) {
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
    // The key of an entry needs no quotes.
    if (node.field === "key" && isNamed(node) && pattern.name === null)
      return this.#fits(pattern.content, this.file.textOf(node)) ? [bindings] : [];
    const literal = this.#literalOf(node);
    if (!literal) return [];
    const content = this.file.knownText(literal);
    if (pattern.name !== null) {
      if (content === null) return [];
      const quote = Math.max(0, this.file.textOf(literal).indexOf(content));
      const start = literal.start + quote;
      return one(bound(bindings, pattern.name, { start, end: start + content.length, text: content, node: null }));
    }
    return this.#fits(pattern.content, content) ? [bindings] : [];
  }

  /** Whether a text is the one that a pattern asks for; of computed ones nothing is known. */
  #fits(wanted: string | RE2JS | null, content: string | null): boolean {
    if (wanted === null || typeof wanted === "string") return wanted === null || wanted === content;
    if (content === null) return false;
    this.budget.chargeRegex(wanted, content.length);
    return wanted.test(content);
  }

  /** Text that is written there, or that the name there always stands for. */
  #literalOf(node: SyntaxNode): SyntaxNode | null {
    if (isConstant(node, this.file.text)) return node;
    const value = isNamed(node) ? this.file.constant(this.file.textOf(node)) : null;
    if (value && isConstant(value, this.file.text)) return value;
    return this.file.knownText(node) === null ? null : node;
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
    if (!sides || (pattern.short && node.type !== "short_var_declaration")) return [];
    return this.node(pattern.left, sides.left, bindings).flatMap((left) => this.node(pattern.right, sides.right, left));
  }

  #first<T>(among: readonly T[], match: (one: T) => Bindings[]): Bindings[] {
    for (const one of among) {
      const found = match(one);
      if (found.length > 0) return found;
    }
    return [];
  }

  #alike(pattern: PatternNode, node: SyntaxNode, bindings: Bindings, outer: SyntaxNode = node): Bindings[] {
    if (callsAnything(pattern)) return this.#anyCall(pattern, node, bindings);
    if (pattern.type === anyFor && forTypes.includes(node.type))
      return this.#list(
        pattern,
        0,
        node.children.filter(({ field }) => field === "body"),
        0,
        bindings,
      );
    if (pattern.named && node.type === "function_expression") return [];
    const group = groupOf(node.type);
    if (group !== pattern.type) {
      const instead = standIn(pattern, outer);
      if (instead) return this.#list(pattern, 0, instead, 0, bindings);
      if (node.type === "generic_type" && node.children[0]) return this.#alike(pattern, node.children[0], bindings);
      if (pattern.token !== null && isNamed(node)) return this.#isConstant(pattern, node) ? [bindings] : [];
      return this.#imported(pattern, node, bindings);
    }
    if (pattern.token !== null && node.children.length === 0)
      return this.#isToken(pattern.token, node) ? [bindings] : [];
    if (!isCall(pattern.type) && !this.#wordsFit(pattern, node)) return [];
    return this.#children(pattern, node, bindings);
  }

  #isToken(token: string, node: SyntaxNode): boolean {
    const written = this.file.textOf(node).replace(/\s+/g, "");
    return written === token || (/^(boolean|null)$/.test(node.type) && written.toLowerCase() === token.toLowerCase());
  }

  /** A number or truth value that the name there always stands for. */
  #isConstant({ type, token }: PatternNode, name: SyntaxNode): boolean {
    const value = this.file.constant(this.file.textOf(name));
    return value !== null && groupOf(value.type) === type && this.#isToken(token as string, value);
  }

  /** `$F(...)` means functions and methods: the name stands for all that is called. */
  #anyCall(pattern: PatternNode, node: SyntaxNode, bindings: Bindings): Bindings[] {
    const [callee, list] = pattern.children as readonly [PatternChild, PatternChild];
    const given = isCall(node.type) ? childIn(node, "arguments") : undefined;
    const last = given && node.children[node.children.indexOf(given) - 1];
    if (!given || !last || callee.pattern.kind !== "any") return [];
    const name = node.children.filter((child) => child.end <= last.end);
    const called = name.length === 1 ? this.#binding(peeled(last)) : this.#stretch(name, node.start);
    const known = bound(bindings, callee.pattern.name, called);
    return known ? this.node(list.pattern, given, known) : [];
  }

  /** `module.$F` also means a name that was imported from the module. */
  #imported(pattern: PatternNode, node: SyntaxNode, bindings: Bindings): Bindings[] {
    const [of, name] = pattern.children;
    if (!of || !name || groupOf(node.type) !== "name" || !isMember(pattern.type)) return [];
    const written = this.file.textOf(node);
    // What all of a package may have brought is asked for by its name only.
    const paths = of.pattern.kind === "any" ? this.file.imported(written) : this.file.qualified(written);
    for (const path of paths) {
      const dot = path.lastIndexOf(".");
      const found =
        dot < 0
          ? []
          : this.#part(of.pattern, node, path.slice(0, dot), bindings).flatMap((known) =>
              this.#part(name.pattern, node, path.slice(dot + 1), known),
            );
      if (found.length > 0) return found;
    }
    return [];
  }

  /** A part of the name that something was imported by. */
  #part(pattern: Pattern, node: SyntaxNode, part: string, bindings: Bindings): Bindings[] {
    if (pattern.kind === "any") return one(bound(bindings, pattern.name, { ...this.#binding(node), text: part }));
    return pattern.kind === "path" && pattern.segments.join(".") === part ? [bindings] : [];
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
    if (importing.has(node.type)) return importsOf(this, pattern, node, bindings);
    if (unordered.has(node.type))
      return inAnyOrder(this, pattern.children, node.children, bindings, partial.has(node.type));
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
      inAnyOrder(this, [...wanted, ...rest], named, found),
    );
  }

  /** Children in order: an ellipsis covers any number, and what is optional may be skipped. */
  #list(pattern: PatternNode, i: number, nodes: readonly SyntaxNode[], j: number, bindings: Bindings): Bindings[] {
    this.budget.charge();
    const wanted = pattern.children[i];
    const node = nodes[j];
    // A function that has no name of its own is meant too, unless the name is asked for.
    const isUnnamed = wanted?.field === "name" && node?.field !== "name" && wanted.pattern.kind === "any";
    if (isUnnamed && pattern.type === "function" && !pattern.named)
      return this.#list(pattern, i + 1, nodes, j, bindings);
    if (!wanted) return nodes.slice(j).every((left) => this.#maySkip(pattern, left)) ? [bindings] : [];
    if (wanted.pattern.kind === "rest") return this.#rest(pattern, i, nodes, j, bindings);
    // `class $C(...)` also means a class that extends nothing.
    if (wanted.field === "superclasses" && node?.field !== "superclasses" && isOpen(wanted.pattern))
      return this.#list(pattern, i + 1, nodes, j, bindings);
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
      const flat = this.nested.of(nodes.slice(j));
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

  #binding(node: SyntaxNode): Binding {
    return { start: node.start, end: node.end, text: this.file.textOf(node), node };
  }

  #stretch(nodes: readonly SyntaxNode[], at: number): Binding {
    const start = nodes[0]?.start ?? at;
    const end = nodes.at(-1)?.end ?? start;
    return { start, end, text: this.file.text.slice(start, end), node: null };
  }
}

const importing = new Set(["import_statement", "import_from_statement", "import_declaration"]);

const one = (bindings: Bindings | null): Bindings[] => (bindings ? [bindings] : []);
