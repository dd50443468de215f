import { type Argument, type Entry, type Expression, type Statement, wholeMap } from "../../ir/ir.ts";
import { childIn, childOf, type SyntaxNode } from "../../parse/syntax.ts";
import { assigned, inner, list, silent } from "../curly/expressions.ts";
import { numberOf, positional, span, unescapeText } from "../lowering.ts";
import { functionOf } from "./functions.ts";
import type { RubyLowering } from "./ruby-lowering.ts";
import { target } from "./targets.ts";

type Handler = (l: RubyLowering, node: SyntaxNode) => Expression;

const symbol: Handler = (l, node) => l.literal(node, l.textOf(node).replace(/^:/, "").replace(/^"|"$/g, ""));
const closure: Handler = (l, node) => ({ ...span(node), kind: "closure", fn: functionOf(l, node) });
const number: Handler = (l, node) => l.literal(node, numberOf(l.textOf(node)));
const template: Handler = (l, node) => texts(l, node, node.children);
const field = (l: RubyLowering, node: SyntaxNode, name: string): Expression => ({
  ...span(node),
  kind: "field",
  of: l.variable(node, "this"),
  name,
});
/** Statements where a value is asked for give what the last of them gives. */
const block: Handler = (l, node) => lastValue(l, node, l.statement(node));

const statementOfSql = /^"\s*(select|insert|update|delete|with)\s/i;

