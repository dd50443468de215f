import type { Argument, Entry, Expression, Span } from "../../ir/ir.ts";
import { handsOut, wholeMap } from "../../ir/ir.ts";
import { childIn, childOf, childrenIn, type SyntaxNode } from "../../parse/syntax.ts";
import { numberOf, positional, span, unescapeText } from "../lowering.ts";
import { annotationOf, makerOfText } from "./annotations.ts";
import { lambdaOf } from "./functions.ts";
import { asWritten } from "./functions-of-language.ts";
import { target } from "./patterns.ts";
import type { PythonLowering } from "./python-lowering.ts";

type Handler = (l: PythonLowering, node: SyntaxNode) => Expression;

const inner: Handler = (l, node) => (node.children[0] ? l.expression(node.children[0]) : l.reads(node, []));
const list: Handler = (l, node) => ({
  ...span(node),
  kind: "collection",
  shape: "list",
  entries: node.children.map((c) => element(l, c)),
});
const name: Handler = (l, node) => l.variable(node);

/** How each kind of Python value lowers. */
export const expressions: Record<string, Handler> = {
  identifier: name,
  dotted_name: (l, node) =>
    node.children
      .slice(1)
      .reduce<Expression>(
        (of, part) => ({ start: node.start, end: part.end, kind: "field", of, name: l.textOf(part) }),
        l.variable(node.children[0] ?? node),
      ),
  none: (l, node) => l.literal(node, null),
  true: (l, node) => l.literal(node, true),
  false: (l, node) => l.literal(node, false),
  ellipsis: (l, node) => l.literal(node, null),
  integer: (l, node) => l.literal(node, numberOf(l.textOf(node))),
  float: (l, node) => l.literal(node, numberOf(l.textOf(node))),
  string: text,
  concatenated_string: (l, node) => {
    const parts = node.children.map((part) => l.expression(part));
    if (parts.every((part) => part.kind === "literal"))
      return l.literal(node, parts.map((part) => part.value).join(""));
    return { ...span(node), kind: "template", parts };
  },
  parenthesized_expression: inner,
  await: inner,
  yield: (l, node) => {
    const [given] = node.children;
    const spread = /^yield\s+from\b/.test(l.textOf(node));
    const args = given ? [{ name: null, spread, value: l.expression(given) }] : [];
    return { ...span(node), kind: "call", callee: l.variable(node, handsOut), args, isNew: false };
  },
  type: inner,
  as_pattern: inner,
  list_splat: inner,
  dictionary_splat: inner,
  attribute: (l, node) => {
    const of = childIn(node, "object");
    const attribute = childIn(node, "attribute");
    if (!of || !attribute) return l.unknown(node);
    return { ...span(node), kind: "field", of: l.expression(of), name: l.textOf(attribute) };
  },
  subscript: (l, node) => {
    const of = childIn(node, "value");
    const [key, ...more] = childrenIn(node, "subscript");
    // What is said about a type does not make it another one: `Service = Annotated[BookService, Depends(make)]`.
    if (of && key && more.length > 0 && /^(?:\w+\.)?Annotated$/.test(l.textOf(of)))
      return l.expression(makerOfText(l, key, more) ?? key);
    if (of && key?.type === "slice" && more.length === 0) return slice(l, node, l.expression(of), key);
    return target(l, node);
  },
  call: (l, node) => {
    const callee = childIn(node, "function");
    const given = childIn(node, "arguments");
    if (!callee) return l.unknown(node);
    const args =
      given?.type === "generator_expression"
        ? [positional(l.expression(given))]
        : (given?.children ?? []).map((c) => argument(l, c));
    return asWritten(l, node, callee, args) ?? l.call(node, l.expression(callee), args);
  },
  list,
  tuple: list,
  set: list,
  expression_list: list,
  pattern_list: list,
  dictionary: (l, node) => ({
    ...span(node),
    kind: "collection",
    shape: "map",
    entries: node.children.map((c) => element(l, c)),
  }),
  list_comprehension: comprehension,
  set_comprehension: comprehension,
  generator_expression: comprehension,
  dictionary_comprehension: comprehension,
  binary_operator: (l, node) => l.chain(node, (n) => binaryParts(l, n)),
  boolean_operator: (l, node) => l.chain(node, (n) => binaryParts(l, n)),
  not_operator: unary,
  unary_operator: unary,
  comparison_operator: comparison,
  conditional_expression: (l, node) => {
    const [then, test, otherwise] = node.children;
    if (!then || !test || !otherwise) return l.unknown(node);
    return {
      ...span(node),
      kind: "conditional",
      test: l.expression(test),
      then: l.expression(then),
      otherwise: l.expression(otherwise),
    };
  },
  lambda: (l, node) => ({ ...span(node), kind: "closure", fn: lambdaOf(l, node) }),
  named_expression: (l, node) => {
    const to = childIn(node, "name");
    const from = childIn(node, "value");
    if (!to || !from) return l.unknown(node);
    return { ...span(node), kind: "assign", to: l.variable(to), from: l.expression(from), type: null, declares: true };
  },
  assignment: (l, node) => {
    const to = childIn(node, "left");
    const from = childIn(node, "right");
    const type = childIn(node, "type");
    if (!to) return l.unknown(node);
    const assigned = target(l, to);
    return {
      ...span(node),
      kind: "assign",
      to: assigned,
      from: from ? l.expression(from) : l.reads(node, []),
      type: type ? annotationOf(l.textOf(type)) : null,
      declares: l.isOwn(assigned),
    };
  },
  augmented_assignment: (l, node) => {
    const to = childIn(node, "left");
    const from = childIn(node, "right");
    const operator = childIn(node, "operator");
    if (!to || !from || !operator) return l.unknown(node);
    const operands = [l.expression(to), l.expression(from)];
    const value: Expression = { ...span(node), kind: "operation", operator: l.textOf(operator).slice(0, -1), operands };
    const assigned = target(l, to);
    return { ...span(node), kind: "assign", to: assigned, from: value, type: null, declares: l.isOwn(assigned) };
  },
};

