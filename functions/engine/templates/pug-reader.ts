import type { Span } from "../ir/ir.ts";
import type { TimeLimit } from "../time-limit.ts";
import { readCode } from "./statements.ts";
import type { TemplateScope } from "./template-scope.ts";

/** What deeper lines belong to: how they are read, and what is to be done when they end. */
interface Block {
  depth: number;
  content: "lines" | "text" | "nothing";
  leave(): void;
}

/** Attributes and texts of people are shorter. */
const lookMax = 2_000;
const nameMax = 200;
/** Tags that stand on one line inside of each other: `li: a: b`. */
const nestedMax = 20;

/**
 * Reads a page of Pug, where depth stands for closing tags. The follower of HTML is told what Pug would write, so that it knows of
 * outputs what they are part of. @throws TimeUp
 */
export function readPug(scope: TemplateScope, limit: TimeLimit): void {
  const { text } = scope;
  const blocks: Block[] = [];
  for (let at = 0; at < text.length; ) {
    const end = endOfLine(text, at);
    limit.check(1 + ((end - at) >> 1));
    const start = at + (text.slice(at, end).match(/^[ \t]*/)?.[0].length ?? 0);
    at = end + 1;
    if (text.slice(start, end).trim() === "") continue;
    const depth = start - (text.lastIndexOf("\n", start - 1) + 1);
    while ((blocks.at(-1)?.depth ?? -1) >= depth) blocks.pop()?.leave();
    const content = blocks.at(-1)?.content;
    if (content === "nothing") continue;
    if (content === "text") {
      showText(scope, { start, end });
      scope.html.read("\n");
      continue;
    }
    const line = new PugLine(scope, start);
    const block = line.read();
    at = Math.max(at, endOfLine(text, line.at) + 1);
    if (block) blocks.push({ depth, ...block });
  }
  for (const block of blocks.reverse()) block.leave();
}

const endOfLine = (text: string, from: number): number => {
  const found = text.indexOf("\n", from);
  return found < 0 ? text.length : found;
};

type Opened = Omit<Block, "depth"> | null;

