import { castOperator, type Expression, type Field, type Statement } from "../../ir/ir.ts";
import { childIn, childOf, type SyntaxNode } from "../../parse/syntax.ts";
import { objectOf } from "../anonymous-objects.ts";
import { type Lowering, numberOf, positional, span, unescapeText } from "../lowering.ts";
import { classOf } from "./classes.ts";
import { lambdaOf } from "./functions.ts";
import { initialisedObject } from "./initialised-objects.ts";
import { patternTest } from "./patterns.ts";
import { switchArms } from "./switches.ts";

type Handler = (l: Lowering, node: SyntaxNode) => Expression;

const inner: Handler = (l, node) => (node.children[0] ? l.expression(node.children[0]) : l.reads(node, []));
const last: Handler = (l, node) => {
  const value = childIn(node, "value") ?? node.children.at(-1);
  return value ? l.expression(value) : l.reads(node, []);
};
const integer: Handler = (l, node) => l.literal(node, numberOf(l.textOf(node)));
const name: Handler = (l, node) => l.variable(node);
const list: Handler = (l, node) => ({
  ...span(node),
  kind: "collection",
  shape: "list",
  entries: node.children.map((c) => ({ ...span(c), key: null, value: l.expression(c), spread: false })),
});

/** How each kind of Java value lowers. */
export const expressions: Record<string, Handler> = {
  identifier: name,
  type_identifier: name,
  this: name,
  super: name,
  null_literal: (l, node) => l.literal(node, null),
  true: (l, node) => l.literal(node, true),
  false: (l, node) => l.literal(node, false),
  decimal_integer_literal: integer,
  hex_integer_literal: integer,
  octal_integer_literal: integer,
  binary_integer_literal: integer,
  decimal_floating_point_literal: integer,
  hex_floating_point_literal: integer,
  character_literal: (l, node) => l.literal(node, unescapeText(l.textOf(node).slice(1, -1))),
  string_literal: (l, node) => l.literal(node, stringValue(l.textOf(node))),
  class_literal: inner,
  parenthesized_expression: inner,
  cast_expression: (l, node) => {
    const value = childIn(node, "value");
    const type = childIn(node, "type");
    if (!value) return l.unknown(node);
    const cast = l.expression(value);
    // A cast to a number is a conversion; other casts only tell the compiler what it holds.
    return type && /^(int|long|short|byte|double|float|boolean)$/.test(l.textOf(type))
      ? l.call(node, l.variable(type), [positional(cast)])
      : cast;
  },
  element_value_array_initializer: list,
  array_initializer: list,
  array_creation_expression: (l, node) => {
    const value = childIn(node, "value");
    return value ? l.expression(value) : { ...span(node), kind: "unknown", reads: [] };
  },
  field_access: (l, node) => {
    const of = childIn(node, "object");
    const field = childIn(node, "field");
    if (!of || !field) return l.unknown(node);
    return { ...span(node), kind: "field", of: l.expression(of), name: l.textOf(field) };
  },
  scoped_identifier: scoped,
  scoped_type_identifier: (l, node) => {
    const [of, field] = node.children;
    if (!of || !field) return l.unknown(node);
    return { ...span(node), kind: "field", of: l.expression(of), name: l.textOf(field) };
  },
  generic_type: inner,
  array_access: (l, node) => {
    const of = childIn(node, "array");
    const index = childIn(node, "index");
    if (!of) return l.unknown(node);
    return { ...span(node), kind: "index", of: l.expression(of), key: index ? l.expression(index) : null };
  },
  binary_expression: (l, node) => l.chain(node, (n) => binaryParts(l, n)),
  unary_expression: (l, node) => {
    const operator = childIn(node, "operator");
    const operand = childIn(node, "operand");
    if (!operator || !operand) return l.unknown(node);
    return { ...span(node), kind: "operation", operator: l.textOf(operator), operands: [l.expression(operand)] };
  },
  update_expression: (l, node) => {
    const [of] = node.children;
    if (!of) return l.unknown(node);
    const operator = l.textOf(node).includes("++") ? "+" : "-";
    const operands = [l.expression(of), l.literal(node, 1)];
    const from: Expression = { ...span(node), kind: "operation", operator, operands };
    return { ...span(node), kind: "assign", to: l.expression(of), from, type: null, declares: false };
  },
  instanceof_expression: instanceOf,
  ternary_expression: (l, node) => {
    const [test, then, otherwise] = ["condition", "consequence", "alternative"].map((field) => childIn(node, field));
    if (!test || !then || !otherwise) return l.unknown(node);
    return {
      ...span(node),
      kind: "conditional",
      test: l.expression(test),
      then: l.expression(then),
      otherwise: l.expression(otherwise),
    };
  },
  assignment_expression: (l, node) => {
    const to = childIn(node, "left");
    const right = childIn(node, "right");
    const operator = childIn(node, "operator");
    if (!to || !right) return l.unknown(node);
    const symbol = operator ? l.textOf(operator) : "=";
    const given = l.expression(right);
    const from: Expression =
      symbol === "="
        ? given
        : { ...span(node), kind: "operation", operator: symbol.slice(0, -1), operands: [l.expression(to), given] };
    return { ...span(node), kind: "assign", to: l.expression(to), from, type: null, declares: false };
  },
  method_invocation: (l, node) => {
    const of = childIn(node, "object");
    const method = childIn(node, "name");
    if (!method) return l.unknown(node);
    const callee: Expression = of
      ? {
          start: of.start,
          end: method.end,
          kind: "field",
          of: castObject(l, of) ?? l.expression(of),
          name: l.textOf(method),
        }
      : l.variable(method);
    return l.call(node, callee, argumentsOf(l, node));
  },
  explicit_constructor_invocation: (l, node) => {
    const callee = childIn(node, "constructor");
    return callee ? l.call(node, l.variable(callee), argumentsOf(l, node)) : l.unknown(node);
  },
  object_creation_expression: (l, node) => {
    const type = childIn(node, "type");
    if (!type) return l.unknown(node);
    const made: Expression = {
      ...span(node),
      kind: "call",
      callee: typeName(l, type),
      args: argumentsOf(l, node),
      isNew: true,
    };
    const anonymous = childOf(node, "class_body");
    if (!anonymous) return made;
    const initialised = initialisedObject(l, node, made);
    if (initialised) return initialised;
    const declared = classOf(l, { ...anonymous, children: [{ ...anonymous, field: "body" }] }, `<class ${node.start}>`);
    const body = { ...declared, bases: [typeName(l, type)] };
    return objectOf(l, node, body, made);
  },
  lambda_expression: (l, node) => ({ ...span(node), kind: "closure", fn: lambdaOf(l, node) }),
  method_reference: (l, node) => {
    const [of, method] = node.children;
    if (!of || !method) return of ? l.expression(of) : l.unknown(node);
    const named: Field = { ...span(node), kind: "field", of: l.expression(of), name: l.textOf(method) };
    if (of.type === "identifier" && /^\p{Ll}/u.test(l.textOf(of))) return calling(l, node, named);
    return isGetter.test(named.name) ? asking(l, node, l.textOf(of), named) : named;
  },
  switch_expression: switchValue,
  template_expression: (l, node) => l.reads(node, node.children),
  annotation: annotation,
  marker_annotation: annotation,
  integral_type: name,
  floating_point_type: name,
  boolean_type: name,
  void_type: name,
  dimensions: (l, node) => l.reads(node, []),
  array_type: last,
};