/** How each kind of Ruby value lowers. */
export const expressions: Record<string, Handler> = {
  identifier: (l, node) => {
    const name = l.textOf(node);
    if (l.variables.has(name)) return l.variable(node);
    if (l.isReader(name)) return field(l, node, name);
    if (!l.isOwn(name) && l.functions.has(name)) return l.call(node, l.variable(node), []);
    if (!l.isOwn(name)) return { ...span(node), kind: "variable", name, bare: true };
    return l.call(node, field(l, node, name), []);
  },
  constant: (l, node) => {
    const name = l.textOf(node);
    const owner = l.classOfConstant(name);
    return owner ? { ...span(node), kind: "field", of: l.variable(node, owner), name } : l.variable(node);
  },
  self: (l, node) => l.variable(node, "this"),
  super: (l, node) => l.reads(node, []),
  instance_variable: (l, node) => field(l, node, l.textOf(node).slice(1)),
  class_variable: (l, node) => field(l, node, l.textOf(node).slice(2)),
  global_variable: (l, node) => l.variable(node),
  scope_resolution: (l, node) => {
    const [of, name] = [childIn(node, "scope"), childIn(node, "name")];
    if (!name) return l.unknown(node);
    return of ? { ...span(node), kind: "field", of: l.expression(of), name: l.textOf(name) } : l.variable(name);
  },
  nil: (l, node) => l.literal(node, null),
  true: (l, node) => l.literal(node, true),
  false: (l, node) => l.literal(node, false),
  integer: number,
  float: number,
  rational: number,
  complex: silent,
  character: (l, node) => l.literal(node, l.textOf(node).slice(1)),
  simple_symbol: symbol,
  hash_key_symbol: symbol,
  bare_symbol: symbol,
  delimited_symbol: template,
  string: template,
  bare_string: template,
  chained_string: (l, node) => ({ ...span(node), kind: "template", parts: node.children.map((c) => l.expression(c)) }),
  heredoc_beginning: (l, node) => {
    const body = l.hereDocuments.get(node.start);
    return body ? texts(l, node, body.children) : l.literal(node, "");
  },
  interpolation: inner,
  subshell: (l, node) => l.call(node, l.variable(node, "<shell>"), [positional(template(l, node))]),
  regex: (l, node) => {
    const parts = node.children;
    if (parts.some((c) => c.type === "interpolation"))
      return l.call(node, { ...span(node), kind: "field", of: l.variable(node, "Regexp"), name: "new" }, [
        positional(template(l, node)),
      ]);
    // `^` and `$` are the ends of a line here, and those of the text only in other languages.
    const written = parts
      .map((c) => l.textOf(c))
      .join("")
      .replace(/^\^/, "(?m:^)");
    return { ...l.literal(node, written), regex: true };
  },
  string_array: list,
  symbol_array: list,
  array: (l, node) => ({
    ...span(node),
    kind: "collection",
    shape: "list",
    entries: node.children.map((c) => entry(l, c)),
  }),
  hash: (l, node) => ({
    ...span(node),
    kind: "collection",
    shape: "map",
    entries: node.children.map((c) => entry(l, c)),
  }),
  range: (l, node) =>
    l.reads(
      node,
      node.children.filter((c) => c.field !== "operator"),
    ),
  pattern: inner,
  splat_argument: inner,
  hash_splat_argument: inner,
  block_argument: (l, node) => {
    const given = node.children[0];
    return given?.type === "simple_symbol" ? methodOf(l, given) : inner(l, node);
  },
  rest_assignment: inner,
  left_assignment_list: (l, node) => target(l, node),
  right_assignment_list: list,
  argument_list: list,
  in: inner,
  element_reference: (l, node) => {
    const of = childIn(node, "object");
    const key = node.children.find((c) => c !== of && c.type !== "block");
    if (!of) return l.unknown(node);
    if (key && l.textOf(of) === "Dir")
      return l.call(node, method(l, node, of, "glob"), [positional(l.expression(key))]);
    // Sequel: `DB["SELECT * FROM books"]` is `DB.fetch`.
    if (key?.type === "string" && statementOfSql.test(l.textOf(key)))
      return l.call(node, method(l, node, of, "fetch"), [positional(l.expression(key))]);
    // `name[/\A[a-z]+/]` is `name.match(/\A[a-z]+/)[0]`.
    if (key?.type === "regex") {
      const group = node.children.find((c) => c !== of && c !== key && c.type !== "block");
      const found = l.call(node, method(l, node, of, "match"), [positional(l.expression(key))]);
      return { ...span(node), kind: "index", of: found, key: group ? l.expression(group) : l.literal(node, 0) };
    }
    return { ...span(node), kind: "index", of: l.expression(of), key: key ? l.expression(key) : null };
  },
  assignment: (l, node) => {
    const [left, right] = [childIn(node, "left"), childIn(node, "right")];
    if (!left || !right) return l.unknown(node);
    const from = l.expression(right);
    return assigned(node, target(l, left), from);
  },
  operator_assignment: (l, node) => {
    const [left, operator, right] = ["left", "operator", "right"].map((name) => childIn(node, name));
    if (!left || !operator || !right) return l.unknown(node);
    const to = target(l, left);
    const symbol = l.textOf(operator).replace(/=$/, "");
    return assigned(node, to, {
      ...span(node),
      kind: "operation",
      operator: symbol,
      operands: [to, l.expression(right)],
    });
  },
  binary: (l, node) => {
    const [left, operator, right] = ["left", "operator", "right"].map((name) => childIn(node, name));
    if (!left || !operator || !right) return l.unknown(node);
    const symbol = l.textOf(operator);
    if (symbol === "=~") return l.call(node, method(l, node, left, "test"), [positional(l.expression(right))]);
    // Text and lists grow in place.
    if (symbol === "<<" && /identifier|variable|call/.test(left.type)) {
      const to = l.expression(left);
      const operands = [to, l.expression(right)];
      return assigned(node, to, { ...span(node), kind: "operation", operator: "+", operands });
    }
    return l.chain(node, (n) => {
      const [a, o, b] = ["left", "operator", "right"].map((name) => childIn(n, name));
      return n.type === "binary" && a && o && b ? { left: a, operator: l.textOf(o), right: b } : null;
    });
  },
  unary: (l, node) => {
    const [operator, of] = ["operator", "operand"].map((name) => childIn(node, name));
    if (!operator || !of) return l.unknown(node);
    const symbol = l.textOf(operator);
    if (symbol === "defined?") return l.reads(node, []);
    return { ...span(node), kind: "operation", operator: symbol, operands: [l.expression(of)] };
  },
  conditional: choice,
  if: choice,
  unless: block,
  if_modifier: block,
  unless_modifier: block,
  while_modifier: block,
  rescue_modifier: (l, node) => l.reads(node, node.children),
  case: block,
  begin: block,
  parenthesized_statements: block,
  then: block,
  else: block,
  elsif: choice,
  body_statement: block,
  block_body: block,
  yield: (l, node) => l.reads(node, childOf(node, "argument_list")?.children ?? []),
  return: (l, node) => l.reads(node, node.children),
  break: silent,
  next: silent,
  retry: silent,
  redo: silent,
  lambda: (l, node) => {
    const body = childIn(node, "body");
    const fn = functionOf(l, {
      ...node,
      children: [...node.children.filter((c) => c !== body), ...(body?.children ?? [])],
    });
    return { ...span(node), kind: "closure", fn };
  },
  block: closure,
  do_block: closure,
  method: closure,
  singleton_method: closure,
  class: block,
  module: block,
  call,
  pair: (l, node) => l.expression(childIn(node, "value") ?? node),
  test_pattern: (l, node) => l.reads(node, node.children.slice(0, 1)),
  line: silent,
  file: silent,
  encoding: silent,
  uninterpreted: silent,
  heredoc_body: silent,
  ERROR: (l, node) => l.reads(node, node.children),
};

