import { functionName } from "../../ir/called-name.ts";
import type { Assign, Call, Expression, Span } from "../../ir/ir.ts";
import { accessPath } from "../names.ts";
import type { Frame, Run } from "../run.ts";
import type { Variables } from "../scope.ts";
import { nothing } from "../value.ts";
import { givesBack, isHandedOn, isOwnVariable } from "./local-pointers.ts";
import { fault, forgetLimit, isNative, limitPrefix } from "./memory-faults.ts";

/** A block, a stream or a descriptor that only one variable of the function leads to. */
export const heldPrefix = "@held:";

const makes = /^(malloc|calloc|strn?dup|fopen|opendir|popen|open|creat|<new-array>)$/;

/** A variable is assigned: what it has led to is not followed further, what it leads to now may be. */
export function noteHeld(run: Run, frame: Frame, { to, from }: Assign): void {
  if (!frame.fn || frame.inlined > 0 || frame.recalls) return;
  loseByResize(run, frame, to, from);
  if (to.kind !== "variable") return;
  frame.scope.variables?.delete(`${heldPrefix}${to.name}`);
  forgetLimit(frame, to.name);
  if (from.kind !== "call" || !makes.test(functionName(from)) || frame.fn.name === "main") return;
  if (!isOwnVariable(run, frame, to.name)) return;
  // Not as a constant: numbers are forgotten around loops.
  frame.scope.set(`${heldPrefix}${to.name}`, { ...nothing, paths: [`${from.start}`, `${from.end}`] });
}

/** `if (fclose(file) != 0 || failed)`, `i >= 0 && i < count`: what is given back, or taken back of a limit, within a choice is gone after it. */
export function keepGivenBack(before: Variables, after: Variables): void {
  for (const key of before.keys())
    if ((key.startsWith(heldPrefix) || key.startsWith(limitPrefix)) && !after.has(key)) before.delete(key);
}

/** What is given back, or is nothing, is not held. */
export function forgetHeld(frame: Frame, of: Expression | undefined): void {
  const path = of ? accessPath(of) : null;
  if (path !== null) frame.scope.variables?.delete(`${heldPrefix}${path}`);
}

export function noteGivenBack(frame: Frame, call: Call, name: string): void {
  if (givesBack.test(name)) forgetHeld(frame, call.args[0]?.value);
}

/**
 * The function ends here: what it has made for itself and nobody else has got stays behind.
 * @param rest what is still done before it ends, for a jump to where it does
 */
export function leaveHeld(run: Run, frame: Frame, at: Span, rest = ""): void {
  const { fn, scope } = frame;
  if (!isNative(run) || !fn || frame.inlined > 0) return;
  const named = new Set(rest.match(/\w+/g));
  for (const [fact, { paths }] of scope.facts) {
    if (!fact.startsWith(heldPrefix)) continue;
    const [start, end] = paths.map(Number);
    if (start === undefined || end === undefined) continue;
    const name = fact.slice(heldPrefix.length);
    if (isHandedOn(fn, name, end, at.end) || named.has(name)) continue;
    fault(run, { ...frame, statement: { start, end } }, "<left-behind>", { start, end }, at);
  }
}

/** Each jump looks at all that is held; functions that hold more are written by programs. */
const heldMax = 40;

/** `goto done;`, where nothing that follows `done:` goes anywhere else or names what was made. */
export function leaveByJump(run: Run, frame: Frame, at: Span): void {
  const { fn, scope } = frame;
  if (!isNative(run) || !fn) return;
  const held = scope.facts.filter(([fact]) => fact.startsWith(heldPrefix)).length;
  if (held === 0 || held > heldMax) return;
  const [, label] = run.text.slice(at.start, at.end).match(/^goto\s+(\w{1,80})/) ?? [];
  if (label === undefined) return;
  const below = run.stretch(at.end, fn.end);
  const found = below.search(new RegExp(`\\b${label}\\s*:(?!:)`));
  const rest = found < 0 ? "" : below.slice(found);
  // At the end of the function only its own brace is left to close.
  const closes = rest.split("}").length - rest.split("{").length;
  if (closes === 1 && !/\bgoto\b/.test(rest)) leaveHeld(run, frame, at, rest);
}

/** UTF-16 units behind a call in which a program ends that has run out of memory. */
const endsWithin = 240;

/** `p = realloc(p, n)`: where there is no more memory, p is null and the block is nobody's. Programs that end then lose nothing. */
function loseByResize(run: Run, frame: Frame, to: Expression, from: Expression): void {
  if (from.kind !== "call" || functionName(from) !== "realloc") return;
  const [old] = from.args;
  const path = old ? accessPath(old.value) : null;
  if (path === null || path !== accessPath(to)) return;
  const behind = run.text.slice(from.end, from.end + endsWithin);
  if (
    !/\bEXIT_FAILURE\b|\b(_?exit|abort|errx?|assert|oom|perr|\w*exhausted|\w*(die|fatal|panic|bail|outofmem|out_of_mem|nomem)\w*)\s*\(/i.test(
      behind,
    )
  )
    fault(run, frame, "<lost-by-resize>", from);
}
