import type { Expression, Index, Loop } from "../../ir/ir.ts";
import { walk } from "../../ir/walk.ts";
import type { Frame, Run } from "../run.ts";
import { literally } from "../texts/literally.ts";

/**
 * Whether an element is under a key that its object has itself, so that it cannot be the prototype that all objects share: a loop goes
 * through the object by its keys, `for (const name in row)`, `for (const name of Object.keys(row))`.
 */
export function isUnderOwnKey(run: Run, { loops }: Frame, { of, key }: Index): boolean {
  if (key?.kind !== "variable" || of.end - of.start > writtenMax) return false;
  const written = run.text.slice(of.start, of.end);
  return loops.some(({ node }) => node !== null && givesKeys(run, node, key.name, written));
}

/** Objects that are gone through have names; longer ones are made there, and each assignment of the loop would be looked for in them. */
const writtenMax = 200;

/** Whether a loop goes through what is written so, by keys in this variable, and changes neither. */
function givesKeys(run: Run, { bind, body }: Loop, variable: string, written: string): boolean {
  if (bind?.kind !== "assign" || bind.to.kind !== "variable" || bind.to.name !== variable) return false;
  const object = goneThroughByKeys(run, bind.from);
  return (
    object !== null && run.text.slice(object.start, object.end) === written && !changes(run, body, variable, written)
  );
}

function goneThroughByKeys(run: Run, from: Expression): Expression | null {
  // A loop with `in` reads the object as a whole, see the lowering.
  if (from.kind === "unknown") return from.reads.length === 1 ? (from.reads[0] ?? null) : null;
  if (from.kind !== "index" || from.key || from.of.kind !== "call") return null;
  const { callee, args } = from.of;
  return listsKeys.test(run.text.slice(callee.start, callee.end)) ? (args[0]?.value ?? null) : null;
}

const listsKeys = /^(?:Object\.(?:keys|getOwnPropertyNames)|Reflect\.ownKeys)$/;

/** Whether the variable, or one that the object is written with, becomes something else: `row = row.parent`. */
function changes(run: Run, body: Loop["body"], variable: string, of: string): boolean {
  let found = false;
  walk(body, (node) => {
    if (found || !("kind" in node) || node.kind !== "assign") return;
    if (node.to.end - node.to.start > of.length + variable.length) return;
    const written = run.text.slice(node.to.start, node.to.end);
    found =
      written === variable || of === written || new RegExp(`(?<![\\w$.])${literally(written)}(?![\\w$])`).test(of);
  });
  return found;
}
