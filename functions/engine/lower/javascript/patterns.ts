import type { Entry, Expression } from "../../ir/ir.ts";
import { childIn, type SyntaxNode } from "../../parse/syntax.ts";
import { type Lowering, span } from "../lowering.ts";

/** Lowers the left side of an assignment or a parameter: names, fields, and destructuring as collections of targets. */
export function target(l: Lowering, node: SyntaxNode): Expression {
  switch (node.type) {
    case "array_pattern":
      return {
        ...span(node),
        kind: "collection",
        shape: "list",
        entries: node.children.flatMap((c, i) => [...holesBefore(l, node, i), { ...slot(l, c), key: null }]),
      };
    case "object_pattern":
      return { ...span(node), kind: "collection", shape: "map", entries: node.children.map((c) => slot(l, c)) };
    case "assignment_pattern":
    case "object_assignment_pattern": {
      // The default counts only when nothing came in; the name is what matters.
      const left = childIn(node, "left");
      return left ? target(l, left) : l.unknown(node);
    }
    case "rest_pattern":
      return node.children[0] ? target(l, node.children[0]) : l.unknown(node);
    case "shorthand_property_identifier_pattern":
      return l.variable(node);
    case "non_null_expression":
    case "parenthesized_expression":
      return node.children[0] ? target(l, node.children[0]) : l.unknown(node);
    default:
      return l.expression(node);
  }
}

/** `[, id, , name]`: positions count, so what is left out needs something to stand for it. */
function holesBefore(l: Lowering, { children, start }: SyntaxNode, i: number): Entry[] {
  const node = children[i] as SyntaxNode;
  const before = children[i - 1];
  const between = l.text.slice(before?.end ?? start, node.start);
  // A comment may have commas of its own.
  const holes = between.includes("/") ? 0 : between.split(",").length - (before ? 2 : 1);
  const nobody: Expression = { start: node.start, end: node.start, kind: "unknown", reads: [] };
  return Array.from({ length: Math.max(0, holes) }, () => ({ ...span(node), key: null, value: nobody, spread: false }));
}

function slot(l: Lowering, node: SyntaxNode): Entry {
  if (node.type === "pair_pattern") {
    const key = childIn(node, "key");
    const value = childIn(node, "value");
    return {
      ...span(node),
      key: key ? l.expression(key) : null,
      value: value ? target(l, value) : l.unknown(node),
      spread: false,
    };
  }
  const to = target(l, node);
  const key = to.kind === "variable" ? l.literal(node, to.name) : null;
  return { ...span(node), key, value: to, spread: node.type === "rest_pattern" };
}
