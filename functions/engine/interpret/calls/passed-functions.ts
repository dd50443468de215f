import { lastName } from "../../ir/called-name.ts";
import type { Call } from "../../ir/ir.ts";
import { through } from "../guards/guard-functions.ts";
import { heard } from "../objects/announced.ts";
import type { Frame, Run } from "../run.ts";
import { Scope } from "../scope.ts";
import { settledName, settling } from "../settling.ts";
import { allTaint, anyElement, type ClosureValue, join, nothing, type Slots, tainted, type Value } from "../value.ts";
import { mayMakeText } from "./call-names.ts";
import {
  accumulated,
  givenBack,
  giveToOthers,
  inOptions,
  partsOfElement,
  partsReplaced,
  takesFailureFirst,
} from "./callbacks.ts";
import type { Called } from "./called.ts";
import { givenByLibrary } from "./elements.ts";
import { callBack } from "./invoke.ts";
import { taintWithin } from "./parts.ts";
import { runTasks } from "./task-lists.ts";

/** Calls the functions that a call passes; what they return is what the call may give. */
export function callBacks(run: Run, frame: Frame, call: Call, called: Called): Value {
  if (runTasks(run, frame, called)) return nothing;
  giveToOthers(run, frame, call, called);
  callOptions(run, frame, call, called);
  const passed = [...called.positional.entries(), ...called.named];
  if (passed.every(([, value]) => functionsOf(run, called, value).length === 0)) return nothing;
  const results = passed.flatMap(([argument, value], i) =>
    functionsOf(run, called, value).map((closure) =>
      handedOn(run, call, called, argument, closure, calledWith(run, frame, call, called, closure, i, argument)),
    ),
  );
  return results.reduce<Value>((a, b) => join(a, b), nothing);
}

/** `run_job($name, 'execute')`: PHP hands functions on by their names as well. */
function functionsOf({ language, file }: Run, { target }: Called, { closures, constants }: Value): Value["closures"] {
  const [name] = language === "php" && target !== null && constants?.length === 1 ? constants : [];
  return typeof name === "string" && /^\w+$/.test(name) ? (file.get(name)?.closures ?? []) : closures;
}

/** Functions that are handed to one of another file in a map; a longer one is a table of its own. */
const optionsMax = 6;

/** `save(name, { onSave: (saved) => …, onError: … })` */
function callOptions(run: Run, frame: Frame, call: Call, called: Called): void {
  if (run.language !== "javascript" || called.target === null) return;
  for (const [place, { slots }] of called.positional.entries()) {
    const options =
      slots?.shape === "map"
        ? [...slots.entries].filter(([name, { closures }]) => closures.length > 0 && inOptions.test(name))
        : [];
    for (const [name, { closures }] of options.length > optionsMax ? [] : options)
      for (const closure of closures)
        callBack(run, frame, closure, null, givenBack(run, call, called, closure, place, name));
  }
}

function calledWith(
  run: Run,
  frame: Frame,
  call: Call,
  called: Called,
  closure: ClosureValue,
  at: number,
  argument: number | string,
): Value {
  if (isToldFailure(run, call, called, at)) return callBack(run, frame, closure, null, []);
  const given =
    partsReplaced(run, call, called, closure) ??
    accumulated(run, call, called, at) ??
    heard(run, call, called, closure) ??
    waitedFor(run, call, called, at) ??
    givenByLibrary(run, call, called, closure, at) ??
    givenWith(run, call, called, at) ??
    computedFor(called, at) ??
    givenTo(run, call, called, at);
  const back = given.length > 0 ? given : givenBack(run, call, called, closure, argument);
  const args = back.length > 0 ? back : partsOfElement(run, call, called, closure.fn);
  if (takesFailureFirst(run, call, closure)) return callBack(run, frame, closure, null, [nothing, ...args.slice(1)]);
  return callBack(run, frame, closure, called.receiver, args);
}

/**
 * What a function of another file makes of what it is returned by those that it calls: a part of what it gives, or nothing. What is waited
 * for, as `transaction(async (tx) => ({ ...row, id }))` is, is the object that the function gives, unless text is made of it.
 */
