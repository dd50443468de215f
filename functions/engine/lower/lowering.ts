import { intern } from "../ir/interned.ts";
import type { Argument, Constant, Expression, Literal, Module, Span, Statement, Unknown } from "../ir/ir.ts";
import type { Syntax, SyntaxNode } from "../parse/syntax.ts";
import { noLimit, type TimeLimit } from "../time-limit.ts";

/** Handlers recurse two or three frames a level; far below what the smallest worker stack bears, far above what people write. */
const nestingMax = 400;
/**
 * Nodes that a character of source may become; ordinary code makes one of three characters. Some constructs are lowered into two copies
 * of what they are about, as `x++` is, and thirty of them inside each other into a million million.
 */
const nodesPerCharacter = 8;
const nodesFree = 10_000;
/** Blanks between a comment and what it is about: a line's end and its indentation. */
const blanksMax = 200;

/** What the lowerings of all languages share: dispatch by node type, the nesting limit, and the count of what is not understood. */
export abstract class Lowering {
  readonly text: string;
  #nodes = 0;
  #unknown = 0;
  #depth = 0;
  #tooDeep = false;
  #comments: readonly Span[] = [];
  #limit = noLimit();

  constructor(text: string) {
    this.text = text;
  }

  /** Turns a whole file into IR. @throws TimeUp */
  module(syntax: Syntax, limit: TimeLimit = noLimit()): Module {
    this.#limit = limit;
    this.#comments = syntax.comments;
    const body = this.program(syntax.root);
    return {
      body,
      comments: syntax.comments,
      errors: syntax.errors,
      nodes: this.#nodes,
      unknown: this.#unknown,
      tooDeep: this.#tooDeep,
    };
  }

  /** The statements of a file, in the order in which they are to be run. */
  protected program(root: SyntaxNode): Statement[] {
    return this.statements(root.children);
  }

  protected abstract lowerExpression(node: SyntaxNode): Expression | null;
  protected abstract lowerStatement(node: SyntaxNode): Statement[] | null;

  /** Lowers a value. Never fails: what is not known becomes Unknown with everything it reads. */
  expression(node: SyntaxNode): Expression {
    return (
      this.nested(() => this.lowerExpression(node) ?? this.unknown(node)) ?? {
        ...span(node),
        kind: "unknown",
        reads: [],
      }
    );
  }

  statement(node: SyntaxNode): Statement[] {
    return (
      this.nested(
        () => this.lowerStatement(node) ?? [{ ...span(node), kind: "expression", value: this.expression(node) }],
      ) ?? []
    );
  }

  statements(nodes: readonly SyntaxNode[]): Statement[] {
    return nodes.flatMap((node) => this.statement(node));
  }

  /** Lowers one level deeper; null below the limit. Whatever recurses without a value or a statement goes through this. */
  nested<T>(lower: () => T): T | null {
    this.#nodes++;
    this.#limit.check();
    if (this.#depth >= nestingMax || this.#nodes > nodesFree + nodesPerCharacter * this.text.length) {
      this.#tooDeep = true;
      return null;
    }
    this.#depth++;
    try {
      return lower();
    } finally {
      this.#depth--;
    }
  }

  /** Keeps taint flowing through a construct that has no lowering, and counts it. */
  unknown(node: SyntaxNode): Unknown {
    this.#unknown++;
    return this.reads(node, node.children);
  }

  /** A value made of several others in a way that does not matter: taint passes, nothing else does. */
  reads(node: SyntaxNode, from: readonly SyntaxNode[]): Unknown {
    return { ...span(node), kind: "unknown", reads: from.map((child) => this.expression(child)) };
  }

  /** The comment that ends where a node begins, but for blanks. */
  commentBefore({ start }: Span): Span | null {
    let [low, high] = [0, this.#comments.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#comments[middle] as Span).end <= start) low = middle + 1;
      else high = middle;
    }
    const last = this.#comments[low - 1];
    return last && start - last.end <= blanksMax && !this.text.slice(last.end, start).trim() ? last : null;
  }

  textOf(node: Span): string {
    return intern(this.text.slice(node.start, node.end));
  }

  literal(node: Span, value: Constant): Literal {
    return { ...span(node), kind: "literal", value };
  }

  variable(node: Span, name = this.textOf(node)): Expression {
    return { ...span(node), kind: "variable", name };
  }

  call(node: Span, callee: Expression, args: Argument[]): Expression {
    return { ...span(node), kind: "call", callee, args, isNew: false };
  }

  /** A left-leaning chain of one operator becomes one flat operation, however long it is. */
  chain(
    node: SyntaxNode,
    parts: (node: SyntaxNode) => { left: SyntaxNode; operator: string; right: SyntaxNode } | null,
  ): Expression {
    const first = parts(node);
    if (!first) return this.unknown(node);
    const rights: SyntaxNode[] = [];
    let here = node;
    for (;;) {
      const step = parts(here);
      if (!step || step.operator !== first.operator) break;
      rights.push(step.right);
      here = step.left;
    }
    const operands = [here, ...rights.reverse()].map((operand) => this.expression(operand));
    return { ...span(node), kind: "operation", operator: first.operator, operands };
  }
}

export const span = (node: Span): Span => ({ start: node.start, end: node.end });

export const positional = (value: Expression): Argument => ({ name: null, spread: false, value });

/** The value of a number as the languages write it; null for what JavaScript cannot hold exactly. */
export function numberOf(text: string): number | null {
  const value = Number(
    text
      .replace(/_/g, "")
      .replace(/[lLfFdDn]$/, (suffix) => (/^0[xX]/.test(text) && /[fFdD]/.test(suffix) ? suffix : "")),
  );
  return Number.isFinite(value) ? value : null;
}

const escapes: Record<string, string> = { n: "\n", t: "\t", r: "\r", b: "\b", f: "\f", "0": "\0", v: "\v" };

/** Undoes the escapes that matter for names and paths; unknown ones stay as the character escaped. */
export function unescapeText(raw: string): string {
  if (!raw.includes("\\")) return raw;
  return raw.replace(
    /\\(?:u\{([0-9a-fA-F]{1,6})\}|u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})|(\r?\n)|([\s\S]))/g,
    (_, brace, four, two, line, one) => {
      const code = brace ?? four ?? two;
      if (code !== undefined) {
        const point = Number.parseInt(code, 16);
        return point <= 0x10ffff ? String.fromCodePoint(point) : "\ufffd";
      }
      return line !== undefined ? "" : (escapes[one] ?? one);
    },
  );
}
