import type { Argument, Expression } from "../../ir/ir.ts";
import { childIn, childOf, type SyntaxNode } from "../../parse/syntax.ts";
import { positional, span, unescapeText } from "../lowering.ts";
import { named, segmentsOf } from "./paths.ts";
import type { RustLowering } from "./rust-lowering.ts";

/** Macros that make or print text of a format and values; the number says how many arguments stand before the format. */
const formats: Record<string, number> = {
  format: 0,
  print: 0,
  println: 0,
  eprint: 0,
  eprintln: 0,
  panic: 0,
  format_args: 0,
  trace: 0,
  debug: 0,
  info: 0,
  warn: 0,
  error: 0,
  bail: 0,
  anyhow: 0,
  write: 1,
  writeln: 1,
  ensure: 1,
};

/** `name!(…)`. The grammar leaves what is inside as single tokens; they are read as far as arguments go. */
export function macroOf(l: RustLowering, node: SyntaxNode): Expression {
  const macro = childIn(node, "macro");
  const tokens = childOf(node, "token_tree");
  return macro ? invoked(l, node, segmentsOf(l, macro), tokens) : l.reads(node, []);
}

/** A macro whose arguments were read as those of a call. */
export function macroAsCall(l: RustLowering, node: SyntaxNode): Expression | null {
  const [macro, given] = [childIn(node, "function"), childIn(node, "arguments")];
  if (!macro || !given || l.text[macro.end] !== "!") return null;
  const groups = given.children.map((arg) => (arg.type === "assignment_expression" ? arg.children : [arg]));
  return made(l, node, segmentsOf(l, macro).at(-1) ?? "", groups);
}

function invoked(l: RustLowering, at: SyntaxNode, path: string[], tokens: SyntaxNode | undefined): Expression {
  const name = path.at(-1) ?? "";
  const groups = groupsIn(l, tokens);
  if (name === "vec") {
    const entries = groups
      .map((g) => valueOfGroup(l, g))
      .map((value) => ({ ...span(value), key: null, value, spread: false }));
    return { ...span(at), kind: "collection", shape: "list", entries };
  }
  // Queries of sqlx that are checked when the program is built take their values apart from the text.
  if (path.length <= 2 && /^(query|query_as|query_scalar)(_unchecked)?$|^json$/.test(name)) return l.reads(at, []);
  const [asked, options] = groups;
  if (name === "matches" && asked && options?.every(isText)) return oneOf(l, at, valueOfGroup(l, asked), options);
  return made(l, at, name, groups);
}

/** What a macro gives by its name. */
function made(l: RustLowering, at: SyntaxNode, name: string, groups: SyntaxNode[][]): Expression {
  const before = Object.hasOwn(formats, name) ? formats[name] : undefined;
  if (before === undefined) return { ...span(at), kind: "unknown", reads: groups.flatMap((g) => valuesIn(l, g)) };
  const first = groups.slice(0, before).map((g) => positional(valueOfGroup(l, g)));
  const text = formatted(l, at, groups.slice(before));
  return name === "format" || name === "format_args"
    ? text
    : l.call(at, l.variable(at, name), [...first, positional(text)]);
}

/** `matches!(x, "a" | "b")` */
const oneOf = (l: RustLowering, at: SyntaxNode, of: Expression, options: readonly SyntaxNode[]): Expression => ({
  ...span(at),
  kind: "operation",
  operator: "||",
  operands: options.map((option) => ({
    ...span(option),
    kind: "operation",
    operator: "==",
    operands: [of, l.expression(option)],
  })),
});

/** `"a {} {name} {0}", x, name = y` as text with holes. */
function formatted(l: RustLowering, at: SyntaxNode, groups: SyntaxNode[][]): Expression {
  // Fields for a log may stand before its text.
  const place = groups.findIndex(([first, second]) => first !== undefined && second === undefined && isText(first));
  const format = groups[place]?.[0];
  if (!format) return { ...span(at), kind: "unknown", reads: groups.flatMap((g) => valuesIn(l, g)) };
  const given: Expression[] = [];
  const byName = new Map<string, Expression>();
  for (const group of groups.slice(place + 1)) {
    const [first, second] = group;
    const isNamed =
      first?.type === "identifier" &&
      second &&
      /^\s*=\s*[&*]*$/.test(l.textOf({ start: first.end, end: second.start }));
    if (isNamed) byName.set(l.textOf(first), valueOfGroup(l, group.slice(1)));
    else given.push(valueOfGroup(l, group));
  }
  let next = 0;
  const text = textOfLiteral(l, format);
  const parts: Expression[] = [];
  let from = 0;
  for (const hole of text.matchAll(/\{\{|\}\}|\{([^{}:]*)(?::[^{}]*)?\}/g)) {
    if (hole[1] === undefined) continue;
    if (hole.index > from) parts.push(l.literal(format, unbraced(text.slice(from, hole.index))));
    const name = hole[1].trim();
    const value =
      name === ""
        ? given[next++]
        : /^\d+$/.test(name)
          ? given[Number(name)]
          : (byName.get(name) ?? l.variable(format, name));
    if (value) parts.push(value);
    from = hole.index + hole[0].length;
  }
  if (from < text.length) parts.push(l.literal(format, unbraced(text.slice(from))));
  const [only] = parts;
  if (!only) return l.literal(at, "");
  return parts.length === 1 && only.kind === "literal"
    ? { ...only, ...span(at) }
    : { ...span(at), kind: "template", parts };
}

