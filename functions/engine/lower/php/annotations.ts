import type { Argument, Entry, Expression, Span } from "../../ir/ir.ts";
import { positional, span } from "../lowering.ts";
import type { PhpLowering } from "./php-lowering.ts";

/**
 * The annotations in the doc comment of a declaration, which frameworks read like attributes: `@Route("/x", methods={"GET"})` lowers to
 * Route("/x", methods: ["GET"]). A name that nothing has imported belongs to a documentation tool.
 */
export function annotationsOf(l: PhpLowering, declaration: Span): Expression[] {
  const comment = l.commentBefore(declaration);
  if (!comment || !l.text.startsWith("/**", comment.start)) return [];
  const reader = new AnnotationReader(l, comment);
  const found: Expression[] = [];
  for (let one = reader.next(); one && found.length < annotationsMax; one = reader.next()) found.push(one);
  return found;
}

/** Of one declaration; people write a handful. */
const annotationsMax = 100;

const blank = /[\s*]*/y;
const start = /@(?=\\?[A-Za-z_])/g;
const name = /\\?[A-Za-z_][\w\\]*/y;
const constant = /\\?[A-Za-z_][\w\\]*(?:::\w+)?/y;
const string = /"[^"]*(?:""[^"]*)*"/y;
const number = /-?\d+(?:\.\d+)?/y;
const keywords = new Map<string, boolean | null>([
  ["true", true],
  ["false", false],
  ["null", null],
]);

/** Reads the syntax of Doctrine's annotations from one comment. What is no annotation ends the one that it stands in. */
class AnnotationReader {
  readonly #l: PhpLowering;
  readonly #text: string;
  readonly #offset: number;
  #at = 0;

  constructor(l: PhpLowering, comment: Span) {
    this.#l = l;
    this.#text = l.textOf(comment);
    this.#offset = comment.start;
  }

  /** The next annotation; an address of mail is none. */
  next(): Expression | null {
    start.lastIndex = this.#at;
    for (let found = start.exec(this.#text); found; found = start.exec(this.#text)) {
      if (!/[\s*]/.test(this.#text.charAt(found.index - 1))) continue;
      this.#at = found.index;
      const read = this.#annotation();
      if (read) return read;
      start.lastIndex = Math.max(this.#at, found.index + 1);
    }
    return null;
  }

  #annotation(): Expression | null {
    const from = this.#at;
    this.#at++;
    const written = this.#token(name);
    if (written === null || !this.#l.names.isImported(written)) return null;
    const callee = this.#l.variable(this.#since(from + 1), this.#l.names.classNamed(written));
    const args = this.#text.charAt(this.#at) === "(" ? this.#items("(", ")", () => this.#argument()) : [];
    return this.#l.call(this.#since(from), callee, args);
  }

  #argument(): Argument | null {
    const from = this.#at;
    const key = this.#token(name);
    if (key !== null && this.#skip("=")) {
      const value = this.#value();
      return value && { name: `$${key}`, spread: false, value };
    }
    this.#at = from;
    const value = this.#value();
    return value && positional(value);
  }

  #value(): Expression | null {
    return this.#l.nested(() => {
      this.#blank();
      const from = this.#at;
      const first = this.#text.charAt(from);
      if (first === "@") return this.#annotation();
      if (first === "{") return this.#collection();
      const text = this.#token(string);
      if (text !== null) return this.#l.literal(this.#since(from), text.slice(1, -1).replaceAll('""', '"'));
      const digits = this.#token(number);
      if (digits !== null) return this.#l.literal(this.#since(from), Number(digits));
      const word = this.#token(constant);
      if (word === null) return null;
      const value = keywords.get(word.toLowerCase());
      return value === undefined ? this.#constant(from, word) : this.#l.literal(this.#since(from), value);
    });
  }

  #constant(from: number, word: string): Expression {
    const [type, member] = word.split("::") as [string, string | undefined];
    const of = this.#l.variable(this.#since(from), this.#l.names.classNamed(type));
    return member === undefined ? of : { ...this.#since(from), kind: "field", of, name: member };
  }

  #collection(): Expression {
    const from = this.#at;
    const entries = this.#items("{", "}", () => this.#entry());
    const shape = entries.some(({ key }) => key !== null) ? "map" : "list";
    return { ...this.#since(from), kind: "collection", shape, entries };
  }

  #entry(): Entry | null {
    const first = this.#value();
    if (!first || !(this.#skip("=") || this.#skip(":")))
      return first && { ...span(first), key: null, value: first, spread: false };
    const value = this.#value();
    const key = first.kind === "variable" ? this.#l.literal(first, this.#l.textOf(first)) : first;
    return value && { start: first.start, end: value.end, key, value, spread: false };
  }

  /** What stands between two brackets, up to what cannot be read. */
  #items<T>(open: string, close: string, read: () => T | null): T[] {
    const items: T[] = [];
    this.#skip(open);
    while (!this.#skip(close)) {
      const item = read();
      if (item === null) break;
      items.push(item);
      this.#skip(",");
    }
    return items;
  }

  #skip(sign: string): boolean {
    this.#blank();
    if (this.#text.charAt(this.#at) !== sign) return false;
    this.#at++;
    return true;
  }

  #blank(): void {
    blank.lastIndex = this.#at;
    this.#at += blank.exec(this.#text)?.[0].length ?? 0;
  }

  #token(form: RegExp): string | null {
    this.#blank();
    form.lastIndex = this.#at;
    const found = form.exec(this.#text)?.[0] ?? null;
    this.#at += found?.length ?? 0;
    return found;
  }

  #since(from: number): Span {
    return { start: this.#offset + from, end: this.#offset + this.#at };
  }
}
