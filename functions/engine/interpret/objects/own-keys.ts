import type { Expression, Index, Loop } from "../../ir/ir.ts";
import { walk } from "../../ir/walk.ts";
import type { Frame, Run } from "../run.ts";

/** What a loop goes through by its keys, and the variable that holds each: `for (const name in row)`, `for (const name of Object.keys(row))`. */
export interface OwnKeys {
  variable: string;
  /** How the object is written: it is the same one wherever it is written so in the loop. */
  of: string;
}

/** Objects that are gone through have names; longer ones are made there, and each assignment of the loop would be looked for in them. */
const writtenMax = 200;

/** What a loop goes through by its keys; null where it changes the variable or what it goes through. */
export function ownKeysIn(run: Run, { bind, body }: Loop): OwnKeys | null {
  if (bind?.kind !== "assign" || bind.to.kind !== "variable") return null;
  const object = goneThroughByKeys(run, bind.from);
  if (!object || object.end - object.start > writtenMax) return null;
  const keys = { variable: bind.to.name, of: run.text.slice(object.start, object.end) };
  return changes(run, body, keys) ? null : keys;
}

/** Whether an element is under a key that its object has itself, so that it cannot be the prototype that all objects share. */
export const isUnderOwnKey = (run: Run, { loops }: Frame, { of, key }: Index): boolean =>
  key?.kind === "variable" &&
  loops.some(({ ownKeys }) => ownKeys?.variable === key.name && ownKeys.of === run.text.slice(of.start, of.end));

function goneThroughByKeys(run: Run, from: Expression): Expression | null {
  // A loop with `in` reads the object as a whole, see the lowering.
  if (from.kind === "unknown") return from.reads.length === 1 ? (from.reads[0] ?? null) : null;
  if (from.kind !== "index" || from.key || from.of.kind !== "call") return null;
  const { callee, args } = from.of;
  return listsKeys.test(run.text.slice(callee.start, callee.end)) ? (args[0]?.value ?? null) : null;
}

const listsKeys = /^(?:Object\.(?:keys|getOwnPropertyNames)|Reflect\.ownKeys)$/;

/** Whether the variable, or one that the object is written with, becomes something else: `row = row.parent`. */
function changes(run: Run, body: Loop["body"], { variable, of }: OwnKeys): boolean {
  let found = false;
  walk(body, (node) => {
    if (!("kind" in node) || node.kind !== "assign") return;
    if (found || node.to.end - node.to.start > of.length + variable.length) return;
    const written = run.text.slice(node.to.start, node.to.end);
    found = written === variable || of === written || new RegExp(`(?<![\\w$.])${escaped(written)}(?![\\w$])`).test(of);
  });
  return found;
}

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
