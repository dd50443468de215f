import type { CallModels } from "../catalogue/catalogue.ts";
import { remembered } from "../catalogue/remembered.ts";
import { type Call, wholeMap } from "../ir/ir.ts";
import type { Subject } from "./check.ts";
import { evaluate } from "./evaluate.ts";
import { ofBase, targetOf } from "./handover.ts";
import { boundTo, inheritedMember, namesOwnClass } from "./inherited.ts";
import { withFields } from "./known-fields.ts";
import { member, memberOfInstance } from "./members.ts";
import { accessPath, byName, joined, memberPaths } from "./names.ts";
import { withNumbers } from "./number-verbs.ts";
import type { Frame, Run } from "./run.ts";
import { anyElement, join, nothing, type Value } from "./value.ts";

/** What a call is about: who is called, and with what. */
export interface Called {
  callee: Value;
  receiver: Value | null;
  /** What the receiver is known as. */
  names: readonly string[];
  paths: readonly string[];
  /** What models know of it. */
  models: CallModels;
  positional: Value[];
  named: Map<string, Value>;
  /** What is passed as a map of named arguments. */
  maps: Value;
  /** The function of another file that it may be; see `targetOf`. */
  target: string | null;
}

/** What a call was about when it was last evaluated here; of one that was not, what it would be about. */
export const calledBy = (run: Run, frame: Frame, call: Call): Called =>
  frame.given.get(call)?.called ?? prepare(run, frame, call);

/** Looks up who is called, and evaluates with what. */
export function prepare(run: Run, frame: Frame, call: Call): Called {
  const { callee } = call;
  const receiver = callee.kind === "field" ? evaluate(run, frame, callee.of) : null;
  const inherited = inheritedMember(run, frame, callee);
  const called =
    inherited ??
    (receiver && callee.kind === "field" ? calleeMember(run, frame, receiver, callee) : evaluate(run, frame, callee));
  const paths =
    receiver && callee.kind === "field"
      ? unique([...called.paths, ...memberPaths(receiver, callee.name)])
      : called.paths;
  const positional: Value[] = [];
  const byName = new Map<string, Value>();
  let maps = nothing;
  const ofClass = namesOwnClass(run, frame, call);
  for (const arg of ofClass ? call.args.slice(1) : call.args) {
    const value = withFields(run, frame, arg.value, evaluate(run, frame, arg.value));
    if (arg.name === wholeMap) maps = maps === nothing ? value : join(maps, value);
    if (arg.name !== null && !arg.spread) byName.set(arg.name, value);
    else if (arg.spread && value.slots?.shape === "list" && !value.slots.rest)
      positional.push(...value.slots.entries.values());
    else if (arg.spread && value.slots?.shape === "list" && value.slots.behind)
      positional.push(...value.slots.entries.values(), value.slots.rest ?? nothing);
    else if (arg.spread && value.slots?.shape === "map")
      for (const [key, entry] of value.slots.entries) byName.set(key, entry);
    else positional.push(arg.spread ? anyElement(value) : value);
  }
  const names = paths.length > 0 ? paths : callee.kind === "field" ? [joined("?", callee.name)] : [];
  const target = called.closures.length === 0 && !called.type ? targetOf(run, frame, names) : null;
  return {
    callee: ofClass ? boundTo(called, frame.self) : called,
    receiver,
    names: receiver ? receiverNames(call, receiver) : ownersOf(paths),
    paths: names,
    models: run.knowledge.calls.findAll(names),
    positional: withNumbers(run, call, positional),
    named: byName,
    maps,
    target: target !== null && inherited ? `${target}${ofBase}` : target,
  };
}

/** A method is not read before it is called: reading has sources and sinks of its own. */
function calleeMember(
  run: Run,
  frame: Frame,
  receiver: Value,
  callee: Extract<Call["callee"], { kind: "field" }>,
): Value {
  const key = accessPath(callee);
  const remembered = key === null ? undefined : frame.scope.binding(key)?.get(key);
  if (remembered) return remembered;
  // `supplier.get()`, `consumer.accept(x)`: what a function is called by is for its interface to say.
  if (run.language === "java" && receiver.closures.length > 0 && !isCombined.test(callee.name))
    return { ...nothing, closures: receiver.closures };
  const isSlot = receiver.slots?.entries.has(callee.name) === true;
  if (!isSlot && !receiver.instance && !receiver.type) return nothing;
  const found = member(run, frame, receiver, callee.name, callee);
  // A method of a class of another file is not what its object is made of.
  if (receiver.instance || receiver.type)
    return isSlot || memberOfInstance(receiver, callee.name) ? found : { ...found, taint: [] };
  const closures = found.closures.map((closure) => (isMethodOf(closure) ? { ...closure, self: receiver } : closure));
  return { ...found, closures };
}

/** What functional interfaces make new functions by. */
const isCombined = /^(andThen|compose|negate|and|or|reversed|thenComparing\w*)$/;

/** `{ text, show() { return this.text } }`: a function that has no class is called on the object it is a part of. */
const isMethodOf = ({ fn, owner }: Value["closures"][number]): boolean => fn.receiver === "this" && owner === null;

/** What the receiver is known as: its paths, and the name it is written with. */
function receiverNames(call: Call, receiver: Value | null): readonly string[] {
  if (!receiver || call.callee.kind !== "field") return [];
  const { of } = call.callee;
  const written = of.kind === "variable" || of.kind === "field" ? byName(of.name) : null;
  return written === null || receiver.paths.includes(written) ? receiver.paths : [...receiver.paths, written];
}

/** `const query = db.query`, `import { query } from "./db"`: a function that was taken out of something still is a part of it. */
const ownersOf = (paths: readonly string[]): readonly string[] => paths.map(ownerOf).filter((owner) => owner !== "");

const ownerOf = remembered((path) => path.slice(path.lastIndexOf("/") + 1, Math.max(path.lastIndexOf("."), 0)));

const unique = <T>(values: T[]): T[] => (values.length < 2 ? values : [...new Set(values)]);

export const subjectOf = (
  { positional, named: byName, receiver, names: receiverPaths }: Called,
  at: Call,
): Subject => ({
  positional,
  named: byName,
  receiver,
  receiverPaths,
  at,
  name: "",
});
