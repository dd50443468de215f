import type { Expression } from "../../ir/ir.ts";
import { childIn, childOf, type SyntaxNode } from "../../parse/syntax.ts";
import { assigned, expressions as curly, type ExpressionHandler, inner, list, silent } from "../curly/expressions.ts";
import { numberOf, positional, span, unescapeText } from "../lowering.ts";
import { askedByType, castObject, typeGiven } from "./asked-types.ts";
import { argumentsOf, functionOf } from "./classes.ts";
import type { CSharpLowering } from "./csharp-lowering.ts";
import { typeName } from "./types.ts";

type Handler = ExpressionHandler<CSharpLowering>;

const type: Handler = (l, node) => l.variable(node, typeName(l, node) ?? "");
const number: Handler = (l, node) => l.literal(node, numberOf(l.textOf(node).replace(/[uUmM]?[lL]?$|[mMfFdD]$/, "")));
const text: Handler = (l, node) => l.literal(node, unescapeText(l.textOf(node).replace(/^"|"(u8)?$/g, "")));
const closure: Handler = (l, node) => ({ ...span(node), kind: "closure", fn: functionOf(l, node) });

/** Locals and parameters begin with small letters. */
const isMember = (l: CSharpLowering, node: SyntaxNode) => /^\p{Lu}/u.test(l.textOf(node)) && { bare: true };

