import type { Expression, FunctionNode, Loop } from "../ir/ir.ts";
import { childrenOf, eachChild, type IrNode, walk } from "../ir/walk.ts";
import { shortCircuit } from "./operators.ts";
import type { Frame, Run } from "./run.ts";
import { isFact, isMark, type Variables } from "./scope.ts";
import { tellsSame } from "./value.ts";

/**
 * Whether a round of a loop leaves something that the next one reads. What each round assigns before it reads it is nothing, unless functions
 * read it that are written around the loop.
 * @param storings how often something new had been stored elsewhere before the round
 */
export function leavesForNext(
  run: Run,
  { fn, scope }: Frame,
  loop: Loop,
  before: Variables,
  storings: number,
): boolean {
  // What C does to memory shows in no variable, and the test of `do … while` is still to come.
  if (run.storings > storings || run.language === "c" || (loop.always && loop.test)) return true;
  for (const [key, value] of scope.variables ?? []) {
    const known = before.get(key);
    if (known === value || isMark(key) || (known && tellsSame(known, value))) continue;
    if (isFact(key) || (scope.isShared && !fn)) return true;
    const [name] = key.split(".", 1) as [string];
    if (run.readsOf(loop).has(name) || (scope.isShared && fn && run.sharedBy(fn).has(name))) return true;
  }
  return false;
}

/** The variables that functions and classes name which are written in a function: whatever calls them may read these. */
export function sharedNames({ body }: FunctionNode): ReadonlySet<string> {
  const names = new Set<string>();
  let depth = 0;
  const isApart = (node: IrNode) => !("kind" in node) || node.kind === "class";
  walk(
    body,
    (node) => {
      if (isApart(node)) depth++;
      else if (depth > 0 && "kind" in node && node.kind === "variable") names.add(node.name);
    },
    (node) => {
      if (isApart(node)) depth--;
    },
  );
  return names;
}

/** The variables that a round may read before it assigns them. */
export function readFirst({ bind, test, body, update }: Loop): ReadonlySet<string> {
  const reads = new Set<string>();
  followAll([bind, test, ...body, update], new Set(), reads);
  return reads;
}

function followAll(nodes: readonly (IrNode | null)[], assigned: Set<string>, reads: Set<string>): void {
  for (const node of nodes) if (node) follow(node, assigned, reads);
}

/** Goes through a node in the order in which it runs. */
function follow(node: IrNode, assigned: Set<string>, reads: Set<string>): void {
  const always = (child: IrNode) => follow(child, assigned, reads);
  /** What only some of the ways through the node assign may not be there afterwards. */
  const perhaps = (nodes: readonly (IrNode | null)[]) => followAll(nodes, new Set(assigned), reads);
  if (!("kind" in node)) {
    perhaps(childrenOf(node));
    return;
  }
  switch (node.kind) {
    case "variable":
      if (!assigned.has(node.name)) reads.add(node.name);
      break;
    case "assign":
      always(node.from);
      followTarget(node.to, assigned, reads);
      break;
    case "operation": {
      const [first, ...others] = node.operands;
      if (!first || !shortCircuit.has(node.operator)) eachChild(node, always);
      else {
        always(first);
        perhaps(others);
      }
      break;
    }
    case "conditional":
      always(node.test);
      perhaps([node.then]);
      perhaps([node.otherwise]);
      break;
    case "branch":
      always(node.test);
      perhaps(node.then);
      perhaps(node.otherwise);
      break;
    case "switch":
      always(node.of);
      for (const { tests, body } of node.cases) perhaps([...tests, ...body]);
      break;
    case "try":
      perhaps(node.body);
      for (const { bind, body } of node.catches) perhaps([bind, ...body]);
      node.last.forEach(always);
      break;
    case "loop":
    case "closure":
    case "class":
      perhaps(childrenOf(node));
      break;
    default:
      eachChild(node, always);
  }
}

function followTarget(to: Expression, assigned: Set<string>, reads: Set<string>): void {
  switch (to.kind) {
    case "variable":
      assigned.add(to.name);
      break;
    case "assign":
      followTarget(to.to, assigned, reads);
      break;
    case "collection":
      for (const { key, value } of to.entries) {
        if (key) follow(key, assigned, reads);
        followTarget(value, assigned, reads);
      }
      break;
    default:
      follow(to, assigned, reads);
  }
}