/** Names of tests that other languages spell otherwise, so that one interpreter understands them all. */
const sameAs: Record<string, string> = {
  "include?": "includes",
  "member?": "includes",
  "key?": "has",
  "has_key?": "has",
  "match?": "test",
  match: "test",
  "all?": "every",
  "any?": "some",
  "none?": "none",
  "empty?": "isEmpty",
  collect: "map",
  filter_map: "map",
  flat_map: "flatMap",
};

const sends = /^(send|public_send|__send__|try!?)$/;

function method(l: RubyLowering, node: SyntaxNode, of: SyntaxNode, name: string): Expression {
  return { start: of.start, end: node.end, kind: "field", of: l.expression(of), name };
}

function call(l: RubyLowering, node: SyntaxNode): Expression {
  const [of, name, given] = ["receiver", "method", "arguments"].map((part) => childIn(node, part));
  const after = childIn(node, "block");
  const args = [...argumentsOf(l, given?.children ?? []), ...(after ? [positional(l.expression(after))] : [])];
  if (!name) return of ? l.call(node, l.expression(of), args) : l.unknown(node);
  const written = l.textOf(name);
  if (name.type === "super") return l.reads(node, given?.children ?? []);
  if (of) {
    const end = name.end;
    // `record.send(:touch, 1)` is `record.touch(1)`.
    const sent = sends.test(written) ? l.textOf(given?.children[0] ?? name).match(/^:(\w+[?!]?)$/)?.[1] : undefined;
    const called = sent ?? written;
    const callee = { ...method(l, node, of, sameAs[called] ?? called), end } as Expression;
    return l.call(node, callee, sent === undefined ? args : args.slice(1));
  }
  const own = l.classes.at(-1);
  // `def self.call(...) = new(...).call`
  if (written === "new" && own)
    return l.call(node, { ...span(name), kind: "field", of: l.variable(name, own), name: written }, args);
  const isOwn = l.isOwn(written) && !l.variables.has(written);
  return l.call(node, isOwn ? field(l, name, written) : l.variable(name), args);
}

/** `&:to_i` stands for a block that calls this method of what it is given. */
function methodOf(l: RubyLowering, node: SyntaxNode): Expression {
  const name = "it";
  const of: Expression = { ...span(node), kind: "variable", name };
  const called = l.call(node, { ...span(node), kind: "field", of, name: l.textOf(node).slice(1) }, []);
  const param = { ...span(node), name, pattern: null, type: null, decorators: [], default: null, rest: false };
  const body: Statement[] = [{ ...span(node), kind: "return", value: called }];
  const fn = { ...span(node), name: "", params: [param], decorators: [], body, receiver: null, exported: false };
  return { ...span(node), kind: "closure", fn };
}

