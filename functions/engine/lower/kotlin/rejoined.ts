import { childOf, type SyntaxNode } from "../../parse/syntax.ts";

const declarations = ["class_declaration", "function_declaration", "object_declaration", "property_declaration"];

/**
 * The grammar reads annotations with arguments that begin a file's declaration as a value of their own,
 * and the arguments as that value in parentheses. This hands them back to the declaration that follows.
 */
export function rejoined(nodes: readonly SyntaxNode[]): SyntaxNode[] {
  const out: SyntaxNode[] = [];
  let waiting: SyntaxNode[] = [];
  for (const node of nodes) {
    if (node.type === "annotated_expression") {
      const read = annotationsIn(node);
      if (read) {
        waiting.push(...read);
        continue;
      }
    }
    if (waiting.length > 0 && declarations.includes(node.type)) {
      const modifiers = childOf(node, "modifiers");
      const all = { ...(modifiers ?? node), type: "modifiers", field: null };
      const rest = node.children.filter((c) => c !== modifiers);
      out.push({ ...node, children: [{ ...all, children: [...waiting, ...(modifiers?.children ?? [])] }, ...rest] });
    } else out.push(...waiting, node);
    waiting = [];
  }
  return [...out, ...waiting];
}

/** The annotations of which such a value consists; null when it is a value indeed. */
function annotationsIn(node: SyntaxNode): SyntaxNode[] | null {
  const found: SyntaxNode[] = [];
  let here: SyntaxNode | undefined = node;
  while (here?.type === "annotated_expression") {
    const [annotation, rest]: SyntaxNode[] = here.children;
    if (annotation?.type !== "annotation") return null;
    found.push(rest?.type === "parenthesized_expression" ? withArguments(annotation, rest) : annotation);
    here = rest;
  }
  return !here || here.type === "parenthesized_expression" ? found : null;
}

function withArguments(annotation: SyntaxNode, list: SyntaxNode): SyntaxNode {
  const given = list.children.map((c): SyntaxNode => ({ ...c, type: "value_argument", children: [c] }));
  const values: SyntaxNode = { ...list, type: "value_arguments", children: given };
  const made: SyntaxNode = {
    ...annotation,
    type: "constructor_invocation",
    children: [...annotation.children, values],
  };
  return { ...annotation, end: list.end, children: [made] };
}