/** How each kind of C# value lowers. */
export const expressions: Record<string, Handler> = {
  ...curly,
  base: (l, node) => l.variable(node, "base"),
  identifier: (l, node) => ({ ...l.variable(node, l.textOf(node)), ...isMember(l, node) }),
  predefined_type: type,
  generic_name: type,
  qualified_name: type,
  nullable_type: type,
  array_type: silent,
  implicit_type: silent,
  discard: silent,
  null_literal: (l, node) => l.literal(node, null),
  boolean_literal: (l, node) => l.literal(node, l.textOf(node) === "true"),
  integer_literal: number,
  real_literal: number,
  character_literal: (l, node) => l.literal(node, unescapeText(l.textOf(node).slice(1, -1))),
  string_literal: text,
  verbatim_string_literal: (l, node) => l.literal(node, l.textOf(node).slice(2, -1).replaceAll('""', '"')),
  raw_string_literal: (l, node) => l.literal(node, l.textOf(childOf(node, "raw_string_content") ?? node)),
  interpolated_string_expression: (l, node) => ({
    ...span(node),
    kind: "template",
    parts: node.children
      .filter((c) => c.type === "string_content" || c.type === "interpolation" || c.type === "escape_sequence")
      .map((c) => (c.type === "interpolation" ? l.expression(c) : l.literal(c, unescapeText(l.textOf(c))))),
  }),
  interpolation: (l, node) => {
    const value = node.children.find((c) => !/^interpolation_/.test(c.type));
    return value ? l.expression(value) : l.unknown(node);
  },
  argument: (l, node) => argumentsOf(l, { ...node, children: [node] })[0]?.value ?? l.unknown(node),
  member_access_expression: (l, node) => {
    const of = childIn(node, "expression");
    const name = childIn(node, "name");
    if (!of || !name) return l.unknown(node);
    const written = typeName(l, name) ?? l.textOf(name);
    // A class may be written out with its namespace.
    if (isNamespace.test(l.textOf(of).replace(/^global::/, ""))) return l.variable(name, written);
    return { ...span(node), kind: "field", of: castObject(l, of) ?? l.expression(of), name: written };
  },
  alias_qualified_name: type,
  conditional_access_expression: (l, node) => {
    const [of, rest] = [childIn(node, "condition"), node.children.at(-1)];
    if (!of || !rest) return l.unknown(node);
    l.asked.push(castObject(l, of) ?? l.expression(of));
    try {
      return l.expression(rest);
    } finally {
      l.asked.pop();
    }
  },
  member_binding_expression: (l, node) => {
    const of = l.asked.at(-1);
    const name = childIn(node, "name");
    return of && name ? { ...span(node), kind: "field", of, name: typeName(l, name) ?? "" } : l.unknown(node);
  },
  element_binding_expression: (l, node) => {
    const of = l.asked.at(-1);
    const [key] = argumentsOf(l, node);
    return of ? { ...span(node), kind: "index", of, key: key?.value ?? null } : l.unknown(node);
  },
  element_access_expression: (l, node) => {
    const of = childIn(node, "expression");
    const [key] = argumentsOf(l, childIn(node, "subscript"));
    if (!of) return l.unknown(node);
    // The indexer of something that is no variable of the function: `Request["id"]`.
    const isGiven =
      of.type === "identifier" ? /^(?!ViewData|TempData)[A-Z]/.test(l.textOf(of)) : /\.Request$/.test(l.textOf(of));
    if (isGiven && key?.value.kind === "literal")
      return l.call(node, { ...span(of), kind: "field", of: l.expression(of), name: "Item" }, [key]);
    return { ...span(node), kind: "index", of: l.expression(of), key: key?.value ?? null };
  },
  invocation_expression: (l, node) => {
    const callee = childIn(node, "function");
    if (!callee) return l.unknown(node);
    return askedByType(l, l.call(node, l.expression(callee), argumentsOf(l, childIn(node, "arguments"))), node);
  },
  object_creation_expression: made,
  implicit_object_creation_expression: made,
  anonymous_object_creation_expression: (l, node) => l.reads(node, node.children),
  array_creation_expression: (l, node) => {
    const values = childOf(node, "initializer_expression");
    return values ? list(l, values) : l.reads(node, []);
  },
  implicit_array_creation_expression: (l, node) => list(l, childOf(node, "initializer_expression") ?? node),
  initializer_expression: list,
  collection_expression: list,
  collection_element: inner,
  expression_element: inner,
  spread_element: inner,
  tuple_expression: list,
  stackalloc_expression: silent,
  declaration_expression: (l, node) => l.variable(childIn(node, "name") ?? node),
  variable_declaration: (l, node) => ({
    ...span(node),
    kind: "sequence",
    parts: node.children.filter((c) => c.type === "variable_declarator").map((c) => variableOf(l, node, c)),
  }),
  prefix_unary_expression: unary,
  postfix_unary_expression: unary,
  await_expression: inner,
  checked_expression: inner,
  ref_expression: inner,
  throw_expression: inner,
  range_expression: (l, node) => l.reads(node, node.children),
  cast_expression: (l, node) => {
    const value = childIn(node, "value");
    const to = typeName(l, childIn(node, "type"));
    if (!value) return l.unknown(node);
    // To a number it is a conversion, and of text to markup as well; other casts only tell the compiler what it holds.
    return to && /^(int|long|short|byte|uint|ulong|double|float|decimal|bool|MarkupString)$/.test(to)
      ? l.call(node, l.variable(node, to), [positional(l.expression(value))])
      : l.expression(value);
  },
  as_expression: (l, node) => l.expression(childIn(node, "left") ?? (node.children[0] as SyntaxNode)),
  is_expression: (l, node) => comparison(l, node, node.children),
  is_pattern_expression: (l, node) => {
    const [of, pattern] = ["expression", "pattern"].map((field) => childIn(node, field));
    if (!of || !pattern) return l.unknown(node);
    const named = pattern.type === "declaration_pattern" ? childIn(pattern, "name") : undefined;
    // What is asked about is named once for each constant: calls and questions about questions would multiply.
    const test = isNamed(of) ? patternTest(l, l.expression(of), pattern) : comparison(l, node, [of]);
    if (!named) return test;
    return {
      ...span(node),
      kind: "sequence",
      parts: [assigned(named, l.variable(named), l.expression(of), null, true), test],
    };
  },
  typeof_expression: silent,
  sizeof_expression: silent,
  default_expression: silent,
  lambda_expression: closure,
  anonymous_method_expression: closure,
  with_expression: (l, node) => {
    const [of, ...set] = node.children;
    const entries = set.flatMap((c) => {
      const [name, value] = c.children;
      if (c.type !== "with_initializer" || !name || !value) return [];
      return [{ ...span(c), key: l.literal(name, l.textOf(name)), value: l.expression(value), spread: false }];
    });
    if (!of) return l.unknown(node);
    const copied = { ...span(of), key: null, value: l.expression(of), spread: true };
    return { ...span(node), kind: "collection", shape: "map", entries: [copied, ...entries] };
  },
  query_expression: (l, node) => l.reads(node, node.children),
  from_clause: (l, node) => {
    const [name, over] = [childIn(node, "name"), node.children.at(-1)];
    if (!name || !over) return l.unknown(node);
    const element: Expression = { ...span(over), kind: "index", of: l.expression(over), key: null };
    return assigned(node, l.variable(name), element, null, true);
  },
  where_clause: inner,
  select_clause: inner,
  order_by_clause: silent,
  group_clause: inner,
  let_clause: inner,
  join_clause: inner,
  switch_expression: (l, node) => {
    const [of, ...arms] = node.children;
    if (!of) return l.unknown(node);
    const values = arms.flatMap((arm) => arm.children.at(-1) ?? []).map((value) => l.expression(value));
    const unsure: Expression = { ...span(node), kind: "unknown", reads: [] };
    const joined = values.reduceRight<Expression | null>(
      (otherwise, then) =>
        otherwise === null ? then : { ...span(node), kind: "conditional", test: unsure, then, otherwise },
      null,
    );
    return { ...span(node), kind: "sequence", parts: [l.expression(of), ...(joined ? [joined] : [])] };
  },
  constant_pattern: inner,
  ERROR: (l, node) => l.reads(node, node.children),
};

