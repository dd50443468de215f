import type { Expression, FunctionNode, Parameter, Statement } from "./ir.ts";

/** Anything of the IR that has a place in the source. */
export type IrNode = Expression | Statement | FunctionNode;

/**
 * Calls `visit` for every node, outer ones first, in source order but for what a lowering has moved, and `leave` when all in it has been
 * visited. Nesting costs no stack.
 */
export function walk(roots: readonly IrNode[], visit: (node: IrNode) => void, leave?: (node: IrNode) => void): void {
  const open: (IrNode | null)[] = [...roots].reverse();
  /** The nodes that are being visited; null in `open` says that the last one is done. */
  const around: IrNode[] = [];
  while (open.length > 0) {
    const node = open.pop();
    if (!node) {
      leave?.(around.pop() as IrNode);
      continue;
    }
    visit(node);
    if (leave) {
      around.push(node);
      open.push(null);
    }
    open.push(...childrenOf(node).reverse());
  }
}

/** The nodes directly below one. Parameters, arguments, entries, cases and catches are no nodes of their own; what they hold counts. */
export function childrenOf(node: IrNode): IrNode[] {
  const found: IrNode[] = [];
  eachChild(node, (child) => found.push(child));
  return found;
}

/** Calls `look` for the nodes directly below one. By kind: listing the properties of every node takes longer than what is done with them. */
export function eachChild(node: IrNode, look: (child: IrNode) => void): void {
  if (!("kind" in node)) {
    for (const param of node.params) eachOfParameter(param, look);
    each(node.decorators, look);
    each(node.body, look);
    return;
  }
  switch (node.kind) {
    case "template":
    case "sequence":
      each(node.parts, look);
      break;
    case "field":
      look(node.of);
      break;
    case "index":
      look(node.of);
      maybe(node.key, look);
      break;
    case "operation":
      each(node.operands, look);
      break;
    case "conditional":
      look(node.test);
      look(node.then);
      look(node.otherwise);
      break;
    case "call":
      look(node.callee);
      for (const { value } of node.args) look(value);
      break;
    case "collection":
      for (const { key, value } of node.entries) {
        maybe(key, look);
        look(value);
      }
      break;
    case "function":
    case "closure":
      look(node.fn);
      break;
    case "assign":
      look(node.to);
      look(node.from);
      break;
    case "unknown":
      each(node.reads, look);
      break;
    case "expression":
      look(node.value);
      break;
    case "block":
      each(node.body, look);
      break;
    case "branch":
      look(node.test);
      each(node.then, look);
      each(node.otherwise, look);
      break;
    case "switch":
      look(node.of);
      for (const { tests, body } of node.cases) {
        each(tests, look);
        each(body, look);
      }
      break;
    case "loop":
      maybe(node.bind, look);
      maybe(node.test, look);
      each(node.body, look);
      maybe(node.update, look);
      break;
    case "try":
      each(node.body, look);
      for (const { bind, body } of node.catches) {
        maybe(bind, look);
        each(body, look);
      }
      each(node.last, look);
      break;
    case "return":
    case "throw":
      maybe(node.value, look);
      break;
    case "class":
      each(node.bases, look);
      each(node.decorators, look);
      each(node.body, look);
      break;
    case "literal":
    case "variable":
    case "jump":
    case "import":
      break;
  }
}

function eachOfParameter({ pattern, decorators, default: fallback }: Parameter, look: (child: IrNode) => void): void {
  maybe(pattern, look);
  each(decorators, look);
  maybe(fallback, look);
}

function each(nodes: readonly IrNode[], look: (child: IrNode) => void): void {
  for (const node of nodes) look(node);
}

function maybe(node: IrNode | null, look: (child: IrNode) => void): void {
  if (node) look(node);
}