const comments = /#.*/g;

/** `x[a:b]` asks x for a part of itself, like a method of JavaScript does. */
function slice(l: PythonLowering, node: SyntaxNode, of: Expression, range: SyntaxNode): Expression {
  const bounds: Expression[] = [l.literal(range, null), l.literal(range, null)];
  let [position, end] = [0, range.start];
  for (const bound of range.children) {
    const between = l.textOf({ start: end, end: bound.start }).replace(comments, "");
    // What cannot be read within a slice may have any number of colons; a slice has three places.
    position = Math.min(position + between.split(":").length - 1, 2);
    bounds[position] = l.expression(bound);
    end = bound.end;
  }
  return l.call(node, { ...span(node), kind: "field", of, name: "slice" }, bounds.map(positional));
}

/** A string with its prefix and holes. Bytes count as text: what matters is who chose them. */
function text(l: PythonLowering, node: SyntaxNode): Expression {
  const opening = node.children[0];
  const raw = opening?.type === "string_start" && /r/i.test(l.textOf(opening));
  const parts = node.children
    .filter((part) => part.type === "string_content" || part.type === "interpolation")
    .map((part): Expression => {
      if (part.type === "string_content") return l.literal(part, raw ? l.textOf(part) : unescapeText(l.textOf(part)));
      const value = childIn(part, "expression");
      if (!value) return l.reads(part, []);
      const format = childOf(part, "format_specifier");
      // `{size:d}` takes numbers only.
      const isNumber = format !== undefined && /[bdoxXeEfFgGn%]$/.test(l.textOf(format));
      return isNumber
        ? l.call(part, l.variable(part, "float"), [positional(l.expression(value))])
        : l.expression(value);
    });
  if (parts.every((part) => part.kind === "literal")) return l.literal(node, parts.map((part) => part.value).join(""));
  return { ...span(node), kind: "template", parts };
}

function element(l: PythonLowering, node: SyntaxNode): Entry {
  if (node.type === "pair") {
    const key = childIn(node, "key");
    const value = childIn(node, "value");
    return {
      ...span(node),
      key: key ? l.expression(key) : null,
      value: value ? l.expression(value) : l.unknown(node),
      spread: false,
    };
  }
  return { ...span(node), key: null, value: l.expression(node), spread: node.type.endsWith("_splat") };
}

