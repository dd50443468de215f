import { lastName } from "../../ir/called-name.ts";
import type { Call, Expression, FunctionNode } from "../../ir/ir.ts";
import type { Frame, Run } from "../run.ts";
import type { Value } from "../value.ts";
import { targetOf } from "./handover.ts";

/** What calls a function with the elements of a list, with what was waited for, or with what is passed beside it. */
const callers: Readonly<Record<string, ReadonlySet<string> | undefined>> = {
  javascript: new Set(["then", "forEach", "map", "flatMap", "filter", "find", "some", "every"]),
  python: new Set(["map", "filter", "imap", "imap_unordered", "starmap", "Thread", "Process", "Timer"]),
};

/** Made once: what is known about calls is kept by them. */
const calling = new WeakMap<Expression, FunctionNode>();

export const callsHanded = ({ language }: Run, { callee }: Call): boolean =>
  callers[language]?.has(lastName(callee)) === true;

/**
 * `names.forEach(fs.unlinkSync)`, `load(id).then(show)`: what a function of a library, or of another file, does that is handed on to such a
 * call, is what one does that calls it.
 */
export function asHanded(run: Run, frame: Frame, handed: Expression, value: Value): Value {
  if (value.closures.length > 0 || value.paths.length === 0) return value;
  const { checks } = run.knowledge.calls.findAll(value.paths);
  if (checks.length === 0 && targetOf(run, frame, value.paths) === null) return value;
  const fn = calling.get(handed) ?? callingOn(handed);
  calling.set(handed, fn);
  return { ...value, closures: [{ fn, scope: frame.scope, self: frame.self, owner: frame.owner }] };
}

/** `(...given) => callee(...given)` */
function callingOn(callee: Expression): FunctionNode {
  const { start, end } = callee;
  const name = "...";
  const param = { start, end, name, pattern: null, type: null, decorators: [], default: null, rest: true };
  const args = [{ name: null, spread: true, value: { start, end, kind: "variable" as const, name } }];
  const value: Expression = { start, end, kind: "call", callee, args, isNew: false };
  const body = [{ start, end, kind: "return" as const, value }];
  return { start, end, name: "", params: [param], decorators: [], body, receiver: null, exported: false };
}
