import type { Argument, Expression } from "../../ir/ir.ts";
import { childIn, type SyntaxNode } from "../../parse/syntax.ts";
import { type Lowering, numberOf, positional, span, unescapeText } from "../lowering.ts";
import { formatted } from "./formats.ts";
import { functionOf } from "./functions.ts";
import type { GoLowering } from "./go-lowering.ts";
import { compositeOf, emptyOf } from "./literals.ts";
import { nameOf, typeName } from "./types.ts";

type Handler = (l: GoLowering, node: SyntaxNode) => Expression;

const inner: Handler = (l, node) => (node.children[0] ? l.expression(node.children[0]) : l.reads(node, []));
const operand: Handler = (l, node) => {
  const of = childIn(node, "operand");
  return of ? l.expression(of) : l.unknown(node);
};
const name: Handler = (l, node) => l.variable(node);
/** A type where a value is asked for: an argument of make or new, a case of a type switch. */
const type: Handler = (l, node) => {
  const written = typeName(l, node);
  return written === null ? l.reads(node, []) : nameOf(l, node, written);
};

/** How each kind of Go value lowers. */
export const expressions: Record<string, Handler> = {
  identifier: name,
  package_identifier: name,
  field_identifier: name,
  blank_identifier: name,
  nil: (l, node) => l.literal(node, null),
  true: (l, node) => l.literal(node, true),
  false: (l, node) => l.literal(node, false),
  // Which number it is matters to nothing here.
  iota: (l, node) => l.reads(node, []),
  int_literal: (l, node) => l.literal(node, numberOf(l.textOf(node).replace(/^0([0-7])/, "0o$1"))),
  float_literal: (l, node) => l.literal(node, numberOf(l.textOf(node))),
  imaginary_literal: (l, node) => l.reads(node, []),
  rune_literal: (l, node) => l.literal(node, unescapeText(l.textOf(node).slice(1, -1))),
  interpreted_string_literal: (l, node) => l.literal(node, textOf(l, node)),
  raw_string_literal: (l, node) => l.literal(node, textOf(l, node)),
  parenthesized_expression: inner,
  literal_element: inner,
  variadic_argument: inner,
  expression_list: (l, node) =>
    node.children.length === 1
      ? inner(l, node)
      : {
          ...span(node),
          kind: "collection",
          shape: "list",
          entries: node.children.map((c) => ({ ...span(c), key: null, value: l.expression(c), spread: false })),
        },
  selector_expression: (l, node) => {
    const of = childIn(node, "operand");
    const field = childIn(node, "field");
    if (!of || !field) return l.unknown(node);
    return { ...span(node), kind: "field", of: l.expression(of), name: l.textOf(field) };
  },
  index_expression: (l, node) => {
    const of = childIn(node, "operand");
    const key = childIn(node, "index");
    if (!of || !key) return l.unknown(node);
    return { ...span(node), kind: "index", of: l.expression(of), key: l.expression(key) };
  },
  // A part of a text or list carries what the whole carries.
  slice_expression: (l, node) => {
    const of = childIn(node, "operand");
    return of ? { ...span(node), kind: "index", of: l.expression(of), key: null } : l.unknown(node);
  },
  unary_expression: (l, node) => {
    const operator = childIn(node, "operator");
    const of = childIn(node, "operand");
    if (!operator || !of) return l.unknown(node);
    const symbol = l.textOf(operator);
    // Pointers are as good as what they point to; a channel gives what was put in.
    if (symbol === "&" || symbol === "*") return l.expression(of);
    if (symbol === "<-") return { ...span(node), kind: "index", of: l.expression(of), key: null };
    return {
      ...span(node),
      kind: "operation",
      operator: symbol === "^" ? "~" : symbol,
      operands: [l.expression(of)],
    };
  },
  binary_expression: (l, node) =>
    l.chain(node, (n) => {
      const left = childIn(n, "left");
      const operator = childIn(n, "operator");
      const right = childIn(n, "right");
      if (n.type !== "binary_expression" || !left || !operator || !right) return null;
      return { left, operator: l.textOf(operator), right };
    }),
  call_expression: call,
  type_conversion_expression: (l, node) => {
    const of = childIn(node, "operand");
    const target = childIn(node, "type");
    // The grammar cannot tell `decode[T](r)`, a call of a generic function with one argument, from a conversion.
    if (of && target?.type === "generic_type") return l.call(node, type(l, target), [positional(l.expression(of))]);
    // `[]byte(x)`: the same text.
    return operand(l, node);
  },
  type_assertion_expression: (l, node) => {
    const of = childIn(node, "operand");
    const wanted = typeName(l, childIn(node, "type"));
    if (!of) return l.unknown(node);
    // Only what is of that type comes through, so a conversion says the same.
    return wanted === null
      ? l.expression(of)
      : l.call(node, nameOf(l, childIn(node, "type") ?? node, wanted), [positional(l.expression(of))]);
  },
  type_instantiation_expression: type,
  composite_literal: compositeOf,
  // Keys of a map whose type is left out.
  literal_value: (l, node) => l.reads(node, node.children),
  keyed_element: (l, node) => l.reads(node, node.children),
  func_literal: (l, node) => ({ ...span(node), kind: "closure", fn: functionOf(l, node) }),
  type_identifier: type,
  qualified_type: type,
  pointer_type: type,
  generic_type: type,
  parenthesized_type: type,
  slice_type: type,
  array_type: type,
  map_type: type,
  channel_type: type,
  struct_type: type,
  interface_type: type,
  function_type: type,
};