/** Keys that are symbols are named arguments; other keys make a map. */
function argumentsOf(l: RubyLowering, nodes: readonly SyntaxNode[]): Argument[] {
  const pairs = nodes.filter((c) => c.type === "pair");
  const named = pairs.every((c) => /symbol$/.test(childIn(c, "key")?.type ?? ""));
  const others = nodes
    .filter((c) => c.type !== "pair" || named)
    .map((c): Argument => {
      if (c.type === "pair") {
        const key = childIn(c, "key") as SyntaxNode;
        const value = childIn(c, "value");
        const name = l.textOf(key).replace(/^:/, "");
        return { name, spread: false, value: value ? l.expression(value) : l.variable(key, name) };
      }
      if (c.type === "forward_argument") return { name: null, spread: true, value: l.variable(c) };
      const isMap = c.type === "hash_splat_argument";
      return { name: isMap ? wholeMap : null, spread: c.type.endsWith("splat_argument"), value: l.expression(c) };
    });
  const [first] = pairs;
  if (named || !first) return others;
  const entries = pairs.map((c) => entry(l, c));
  return [...others, positional({ ...span(first), kind: "collection", shape: "map", entries })];
}

function entry(l: RubyLowering, node: SyntaxNode): Entry {
  const key = childIn(node, "key");
  const value = childIn(node, "value");
  if (node.type !== "pair" || !key)
    return { ...span(node), key: null, value: l.expression(node), spread: node.type.endsWith("splat_argument") };
  const name = l.expression(key);
  return { ...span(node), key: name, value: value ? l.expression(value) : l.variable(key), spread: false };
}

function texts(l: RubyLowering, node: SyntaxNode, parts: readonly SyntaxNode[]): Expression {
  const kept = parts.filter((c) => /content|escape|interpolation/.test(c.type));
  if (kept.every((c) => c.type !== "interpolation"))
    return l.literal(node, unescapeText(kept.map((c) => l.textOf(c)).join("")));
  return {
    ...span(node),
    kind: "template",
    parts: kept.map((c) => (c.type === "interpolation" ? l.expression(c) : l.literal(c, unescapeText(l.textOf(c))))),
  };
}

function choice(l: RubyLowering, node: SyntaxNode): Expression {
  const [test, then, otherwise] = ["condition", "consequence", "alternative"].map((part) => childIn(node, part));
  if (!test) return l.reads(node, node.children);
  const value = (part: SyntaxNode | undefined) => (part ? l.expression(part) : l.literal(node, null));
  return {
    ...span(node),
    kind: "conditional",
    test: l.expression(test),
    then: value(then),
    otherwise: value(otherwise),
  };
}

/** The last value of statements, with all others evaluated before it. */
function lastValue(l: RubyLowering, node: SyntaxNode, body: readonly Statement[]): Expression {
  const parts = body.flatMap((s): Expression[] => {
    if (s.kind === "expression") return [s.value];
    if (s.kind === "return") return s.value ? [s.value] : [];
    if (s.kind === "branch") {
      const [then, otherwise] = [lastValue(l, node, s.then), lastValue(l, node, s.otherwise)];
      return [{ ...span(s), kind: "conditional", test: s.test, then, otherwise }];
    }
    if (s.kind === "try") return [lastValue(l, node, [...s.body, ...s.last])];
    if (s.kind === "block") return [lastValue(l, node, s.body)];
    if (s.kind === "switch") {
      const arms = s.cases.map((c) => lastValue(l, node, c.body));
      const unsure: Expression = { ...span(s), kind: "unknown", reads: [] };
      return arms.length === 0
        ? [s.of]
        : [
            s.of,
            arms.reduceRight((otherwise, then) => ({ ...span(s), kind: "conditional", test: unsure, then, otherwise })),
          ];
    }
    return [];
  });
  return { ...span(node), kind: "sequence", parts };
}
