import { childIn, type SyntaxNode } from "../../parse/syntax.ts";

const suffixed = new Set(["call_expression", "navigation_expression", "index_expression"]);

/**
 * The grammar binds `!` and `-` closer than what follows their operand: it reads `!name.matches(x)` as
 * `(!name).matches(x)`. This gives the operator all that belongs to it.
 */
export function regrouped(node: SyntaxNode): SyntaxNode {
  if (!suffixed.has(node.type)) return node;
  const above: SyntaxNode[] = [];
  let here: SyntaxNode | undefined = node;
  while (here && suffixed.has(here.type)) {
    above.push(here);
    here = here.children[0];
  }
  const [operator, operand] = here?.type === "unary_expression" ? here.children : [];
  if (!here || operator?.field !== "operator" || !operand || childIn(here, "argument") !== operand) return node;
  const argument = above.reduceRight<SyntaxNode>(
    (of, part) => ({ ...part, start: operand.start, children: [of, ...part.children.slice(1)] }),
    { ...operand, field: null },
  );
  return { ...here, field: node.field, end: node.end, children: [operator, { ...argument, field: "argument" }] };
}
