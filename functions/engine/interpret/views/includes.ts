import type { Call, Expression, Span } from "../../ir/ir.ts";
import { templateTarget } from "../../templates/template-target.ts";
import { handOver } from "../calls/handover.ts";
import { evaluate } from "../evaluate.ts";
import { fieldOf } from "../objects/members.ts";
import type { Frame, Run } from "../run.ts";
import { allTaint, arriving, joinTaint, nothing, type Taint, type Value } from "../value.ts";
import { pageName } from "./page.ts";

const includesMax = 12;
const textsMax = 8;
/** Where the values lie of which only the names were made at run time: `extract($_POST)`. */
const anyName = "$*";

/** What a variable holds that nothing in sight has set: what somebody made of input by name, or what other files have put there. */
export function pageVariable(run: Run, frame: Frame, name: string, at: Span): readonly Taint[] {
  if (run.language !== "php" || !/^\$[a-z_]\w*$/i.test(name) || /^\$(this|_[A-Z]+|GLOBALS)$/.test(name)) return [];
  const extracted = frame.scope.binding(anyName)?.get(anyName);
  if (extracted) return allTaint(extracted);
  if (frame.fn !== null) return [];
  const { page } = run;
  run.summaries.set(page.fn, page.summary);
  const plain = name.slice(1);
  const index = page.indexOf(plain, at);
  const param = page.fn.params[index];
  const given: Taint[] = param ? [arriving(run.source("parameter", param, 1, { fn: page.fn, index }), at)] : [];
  return [...given, ...page.included.map((target) => leftBehind(run, target, plain, at))];
}

/** What a file that is included leaves in a variable. */
const leftBehind = (run: Run, target: string, name: string, at: Span): Taint =>
  arriving(run.outside(`${target}${fieldOf}${name}`, at), at);

/** An empty text is there to be filled, as `$html = ""` is before the file is included that has the contents. */
function fillEmpty(run: Run, frame: Frame, target: string, at: Span): void {
  for (const [key, value] of frame.scope.variables ?? []) {
    const isEmpty = value.constants?.length === 1 && value.constants[0] === "";
    const isFilled = value.constants === null && value.prefix === "" && value.taint.length > 0;
    if (!/^\$[a-z]\w*$/i.test(key) || !(isEmpty || isFilled)) continue;
    const taint = joinTaint(value.taint, [leftBehind(run, target, key.slice(1), at)]);
    frame.scope.set(key, { ...nothing, prefix: "", taint });
  }
}

/** Hands the variables in sight over to a file that is included here. */
export function includePage(run: Run, frame: Frame, call: Call): void {
  if (run.language !== "php" || call.callee.kind !== "variable") return;
  const [argument] = call.args;
  if (!argument) return;
  if (call.callee.name === "extract") extractNames(frame, evaluate(run, frame, argument.value));
  if (!/^(include|require)(_once)?$/.test(call.callee.name)) return;
  const given = new Map<string, Value>();
  for (const [key, value] of frame.scope.variables ?? [])
    if (/^\$[a-z]\w*$/i.test(key) && allTaint(value).length > 0) given.set(key.slice(1), value);
  for (const name of namesOf(run, frame, argument.value)) {
    const target = templateTarget("escaping", name);
    handOver(run, target, [], given, call);
    const { included } = run.page;
    if (frame.fn !== null || included.length >= includesMax || included.includes(target)) continue;
    included.push(target);
    fillEmpty(run, frame, target, call);
  }
}

/** The variables that the file has at its end are there for whoever includes it. */
export function leavePage(run: Run, frame: Frame): void {
  if (run.language !== "php") return;
  const { page } = run;
  const left = [...(frame.scope.variables ?? [])].filter(
    ([key, value]) => /^\$[a-z]\w*$/i.test(key) && allTaint(value).length > 0,
  );
  page.summary.returns = {
    ...nothing,
    slots: {
      shape: "map",
      entries: new Map(left.flatMap(([key, value]) => leftParts(key.slice(1), value))),
      rest: null,
    },
  };
  if (left.length === 0 && page.fn.params.length === 0) return;
  run.summaries.set(page.fn, page.summary);
  run.exports.set(pageName, { fn: page.fn, scope: frame.scope, self: null, owner: null });
}

/** Of a map that was filled key by key each key is left behind. */
function leftParts(name: string, value: Value): [string, Value][] {
  const { slots } = value;
  if (value.taint.length > 0 || !slots || slots.rest) return [[name, value]];
  return [...slots.entries].map(([key, entry]) => [`${name}${fieldOf}${key}`, entry]);
}

/** `extract` makes variables of the elements of a map. */
function extractNames(frame: Frame, { slots, taint }: Value): void {
  if (slots?.shape === "map")
    for (const [key, value] of slots.entries) if (/^\w+$/.test(key)) frame.scope.set(`$${key}`, value);
  const unnamed = slots?.rest ? joinTaint(taint, allTaint(slots.rest)) : taint;
  if (unnamed.length > 0) frame.scope.set(anyName, { ...nothing, taint: unnamed });
}

/** The files that a path can mean: all of it, or as much of its end as is known. */
function namesOf(run: Run, frame: Frame, path: Expression): string[] {
  let ends = [""];
  for (const part of partsOfText(path).toReversed()) {
    const texts = evaluate(run, frame, part).constants?.filter((text) => typeof text === "string") ?? [];
    if (texts.length === 0) break;
    ends = texts.flatMap((text) => ends.map((end) => `${text}${end}`)).slice(0, textsMax);
  }
  return ends.filter((end) => /\.\w+$/.test(end));
}

const partsOfText = (path: Expression): Expression[] =>
  path.kind === "template"
    ? path.parts.flatMap(partsOfText)
    : path.kind === "operation" && path.operator === "+"
      ? path.operands.flatMap(partsOfText)
      : [path];