const unbraced = (text: string): string => text.replaceAll("{{", "{").replaceAll("}}", "}");
const isText = (node: SyntaxNode): boolean => node.type === "string_literal" || node.type === "raw_string_literal";

export const textOfLiteral = (l: RustLowering, node: SyntaxNode): string => {
  const written = l.textOf(node);
  const raw = /^[bc]?r(#*)"([\s\S]*)"\1$/.exec(written);
  // A line break that is escaped takes the white space after it along.
  return raw ? (raw[2] ?? "") : unescapeText(written.replace(/^[bc]?"|"$/g, "").replace(/\\\r?\n\s*/g, ""));
};

/** The tokens of each argument. */
function groupsIn(l: RustLowering, tokens: SyntaxNode | undefined): SyntaxNode[][] {
  const groups: SyntaxNode[][] = [];
  let end: number | null = null;
  for (const token of tokens?.children ?? []) {
    const between: string = end === null ? "," : l.textOf({ start: end, end: token.start });
    if (/[,;]/.test(between)) groups.push([token]);
    else groups.at(-1)?.push(token);
    end = token.end;
  }
  return groups;
}

export const argumentsInTokens = (l: RustLowering, tokens: SyntaxNode | undefined): Argument[] =>
  groupsIn(l, tokens).map((group) => positional(valueOfGroup(l, group)));

function valueOfGroup(l: RustLowering, group: readonly SyntaxNode[]): Expression {
  const values = valuesIn(l, group);
  const [only] = values;
  if (only && values.length === 1) return only;
  const [first, last] = [group[0], group.at(-1)];
  return { start: first?.start ?? 0, end: last?.end ?? 0, kind: "unknown", reads: values };
}

/** Reads tokens from left to right: names with what is asked of them, calls, and values on their own. */
const valuesIn = (l: RustLowering, group: readonly SyntaxNode[]): Expression[] =>
  l.nested(() => valuesOf(l, group)) ?? [];

function valuesOf(l: RustLowering, group: readonly SyntaxNode[]): Expression[] {
  const out: Expression[] = [];
  let path: string[] = [];
  group.forEach((token, i) => {
    const before = group[i - 1];
    const gap = before ? l.textOf({ start: before.end, end: token.start }).replace(/[\s&*]|\bmut\b/g, "") : "";
    const last = out.at(-1);
    const text = l.textOf(token);
    if (token.type === "token_tree") {
      const args = argumentsInTokens(l, token);
      const isCalled = before && before.type !== "token_tree" && last && gap === "" && text.startsWith("(");
      if (isCalled && before.type === "identifier") out[out.length - 1] = called(l, token, last, args);
      else if (gap === "!" && last && path.length > 0) out[out.length - 1] = invoked(l, token, path, token);
      else if (last && gap === "" && text.startsWith("[") && before)
        out[out.length - 1] = {
          start: last.start,
          end: token.end,
          kind: "index",
          of: last,
          key: args[0]?.value ?? null,
        };
      else out.push(...args.map((arg) => arg.value));
      path = [];
    } else if (/^\??\.(await)?\??\.?$/.test(gap) && gap.includes(".") && last && token.type !== "string_literal") {
      out[out.length - 1] = { start: last.start, end: token.end, kind: "field", of: last, name: text };
      path = [];
    } else if (/^::(<.*>::)?$/.test(gap) && path.length > 0) {
      path = [...path, text];
      out[out.length - 1] = named(l, { start: last?.start ?? token.start, end: token.end }, path);
    } else if (token.type === "identifier") {
      path = [text];
      out.push(named(l, token, path));
    } else {
      path = [];
      out.push(l.expression(token));
    }
  });
  return out;
}

const called = (l: RustLowering, token: SyntaxNode, callee: Expression, args: Argument[]): Expression => {
  const [only] = args;
  if (callee.kind === "variable" && /^(Some|Ok)$/.test(callee.name) && only) return only.value;
  return l.call({ start: callee.start, end: token.end }, callee, args);
};
