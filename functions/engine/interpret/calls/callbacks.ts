import { lastName } from "../../ir/called-name.ts";
import type { Call, FunctionNode } from "../../ir/ir.ts";
import { keyTaint } from "../objects/containers.ts";
import { fieldOf } from "../objects/members.ts";
import type { Run } from "../run.ts";
import {
  allTaint,
  anyElement,
  arriving,
  type ClosureValue,
  elementAt,
  joinAll,
  nothing,
  type Source,
  tainted,
  type Value,
} from "../value.ts";
import type { Called } from "./called.ts";
import { passedThrough } from "./carried-taint.ts";
import { asElementOf } from "./elements.ts";
import { methodTarget } from "./handover.ts";

/** More would be a function that does nothing but call others back. */
export const givenMax = 20;
/** Arguments and parameters that are looked at one by one; who has more was generated. */
export const placesMax = 20;

/** What a function gives to one that it was handed is a part of what it gives, by the places of both, or the name: `(1.0`, `(1.title`. */
export const partOfCallBack = (callback: number, argument: number | string): string => `(${callback}.${argument}`;

/** Notes what a function calls one of its parameters with: `(path, done) => read(path, (err, text) => done(err, text))`. */
export function noteGiven(run: Run, call: Call, called: Called): void {
  const asked = calledParameter(run, call, called);
  const given = asked && run.summaries.get(asked.parameter.fn)?.given;
  if (!asked || !given) return;
  const named = run.language === "python" ? called.named : [];
  for (const [argument, value] of [...asked.args.entries(), ...named]) {
    const part = partOfCallBack(asked.parameter.index, argument);
    for (const taint of allTaint(value)) {
      const at = given.findIndex((known) => known.part === part && known.taint.source === taint.source);
      const known = given[at];
      if (known) given[at] = { part, taint: { ...taint, clean: taint.clean & known.taint.clean } };
      else if (given.length < givenMax) given.push({ part, taint });
    }
  }
}

interface Asked {
  parameter: NonNullable<Source["parameter"]>;
  args: readonly Value[];
}

/** The parameter that is called, as it is, by `call` and `apply`, or by what its interface calls it. */
function calledParameter(
  { language }: Run,
  { callee }: Call,
  { callee: value, receiver, positional }: Called,
): Asked | null {
  if (value.closures.length > 0) return null;
  const direct = untouched(value);
  if (direct) return { parameter: direct, args: positional };
  const [first, ...others] = positional;
  if (callee.kind === "variable" && callee.name === "call_user_func") return asking(first && untouched(first), others);
  const parameter = callee.kind === "field" && receiver ? untouched(receiver) : null;
  if (callee.kind !== "field" || !parameter) return null;
  if (language === "javascript" && callee.name === "call") return asking(parameter, others);
  if (language === "javascript" && callee.name === "apply")
    return asking(parameter, [...(others[0]?.slots?.entries.values() ?? [])]);
  const type = parameter.fn.params[parameter.index]?.type ?? "";
  return language === "java" && functional.test(type) ? { parameter, args: positional } : null;
}

const asking = (parameter: Asked["parameter"] | null | undefined, args: readonly Value[]): Asked | null =>
  parameter ? { parameter, args } : null;

/** What interfaces are called that have one method. */
const functional = /(Consumer|Function|Predicate|Operator|Call[bB]ack|Handler|Listener|Mapper)(<[\s\S]*>)?$/;

/** The parameter that a value is, where nothing else was made of it. */
function untouched({ taint }: Value): Source["parameter"] {
  const [only, ...others] = taint;
  const parameter = others.length === 0 ? only?.source.parameter : null;
  return parameter && !only?.step.parent && parameter.field === undefined ? parameter : null;
}

/** What a function of another file calls one back with that it is handed: what it makes of its other arguments, or has of its own. */
export function givenBack(
  run: Run,
  call: Call,
  called: Called,
  { fn }: ClosureValue,
  callback: number,
): readonly Value[] {
  const target = called.target ?? methodTarget(run, called);
  if (target === null || callback >= called.positional.length) return [];
  const parts = partsOfElement(run, call, called, fn);
  return fn.params.slice(0, placesMax).map((param, i) => {
    const part = partOfCallBack(callback, i);
    const own = tainted([arriving(run.outside(`${target}${fieldOf}${part}`, param), param)]);
    const passed = passedThrough(run, call, called, target, false, part).map(tainted);
    const element =
      parts[i] ??
      (i === 0 && called.receiver ? asElementOf(run, called.receiver, anyElement(called.receiver)) : nothing);
    return joinAll([...passed, own, element]);
  });
}

/** `note.save((error, saved) => …)`: the first of two is no part of what was saved; of lists each element is. */
export function takesFailureFirst({ language }: Run, { callee }: Call, { fn: { params } }: ClosureValue): boolean {
  if (language !== "javascript" || callee.kind !== "field" || elementwise.test(callee.name)) return false;
  return /^_?(err|error)$/.test(params[0]?.name ?? "");
}

/** `text.replace(pattern, (all, name) => …)`: the match and all of its groups are parts of the text. */
export function partsReplaced(
  { language }: Run,
  { callee }: Call,
  { receiver }: Called,
  { fn: { params } }: ClosureValue,
): Value[] | null {
  if (language !== "javascript" || callee.kind !== "field" || !/^replace(All)?$/.test(callee.name)) return null;
  return receiver ? params.map(() => tainted(allTaint(receiver))) : null;
}

export const isAccumulating = ({ language }: Run, { callee }: Call): boolean =>
  language === "javascript" && callee.kind === "field" && /^reduce(Right)?$/.test(callee.name);

/** `names.reduce((record, name) => …, {})`: the first is what was made so far, which begins as what is passed behind the function. */
export function accumulated(
  run: Run,
  call: Call,
  { receiver, positional: [, initial] }: Called,
  at: number,
): Value[] | null {
  return at === 0 && receiver && initial && isAccumulating(run, call) ? [initial, anyElement(receiver)] : null;
}

const elementwise = /^(forEach|map|flatMap|filter|find\w*|some|every|reduce|sort)$/;

/**
 * `params.each { |name, value| … }`, `pairs.map { |from, to| … }`: several parameters of a block of Ruby get the parts of an element, and so
 * do those of Java where all of a map is gone through.
 */
export function partsOfElement(run: Run, call: Call, { receiver }: Called, { params }: FunctionNode): readonly Value[] {
  if (run.language === "java" && receiver?.slots?.shape === "map" && params.length === 2)
    return [tainted(keyTaint(receiver)), anyElement(receiver)];
  if (run.language !== "ruby" || !receiver || params.length < 2 || params.some(({ pattern }) => pattern)) return [];
  if (/with_index|with_object|each_index/.test(lastName(call.callee))) return [];
  const element = anyElement(receiver);
  if (receiver.slots?.shape === "map") return [tainted(receiver.taint), element];
  return params.map((_, i) =>
    element.slots?.shape === "list" ? (elementAt(element, String(i)) ?? nothing) : tainted(element.taint),
  );
}
