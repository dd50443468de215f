import { childIn, type SyntaxNode } from "../../parse/syntax.ts";
import type { Lowering } from "../lowering.ts";

/** A type as models know it: without namespace and arguments. Null for what has no name, such as arrays and `var`. */
export function typeName(l: Lowering, node: SyntaxNode | undefined): string | null {
  if (!node) return null;
  switch (node.type) {
    case "identifier":
    case "predefined_type":
      return l.textOf(node);
    case "generic_name":
      return typeName(l, node.children[0]);
    case "nullable_type":
    case "ref_type":
      return typeName(l, childIn(node, "type") ?? node.children[0]);
    case "qualified_name":
    case "alias_qualified_name":
      return typeName(l, childIn(node, "name") ?? node.children.at(-1));
    default:
      return null;
  }
}
