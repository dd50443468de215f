import { childIn, type SyntaxNode } from "../../parse/syntax.ts";
import type { Lowering } from "../lowering.ts";
import { boundType } from "../type-parameters.ts";

/** Collections of numbers and the like: what they are collections of says more than how they hold it. Bytes and characters are any text. */
const isMany =
  /^(I?(List|Enumerable|Collection|ReadOnlyList|ReadOnlyCollection|Set)|HashSet)<(u?int|u?long|u?short|decimal|double|float|bool|Guid|DateTime)\??>$|^(u?int|u?long|u?short|decimal|double|float|bool|Guid|DateTime)\??\[\]$/;
const manyOf = (l: Lowering, element: SyntaxNode | undefined): string | null => {
  const name = typeName(l, element);
  return name && `List<${name}>`;
};

/** A type as models know it: without namespace and arguments. Null for what has no name, such as arrays and `var`. */
export function typeName(l: Lowering, node: SyntaxNode | undefined): string | null {
  if (!node) return null;
  switch (node.type) {
    case "identifier":
      return boundType(l, l.textOf(node));
    case "predefined_type":
      return l.textOf(node);
    case "generic_name": {
      const [name, args] = [node.children[0], node.children[1]?.children ?? []];
      return isMany.test(l.textOf(node)) ? manyOf(l, args[0]) : typeName(l, name);
    }
    case "array_type":
      return isMany.test(l.textOf(node)) ? manyOf(l, node.children[0]) : null;
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
