import type { Expression } from "../../ir/ir.ts";
import { childIn, type SyntaxNode } from "../../parse/syntax.ts";
import {
  argumentsIn,
  expressions as curly,
  type ExpressionHandler,
  inner,
  list,
  silent,
} from "../curly/expressions.ts";
import { numberOf, positional, span, unescapeText } from "../lowering.ts";
import { parametersOf } from "./declarations.ts";
import { macroAsCall, macroOf, textOfLiteral } from "./macros.ts";
import { pathValue } from "./paths.ts";
import { bindingOf, blockValue, returning } from "./results.ts";
import type { RustLowering } from "./rust-lowering.ts";
import { typeArguments, typeName } from "./types.ts";

type Handler = ExpressionHandler<RustLowering>;

const number: Handler = (l, node) =>
  l.literal(node, numberOf(l.textOf(node).replace(/(?<=[\d_.])[iuf](8|16|32|64|128|size)$/, "")));
const text: Handler = (l, node) => l.literal(node, textOfLiteral(l, node));
const together: Handler = (l, node) =>
  l.reads(
    node,
    node.children.filter((c) => c.type !== "label"),
  );
const binding: Handler = (l, node) => {
  const bound = bindingOf(l, node);
  const unsure: Expression = { ...span(node), kind: "unknown", reads: [] };
  return bound ? { ...span(node), kind: "sequence", parts: [bound, unsure] } : unsure;
};
const numeric = /^([iu](8|16|32|64|128|size)|f32|f64|bool|Uuid|NaiveDate|IpAddr|Ipv4Addr|SocketAddr)$/;

/** How each kind of Rust value lowers. */
export const expressions: Record<string, Handler> = {
  ...curly,
  identifier: pathValue,
  scoped_identifier: pathValue,
  type_identifier: pathValue,
  scoped_type_identifier: pathValue,
  generic_type: pathValue,
  generic_function: (l, node) => {
    const of = childIn(node, "function");
    return of ? l.expression(of) : l.unknown(node);
  },
  field_identifier: (l, node) => l.variable(node),
  shorthand_field_identifier: (l, node) => l.variable(node),
  self: (l, node) => l.variable(node, "self"),
  crate: silent,
  super: silent,
  metavariable: silent,
  primitive_type: silent,
  unit_expression: silent,
  string_literal: text,
  raw_string_literal: text,
  char_literal: (l, node) => l.literal(node, unescapeText(l.textOf(node).replace(/^b?'|'$/g, ""))),
  boolean_literal: (l, node) => l.literal(node, l.textOf(node) === "true"),
  integer_literal: number,
  float_literal: number,
  macro_invocation: macroOf,
  token_tree: together,
  tuple_expression: list,
  array_expression: (l, node) => list(l, { ...node, children: node.children.filter((c) => c.field !== "length") }),
  reference_expression: inner,
  try_expression: inner,
  await_expression: inner,
  label: silent,
  unary_expression: (l, node) => {
    const [of] = node.children;
    if (!of) return l.unknown(node);
    const symbol = l.textOf(node)[0] ?? "";
    return symbol === "*"
      ? l.expression(of)
      : { ...span(node), kind: "operation", operator: symbol, operands: [l.expression(of)] };
  },
  range_expression: together,
  type_cast_expression: (l, node) => {
    const [value, type] = [childIn(node, "value"), typeName(l, childIn(node, "type"))];
    if (!value) return l.unknown(node);
    return type && numeric.test(type) ? asNumber(l, node, l.expression(value)) : l.expression(value);
  },
  compound_assignment_expr: (l, node) => (curly.assignment_expression as Handler)(l, node),
  field_expression: (l, node) => {
    const [of, name] = [childIn(node, "value"), childIn(node, "field")];
    if (!of || !name) return l.unknown(node);
    // `.0` of a wrapper is what it wraps; of a tuple, its element.
    if (name.type === "integer_literal")
      return { ...span(node), kind: "index", of: l.expression(of), key: l.literal(name, Number(l.textOf(name))) };
    return { ...span(node), kind: "field", of: l.expression(of), name: l.textOf(name) };
  },
  index_expression: (l, node) => {
    const [of, key] = node.children;
    if (!of) return l.unknown(node);
    return {
      ...span(node),
      kind: "index",
      of: l.expression(of),
      key: key && key.type !== "range_expression" ? l.expression(key) : null,
    };
  },
  call_expression: callOf,
  struct_expression: (l, node) => {
    const name = childIn(node, "name");
    const fields = (childIn(node, "body")?.children ?? []).flatMap((c) => {
      const field = childIn(c, "field") ?? c.children[0];
      const value = childIn(c, "value") ?? field;
      if (!field || !value) return [];
      if (c.type === "base_field_initializer") return [positional(l.expression(value))];
      return [{ name: l.textOf(field), spread: false, value: l.expression(value) }];
    });
    return {
      ...span(node),
      kind: "call",
      callee: name ? pathValue(l, name) : l.variable(node, ""),
      args: fields,
      isNew: true,
    };
  },
  closure_expression: (l, node) => {
    const body = childIn(node, "body");
    return {
      ...span(node),
      kind: "closure",
      fn: {
        ...span(node),
        name: "",
        params: parametersOf(l, childIn(node, "parameters")),
        decorators: [],
        body: body ? returning(l, body) : [],
        receiver: null,
        exported: false,
      },
    };
  },
  let_condition: binding,
  let_chain: (l, node) => ({
    ...span(node),
    kind: "operation",
    operator: "&&",
    operands: node.children.map((c) => l.expression(c)),
  }),
  if_expression: blockValue,
  match_expression: blockValue,
  block: blockValue,
  unsafe_block: blockValue,
  async_block: blockValue,
  const_block: blockValue,
  // As values they leave or go round; what they hold is looked at as statements.
  return_expression: together,
  break_expression: together,
  continue_expression: silent,
  loop_expression: (l, node) => l.reads(node, []),
  while_expression: (l, node) => l.reads(node, []),
  for_expression: (l, node) => l.reads(node, []),
  yield_expression: together,
  ERROR: together,
};

const asNumber = (l: RustLowering, node: SyntaxNode, value: Expression): Expression =>
  l.call(node, l.variable(node, "<number>"), [positional(value)]);

function callOf(l: RustLowering, node: SyntaxNode): Expression {
  const callee = childIn(node, "function");
  if (!callee) return l.unknown(node);
  const macro = macroAsCall(l, node);
  if (macro) return macro;
  const args = argumentsIn(l, childIn(node, "arguments"));
  const name = l.textOf(callee);
  const [only] = args;
  // What only wraps a value is known as that value.
  if (only && args.length === 1 && /^(Some|Ok|Box::new|Rc::new|Arc::new|Cow::(Borrowed|Owned))$/.test(name))
    return only.value;
  if (callee.type === "generic_function") {
    const [type] = typeArguments(callee);
    const of = childIn(callee, "function");
    const receiver = of?.type === "field_expression" ? childIn(of, "value") : undefined;
    // `x.parse::<u32>()`
    if (receiver && numeric.test(typeName(l, type) ?? "")) return asNumber(l, node, l.expression(receiver));
  }
  return { ...span(node), kind: "call", callee: l.expression(callee), args, isNew: false };
}
