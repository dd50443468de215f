import { remembered } from "../../catalogue/remembered.ts";
import { lastName } from "../../ir/called-name.ts";
import type { Call, FunctionNode, Span } from "../../ir/ir.ts";
import { byName } from "../names.ts";
import { keyTaint } from "../objects/containers.ts";
import { fieldOf, givenTo } from "../objects/members.ts";
import type { Frame, Run } from "../run.ts";
import type { Summary } from "../summary.ts";
import {
  allTaint,
  anyElement,
  arriving,
  type ClosureValue,
  elementAt,
  joinAll,
  joinTaint,
  nothing,
  type Source,
  type Taint,
  tainted,
  type Value,
} from "../value.ts";
import type { Called } from "./called.ts";
import { passedThrough } from "./carried-taint.ts";
import { asElementOf } from "./elements.ts";
import { handOver, methodTarget, targetOf } from "./handover.ts";
import { partsOf } from "./parts.ts";

/** More would be a function that does nothing but call others back. */
export const givenMax = 20;
/** Arguments and parameters that are looked at one by one; who has more was generated. */
export const placesMax = 20;

/**
 * What a function gives to one that it was handed is a part of what it gives, by the places of both, or the name: `(1.0`, `(1.title`. What
 * was handed in a map of functions has the name that it has there: `(1/onSave.0`.
 */
export const partOfCallBack = (callback: number | string, argument: number | string, field?: string): string =>
  field === undefined ? `(${callback}.${argument}` : `(${callback}/${field}.${argument}`;

/** Notes what a function calls one of its parameters with: `(path, done) => read(path, (err, text) => done(err, text))`. */
export function noteGiven(run: Run, call: Call, called: Called): void {
  const asked = calledParameter(run, call, called);
  const given = asked && run.summaries.get(asked.parameter.fn)?.given;
  if (!asked || !given) return;
  const named = run.language === "python" ? called.named : [];
  const { index, field, fn } = asked.parameter;
  // Callers of Python name functions as often as not.
  const places = run.language === "python" ? [index, fn.params[index]?.name ?? index] : [index];
  for (const place of places)
    for (const [argument, value] of [...asked.args.entries(), ...named])
      for (const [within, part] of partsOf(run, value)) {
        const whole = partOfCallBack(place, argument, field);
        for (const taint of part) add(given, within === undefined ? whole : `${whole}${fieldOf}${within}`, taint);
      }
}

function add(given: Summary["given"], part: string, taint: Taint): void {
  const at = given.findIndex((known) => known.part === part && known.taint.source === taint.source);
  const known = given[at];
  if (known) given[at] = { part, taint: { ...taint, clean: taint.clean & known.taint.clean } };
  else if (given.length < givenMax) given.push({ part, taint });
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
  if (direct && (direct.field === undefined || language === "javascript"))
    return { parameter: direct, args: positional };
  const [first, ...others] = positional;
  if (callee.kind === "variable" && callee.name === "call_user_func") return asking(first && untouched(first), others);
  const parameter = callee.kind === "field" && receiver ? untouched(receiver) : null;
  if (callee.kind !== "field" || !parameter || parameter.field !== undefined) return null;
  // `options.onSave(value)`: one of several functions that are handed in a map; methods of services have other names.
  if (language === "javascript" && inOptions.test(callee.name))
    return { parameter: { ...parameter, field: callee.name }, args: positional };
  if (language === "javascript" && callee.name === "call") return asking(parameter, others);
  if (language === "javascript" && callee.name === "apply")
    return asking(parameter, [...(others[0]?.slots?.entries.values() ?? [])]);
  const type = parameter.fn.params[parameter.index]?.type ?? "";
  return language === "java" && (functional.test(type) || onlyMethod.test(callee.name))
    ? { parameter, args: positional }
    : null;
}

/** How functions are called that are handed in a map to be called back; a handler of a route is called by the framework. */
export const inOptions =
  /^(on|before|after)[A-Z_]\w*$|^(call_?[bB]ack|cb|done|success|error|fail(ure)?|complete|render|format|transform)$/;

