import type { Expression } from "../../ir/ir.ts";
import { childIn, childOf, type SyntaxNode } from "../../parse/syntax.ts";
import {
  argumentsIn,
  assigned,
  expressions as curly,
  type ExpressionHandler,
  fieldOf,
  inner,
  list,
  name,
  silent,
} from "../curly/expressions.ts";
import { type Lowering, numberOf, positional, span, unescapeText } from "../lowering.ts";
import type { CLowering } from "./c-lowering.ts";
import { functionOf } from "./declarations.ts";
import { formattedArguments } from "./formats.ts";
import { arrayOf, sizeOfType, typeName } from "./types.ts";

type Handler = ExpressionHandler<CLowering>;

const text: Handler = (l, node) => l.literal(node, textOf(l, node));
const type: Handler = (l, node) => l.variable(node, typeName(l, node) ?? "");
const operation = (l: Lowering, node: SyntaxNode, operator: string, of: SyntaxNode): Expression => ({
  ...span(node),
  kind: "operation",
  operator,
  operands: [l.expression(of)],
});

/** How each kind of value in C and C++ lowers. */
export const expressions: Record<string, Handler> = {
  ...curly,
  identifier: (l, node) => {
    const known = l.constants.get(l.textOf(node));
    return known === undefined || l.declared.has(l.textOf(node)) ? l.variable(node) : l.literal(node, known);
  },
  field_identifier: name,
  namespace_identifier: name,
  type_identifier: type,
  primitive_type: type,
  sized_type_specifier: type,
  type_descriptor: type,
  template_type: type,
  template_function: (l, node) => l.variable(childIn(node, "name") ?? node),
  template_method: (l, node) => l.variable(childIn(node, "name") ?? node),
  placeholder_type_specifier: silent,
  auto: name,
  true: (l, node) => l.literal(node, true),
  false: (l, node) => l.literal(node, false),
  null: (l, node) => l.literal(node, null),
  nullptr: (l, node) => l.literal(node, null),
  number_literal: (l, node) =>
    l.literal(
      node,
      numberOf(
        l
          .textOf(node)
          .replaceAll("'", "")
          .replace(/(?<!^0x.*)[uUlLfF]+$|[uUlL]+$/, "")
          .replace(/^0([0-7]+)$/, "0o$1"),
      ),
    ),
  char_literal: (l, node) => l.literal(node, unescapeText(l.textOf(node).replace(/^\w*'|'$/g, "")).charCodeAt(0)),
  string_literal: text,
  raw_string_literal: text,
  concatenated_string: (l, node) =>
    node.children.every((c) => c.type.endsWith("string_literal"))
      ? l.literal(node, node.children.map((c) => textOf(l, c)).join(""))
      : { ...span(node), kind: "template", parts: node.children.map((c) => l.expression(c)) },
  user_defined_literal: inner,
  condition_clause: (l, node) => {
    const parts = node.children.flatMap((c) =>
      l.statement(c).flatMap((s) => (s.kind === "expression" ? [s.value] : [])),
    );
    const [only] = parts;
    return parts.length === 1 && only ? only : { ...span(node), kind: "sequence", parts };
  },
  comma_expression: (l, node) => ({
    ...span(node),
    kind: "sequence",
    parts: node.children.map((c) => l.expression(c)),
  }),
  qualified_identifier: (l, node) => {
    const scope = childIn(node, "scope");
    const of = childIn(node, "name");
    // The standard library of C goes by the same names with and without `std::`.
    if (of && (!scope || l.textOf(scope) === "std")) return l.expression(of);
    return fieldOf(l, node, scope, of);
  },
  binary_expression: (l, node) => streamed(l, node) ?? (curly.binary_expression as Handler)(l, node),
  field_expression: (l, node) => {
    const of = childIn(node, "argument");
    const field = childIn(node, "field");
    return fieldOf(l, node, of, field && (childIn(field, "name") ?? field));
  },
  subscript_expression: (l, node) => {
    const of = childIn(node, "argument");
    const key = childIn(node, "index") ?? childIn(node, "indices")?.children[0];
    if (!of) return l.unknown(node);
    return { ...span(node), kind: "index", of: l.expression(of), key: key ? l.expression(key) : null };
  },
  // A pointer is as good as what it points to; reading through it reads some element.
  pointer_expression: (l, node) => {
    const of = childIn(node, "argument");
    const operator = childIn(node, "operator");
    if (!of) return l.unknown(node);
    if (operator && l.textOf(operator) === "&") return l.expression(of);
    return { ...span(node), kind: "index", of: l.expression(of), key: null };
  },
  unary_expression: (l, node) => {
    const [operator, of] = ["operator", "argument"].map((field) => childIn(node, field));
    return operator && of ? operation(l, node, l.textOf(operator), of) : l.unknown(node);
  },
  update_expression: (l, node) => {
    const of = childIn(node, "argument");
    if (!of) return l.unknown(node);
    const operator = l.textOf(node).includes("++") ? "+" : "-";
    const operands = [l.expression(of), l.literal(node, 1)];
    return assigned(node, l.expression(of), { ...span(node), kind: "operation", operator, operands });
  },
  cast_expression: (l, node) => {
    const value = childIn(node, "value");
    return value ? l.expression(value) : l.unknown(node);
  },
  sizeof_expression: sizeOf,
  alignof_expression: silent,
  offsetof_expression: silent,
  call_expression: call,
  initializer_list: list,
  argument_list: list,
  initializer_pair: (l, node) =>
    l.reads(
      node,
      node.children.filter((c) => c.field === "value"),
    ),
  compound_literal_expression: inner,
  compound_statement: (l, node) => l.reads(node, []),
  new_expression: (l, node) => {
    const made = childIn(node, "type");
    const length = childOf(node, "new_declarator");
    const count = length && childIn(length, "length");
    const written = typeName(l, made);
    const args = argumentsIn(l, childIn(node, "arguments"));
    if (count)
      return {
        ...(arrayOf(l, node, l.expression(count), written, true) as object),
        callee: l.variable(node, "<new-array>"),
      } as Expression;
    return { ...span(node), kind: "call", callee: l.variable(made ?? node, written ?? ""), args, isNew: true };
  },
  delete_expression: (l, node) => {
    const of = node.children.at(-1);
    const name =
      node.children.some((c) => c.type === "[") || /^delete\s*\[/.test(l.textOf(node)) ? "<delete-array>" : "<delete>";
    return of ? l.call(node, l.variable(node, name), [positional(l.expression(of))]) : l.unknown(node);
  },
  lambda_expression: (l, node) => ({ ...span(node), kind: "closure", fn: functionOf(l, node) }),
  generic_expression: (l, node) =>
    l.reads(
      node,
      node.children.filter((c) => !c.type.startsWith("type")),
    ),
  gnu_asm_expression: silent,
  parameter_pack_expansion: inner,
  fold_expression: silent,
  requires_expression: silent,
  co_await_expression: inner,
  preproc_defined: silent,
  preproc_arg: silent,
  ERROR: (l, node) => l.reads(node, node.children),
};

function call(l: CLowering, node: SyntaxNode): Expression {
  const callee = childIn(node, "function");
  const given = childIn(node, "arguments")?.children ?? [];
  if (!callee) return l.unknown(node);
  // `int(x)`, `(char)(x)`: conversions.
  if (
    given[0] &&
    (callee.type === "primitive_type" || /^(static|reinterpret|const|dynamic)_cast\s*</.test(l.textOf(callee)))
  )
    return l.expression(given[0]);
  const args = given.map((c) => positional(l.expression(c)));
  return l.call(node, l.expression(callee), formattedArguments(l, l.textOf(callee), args));
}

/** A row of `<<` or `>>`: what it begins with, and what follows. */
function shiftedBy(l: CLowering, node: SyntaxNode, operator: string): { here: SyntaxNode; parts: SyntaxNode[] } {
  const parts: SyntaxNode[] = [];
  let here = node;
  while (here.type === "binary_expression" && l.textOf(childIn(here, "operator") ?? here) === operator) {
    parts.unshift(childIn(here, "right") ?? here);
    here = childIn(here, "left") as SyntaxNode;
  }
  return { here, parts };
}

const streamName = /^(std::)?w?(cin|cout|cerr|clog)$/;

/** `text << "a" << b;`: as a statement nobody shifts numbers; what is put into a stream stands in its text. */
export function intoStream(l: CLowering, node: SyntaxNode): Expression | null {
  if (node.type !== "binary_expression") return null;
  const { here, parts } = shiftedBy(l, node, "<<");
  if (here.type !== "identifier" || parts.length === 0 || streamName.test(l.textOf(here))) return null;
  const to = l.expression(here);
  const from: Expression = { ...span(node), kind: "template", parts: [to, ...parts.map((c) => l.expression(c))] };
  return assigned(node, to, from);
}

/** `cin >> a >> b` reads into a and b, `cout << a << b` writes them. */
function streamed(l: CLowering, node: SyntaxNode): Expression | null {
  const operator = l.textOf(childIn(node, "operator") ?? node);
  if (operator !== ">>" && operator !== "<<") return null;
  const { here, parts } = shiftedBy(l, node, operator);
  if (!(operator === ">>" ? /^(std::)?w?cin$/ : /^(std::)?w?cout$/).test(l.textOf(here))) return null;
  const callee: Expression = { ...span(here), kind: "field", of: l.expression(here), name: operator };
  return l.call(
    node,
    callee,
    parts.map((c) => positional(l.expression(c))),
  );
}

/** What only the declaration tells: the size of an array is that of its elements together, that of a pointer is not. */
function sizeOf(l: CLowering, node: SyntaxNode): Expression {
  const of = childIn(node, "value");
  const written = childIn(node, "type");
  if (written) {
    // `sizeof(x)` may look like a type.
    const name = l.textOf(written).trim();
    if (!l.declared.has(name)) return l.literal(node, sizeOfType(name));
  }
  const value = of ?? (written as SyntaxNode);
  const plain = l
    .textOf(value)
    .replace(/^\(|\)$/g, "")
    .trim();
  const how = l.declared.get(plain);
  const callee = how === "pointer" ? "<sizeof-pointer>" : "<sizeof>";
  // Types that the grammar does not know are variables to it.
  const size = how === undefined ? sizeOfType(plain) : null;
  if (size !== null) return l.literal(node, size);
  const operand = /^\w+$/.test(plain) ? l.variable(value, plain) : l.expression(value);
  return l.call(node, l.variable(node, callee), [positional(operand)]);
}

/** What a text literal says, without its prefix and quotes. */
function textOf(l: Lowering, node: SyntaxNode): string {
  const written = l.textOf(node);
  const raw = written.match(/^\w*R"([^(]*)\(([\s\S]*)\)\1"$/);
  if (raw) return raw[2] as string;
  return unescapeText(written.replace(/^\w*"|"$/g, ""));
}
