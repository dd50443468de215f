import { functionName } from "../../ir/called-name.ts";
import type { Assign, Call, Expression } from "../../ir/ir.ts";
import type { Frame, Run } from "../run.ts";
import { fault } from "./memory-faults.ts";

/** Whether a formatting call may have more to write than there is room: it writes out a text that somebody else gives, or nobody knows what. */
export function mayNotFit(run: Run, call: Call): boolean {
  const name = functionName(call);
  if (name === "vsnprintf") return true;
  const format = call.args[2]?.value;
  if (name !== "snprintf" || format?.kind !== "literal") return false;
  const writesText = /%[-+ #0]*\d*s/.test(run.text.slice(format.start, format.end));
  const given = call.args.slice(3);
  return writesText && given.some(({ value }) => !isWritten(value) && mayBeText(value));
}

/** `last ? "" : ", "` is as long as it is written. */
const isWritten = (e: Expression): boolean =>
  e.kind === "literal" || (e.kind === "conditional" && isWritten(e.then) && isWritten(e.otherwise));

/** Elements behind a moved pointer, what is computed, and what the format asks for as a number are none. */
const mayBeText = (e: Expression): boolean =>
  e.kind !== "operation" &&
  !(e.kind === "index" && e.key === null) &&
  !(e.kind === "call" && functionName(e) === "<number>");

/** `at += snprintf(out + at, size - at, …)`: what did not fit is counted too, and then less than nothing is left. */
export function noteWritten(run: Run, frame: Frame, { to, from, start }: Assign): void {
  if (to.kind !== "variable" || from.kind !== "operation" || from.operator !== "+" || !frame.fn) return;
  const [left, call] = from.operands;
  if (left?.kind !== "variable" || left.name !== to.name || call?.kind !== "call" || !mayNotFit(run, call)) return;
  const textOf = (e: Expression | undefined) => (e ? run.text.slice(e.start, e.end) : "");
  const [target, room] = call.args;
  const name = to.name;
  if (!new RegExp(`\\+\\s*${name}\\b|\\[\\s*${name}\\s*\\]`).test(textOf(target?.value))) return;
  if (!new RegExp(`-\\s*\\(?\\s*(\\(\\w+\\)\\s*)?${name}\\b`).test(textOf(room?.value))) return;
  const body = run.stretch(frame.fn.start, frame.fn.end);
  const isAsked = new RegExp(
    `\\b${name}\\b[\\s)]{0,20}([-+]\\s*\\w+\\s*)?([<>]=?|==)|[<>]=?\\s*\\(*\\s*(\\(\\w+\\)\\s*)?${name}\\b|\\b(min|MIN)\\s*\\([^;]{0,300}\\b${name}\\b`,
  );
  // Written once at the beginning, and never again behind.
  const goesOn = body
    .slice(Math.max(0, start - frame.fn.start))
    .match(new RegExp(`\\+\\s*${name}\\b|\\[\\s*${name}\\s*\\]`, "g"));
  const isRepeated = frame.loops.length > 0 || (goesOn?.length ?? 0) > 1;
  if (isRepeated && !isAsked.test(body)) fault(run, frame, "<length-runs-on>", call, call.callee);
}