/** How the only method is called of an interface that an application has for functions. */
const onlyMethod = /^(accept|apply|call|execute|handle|invoke|perform|process|(on|do)\p{Lu}\w*)$/u;

const asking = (parameter: Asked["parameter"] | null | undefined, args: readonly Value[]): Asked | null =>
  parameter?.field === undefined && parameter ? { parameter, args } : null;

/** What interfaces are called that have one method. */
const functional = /(Consumer|Function|Predicate|Operator|Call[bB]ack|Handler|Listener|Mapper)(<[\s\S]*>)?$/;

/** The parameter that a value is, where nothing else was made of it. */
function untouched({ taint }: Value): Source["parameter"] {
  const [only, ...others] = taint;
  const parameter = others.length === 0 ? only?.source.parameter : null;
  return parameter && !only?.step.parent ? parameter : null;
}

/** What a function of another file calls one back with that it is handed: what it makes of its other arguments, or has of its own. */
export function givenBack(
  run: Run,
  call: Call,
  called: Called,
  { fn }: ClosureValue,
  callback: number | string,
  field?: string,
): readonly Value[] {
  const target = called.target ?? methodTarget(run, called);
  if (target === null) return [];
  const parts = field === undefined ? partsOfElement(run, call, called, fn) : [];
  const isFirst = (i: number) => i === 0 && field === undefined && called.receiver !== null;
  return fn.params.slice(0, placesMax).map((param, i) => {
    const given = givenAs(run, call, called, target, partOfCallBack(callback, i, field), param);
    const element =
      parts[i] ??
      (isFirst(i) && called.receiver ? asElementOf(run, called.receiver, anyElement(called.receiver)) : nothing);
    const paths = [...given.paths, ...(element.paths.length > 0 ? element.paths : [byName(param.name)])];
    return { ...joinAll([given, element]), paths };
  });
}

/** What a function of another file makes, of what it is passed or has itself, in one part of what it gives. */
function givenAs(run: Run, call: Call, called: Called, target: string, part: string, at: Span): Value {
  const outside = `${target}${fieldOf}${part}`;
  const passed = passedThrough(run, call, called, target, false, part);
  const taint = [...passed, [arriving(run.outside(outside, at), at)]].reduce(joinTaint, []);
  return { ...tainted(taint), paths: [givenTo(outside)] };
}

/** Calls that hand functions of other files to functions of others. */
const joinedMax = 100;
/** What of it functions take that are called back. */
const takenMax = 2;

/** `runJob(req.body.cmd, execute)`, both of other files: what the one calls the other with. */
export function giveToOthers(run: Run, frame: Frame, call: Call, called: Called): void {
  const { target, positional, named } = called;
  if (target === null || !importsFunctions.has(run.language) || run.handovers.size >= joinedMax) return;
  for (const [place, { closures, taint, paths, slots, instance, type }] of [...positional.entries(), ...named]) {
    if (closures.length + taint.length > 0 || slots || instance || type || !paths.some(namesFunction)) continue;
    const taker = targetOf(run, frame, paths.filter(namesFunction));
    if (taker === null) continue;
    const args = Array.from({ length: takenMax }, (_, i) =>
      givenAs(run, call, called, target, partOfCallBack(place, i), call),
    );
    handOver(run, taker, args, new Map(), call, { frame, settled: 0 });
  }
}

/** Languages whose files import functions by their names. */
const importsFunctions: ReadonlySet<string> = new Set(["javascript", "python"]);

/** `./tools.execute`; what else files have in common are objects. */
const namesFunction = remembered((path) =>
  /^(?!\?).*\.(?!(?:app|cache|client|config|conn|db|log(?:ger)?|pool|router|session|settings|store|[cm]?[jt]sx?)$)\p{Ll}\w*$/u.test(
    path,
  ),
);

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
