import { callable } from "../../ir/callable.ts";
import type { Argument, Call, Expression, Literal } from "../../ir/ir.ts";
import { childOf, type SyntaxNode } from "../../parse/syntax.ts";
import { positional, span } from "../lowering.ts";
import { asked } from "./operators.ts";
import type { PhpLowering } from "./php-lowering.ts";
import { formatted } from "./text.ts";

type BuiltIn = (l: PhpLowering, node: SyntaxNode, args: readonly Argument[]) => Expression | null;

/**
 * Functions of the language that are an operator, an assignment or a call of something else: written as what they are, the interpreter
 * needs to know nothing of them. Null: an ordinary call.
 */
export function builtIn(l: PhpLowering, node: SyntaxNode, name: string, args: readonly Argument[]): Expression | null {
  const known = name.toLowerCase();
  if (args.some((arg) => arg.spread) || !Object.hasOwn(builtIns, known)) return null;
  return (builtIns[known] as BuiltIn)(l, node, args);
}

const operation = (node: SyntaxNode, operator: string, operands: Expression[]): Expression => ({
  ...span(node),
  kind: "operation",
  operator,
  operands,
});

const question =
  (method: string): BuiltIn =>
  (l, node, args) =>
    args.length >= 2 ? asked(l, node, method, callOf(l, node, method, args), true) : null;

const callOf = (l: PhpLowering, node: SyntaxNode, name: string, args: readonly Argument[]): Call => ({
  ...span(node),
  kind: "call",
  callee: l.variable(childOf(node, "name") ?? node, name),
  args: [...args],
  isNew: false,
});

/** The call also fills one of its arguments with something made of another. */
const fills =
  (name: string, target: number, from: number, captures?: string): BuiltIn =>
  (l, node, args) => {
    const to = args[target]?.value;
    const given = args[from]?.value;
    if (!to || !given || (to.kind !== "variable" && to.kind !== "index" && to.kind !== "field")) return null;
    const made: Expression = captures
      ? { ...callOf(l, node, captures, args.slice(0, 2)), ...span(given) }
      : { ...span(given), kind: "unknown", reads: [given] };
    const filled: Expression = {
      ...span(to),
      kind: "assign",
      to,
      from: made,
      type: null,
      declares: false,
    };
    return { ...span(node), kind: "sequence", parts: [filled, callOf(l, node, name, args)] };
  };

const pushes: BuiltIn = (_, node, args) => {
  const [list, ...values] = args.map((arg) => arg.value);
  if (!list || values.length === 0) return null;
  const parts = values.map((from): Expression => {
    const to: Expression = { ...span(list), kind: "index", of: list, key: null };
    return { ...span(node), kind: "assign", to, from, type: null, declares: false };
  });
  return { ...span(node), kind: "sequence", parts };
};

/** `compact("a", "b")` is the map of these variables. */
const compact: BuiltIn = (l, node, args) => {
  const names = args.map((arg) => arg.value);
  if (!names.every((name): name is Literal => name.kind === "literal" && typeof name.value === "string")) return null;
  const entries = names.map((key) => ({ ...span(key), key, value: l.variable(key, `$${key.value}`), spread: false }));
  return { ...span(node), kind: "collection", shape: "map", entries };
};

/** `func_get_args()`: the parameters, and what came behind them. */
const allGiven: BuiltIn = (l, node, args) => {
  if (args.length > 0 || l.given.length === 0) return null;
  const last = l.given.length - 1;
  const entries = l.given.map((name, i) => ({
    ...span(node),
    key: null,
    value: l.variable(node, name),
    spread: i === last,
  }));
  return { ...span(node), kind: "collection", shape: "list", entries };
};

/** Applies a function to the elements of a list. */
const maps =
  (fn: number, list: number): BuiltIn =>
  (l, node, args) => {
    const called = args[fn]?.value;
    const over = args[list]?.value;
    if (!called || !over || args.length > 2 || (called.kind === "literal" && called.value === null)) return null;
    const element: Expression = { ...span(over), kind: "index", of: over, key: null };
    const value = l.call(node, callable(called), [positional(element)]);
    return {
      ...span(node),
      kind: "collection",
      shape: "list",
      entries: [{ ...span(node), key: null, value, spread: true }],
    };
  };

/** `array_walk($rows, function ($row, $key) { … })`: the function gets each element and its key. */
const walks: BuiltIn = (l, node, [list, called, ...more]) => {
  if (!list || called?.value.kind !== "closure") return null;
  const element: Expression = { ...span(list.value), kind: "index", of: list.value, key: null };
  return l.call(node, called.value, [positional(element), positional(callOf(l, node, "key", [list])), ...more]);
};

/** `preg_replace_callback($pattern, fn ($m) => …, $text)`: each match goes to the function, and what that gives into the text. */
const replacesByFunction: BuiltIn = (l, node, args) => {
  const [pattern, called, subject] = args;
  if (!pattern || !subject || called?.value.kind !== "closure") return null;
  const found = l.call(node, called.value, [positional(callOf(l, node, "preg_captures", [pattern, subject]))]);
  return { ...span(node), kind: "template", parts: [found, callOf(l, node, "preg_replace_callback", args)] };
};

/** Without delimiters and flags. Null where the text is not known or the flags change what anchors mean. */
function patternOf(of: Expression | undefined): Literal | null {
  if (of?.kind !== "literal" || typeof of.value !== "string") return null;
  const found = of.value.match(/^\s*([^\w\s\\])([\s\S]*)([^\w\s\\])([a-zA-Z]*)\s*$/);
  if (!found || found[4]?.includes("m") || found[4]?.includes("x")) return null;
  return { ...of, value: found[2] as string, regex: true };
}