const isNamespace =
  /^(System|Microsoft|Newtonsoft|MySql|Npgsql)(\.(IO|Net|Http|Text|Data|SqlClient|MySqlClient|Xml|XPath|Json|Diagnostics|Security|Cryptography|Web|UI|Mvc|AspNetCore|EntityFrameworkCore|Runtime|Serialization|Formatters|Binary|RegularExpressions|Threading|Tasks|Collections|Generic|Linq|Reflection|DirectoryServices|Configuration|Globalization|Compression))*$/;

/** `order`, `this.request.Order` */
const isNamed = (node: SyntaxNode): boolean =>
  node.type === "identifier" ||
  node.type === "this" ||
  (node.type === "member_access_expression" && node.children.slice(0, 1).every(isNamed));

/** `x is "a" or "b"`, `x is not null`: what constants ask is a comparison; of other patterns nothing is known but that they ask. */
function patternTest(l: CSharpLowering, of: Expression, pattern: SyntaxNode): Expression {
  const operation = (operator: string, operands: Expression[]): Expression => ({
    ...span(pattern),
    kind: "operation",
    operator,
    operands,
  });
  const inner = (node: SyntaxNode): Expression => patternTest(l, of, node);
  const parts = pattern.children.filter(({ type }) => /_pattern$/.test(type));
  const [first] = parts;
  switch (pattern.type) {
    case "parenthesized_pattern":
      return first ? inner(first) : l.unknown(pattern);
    case "negated_pattern":
      return first ? operation("!", [inner(first)]) : l.unknown(pattern);
    case "or_pattern":
      return operation("||", parts.map(inner));
    case "and_pattern":
      return operation("&&", parts.map(inner));
    case "constant_pattern":
      return operation("==", [of, l.expression(pattern)]);
    default:
      return operation("is", [of, { ...span(pattern), kind: "unknown", reads: [] }]);
  }
}

/** A comparison that decides nothing here. */
const comparison = (l: CSharpLowering, node: SyntaxNode, of: readonly SyntaxNode[]): Expression => ({
  ...span(node),
  kind: "operation",
  operator: "is",
  operands: [...of.slice(0, 1).map((c) => l.expression(c)), { ...span(node), kind: "unknown", reads: [] }],
});

/** `new T(a) { B = c }` */
function made(l: CSharpLowering, node: SyntaxNode): Expression {
  const type = childIn(node, "type");
  const given = childIn(node, "arguments") ?? childOf(node, "argument_list");
  const fields = (childIn(node, "initializer") ?? childOf(node, "initializer_expression"))?.children ?? [];
  const named = fields.flatMap((c) => {
    const [left, right] = [childIn(c, "left"), childIn(c, "right")];
    if (c.type !== "assignment_expression" || !left || !right) return [];
    return [{ name: l.textOf(left), spread: false, value: l.expression(right) }];
  });
  const elements = fields.filter((c) => c.type !== "assignment_expression");
  const callee = l.variable(type ?? node, typeName(l, type) ?? "");
  const args = [...argumentsOf(l, given), ...elements.map((c) => positional(l.expression(c))), ...named];
  return { ...span(node), kind: "call", callee, args, isNew: true };
}

function unary(l: CSharpLowering, node: SyntaxNode): Expression {
  const [of] = node.children;
  if (!of) return l.unknown(node);
  const written = l.textOf(node);
  const operator = written.startsWith(l.textOf(of))
    ? written.slice(-2).trim()
    : (written.match(/^(\+\+|--|.)/)?.[0] ?? "");
  if (operator === "++" || operator === "--") {
    const operands = [l.expression(of), l.literal(node, 1)];
    return assigned(node, l.expression(of), {
      ...span(node),
      kind: "operation",
      operator: operator[0] as string,
      operands,
    });
  }
  // `x!` only tells the compiler.
  if (!/^[!~+-]/.test(written)) return l.expression(of);
  return { ...span(node), kind: "operation", operator, operands: [l.expression(of)] };
}

/** One variable of a declaration. */
export function variableOf(l: CSharpLowering, declaration: SyntaxNode, node: SyntaxNode): Expression {
  const name = childIn(node, "name");
  const pattern = childOf(node, "tuple_pattern");
  const value = node.children.filter((c) => c !== name && c !== pattern && c.type !== "bracketed_argument_list").at(-1);
  const type = typeName(l, childIn(declaration, "type")) ?? typeGiven(l, value);
  const from: Expression = value ? typed(l.expression(value), type) : { ...span(node), kind: "unknown", reads: [] };
  const to = pattern ? list(l, pattern) : l.variable(name ?? node);
  return assigned(node, to, from, type, true);
}

/** `T x = new();` makes a T. */
const typed = (value: Expression, type: string | null): Expression =>
  value.kind === "call" && value.isNew && value.callee.kind === "variable" && value.callee.name === "" && type
    ? { ...value, callee: { ...value.callee, name: type } }
    : value;
