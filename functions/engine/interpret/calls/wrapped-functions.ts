import type { Expression } from "../../ir/ir.ts";
import { symbolOf } from "../evaluate.ts";
import type { Frame, Run } from "../run.ts";
import type { Scope } from "../scope.ts";
import type { ClosureValue, Value } from "../value.ts";
import { calledBy } from "./called.ts";

/**
 * What others call under a name that a file exports. `exports.save = withUser(async (form) => …)`: whatever an unknown function makes of the
 * only one that it is passed is called as that. One that a function of this file has made knows what that was given, as no other of its kind.
 */
export function exportedFunction(
  run: Run,
  frame: Frame,
  name: string,
  { closures: [made], instance, type, slots }: Value,
  from: Expression,
): ClosureValue | undefined {
  if (run.language !== "javascript") return made;
  const closure = made ?? (instance || type || slots ? null : wrappedBy(run, frame, from));
  if (!closure) return undefined;
  // Whoever imports it calls it by this name.
  run.named.add(closure.fn);
  if (closure.owner || sees(frame.scope, closure.scope)) return closure;
  // Parameters are told apart by where they stand.
  const { start, end } = from;
  const own = {
    ...closure,
    fn: { ...closure.fn, params: closure.fn.params.map((param) => ({ ...param, start, end })) },
  };
  run.named.add(own.fn);
  run.closures.set(own.fn, own);
  run.symbols.set(own.fn, symbolOf(frame.symbol, name, own.fn.params.length));
  return own;
}

function wrappedBy(run: Run, frame: Frame, from: Expression): ClosureValue | null {
  const call = from.kind === "variable" ? frame.scope.binding(from.name)?.origins.get(from.name) : from;
  if (call?.kind !== "call" || call.isNew || call.awaited) return null;
  const [only, ...others] = calledBy(run, frame, call).positional.flatMap(({ closures }) => closures);
  // What a framework has called already is called by nobody else.
  return only && others.length === 0 && only.fn.params.length > 0 && !run.entries.has(only.fn) ? only : null;
}

function sees(from: Scope, wanted: Scope): boolean {
  for (let scope: Scope | null = from; scope; scope = scope.parent) if (scope === wanted) return true;
  return false;
}
