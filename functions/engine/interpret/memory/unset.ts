import type { Assign, Call, FunctionNode, Span } from "../../ir/ir.ts";
import { byName } from "../names.ts";
import type { Frame, Run } from "../run.ts";
import { named, unset } from "../value.ts";
import { isLookedAtOnly, isReadWhole } from "./local-pointers.ts";
import { fault, isAddress, isNative } from "./memory-faults.ts";
import { partlySetReads } from "./partly-set.ts";

const numbers =
  /^(const |volatile |register )*((unsigned|signed|long|short|int|char|float|double|bool|_Bool)\b\s*)+$|^(s?size_t|off_t|time_t|pid_t|uid_t|gid_t|mode_t|u?int(8|16|32|64)_t|uintptr_t)$/;

/** UTF-16 units in front of a declarator in which its declaration begins. */
const declarationMax = 200;

/** `int n;`, `char *p;` have no value yet; objects make themselves. */
export function noteUnset(run: Run, frame: Frame, { to, from, type, declares, start }: Assign): void {
  if (!declares || !frame.fn || frame.inlined > 0 || frame.recalls) return;
  if (to.kind !== "variable" || from.kind !== "unknown" || from.reads.length > 0 || from.start !== start) return;
  const isPointer = run.text[start] === "*";
  if (!isPointer && !(type !== null && numbers.test(type))) return;
  const declared = run.text.slice(Math.max(0, start - declarationMax), start).replace(/^[\s\S]*[;{}]/, "");
  if (/\b(static|extern|thread_local|__thread)\b/.test(declared)) return;
  // Whoever reads it looks at what the name stands for, so nothing is made of it here.
  frame.scope.refine(to.name, unset);
  if (isReadWhole(run, frame.fn))
    for (const at of partlySetReads(run, frame.fn).get(to.name) ?? [])
      if (at.start > start && !isDiscarded(run, at)) fault(run, { ...frame, statement: at }, "<unset-read>", at);
}

/** From here on it has a value, of which nothing is known. */
const settle = (frame: Frame, name: string): void => frame.scope.refine(name, named(byName(name)));

/** Jumps are followed downwards only: what is set below a label may have been set before. */
function comesFromBelow(run: Run, fn: FunctionNode, name: string): boolean {
  const text = run.stretch(fn.start, fn.end);
  return /\bgoto\b/.test(text) && new RegExp(`&\\s*${name}\\b|\\b${name}\\s*=(?!=)`).test(text);
}

/** Only its address or its type is asked, or nothing is: `(void)x`, `stream >> x`, `T &r = x`. */
function isDiscarded(run: Run, at: Span): boolean {
  const before = run.text.slice(Math.max(0, at.start - 40), at.start);
  if (isAddress(run, { ...at, kind: "unknown", reads: [] })) return true;
  return /\b(sizeof|typeof|decltype)[\s(*]*$|\(\s*void\s*\)\s*$|>>\s*$|&\s*\w+\s*[=({]\s*$/.test(before);
}

/** A variable without a value is met: read, or handed to whoever fills it. */
export function readUnset(run: Run, frame: Frame, name: string, at: Span): void {
  if (frame.scope.variables?.get(name) !== unset || frame.recalls) return;
  settle(frame, name);
  if (isDiscarded(run, at)) return;
  if (frame.fn && (!isReadWhole(run, frame.fn) || comesFromBelow(run, frame.fn, name))) return;
  if (
    new RegExp(`#\\s*define\\b(?:[^\\n\\\\]|\\\\[\\s\\S]){0,2000}\\b${name}\\b`).test(run.stretch(0, run.text.length))
  )
    return;
  fault(run, frame, "<unset-read>", at);
}

/** A macro that looks like a call, and a function that takes a reference, may be what sets it. */
export function handUnset(run: Run, frame: Frame, { callee, args }: Call): void {
  if (!isNative(run) || (callee.kind === "variable" && isLookedAtOnly(callee.name))) return;
  for (const { value } of args)
    if (value.kind === "variable" && frame.scope.variables?.get(value.name) === unset) settle(frame, value.name);
}
