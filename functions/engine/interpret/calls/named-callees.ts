import type { Call, Expression } from "../../ir/ir.ts";
import type { Subject } from "../check.ts";
import { bySchema } from "../guards/passage.ts";
import type { Frame } from "../run.ts";
import type { Taint, Value } from "../value.ts";

/**
 * What decides which function is called: one that a function of another file gives for a name is one that it has found, and what a map of
 * settings has under a name of its own (`$options["callback"]`) was put there by the program, whatever else the map holds.
 */
export function asNamed(frame: Frame, written: Expression, named: Value): Value {
  const ofSettings = isSetting(frame, written);
  const tells = ({ source, via }: Taint) =>
    !via?.some(({ argument, check }) => argument !== bySchema && check !== "named") &&
    !(ofSettings && (source.parameter || source.outside !== null));
  return { ...named, taint: named.taint.filter(tells) };
}

/** `call_user_func($options["callback"], $value)` */
export const namesFunction = ({ callee }: Call): boolean =>
  callee.kind === "variable" && /^(call_user_func|forward_static_call)(_array)?$/.test(callee.name);

/** What such a call is asked about: its first argument is what it calls. */
export function withSettings(frame: Frame, { args: [first] }: Call, subject: Subject): Subject {
  const [named, ...given] = subject.positional;
  return first && named && isSetting(frame, first.value)
    ? { ...subject, positional: [asNamed(frame, first.value, named), ...given] }
    : subject;
}

function isSetting(frame: Frame, written: Expression, depth = 2): boolean {
  if (written.kind === "index") return written.key?.kind === "literal" && typeof written.key.value === "string";
  if (written.kind === "operation" && written.operator === "??")
    return written.operands.some((operand) => isSetting(frame, operand, depth));
  const made =
    written.kind === "variable" && depth > 0 ? frame.scope.binding(written.name)?.origins.get(written.name) : null;
  return made ? isSetting(frame, made, depth - 1) : false;
}
