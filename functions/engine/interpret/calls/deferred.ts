import { lastName } from "../../ir/called-name.ts";
import { type Call, type Expression, type Span, wholeMap } from "../../ir/ir.ts";
import { evaluate } from "../evaluate.ts";
import { announcedAs } from "../objects/announced.ts";
import type { Frame, Run } from "../run.ts";
import type { Value } from "../value.ts";
import { placesMax } from "./callbacks.ts";
import type { Called } from "./called.ts";
import { handOver, targetOf } from "./handover.ts";

/** No class, and nothing that was made by calling one. */
const namesFunction = (path: string): boolean => /\.\p{Ll}\w*$/u.test(path);

/** Made once: what is known about a call is kept by the call. */
const rewritten = new WeakMap<Call, Call>();

/** Calls that a worker makes, and nobody waits for where they are written. */
const madeLater = new WeakSet<Span>();

export const isLater = (at: Span): boolean => madeLater.has(at);

const jobLanguages: ReadonlySet<string> = new Set(["python", "ruby", "php", "javascript"]);

/** `setTimeout(convert, 100, name)`, `convert.delay(name)`, `convert.apply_async(args=[name])`, `queue.enqueue(convert, name)`: the call that a worker makes of it later; the call itself, where it is no such. */
export function calledLater(run: Run, frame: Frame, call: Call): Call {
  const { callee } = call;
  if (!jobLanguages.has(run.language) || (callee.kind !== "field" && callee.kind !== "variable")) return call;
  const [way] = run.knowledge.deferred.get(callee.name) ?? [];
  if (!way) return call;
  const known = rewritten.get(call);
  if (known) return known;
  const of = callee.kind === "field" ? callee.of : null;
  if (way.makes) return of ? makeLater(call, of, way.behind) : call;
  if (way.runs !== null) return of ? runLater(call, of, way.runs, way.behind) : call;
  const { passed } = way;
  const at = passed === null ? null : call.args[passed];
  const fn = at === null ? of : at?.name === null && !at.spread ? at.value : null;
  if (fn?.kind !== "variable" && fn?.kind !== "field") return call;
  const { closures, paths, taint } = evaluate(run, frame, fn);
  if (way.behind > 0 && call.args.length <= way.behind) return call;
  const isFunction =
    closures.length > 0 ||
    (run.language === "javascript" && taint.some(({ source }) => source.parameter)) ||
    run.knowledge.calls.findAll(paths).checks.length > 0 ||
    targetOf(run, frame, paths.filter(namesFunction)) !== null;
  if (!isFunction) return call;
  const args = passed === null ? call.args : call.args.slice(way.behind || passed + 1);
  const isPacked = way.packed || (passed !== null && args.some(({ name }) => name === "args" || name === "kwargs"));
  const made = { ...call, callee: fn, args: isPacked ? unpacked(args) : args };
  rewritten.set(call, made);
  madeLater.add(made);
  return made;
}

/** `PackJob.set(wait: 5).perform_later(name)`: a worker makes an object of the class, and calls this method of it. */
function runLater(call: Call, receiver: Expression, runs: string, behind: number): Call {
  const chained = receiver.kind === "call" && receiver.callee.kind === "field" ? receiver.callee.of : receiver;
  if ((chained.kind !== "variable" && chained.kind !== "field") || !/^\p{Lu}/u.test(chained.name)) return call;
  const { start, end } = chained;
  const make: Expression = { start, end, kind: "field", of: chained, name: "new" };
  const made: Expression = { start, end, kind: "call", callee: make, args: [], isNew: false };
  const later: Call = {
    ...call,
    callee: { start, end, kind: "field", of: made, name: runs },
    args: call.args.slice(behind),
  };
  rewritten.set(call, later);
  return later;
}

/** `PackJob::dispatch($name)`: an object of the class is made with that, and does what it does later. */
function makeLater(call: Call, type: Expression, behind: number): Call {
  if (type.kind !== "variable" || !/^(\w*\\)*\p{Lu}\w*$/u.test(type.name)) return call;
  const later: Call = { ...call, callee: type, args: call.args.slice(behind), isNew: true };
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

/** `app.send_task("shop.convert", args=[name])`, `queue.enqueue("shop.jobs.convert", name)`: a job that goes by its name, or by where its function is. */
export function startByName(run: Run, call: Call, { positional, named }: Called): void {
  if (run.language !== "python") return;
  const way = (run.knowledge.deferred.get(lastName(call.callee)) ?? []).find(({ passed }) => passed !== null);
  const at = way?.passed ?? null;
  if (!way || at === null) return;
  const names = positional[at]?.constants ?? [];
  const [name] = names;
  if (names.length !== 1 || typeof name !== "string" || !jobName.test(name)) return;
  const isPacked = way.packed || named.has("args") || named.has("kwargs");
  const given = isPacked ? packedValues(positional.slice(at + 1), named) : { args: positional.slice(at + 1), named };
  handOver(run, announcedAs(name), given.args, given.named, call);
  // The module may be told apart from the function: `shop.jobs:convert`.
  if (/[.:]/.test(name)) handOver(run, name.replace(":", "."), given.args, given.named, call);
}

/** Names of jobs are words, with dots between them as a rule. */
const jobName = /^[A-Za-z_][\w.:-]{0,199}$/;

/** What is in the list and the map that a call passes for the function. */
function packedValues(
  behind: readonly Value[],
  named: ReadonlyMap<string, Value>,
): { args: Value[]; named: Map<string, Value> } {
  const list = (named.get("args") ?? behind[0])?.slots;
  const map = (named.get("kwargs") ?? behind[1])?.slots;
  const args: Value[] = [];
  for (let i = 0, value = list?.entries.get("0"); value && i < placesMax; value = list?.entries.get(String(++i)))
    args.push(value);
  return { args, named: new Map(map?.shape === "map" ? map.entries : []) };
}