const matches: BuiltIn = (l, node, args) => {
  const pattern = patternOf(args[0]?.value);
  const subject = args[1]?.value;
  if (!subject) return null;
  const of = pattern ?? (args[0]?.value as Expression);
  const test = l.call(node, { ...span(node), kind: "field", of, name: "test" }, [positional(subject)]);
  const filled = fills("preg_match", 2, 1, "preg_captures")(l, node, args);
  return filled?.kind === "sequence" ? { ...filled, parts: [...filled.parts.slice(0, -1), test] } : test;
};

/** The groups of each match stand together, and not the matches of each group. */
const givesSets = (flags: Expression | undefined): boolean =>
  flags?.kind === "operation"
    ? flags.operands.some(givesSets)
    : flags?.kind === "variable" && /PREG_SET_ORDER$/.test(flags.name);

const text = (of: Expression | undefined): string | null =>
  of?.kind === "literal" && typeof of.value === "string" ? of.value : null;

const format: BuiltIn = (l, node, args) => {
  const [pattern, ...values] = args.map((arg) => arg.value);
  const written = text(pattern) ?? translated(pattern);
  return written === null ? null : formatted(l, node, written, values);
};

/** `ngettext("One day", "%d days", $n)`, `__("%d days")`: translations take what the text takes that they are of. */
function translated(pattern: Expression | undefined): string | null {
  if (pattern?.kind !== "call" || pattern.callee.kind !== "variable" || !translates.test(pattern.callee.name))
    return null;
  const [first, ...others] = pattern.args.flatMap(({ value }) => text(value) ?? []);
  const verbs = (format: string) => format.split("%").length;
  return first === undefined ? null : others.reduce((most, one) => (verbs(one) > verbs(most) ? one : most), first);
}

const translates = /(^|_)(_|_?nx?|_?x)$|^d?c?n?gettext$/;

/** `curl_setopt_array($c, [A => 1])` sets one option after the other. */
const setsOptions: BuiltIn = (l, node, [handle, options]) => {
  if (!handle || options?.value.kind !== "collection") return null;
  const { entries } = options.value;
  if (entries.length === 0 || entries.some(({ key }) => key === null)) return null;
  const parts = entries.map(({ key, value }) =>
    callOf(l, node, "curl_setopt", [handle, positional(key as Expression), positional(value)]),
  );
  return { ...span(node), kind: "sequence", parts };
};

const builtIns: Record<string, BuiltIn> = {
  compact,
  in_array: (_, node, [item, list]) => (item && list ? operation(node, "in", [item.value, list.value]) : null),
  array_key_exists: (_, node, [key, map]) => (key && map ? operation(node, "in", [key.value, map.value]) : null),
  key_exists: (_, node, [key, map]) => (key && map ? operation(node, "in", [key.value, map.value]) : null),
  // `isset($allowed[$key])` asks for membership; a key that is written out does not.
  isset: (_, node, args) => {
    const [only] = args;
    return args.length === 1 && only?.value.kind === "index" && only.value.key && only.value.key.kind !== "literal"
      ? operation(node, "in", [only.value.key, only.value.of])
      : null;
  },
  str_contains: question("includes"),
  str_starts_with: question("startsWith"),
  str_ends_with: question("endsWith"),
  preg_match: matches,
  preg_match_all: (l, node, args) =>
    fills("preg_match_all", 2, 1, givesSets(args[3]?.value) ? "preg_captures_all" : "preg_captures")(l, node, args),
  preg_replace_callback: replacesByFunction,
  parse_str: fills("parse_str", 1, 0),
  mb_parse_str: fills("mb_parse_str", 1, 0),
  func_get_args: allGiven,
  func_get_arg: (l, node, [place]) => {
    const of = allGiven(l, node, []);
    return of && place ? { ...span(node), kind: "index", of, key: place.value } : null;
  },
  sscanf: fills("sscanf", 2, 0),
  array_push: pushes,
  array_unshift: pushes,
  array_map: maps(0, 1),
  array_walk: walks,
  array_walk_recursive: walks,
  sprintf: format,
  printf: (l, node, args) => {
    const made = format(l, node, args);
    return made && l.call(node, l.variable(node, "printf"), [positional(made)]);
  },
  vsprintf: (l, node, args) => {
    const list = args[1]?.value;
    return list?.kind === "collection"
      ? format(l, node, [...args.slice(0, 1), ...list.entries.map((e) => positional(e.value))])
      : null;
  },
  call_user_func: (l, node, [called, ...args]) =>
    called && isWritten(called.value) ? l.call(node, callable(called.value), args) : null,
  call_user_func_array: (l, node, [called, args]) =>
    called && isWritten(called.value)
      ? l.call(node, callable(called.value), args ? [{ ...args, spread: true }] : [])
      : null,
  curl_setopt_array: setsOptions,
  // A constant is a name that functions see too.
  define: (l, node, [name, value]) => {
    const written = text(name?.value);
    if (written === null || !value) return null;
    return {
      ...span(node),
      kind: "assign",
      to: l.variable(node, written),
      from: value.value,
      type: null,
      declares: false,
    };
  },
};

const isWritten = (of: Expression): boolean =>
  of.kind === "literal" || of.kind === "collection" || of.kind === "closure";
