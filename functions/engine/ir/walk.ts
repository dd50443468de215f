import type { Expression, FunctionNode, Statement } from "./ir.ts";

/** Anything of the IR that has a place in the source. */
export type IrNode = Expression | Statement | FunctionNode;

/** Calls `visit` for every node, outer ones first, in source order but for what a lowering has moved. Nesting costs no stack. */
export function walk(roots: readonly IrNode[], visit: (node: IrNode) => void): void {
  const open: IrNode[] = [...roots].reverse();
  for (let node = open.pop(); node; node = open.pop()) {
    visit(node);
    open.push(...childrenOf(node).reverse());
  }
}

/** The nodes directly below one. Parameters, arguments, entries, cases and catches are no nodes of their own; what they hold counts. */
export function childrenOf(node: IrNode): IrNode[] {
  const found: IrNode[] = [];
  for (const part of Object.values(node)) collect(part, found);
  return found;
}

function collect(part: unknown, into: IrNode[]): void {
  if (part === null || typeof part !== "object") return;
  if (Array.isArray(part)) for (const item of part) collect(item, into);
  else if (isNode(part)) into.push(part);
  else if (!(part instanceof Set)) for (const inner of Object.values(part)) collect(inner, into);
}

/** Functions have no kind, but nothing else has parameters. */
const isNode = (part: object): part is IrNode => "kind" in part || "params" in part;
