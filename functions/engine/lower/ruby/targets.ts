import type { Expression } from "../../ir/ir.ts";
import { childIn, type SyntaxNode } from "../../parse/syntax.ts";
import { span } from "../lowering.ts";
import type { RubyLowering } from "./ruby-lowering.ts";

/** What an assignment writes to. A name that is assigned is a variable from here on. */
export function target(l: RubyLowering, node: SyntaxNode): Expression {
  switch (node.type) {
    case "identifier":
      l.variables.add(l.textOf(node));
      return l.variable(node);
    case "constant":
      return l.variable(node);
    case "call": {
      const [of, name] = [childIn(node, "receiver"), childIn(node, "method")];
      if (!of || !name) return l.expression(node);
      return { ...span(node), kind: "field", of: l.expression(of), name: l.textOf(name) };
    }
    case "left_assignment_list":
    case "destructured_left_assignment":
      return {
        ...span(node),
        kind: "collection",
        shape: "list",
        entries: node.children.map((c) => ({
          ...span(c),
          key: null,
          value: target(l, c.type === "rest_assignment" ? (c.children[0] ?? c) : c),
          spread: c.type === "rest_assignment",
        })),
      };
    default:
      return l.expression(node);
  }
}