const keyword = /^(if|unless|else|case|when|default|while|block|append|prepend|doctype)\b(?![-=.#(])/;

/** One line, with the further ones that its attributes take. */
class PugLine {
  at: number;
  #nested = 0;
  readonly #scope: TemplateScope;

  constructor(scope: TemplateScope, start: number) {
    this.#scope = scope;
    this.at = start;
  }

  /** @returns what the deeper lines after it belong to, where that matters */
  read(): Opened {
    const { text, html } = this.#scope;
    const rest = this.#rest();
    if (rest.startsWith("//")) return { content: "nothing", leave: () => {} };
    if (rest.startsWith("|") || rest.startsWith("<")) {
      showText(this.#scope, { start: this.at + (rest.startsWith("|") ? 1 : 0), end: endOfLine(text, this.at) });
      return null;
    }
    if (rest.startsWith("-")) {
      const inner = { start: this.at + 1, end: endOfLine(text, this.at) };
      readCode(this.#scope, { kind: "code", ...inner, inner });
      return null;
    }
    if (/^!?=/.test(rest)) {
      this.#show();
      return null;
    }
    const included = rest.match(/^(?:include|extends)(?::[\w-]+)?\s+(\S+)/)?.[1];
    if (included !== undefined) {
      this.#scope.include(included, { start: this.at, end: endOfLine(text, this.at) });
      return null;
    }
    if (/^(each|for)\s/.test(rest)) return this.#loop(rest);
    if (rest.startsWith("mixin ")) return this.#mixin(rest);
    if (keyword.test(rest)) return null;
    const tag = this.#tag();
    if (tag !== "script" && tag !== "style") return this.#content();
    const content = this.#content() ?? { content: "lines" as const, leave: () => {} };
    return { ...content, leave: () => html.read(`</${tag}>`) };
  }

  #rest(): string {
    return this.#scope.text.slice(this.at, endOfLine(this.#scope.text, this.at));
  }

  #loop(rest: string): Opened {
    const scope = this.#scope;
    const head = rest.match(/^(?:each|for)\s+(?:const\s+|let\s+|var\s+)?(\w+)(?:\s*,\s*\w+)?\s+(?:in|of)\s+/);
    const of = head ? scope.reads({ start: this.at + head[0].length, end: this.at + rest.length }) : [];
    scope.push();
    if (head) scope.bind(head[1] as string, of);
    return { content: "lines", leave: () => scope.pop() };
  }

  /** What mixins are given is shown where they are called. */
  #mixin(rest: string): Opened {
    const scope = this.#scope;
    scope.push();
    for (const name of rest.match(/\w+/g) ?? []) scope.bind(name, []);
    return { content: "lines", leave: () => scope.pop() };
  }

  /** `a#id.class(href=url)`; a div needs no name. @returns the tag */
  #tag(): string {
    const { text, html } = this.#scope;
    const [head = "", name = ""] = this.#rest().match(/^[+]?([\w:-]*[\w-])?(?:[#.][\w-]+)*/) ?? [];
    this.at += head.length;
    const tag = name.toLowerCase() || "div";
    html.read(`<${tag}`);
    if (text[this.at] === "(") {
      const end = closing(text, this.at);
      // A mixin takes values, where a tag takes attributes.
      if (!head.startsWith("+")) this.#attributes({ start: this.at + 1, end });
      this.at = end + 1;
    }
    html.read(">");
    return tag;
  }

  #attributes({ start, end }: Span): void {
    const { text, html } = this.#scope;
    for (let at = start; at < end; ) {
      const [head = "", name = "", sign = ""] =
        text.slice(at, Math.min(end, at + nameMax)).match(/^[\s,]*["']?([^\s=!,()"']+)["']?\s*(!?=)?\s*/) ?? [];
      if (head === "") return;
      const value = { start: at + head.length, end: at + head.length };
      if (sign !== "") value.end = endOfValue(text, value.start, end);
      at = value.end;
      const written = text.slice(value.start, value.end).match(/^["'`]((?:(?!\$\{)[^"'`\\])*)/)?.[1];
      html.read(` ${name}="${written ?? ""}`);
      if (sign !== "") this.#scope.output(this.#scope.reads(value), value, sign === "!=");
      html.fill();
      html.read('"');
    }
  }

  /** What stands in the tag: a value, text, another tag, or all the deeper lines as text. */
  #content(): Opened {
    const { text } = this.#scope;
    const rest = this.#rest();
    if (/^\/?!?=/.test(rest)) this.#show();
    else if (/^\.\s*$/.test(rest)) return { content: "text", leave: () => {} };
    else if (/^:\s/.test(rest) && this.#nested++ < nestedMax) {
      this.at += rest.match(/^:\s+/)?.[0].length ?? 0;
      return this.read();
    } else showText(this.#scope, { start: this.at, end: endOfLine(text, this.at) });
    return null;
  }

  #show(): void {
    const mark = this.#rest().match(/^\/?!?=/)?.[0] ?? "";
    const inner = { start: this.at + mark.length, end: endOfLine(this.#scope.text, this.at) };
    this.#scope.output(this.#scope.reads(inner), { start: this.at, end: inner.end }, mark.includes("!"));
  }
}

/** Text with values in it: `#{escaped}` and `!{raw}`. */
function showText(scope: TemplateScope, { start, end }: Span): void {
  let from = start;
  for (const found of scope.text.slice(start, end).matchAll(/([#!])\{([^{}]*(?:\{[^{}]*\}[^{}]*)*)\}/g)) {
    const at = { start: start + found.index, end: start + found.index + found[0].length };
    scope.html.read(scope.text.slice(from, at.start));
    scope.output(scope.reads({ start: at.start + 2, end: at.end - 1 }), at, found[1] === "!");
    scope.html.fill();
    from = at.end;
  }
  scope.html.read(scope.text.slice(from, end));
}

/** Where the parenthesis that opens at a place is closed. */
function closing(text: string, open: number): number {
  const end = Math.min(text.length, open + lookMax);
  let depth = 0;
  for (let i = open; i < end; i++) {
    i = afterText(text, i);
    if (/[([{]/.test(text[i] ?? "")) depth++;
    if (/[)\]}]/.test(text[i] ?? "") && --depth === 0) return i;
  }
  return endOfLine(text, open);
}

/** The value of an attribute ends at a comma, or at white space that no operator goes on after. */
function endOfValue(text: string, start: number, end: number): number {
  let depth = 0;
  let last = "";
  for (let i = start; i < end; i++) {
    i = afterText(text, i);
    const char = text[i] ?? "";
    if (/[([{]/.test(char)) depth++;
    if (/[)\]}]/.test(char)) depth--;
    if (depth === 0 && char === ",") return i;
    if (depth === 0 && /\s/.test(char) && !operator.test(last) && !/^\s+[-+*/%?:|&=<>]/.test(text.slice(i, i + 40)))
      return i;
    if (/\S/.test(char)) last = char;
  }
  return end;
}

const operator = /[-+*/%?:|&=<>!]/;

/** The last character of a text in quotes that begins here; here, where none does. */
function afterText(text: string, at: number): number {
  const quote = text[at] as string;
  if (!/["'`]/.test(quote)) return at;
  const [all] = text.slice(at, at + lookMax).match(/^(["'`])(?:(?!\1)[^\\]|\\[\s\S])*\1/) ?? [];
  return all === undefined ? at : at + all.length - 1;
}
