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
      const owner = l.expression(of);
      const index = whole ? null : l.expression(key);
      return attributeOf(node, owner, index) ?? { ...span(node), kind: "index", of: owner, key: index };
    }
    default:
      return l.expression(node);
  }
}

/** `order.__dict__["total"]` is `order.total`. */
function attributeOf(node: SyntaxNode, of: Expression, key: Expression | null): Expression | null {
  const name = key?.kind === "literal" ? key.value : null;
  return of.kind === "field" && of.name === ownDictionary && typeof name === "string" && isAttribute.test(name)
    ? { ...span(node), kind: "field", of: of.of, name }
    : null;
}

/** What a text must be to name an attribute. */
export const isAttribute = /^[\p{L}_][\p{L}\p{N}_]{0,99}$/u;

/** The attribute under which an object of Python has all of its own as a map. */
export const ownDictionary = "__dict__";
