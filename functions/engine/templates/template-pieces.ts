import type { Span } from "../ir/ir.ts";
import type { TemplateFormat } from "./template-format.ts";

/**
 * A stretch of a template: text as it is, or what stands between marks. `escaped` is an output that the engine escapes unless it
 * is told otherwise, `raw` one that it does not, `tag` a statement of the template language, `code` one of the language around it.
 */
export interface Piece extends Span {
  kind: "text" | "escaped" | "raw" | "tag" | "code" | "nothing";
  /** Where the content between the marks lies. */
  inner: Span;
}

type Marks = readonly [open: string, close: string, kind: Piece["kind"]][];

const freemarker: Marks = [
  ["<#--", "-->", "nothing"],
  ["<#", ">", "tag"],
  ["</#", ">", "tag"],
  ["${", "}", "escaped"],
];

/** A brace before a space is a brace. What is shown begins with a variable; functions that show something are not read. */
const braces = (...statements: string[]): Marks => [
  ["{*", "*}", "nothing"],
  ["{$", "}", "escaped"],
  ["{=", "}", "escaped"],
  ...statements.flatMap(
    (word): Marks => [
      [`{${word} `, "}", "tag"],
      [`{/${word}`, "}", "tag"],
    ],
  ),
];

/** What begins alike is told apart by the longer beginning, which stands first. */
const marksOf: Readonly<Partial<Record<TemplateFormat, Marks>>> = {
  jinja: [
    ["{#", "#}", "nothing"],
    ["{%", "%}", "tag"],
    ["{{", "}}", "escaped"],
  ],
  handlebars: [
    ["{{!--", "--}}", "nothing"],
    ["{{{{", "}}}}", "nothing"],
    ["{{!", "}}", "nothing"],
    ["{{{", "}}}", "raw"],
    ["{{", "}}", "tag"],
  ],
  ejs: [
    ["<%#", "%>", "nothing"],
    ["<%=", "%>", "escaped"],
    ["<%-", "%>", "raw"],
    ["<%", "%>", "code"],
  ],
  erb: [
    ["<%#", "%>", "nothing"],
    ["<%==", "%>", "raw"],
    ["<%=", "%>", "escaped"],
    ["<%", "%>", "code"],
  ],
  jsp: [
    ["<%--", "--%>", "nothing"],
    ["<%@", "%>", "tag"],
    ["<%!", "%>", "nothing"],
    ["<%=", "%>", "raw"],
    ["<%", "%>", "code"],
    ["${", "}", "raw"],
    ["#{", "}", "raw"],
  ],
  freemarker,
  "freemarker-html": freemarker,
  // What is shown without these is escaped, and where it stands is seldom a place where that does not help.
  razor: [
    ["@@", "", "nothing"],
    ["@*", "*@", "nothing"],
    ["@Html.Raw", ")", "raw"],
    ["@(new HtmlString", ")", "raw"],
    ["@(new MarkupString", ")", "raw"],
    ["@((MarkupString)", ")", "raw"],
    ["@foreach", ")", "code"],
    ["@{", "}", "code"],
    ["@MvcHtmlString.Create", ")", "raw"],
  ],
  aspx: [
    ["<%--", "--%>", "nothing"],
    ["<%@", "%>", "nothing"],
    ["<%$", "%>", "nothing"],
    ["<%#:", "%>", "escaped"],
    ["<%#", "%>", "raw"],
    ["<%:", "%>", "escaped"],
    ["<%=", "%>", "raw"],
    ["<%", "%>", "code"],
  ],
  blade: [
    ["{{--", "--}}", "nothing"],
    ["@{{", "}}", "nothing"],
    ["{!!", "!!}", "raw"],
    ["{{", "}}", "escaped"],
    ["<?=", "?>", "raw"],
    ["<?php", "?>", "code"],
    ["@php", "@endphp", "code"],
    ["@foreach", ")", "tag"],
    ["@forelse", ")", "tag"],
    ["@endforeach", "", "tag"],
    ["@endforelse", "", "tag"],
    ["@include", ")", "tag"],
    ["@extends", ")", "tag"],
    ["@component", ")", "tag"],
  ],
  smarty: [
    ["{literal}", "{/literal}", "nothing"],
    ["{php}", "{/php}", "nothing"],
    ...braces("foreach", "section", "for", "function", "assign", "include", "extends"),
  ],
  latte: [
    ["{syntax off}", "{/syntax}", "nothing"],
    ["{!$", "}", "raw"],
    ...braces("foreach", "var", "include", "extends", "layout", "sandbox"),
  ],
};

/** Cuts a template into its pieces, in one pass: a mark that nothing closes is text. */
export function piecesOf(text: string, format: TemplateFormat): Piece[] {
  const marks = marksOf[format] ?? [];
  const pieces: Piece[] = [];
  const unclosed = new Set<string>();
  const add = (kind: Piece["kind"], start: number, end: number, inner: Span = { start, end }) => {
    if (end > start) pieces.push({ kind, start, end, inner });
  };
  let from = 0;
  const opening = /[{<@$#]/g;
  for (let found = opening.exec(text); found; found = opening.exec(text)) {
    const at = found.index;
    const mark = marks.find(([open]) => text.startsWith(open, at) && !unclosed.has(open));
    if (!mark) continue;
    const [open, close, kind] = mark;
    const inside = at + open.length;
    // `@((MarkupString)note)`: the parenthesis that ends it is the one that began it.
    const argument = open.startsWith("@((") ? at + 1 : inside;
    const until = close === ")" ? closingParenthesis(text, argument) : text.indexOf(close, inside);
    if (until < 0) {
      if (close !== ")") unclosed.add(open);
      continue;
    }
    // `{{{ a }}}` ends with the last brace of a run, `{{ {a: {}} }}` with the one outside.
    const end = until + close.length;
    add("text", from, at);
    add(kind, at, end, close === ")" || close === "" ? { start: at, end } : { start: inside, end: until });
    from = end;
    opening.lastIndex = end;
  }
  add("text", from, text.length);
  return pieces;
}

/** As long as the text, with its lines, and nothing in it. */
export const blank = (text: string): string => text.replace(/[^\n\r]/g, " ");

/** Longer arguments nobody writes into a page. */
const argumentsMax = 2_000;

function closingParenthesis(text: string, from: number): number {
  let depth = 0;
  for (let i = from; i < Math.min(text.length, from + argumentsMax); i++) {
    const char = text[i];
    if (depth === 0 && char !== "(" && !/[\sA-Za-z]/.test(char as string)) return -1;
    if (char === "(") depth++;
    if (char === ")" && --depth === 0) return i;
  }
  return -1;
}
