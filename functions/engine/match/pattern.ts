import type { RE2JS } from "re2js";
import type { SourceParser } from "../parse/parser.ts";
import { childIn, type Syntax, type SyntaxNode } from "../parse/syntax.ts";
import { type ParseableText, parseableTexts, type TypedNames } from "./pattern-text.ts";
import { deepName, ellipsisIn, isStandIn, metavariableIn } from "./placeholders.ts";
import { compileRegex, RegexRefused } from "./regular-expression.ts";
import {
  anyFor,
  assignmentOf,
  dottedName,
  groupOf,
  isCall,
  peeled,
  staticText,
  stringTypes,
  templateTypes,
  wordsBetween,
  writtenParts,
} from "./syntax-forms.ts";

/** A pattern as it is compared with the tree of a file. */
export type Pattern =
  | { readonly kind: "any"; readonly name: string; readonly type: string | null }
  | { readonly kind: "rest"; readonly name: string }
  | { readonly kind: "deep"; readonly inner: Pattern }
  /** The receiver somewhere in a chain of calls and members: `$X. ... .end()`. */
  | { readonly kind: "chain"; readonly of: Pattern }
  | { readonly kind: "text"; readonly content: string | RE2JS | null; readonly name: string | null }
  | { readonly kind: "template" }
  | { readonly kind: "path"; readonly segments: readonly string[] }
  /** `short`: only where the variable is made by it, as by `:=` in Go. */
  | { readonly kind: "assign"; readonly left: Pattern; readonly right: Pattern; readonly short: boolean }
  /** An expression that is a statement: `require("a")` is meant in `const a = require("a")` as well. */
  | { readonly kind: "stated"; readonly inner: PatternNode }
  | PatternNode;

export interface PatternNode {
  readonly kind: "node";
  readonly type: string;
  /** Without white space, of a node that has no children. */
  readonly token: string | null;
  readonly children: readonly PatternChild[];
  /** Keywords and operators that stand between the children. */
  readonly words: readonly string[];
  /** A function with this name, whatever it is; an expression may have it or not. */
  readonly named: boolean;
}

export interface PatternChild {
  readonly field: string | null;
  readonly pattern: Pattern;
}

/** One expression, statement or member, or several statements that follow each other. */
export interface CompiledPattern {
  readonly items: readonly Pattern[];
  /** Names that stand in every file with a match. */
  readonly words: readonly string[];
}

/** Longer or deeper patterns are not written by people. */
const charactersMax = 10_000;
const depthMax = 150;

/** Why a pattern cannot be used. */
export class PatternRefused extends Error {}

/**
 * Parses a pattern as code of a language.
 * @throws PatternRefused when the grammar does not take it
 */
export async function compilePattern(parser: SourceParser, source: string, grammar: string): Promise<CompiledPattern> {
  if (source.length > charactersMax) throw new PatternRefused(`the pattern is longer than ${charactersMax} characters`);
  const { texts, types } = parseableTexts(source, grammar);
  for (const text of texts) {
    const parsed = await parser.parse(text.text, grammar);
    if ("failure" in parsed || parsed.syntax.errors.length > 0) continue;
    if (parsed.syntax.depth > depthMax) throw new PatternRefused("the pattern is nested too deeply");
    const nodes = codeOf(text, parsed.syntax);
    if (nodes.length === 0) continue;
    const compiler = new Compiler(text.text, types);
    const items =
      nodes.length > 1 ? nodes.map((node) => compiler.statement(node)) : nodes.map((node) => compiler.pattern(node));
    while (items.length > 1 && items[0]?.kind === "rest") items.shift();
    // Alone it is any expression, for a metavariable of which something else is asked as well.
    if (items[0]?.kind === "rest") return { items: [{ kind: "any", name: "", type: null }], words: [] };
    return { items, words: wordsOf(source) };
  }
  throw new PatternRefused(`the pattern is no ${grammar} code`);
}

/** An ellipsis, or what stands between two of them. */
const isBlank = ({ pattern }: PatternChild): boolean =>
  pattern.kind === "rest" || (pattern.kind === "node" && pattern.token === ";");

/** The nodes of the pattern itself, without what was put around it. */
function codeOf({ within }: ParseableText, { root }: Syntax): SyntaxNode[] {
  const top = root.children.filter((node) => node.type !== "php_tag" && node.type !== "empty_statement");
  if (within === "top") return top;
  const [holder] = top;
  if (within === "annotated") return holder?.children.find((child) => child.type === "modifiers")?.children ?? [];
  const body = holder?.children.find((child) => child.field === "body")?.children ?? [];
  const [only] = body;
  const inner = body.length === 1 && only?.type === "statement_list" ? only.children : body;
  return inner.filter((node) => node.type !== "empty_statement");
}

class Compiler {
  readonly #text: string;
  readonly #types: TypedNames;

  constructor(text: string, types: TypedNames) {
    this.#text = text;
    this.#types = types;
  }

  /** One of several statements. */
  statement(node: SyntaxNode): Pattern {
    const pattern = this.pattern(node);
    return node.type === "expression_statement" && pattern.kind === "node" && isCall(pattern.type)
      ? { kind: "stated", inner: pattern }
      : pattern;
  }

