import type { Assign, Expression, Index, Loop } from "../../ir/ir.ts";
import { walk } from "../../ir/walk.ts";
import { evaluate } from "../evaluate.ts";
import { accessPath } from "../names.ts";
import type { Frame, Run } from "../run.ts";
import type { Variables } from "../scope.ts";
import type { Value } from "../value.ts";

/** A list that a loop goes through and whose elements it writes anew: `foreach ($all as $key => $value) $all[$key] = clean($value)`. */
export interface Rewritten {
  /** The access path of the list. */
  path: string;
  key: string;
}

/** What a loop writes anew; known to the state before it, so that the one after it can tell the difference. */
export function rewrittenBy(run: Run, frame: Frame, loop: Loop): Rewritten | null {
  const bound = run.language === "php" && loop.bind ? keyAndList(loop.bind) : null;
  const path = bound && accessPath(bound.of);
  if (!bound || path === null || !writes(loop, path, bound.key)) return null;
  if (!frame.scope.binding(path)) frame.scope.set(path, evaluate(run, frame, bound.of));
  return { path, key: bound.key };
}

/** A loop that does not run has nothing to go through. */
export function withoutElements(state: Variables | null, { path }: Rewritten): void {
  const value = state?.get(path);
  if (value) state?.set(path, { ...value, constants: null, taint: [], slots: null });
}

/** Whether an assignment is to the element that the loop is at. */
export const isRewriting = (frame: Frame, to: Index): boolean =>
  frame.loops.some(({ rewritten }) => rewritten && isElement(to, rewritten.path, rewritten.key));

/** The list once this element and all like it have been written. */
export const rewritten = (of: Value, element: Value): Value => ({
  ...of,
  constants: null,
  taint: [],
  slots: { shape: "map", entries: new Map(), rest: element },
});

function keyAndList(bind: Expression): { key: string; of: Expression } | null {
  const parts = bind.kind === "sequence" ? bind.parts : [bind];
  for (const part of parts) {
    if (part.kind !== "assign" || part.to.kind !== "variable" || part.from.kind !== "call") continue;
    const { callee, args } = part.from;
    const [of] = args;
    if (callee.kind === "variable" && callee.name === "key" && of) return { key: part.to.name, of: of.value };
  }
  return null;
}

function writes(loop: Loop, path: string, key: string): boolean {
  let found = false;
  walk(loop.body, (node) => {
    found ||= "kind" in node && node.kind === "assign" && isElement((node as Assign).to, path, key);
  });
  return found;
}

const isElement = (to: Expression, path: string, key: string): boolean =>
  to.kind === "index" && to.key?.kind === "variable" && to.key.name === key && accessPath(to.of) === path;