function call(l: GoLowering, node: SyntaxNode): Expression {
  const callee = childIn(node, "function");
  if (!callee) return l.unknown(node);
  const given = (childIn(node, "arguments")?.children ?? []) as SyntaxNode[];
  const [first, ...others] = given;
  const named = l.textOf(callee);
  if ((named === "make" || named === "new") && first) return emptyOf(l, node, first);
  if (named === "string" && first && others.length === 0) return l.expression(first);
  if (named === "append") return appended(l, node, given);
  if (/^regexp\.(MustCompile|Compile)(POSIX)?$/.test(named) && first) {
    const pattern = textLiteral(l, first);
    // A pattern with a name is known by its text as well.
    return pattern === null ? l.expression(first) : { ...l.literal(node, pattern), regex: true };
  }
  if (named === "fmt.Sprintf" && first) {
    const format = textLiteral(l, first);
    const text = format === null ? null : formatted(l, node, format, others);
    if (text) return text;
  }
  const target = callee.type === "parenthesized_expression" ? conversion(l, callee) : callee;
  return l.call(
    node,
    target.type === "generic_type" || target.type === "type_instantiation_expression"
      ? type(l, target)
      : l.expression(target),
    given.map((arg) => argument(l, arg)),
  );
}

/** `(*T)(x)` converts; the parser sees a value in brackets. */
const conversion = (_: Lowering, callee: SyntaxNode): SyntaxNode => {
  const of = callee.children[0];
  return of?.type === "unary_expression" ? (childIn(of, "operand") ?? callee) : callee;
};

const argument = (l: Lowering, node: SyntaxNode): Argument => ({
  name: null,
  spread: node.type === "variadic_argument",
  value: l.expression(node),
});

/** `append(list, x, more...)` is a list of all of them. */
function appended(l: Lowering, node: SyntaxNode, given: readonly SyntaxNode[]): Expression {
  return {
    ...span(node),
    kind: "collection",
    shape: "list",
    entries: given.map((c, i) => ({
      ...span(c),
      key: null,
      value: l.expression(c),
      spread: i === 0 || c.type === "variadic_argument",
    })),
  };
}

/** What a text literal says; null for anything else. */
export function textLiteral(l: Lowering, node: SyntaxNode): string | null {
  const literal = node.type === "literal_element" ? node.children[0] : node;
  return literal?.type.endsWith("string_literal") ? textOf(l, literal) : null;
}

const textOf = (l: Lowering, node: SyntaxNode): string => {
  const inside = l.textOf(node).slice(1, -1);
  return node.type === "raw_string_literal" ? inside : unescapeText(inside);
};
