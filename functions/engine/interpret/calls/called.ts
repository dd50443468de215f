import { type Call, wholeMap } from "../../ir/ir.ts";
import type { Subject } from "../check.ts";
import { evaluate } from "../evaluate.ts";
import { useOf } from "../memory/memory.ts";
import { accessPath, namesQualified } from "../names.ts";
import { asText, withFields } from "../objects/known-fields.ts";
import { member, memberOfInstance, methodOf } from "../objects/members.ts";
import { withoutShared } from "../objects/shared-state.ts";
import type { Frame, Run } from "../run.ts";
import { withNumbers } from "../texts/number-verbs.ts";
import { anyElement, join, nothing, type Value } from "../value.ts";
import { asHanded, callsHanded } from "./handed-functions.ts";
import { ofBase } from "./handover.ts";
import { boundTo, inheritedMember, namesOwnClass } from "./inherited.ts";
import { byImplementers, leftToOthers } from "./left-open.ts";
import { asFunction, askedForAll, asTexts, givenForAll, makesText } from "./magic-methods.ts";
import { type NamesOfCall, namesOf } from "./names-of-call.ts";

/** What a call is about: who is called, and with what. */
export interface Called extends NamesOfCall {
  callee: Value;
  receiver: Value | null;
  positional: Value[];
  named: Map<string, Value>;
  /** Lists and maps of Python whose elements are passed as arguments, by the position from which on they stand for some. */
  opened: ReadonlyMap<number, readonly [argument: string, all: Value]>;
  /** What is passed as a map of named arguments. */
  maps: Value;
  /** The target of a method that its class only declares: classes of other files say what it does. */
  open: string | null;
}

/** What a call was about when it was last evaluated here; of one that was not, what it would be about. */
export const calledBy = (run: Run, frame: Frame, call: Call): Called =>
  frame.given.get(call)?.called ?? prepare(run, frame, call);

/** Looks up who is called, and evaluates with what. */
export function prepare(run: Run, frame: Frame, call: Call): Called {
  const { callee } = call;
  // `new org.shop.Prices()` is asked of no object.
  const isOf =
    callee.kind === "field" &&
    !(call.isNew && run.language === "java" && namesQualified(run, accessPath(callee) ?? ""));
  const receiver = isOf ? asText(run, frame, call, withoutShared(evaluate(run, frame, callee.of))) : null;
  if (receiver && callee.kind === "field") useOf(run, frame, callee.of, receiver);
  const inherited = inheritedMember(run, frame, callee);
  const found =
    inherited ??
    ownMethod(run, frame, call) ??
    (receiver && callee.kind === "field"
      ? calleeMember(run, frame, receiver, callee)
      : withoutShared(evaluate(run, frame, callee)));
  // `super().show()` means the method of the base, whoever says it otherwise.
  const own = inherited ? found : byImplementers(run, asFunction(run, frame, call, found));
  const forAll = inherited ? null : askedForAll(run, call, receiver, own);
  const called = forAll ? { ...nothing, closures: [forAll] } : own;
  const positional: Value[] = [];
  const byName = new Map<string, Value>();
  const opened = new Map<number, readonly [string, Value]>();
  let maps = nothing;
  const ofClass = namesOwnClass(run, frame, call);
  const handsOn = callsHanded(run, call);
  for (const arg of ofClass ? call.args.slice(1) : call.args) {
    const given = withFields(run, frame, arg.value, evaluate(run, frame, arg.value));
    const value = handsOn ? asHanded(run, frame, arg.value, given) : given;
    if (arg.name === wholeMap) maps = maps === nothing ? value : join(maps, value);
    if (arg.name !== null && !arg.spread) byName.set(arg.name, value);
    else if (arg.spread && value.slots?.shape === "list" && !value.slots.rest)
      positional.push(...value.slots.entries.values());
    else if (arg.spread && value.slots?.shape === "list" && value.slots.behind)
      positional.push(...value.slots.entries.values(), value.slots.rest ?? nothing);
    else if (arg.spread && value.slots?.shape === "map")
      for (const [key, entry] of value.slots.entries) byName.set(run.language === "php" ? `$${key}` : key, entry);
    else {
      if (arg.spread && run.language === "python")
        opened.set(positional.length, [`${arg.name ?? "*"}${positional.length}`, value]);
      positional.push(arg.spread ? anyElement(value) : value);
    }
  }
  const { names, paths, models, guards, gives, target, isGiven, others } = namesOf(run, frame, call, receiver, called);
  return {
    callee: ofClass ? boundTo(called, frame.self) : called,
    receiver,
    names,
    paths,
    models,
    guards,
    gives,
    positional: forAll
      ? givenForAll(call, positional)
      : makesText(call)
        ? [...asTexts(run, frame, positional, [call])]
        : withNumbers(run, call, positional),
    named: byName,
    opened,
    maps,
    target: target !== null && inherited ? `${target}${ofBase}` : target,
    isGiven,
    others: inherited ? [] : others,
    open: inherited ? null : leftToOthers(run, frame, call, found),
  };
}

/** What a function of another file is passed: a list or map of which nobody knows what is in it goes as a whole, for linking to open it. */
export function handedArguments({ positional, named: byName, opened }: Called): Pick<Called, "positional" | "named"> {
  if (opened.size === 0) return { positional, named: byName };
  return {
    positional: positional.map((value, i) => (opened.has(i) ? nothing : value)),
    named: new Map([...byName, ...opened.values()]),
  };
}

/** In Java `name()` and `this.name()` call a method, whatever a variable or a field of that name holds. */
function ownMethod({ language }: Run, { self }: Frame, { callee, isNew }: Call): Value | null {
  if (language !== "java" || !self?.instance || isNew) return null;
  const name =
    callee.kind === "variable"
      ? callee.name
      : callee.kind === "field" && callee.of.kind === "variable" && callee.of.name === "this"
        ? callee.name
        : null;
  return name !== null && methodOf(self.instance, name) ? memberOfInstance(self, name) : null;
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