function handedOn(run: Run, call: Call, { target }: Called, argument: number | string, by: ClosureValue, given: Value) {
  if (target === null && isMapped(run, call, given))
    return listOf({ ...tainted(given.taint), slots: onTop(given.slots) });
  const waits = run.language === "javascript" && (call.awaited === true || by.fn.suspends === true);
  const isObject = waits && given.slots?.shape === "map" && !mayMakeText(lastName(call.callee));
  const value: Value = { ...tainted(taintWithin(run, given)), slots: isObject ? onTop(given.slots) : null };
  return target === null
    ? value
    : through(value, { target, argument, check: "result", trusted: false, returned: true });
}

/** `names.map((name) => ({ name, kind: "book" }))`: each element is such a record, and what is in one of its fields is in no other. */
const isMapped = ({ language }: Run, { callee }: Call, { slots }: Value): boolean =>
  language === "javascript" && slots?.shape === "map" && callee.kind === "field" && callee.name === "map";

const listOf = (element: Value): Value => ({
  ...nothing,
  slots: { shape: "list", entries: new Map(), rest: element },
});

/** The fields of an object without those of what is in them: one that is put into itself again and again would get ever deeper. */
const onTop = (slots: Slots | null): Slots | null =>
  slots && {
    ...slots,
    entries: new Map([...slots.entries].map(([key, entry]) => [key, tainted(allTaint(entry))])),
    rest: slots.rest && tainted(allTaint(slots.rest)),
  };

/** `load(id).catch((error) => …)`, `parser.on("error", (error) => …)`: a failure says why, and not what was asked for. */
function isToldFailure(run: Run, { callee }: Call, { positional }: Called, at: number): boolean {
  if (run.language !== "javascript" || callee.kind !== "field") return false;
  if (callee.name === "catch" || (callee.name === "then" && at === 1)) return true;
  return /^(on|once)$/.test(callee.name) && positional[0]?.constants?.[0] === "error";
}

/** `Promise.all([a, b]).then(([first, second]) => …)`: a list that was waited for comes as a whole. */
function waitedFor({ language }: Run, { callee }: Call, { receiver }: Called, at: number): readonly Value[] | null {
  const waits = language === "javascript" && callee.kind === "field" && callee.name === "then" && at === 0;
  return waits && receiver?.slots?.shape === "list" ? [receiver] : null;
}

/** `$query->when($request->term, function ($query, $term) { ... })`: builders of PHP hand themselves on, and what was asked. */
function givenWith(run: Run, { callee }: Call, { receiver, positional }: Called, at: number): readonly Value[] | null {
  const asks = run.language === "php" && callee.kind === "field" && /^(when|unless)$/.test(callee.name) && at > 0;
  return asks && receiver && positional[0] ? [receiver, positional[0]] : null;
}

/** `pages.computeIfAbsent(name, this::load)`: what is not there yet is made of its key. */
const computedFor = ({ models, positional: [key] }: Called, at: number): readonly Value[] | null =>
  models.containers.includes("compute") && key && at === 1 ? [key] : null;

/** What is passed behind a function in Python is passed to it: threads, executors, `map`. */
function givenTo(run: Run, { callee }: Call, { positional, named: byName }: Called, at: number): readonly Value[] {
  if (run.language !== "python") return [];
  const args = at >= positional.length ? byName.get("args") : undefined;
  if (args) return args.slots?.shape === "list" ? [...args.slots.entries.values()] : [anyElement(args)];
  const behind = positional.slice(at + 1);
  const name = lastName(callee);
  return /map|filter/.test(name) ? behind.map(anyElement) : behind;
}

/** `new Promise((resolve) => resolve(x))` is what its function settles it with, now or in functions that it passes on. */
export function settledWith(run: Run, frame: Frame, { paths, positional: [executor] }: Called): Value | null {
  if (run.language !== "javascript" || !paths.includes("Promise") || !executor) return null;
  const scope = new Scope(null);
  scope.set(settledName, nothing);
  const settle: Value = { ...nothing, closures: [{ fn: settling, scope, self: null, owner: null }] };
  for (const closure of executor.closures) callBack(run, frame, closure, null, [settle, settle]);
  return { ...(scope.get(settledName) ?? nothing), paths: ["Promise()"] };
}