function argument(l: PythonLowering, node: SyntaxNode): Argument {
  if (node.type !== "keyword_argument") {
    const name = node.type === "dictionary_splat" ? wholeMap : null;
    return { name, spread: node.type.endsWith("_splat"), value: l.expression(node) };
  }
  const key = childIn(node, "name");
  const value = childIn(node, "value");
  return { name: key ? l.textOf(key) : null, spread: false, value: value ? l.expression(value) : l.unknown(node) };
}

/** `[body for x in xs if c]` binds x to any element of xs and yields a list of body where c holds. */
function comprehension(l: PythonLowering, node: SyntaxNode): Expression {
  const body = childIn(node, "body");
  if (!body) return l.unknown(node);
  const clauses = node.children.filter((c) => c !== body);
  const tests = clauses.flatMap((c) => (c.type === "if_clause" && c.children[0] ? [c.children[0]] : []));
  const parts = clauses.filter((c) => c.type !== "if_clause").map((clause) => comprehensionClause(l, clause));
  const where = (then: Expression): Expression =>
    tests.reduceRight<Expression>(
      (kept, test) => ({
        ...span(node),
        kind: "conditional",
        test: l.expression(test),
        then: kept,
        otherwise: l.literal(node, null),
      }),
      then,
    );
  const map = body.type === "pair";
  const entry = element(l, body);
  parts.push({
    ...span(node),
    kind: "collection",
    shape: map ? "map" : "list",
    entries: [{ ...entry, key: entry.key && where(entry.key), value: where(entry.value), spread: false }],
  });
  return { ...span(node), kind: "sequence", parts };
}

function comprehensionClause(l: PythonLowering, clause: SyntaxNode): Expression {
  const left = childIn(clause, "left");
  const right = childIn(clause, "right");
  if (clause.type !== "for_in_clause" || !left || !right) return inner(l, clause);
  const from: Expression = { ...span(right), kind: "index", of: l.expression(right), key: null };
  return { ...span(left), kind: "assign", to: target(l, left), from, type: null, declares: true };
}

function binaryParts(l: PythonLowering, node: SyntaxNode) {
  if (node.type !== "binary_operator" && node.type !== "boolean_operator") return null;
  const left = childIn(node, "left");
  const operator = childIn(node, "operator");
  const right = childIn(node, "right");
  if (!left || !operator || !right) return null;
  const isSum = l.textOf(operator) === "+" && (isNumber(left) || isNumber(right));
  return { left, operator: isSum ? "plus" : l.textOf(operator), right };
}

/** Nothing but a number can be added to one. */
const isNumber = ({ type }: SyntaxNode): boolean => type === "integer" || type === "float";

function unary(l: PythonLowering, node: SyntaxNode): Expression {
  const argument = childIn(node, "argument");
  const operator = childIn(node, "operator");
  if (!argument) return l.unknown(node);
  return {
    ...span(node),
    kind: "operation",
    operator: operator ? l.textOf(operator) : "not",
    operands: [l.expression(argument)],
  };
}

/** `a < b <= c` is the conjunction of its neighbours' comparisons. */
function comparison(l: PythonLowering, node: SyntaxNode): Expression {
  const operands = node.children.filter((c) => c.field !== "operators");
  const operators = childrenIn(node, "operators").map((c) => l.textOf(c).replace(/\s+/g, " "));
  const pairs = operators.map((operator, i): Expression => {
    const left = operands[i] ?? node;
    const right = operands[i + 1] ?? node;
    return compared({ start: left.start, end: right.end }, operator, l.expression(left), l.expression(right));
  });
  const only = pairs[0];
  if (!only) return l.unknown(node);
  return pairs.length === 1 ? only : { ...span(node), kind: "operation", operator: "and", operands: pairs };
}

/** `type(found) == Order` asks what `isinstance(found, Order)` asks, and of that class alone. */
function compared(at: Span, operator: string, left: Expression, right: Expression): Expression {
  const isAsked = /^(==|!=|is|is not)$/.test(operator) && left.kind === "call" && left.args.length === 1;
  if (!isAsked || left.callee.kind !== "variable" || left.callee.name !== "type")
    return { ...at, kind: "operation", operator, operands: [left, right] };
  const args = [...left.args, { name: null, spread: false, value: right }];
  const asked: Expression = { ...left, ...at, callee: { ...left.callee, name: "isinstance" }, args };
  return operator === "==" || operator === "is"
    ? asked
    : { ...at, kind: "operation", operator: "not", operands: [asked] };
}
