import type { Expression } from "../../ir/ir.ts";
import { childIn, childrenIn, type SyntaxNode } from "../../parse/syntax.ts";
import { type Lowering, span } from "../lowering.ts";

/** Lowers the left side of an assignment: names, attributes, subscripts, and tuples of them. */
export function target(l: Lowering, node: SyntaxNode): Expression {
  switch (node.type) {
    case "pattern_list":
    case "tuple_pattern":
    case "list_pattern":
    case "tuple":
    case "list":
      return {
        ...span(node),
        kind: "collection",
        shape: "list",
        entries: node.children.map((c) => ({
          ...span(c),
          key: null,
          value: target(l, c),
          spread: c.type === "list_splat_pattern",
        })),
      };
    case "list_splat_pattern":
    case "as_pattern_target":
    case "parenthesized_expression":
      return node.children[0] ? target(l, node.children[0]) : l.unknown(node);
    case "subscript": {
      const of = childIn(node, "value");
      const [key, ...more] = childrenIn(node, "subscript");
      if (!of) return l.unknown(node);
      const whole = !key || more.length > 0 || key.type === "slice";
      return { ...span(node), kind: "index", of: l.expression(of), key: whole ? null : l.expression(key) };
    }
    default:
      return l.expression(node);
  }
}