  pattern(outer: SyntaxNode): Pattern {
    const node = peeled(outer);
    const own = this.#text.slice(node.start, node.end).trim();
    const plain = own.replace(/^(\w+)(?:: | = )\1$/, "$1").replace(/^(int|public|SlcEllipsis__) /, "");
    const ellipsis = ellipsisIn(plain);
    if (ellipsis !== null) return { kind: "rest", name: ellipsis };
    const name = metavariableIn(own);
    if (name !== null) return { kind: "any", name, type: this.#types.get(name) ?? null };
    const deep = this.#deep(node);
    if (deep) return deep;
    if (stringTypes.has(node.type) || templateTypes.has(node.type)) {
      const text = this.#string(node);
      if (text) return text;
    }
    const dotted = dottedName(node, this.#text);
    if (dotted && !dotted.some((word) => isStandIn(word) || metavariableIn(word)))
      return { kind: "path", segments: dotted };
    const assignment = assignmentOf(node, this.#text);
    // With a type it is more than an assignment.
    if (assignment && !childIn(node, "type"))
      return {
        kind: "assign",
        left: this.pattern(assignment.left),
        right: this.pattern(assignment.right),
        short: node.type === "short_var_declaration",
      };
    const chain = this.#chain(node);
    return chain ?? this.#node(node);
  }

  #deep(node: SyntaxNode): Pattern | null {
    const [callee, list, ...others] = node.children;
    if (!callee || !list || others.length > 0 || this.#text.slice(callee.start, callee.end) !== deepName) return null;
    const [inner] = list.children;
    return inner && list.children.length === 1 ? { kind: "deep", inner: this.pattern(inner) } : null;
  }

  #string(node: SyntaxNode): Pattern | null {
    const content = staticText(node, this.#text);
    if (content === null) return null;
    const isTemplate = templateTypes.has(node.type) || /^f/i.test(this.#text.slice(node.start, node.start + 2));
    if (content === "..." && isTemplate) return { kind: "template" };
    if (content === "...") return { kind: "text", content: null, name: null };
    const name = metavariableIn(content);
    return name ? { kind: "text", content: null, name } : { kind: "text", content: textOrRegex(content), name: null };
  }

  /** `X.SlcEllipsis__` as the receiver of something. */
  #chain(node: SyntaxNode): Pattern | null {
    const [of, member, ...others] = node.children;
    if (!of || !member || others.length > 0) return null;
    return ellipsisIn(this.#text.slice(member.start, member.end)) === "" &&
      /^(member|attribute|field_access|selector)/.test(node.type)
      ? { kind: "chain", of: this.pattern(of) }
      : null;
  }

  #node(node: SyntaxNode): PatternNode {
    const children: PatternChild[] = [];
    for (const child of writtenParts(node)) {
      const made = this.#child(child);
      // Two in a row say what one says.
      const last = children.at(-1);
      if (
        made.pattern.kind === "rest" &&
        made.pattern.name === "" &&
        last?.pattern.kind === "rest" &&
        last.field === made.field
      )
        continue;
      children.push(made);
    }
    const token = node.children.length === 0 ? this.#text.slice(node.start, node.end).replace(/\s+/g, "") : null;
    const words = wordsBetween(node, this.#text);
    const named = node.type !== "function_expression" && children.some(({ field }) => field === "name");
    // `for (...)` is any loop.
    const body = children.filter(({ field }) => field === "body");
    if (
      node.type === "for_statement" &&
      children.length > 1 &&
      children.every((child) => body.includes(child) || isBlank(child))
    )
      return { kind: "node", type: anyFor, token, children: body, words, named };
    return { kind: "node", type: groupOf(node.type), token, children, words, named };
  }

  #child(child: SyntaxNode): PatternChild {
    const isPiece = /^(string_content|string_fragment|interpreted_string_literal_content)$/.test(child.type);
    // `f"...{$X}..."`: any text around the value.
    if (isPiece && /^\.\.\.$/.test(this.#text.slice(child.start, child.end)))
      return { field: null, pattern: { kind: "rest", name: "" } };
    return { field: child.field, pattern: this.statement(child) };
  }
}

/** `"=~/^aes-/i"` asks for texts in which an expression finds something. */
function textOrRegex(content: string): string | RE2JS {
  const written = /^=~\/([\s\S]*)\/([ims]*)$/.exec(content);
  if (!written) return content;
  const [, source = "", flags = ""] = written;
  try {
    return compileRegex(flags === "" ? source : `(?${flags})${source}`);
  } catch (error) {
    if (!(error instanceof RegexRefused)) throw error;
    throw new PatternRefused(error.message);
  }
}

const keywords = new Set(
  "function return const class public private protected static void import from def new final async await null true false None True False else elif try catch except finally throw raise package func type var let string int".split(
    " ",
  ),
);

/** The names in a pattern that a file must have to match; import aliases still name what they import. */
function wordsOf(source: string): string[] {
  const plain = source.replace(/\$(\.\.\.)?\w+|(["'])=~\/.*?\2/g, " ");
  // Escapes in texts may be spelled in other ways.
  const words = plain.replace(/\\\w*/g, " ").match(/[A-Za-z_][A-Za-z0-9_]{2,}/g) ?? [];
  return [...new Set(words)].filter((word) => !keywords.has(word));
}