const isGetter = /^(get|is)\p{Lu}/u;

/** `Item::getId` is a function that asks what it is given. */
function asking(l: Lowering, node: SyntaxNode, type: string, { start, end, name }: Field): Expression {
  const getter: Expression = { start, end, kind: "field", of: l.variable(node, given), name };
  return functionOf(node, type, l.call(node, getter, []));
}

/** `names::add` of an object that a variable holds is a function that calls it. */
const calling = (l: Lowering, node: SyntaxNode, callee: Expression): Expression =>
  functionOf(node, null, l.call(node, callee, [positional(l.variable(node, given))]));

/** What the functions that nobody has written call what they are given. */
const given = "<given>";

function functionOf(node: SyntaxNode, type: string | null, value: Expression): Expression {
  const at = span(node);
  const param = { ...at, name: given, pattern: null, type, decorators: [], default: null, rest: false };
  const fn = { ...at, name: "", params: [param], decorators: [], receiver: null, exported: false };
  return { ...at, kind: "closure", fn: { ...fn, body: [{ ...at, kind: "return", value }] } };
}

/** As a value: what the arm gives whose label fits, asked one after the other; the default comes last. */
function switchValue(l: Lowering, node: SyntaxNode): Expression {
  const { of, subject, arms: written } = switchArms(l, node);
  const arms = written.flatMap(({ case: { tests, body }, asked }) => {
    const values = body.flatMap((s) =>
      s.kind === "expression" ? [s.value] : yieldedBy(s.kind === "block" ? s.body : [s]),
    );
    return values.map((value) => ({ tests, asked, value }));
  });
  const ordered = [...arms.filter(({ tests }) => tests.length > 0), ...arms.filter(({ tests }) => tests.length === 0)];
  const chosen = ordered.reduceRight<Expression | null>((otherwise, { tests, asked: patterns, value }) => {
    const asked =
      patterns.length > 0
        ? patterns
        : tests.map(
            (test): Expression => ({ ...span(node), kind: "operation", operator: "==", operands: [subject, test] }),
          );
    if (otherwise === null)
      return patterns.length === 0 ? value : { ...span(node), kind: "sequence", parts: [...patterns, value] };
    const [only, ...others] = asked;
    if (!only) return { ...span(node), kind: "sequence", parts: [value, otherwise] };
    const test: Expression =
      others.length === 0 ? only : { ...span(node), kind: "operation", operator: "||", operands: asked };
    return { ...span(node), kind: "conditional", test, then: value, otherwise };
  }, null);
  return { ...span(node), kind: "sequence", parts: chosen ? [of, chosen] : [of] };
}

