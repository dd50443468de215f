import { remembered } from "../../catalogue/remembered.ts";
import type { Call } from "../../ir/ir.ts";
import { byName, memberPaths } from "../names.ts";
import type { Run } from "../run.ts";
import { type ClosureValue, join, joinTaint, nothing, type Value } from "../value.ts";
import type { Called } from "./called.ts";
import { isOfProject } from "./handover.ts";

/** `steps.forEach((step) => step(order))`: what lies in a list of another file of JavaScript is known by that. */
export function asElementOf({ language }: Run, { paths }: Value, element: Value): Value {
  const elsewhere = language === "javascript" ? paths.filter((path) => isOfProject.test(path)) : [];
  if (elsewhere.length === 0) return element;
  return { ...element, paths: [...element.paths, ...memberPaths({ ...nothing, paths: elsewhere }, "[]")] };
}

/** Any element of what a call is asked of, whatever is known of its parts. */
export function elementOf(run: Run, receiver: Value): Value {
  const slots = receiver.slots;
  const all = slots
    ? [...slots.entries.values(), ...(slots.rest ? [slots.rest] : [])].reduce<Value>((a, b) => join(a, b), nothing)
    : nothing;
  return asElementOf(run, receiver, { ...all, taint: joinTaint(all.taint, receiver.taint) });
}

const inTurn = /^(forEach|map|flatMap|filter|find|some|every)$/;

/** What a library has given; a name alone, and what another file gives, are looked up in other ways. */
const isOfLibrary = remembered((path) => path.includes("(") && /^[a-z@]/i.test(path) && !isOfProject.test(path));

/**
 * `load(id).then((note) => …)`, `archive.files.forEach((file) => …)`: what a library gives, or each of what it gives, goes by the path that it
 * has where it is waited for or gone through by a loop, and by the name of the parameter as before.
 */
export function givenByLibrary(
  run: Run,
  { callee }: Call,
  { receiver }: Called,
  { fn }: ClosureValue,
  at: number,
): readonly Value[] | null {
  if (run.language !== "javascript" || callee.kind !== "field" || at !== 0 || !receiver) return null;
  const [param] = fn.params;
  const waits = callee.name === "then";
  if (!param || (!waits && !inTurn.test(callee.name))) return null;
  const library = receiver.paths.filter(isOfLibrary);
  if (library.length === 0) return null;
  const element = elementOf(run, receiver);
  const paths = waits ? library : memberPaths({ ...nothing, paths: library }, "[]");
  return [{ ...element, paths: [...element.paths, ...paths, byName(param.name)] }];
}
