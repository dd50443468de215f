import type { Argument, Expression } from "../../ir/ir.ts";
import { childIn, type SyntaxNode } from "../../parse/syntax.ts";
import { type Lowering, positional, span, unescapeText } from "../lowering.ts";

/** The callee of every JSX element. Models can name it: children are its arguments, attributes its named arguments. */
const element = "jsx";

/** `<a href={x}>{y}</a>` lowers to `jsx("a", y, href = x)`. */
export function jsxElement(l: Lowering, node: SyntaxNode): Expression {
  const opening = node.type === "jsx_element" ? childIn(node, "open_tag") : node;
  const name = opening && childIn(opening, "name");
  const attributes = (opening?.children ?? []).filter((c) => c.field === "attribute");
  const children =
    node.type === "jsx_element" ? node.children.filter((c) => c.field === null && c.type !== "jsx_text") : [];
  const args: Argument[] = [
    positional(l.literal(name ?? node, name ? l.textOf(name) : "")),
    ...children.filter((c) => c.children.length > 0).map((c) => positional(l.expression(c))),
    ...attributes.map((a) => attribute(l, a)),
  ];
  return { ...span(node), kind: "call", callee: l.variable(name ?? node, element), args, isNew: false };
}

function attribute(l: Lowering, node: SyntaxNode): Argument {
  if (node.type !== "jsx_attribute") {
    const spread = node.children[0]?.type === "spread_element";
    return { name: null, spread, value: l.expression(node) };
  }
  const [name, value] = node.children;
  return {
    name: name ? l.textOf(name) : null,
    spread: false,
    value: !value
      ? l.literal(node, true)
      : value.type === "string"
        ? l.literal(value, unescapeText(l.textOf(value).slice(1, -1)))
        : l.expression(value),
  };
}
