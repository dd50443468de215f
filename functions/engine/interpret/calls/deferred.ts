import { type Call, type Expression, wholeMap } from "../../ir/ir.ts";
import { evaluate } from "../evaluate.ts";
import type { Frame, Run } from "../run.ts";
import { targetOf } from "./handover.ts";

/** No class, and nothing that was made by calling one. */
const namesFunction = (path: string): boolean => /\.\p{Ll}\w*$/u.test(path);

/** Made once: what is known about a call is kept by the call. */
const rewritten = new WeakMap<Call, Call>();

/** `convert.delay(name)`, `convert.apply_async(args=[name])`, `queue.enqueue(convert, name)`: the call that a worker makes of it later; the call itself, where it is no such. */
export function calledLater(run: Run, frame: Frame, call: Call): Call {
  const { callee } = call;
  if (run.language !== "python" || callee.kind !== "field") return call;
  const [way] = run.knowledge.deferred.get(callee.name) ?? [];
  if (!way) return call;
  const known = rewritten.get(call);
  if (known) return known;
  const { passed } = way;
  const at = passed === null ? null : call.args[passed];
  const fn = at === null ? callee.of : at?.name === null && !at.spread ? at.value : null;
  if (fn?.kind !== "variable" && fn?.kind !== "field") return call;
  const { closures, paths } = evaluate(run, frame, fn);
  const isFunction = closures.length > 0 || targetOf(run, frame, paths.filter(namesFunction)) !== null;
  if (!isFunction) return call;
  const args = passed === null ? call.args : call.args.slice(passed + 1);
  const isPacked = way.packed || (passed !== null && args.some(({ name }) => name === "args" || name === "kwargs"));
  const later = { ...call, callee: fn, args: isPacked ? unpacked(args) : args };
  rewritten.set(call, later);
  return later;
}

/** Of `apply_async([a], {"b": c}, countdown=3)` what the function itself gets. */
function unpacked(args: Call["args"]): Call["args"] {
  const at = (position: number, name: string): Expression[] => {
    const placed = args.filter((arg) => arg.name === null && !arg.spread)[position];
    const given = args.find((arg) => arg.name === name) ?? placed;
    return given ? [given.value] : [];
  };
  return [
    ...at(0, "args").map((value) => ({ name: null, value, spread: true })),
    ...at(1, "kwargs").map((value) => ({ name: wholeMap, value, spread: true })),
  ];
}