/** What the block of an arm gives, behind what is worked out on the way to it. */
function yieldedBy(body: readonly Statement[]): Expression[] {
  const before: Expression[] = [];
  for (const s of body) {
    if (s.kind === "expression") before.push(s.value);
    if (s.kind !== "return" || !s.value) continue;
    const { start, end } = s;
    return before.length === 0 ? [s.value] : [{ start, end, kind: "sequence", parts: [...before, s.value] }];
  }
  return [];
}

function scoped(l: Lowering, node: SyntaxNode): Expression {
  const of = childIn(node, "scope");
  const field = childIn(node, "name");
  if (!of || !field) return l.unknown(node);
  return { ...span(node), kind: "field", of: l.expression(of), name: l.textOf(field) };
}

/** `((HttpServletRequest) request).getHeader("…")`: what is called is a method of that class. */
function castObject(l: Lowering, node: SyntaxNode): Expression | null {
  const cast = node.type === "parenthesized_expression" ? childOf(node, "cast_expression") : undefined;
  const type = cast && childIn(cast, "type");
  const value = cast && childIn(cast, "value");
  if (!cast || !type || !value || !/^(scoped_)?type_identifier$|^generic_type$/.test(type.type)) return null;
  return {
    ...span(cast),
    kind: "operation",
    operator: castOperator,
    operands: [l.expression(value), l.expression(type)],
  };
}

/** An annotation is the call of a decorator: @A(x = 1) lowers to A(x = 1). */
function annotation(l: Lowering, node: SyntaxNode): Expression {
  const callee = childIn(node, "name");
  if (!callee) return l.unknown(node);
  const args = (childIn(node, "arguments")?.children ?? []).map((c) => {
    const key = c.type === "element_value_pair" ? childIn(c, "key") : undefined;
    const value = c.type === "element_value_pair" ? childIn(c, "value") : c;
    return { name: key ? l.textOf(key) : null, spread: false, value: l.expression(value ?? c) };
  });
  return l.call(node, l.expression(callee), args);
}

/** `o instanceof String s` also binds s. */
function instanceOf(l: Lowering, node: SyntaxNode): Expression {
  const left = childIn(node, "left");
  const right = childIn(node, "right");
  const bound = childIn(node, "name");
  const pattern = childIn(node, "pattern");
  if (!left) return l.unknown(node);
  const of = l.expression(left);
  if (pattern) return patternTest(l, pattern, of);
  const test: Expression = {
    ...span(node),
    kind: "operation",
    operator: "instanceof",
    operands: [of, right ? l.expression(right) : l.reads(node, [])],
  };
  if (!bound) return test;
  const type = right ? l.textOf(right) : null;
  const assign: Expression = { ...span(bound), kind: "assign", to: l.variable(bound), from: of, type, declares: true };
  return { ...span(node), kind: "sequence", parts: [assign, test] };
}

function binaryParts(l: Lowering, node: SyntaxNode) {
  if (node.type !== "binary_expression") return null;
  const left = childIn(node, "left");
  const operator = childIn(node, "operator");
  const right = childIn(node, "right");
  return left && operator && right ? { left, operator: l.textOf(operator), right } : null;
}

const argumentsOf = (l: Lowering, node: SyntaxNode) =>
  (childIn(node, "arguments")?.children ?? []).map((c) => positional(l.expression(c)));

const typeName = (l: Lowering, node: SyntaxNode): Expression =>
  node.type === "generic_type" && node.children[0] ? l.expression(node.children[0]) : l.expression(node);

/** Text blocks start after the line break that follows the opening quotes. */
const stringValue = (raw: string): string =>
  unescapeText(raw.startsWith('"""') ? raw.slice(3, -3).replace(/^[ \t]*\r?\n/, "") : raw.slice(1, -1));
