import type { Call, FunctionNode, Parameter, Span } from "../../ir/ir.ts";
import { applyFlow, rebase } from "../check.ts";
import { emptyGuard } from "../guards/guard-functions.ts";
import { joinedPassages } from "../guards/passage.ts";
import { writeBack } from "../memory/pointers.ts";
import { fieldTaint, lineageOf, memberOfInstance } from "../objects/members.ts";
import type { Frame, Run } from "../run.ts";
import type { Flow, Keep, Summary } from "../summary.ts";
import {
  allTaint,
  type ClosureValue,
  constant,
  extend,
  join,
  joinTaint,
  nothing,
  type Taint,
  tainted,
  taintOfPart,
  type Value,
} from "../value.ts";
import { hand } from "./handover.ts";
import { summarise } from "./invoke.ts";
import { knownArguments, knownFurther, mayHold, passedOn } from "./path-conditions.ts";

/** What is known of a function before it has run. */
export const emptySummary = (self: Value | null): Summary => ({
  self,
  parameters: [],
  keeps: [],
  flows: [],
  passes: [],
  returns: nothing,
  throws: nothing,
  given: [],
  outputs: [],
  settles: new Set(),
  leaves: false,
  guard: emptyGuard(),
});

/** Substitutes the arguments for the parameters in a summary. */
export function applySummary(
  run: Run,
  caller: Frame,
  summary: Summary,
  { fn, self }: ClosureValue,
  args: readonly Value[],
  named: ReadonlyMap<string, Value>,
  at: Span,
): Value {
  const taintOf = argumentTaint(run, fn, args, named, at);
  const settled = (flow: Flow) =>
    flow.match.unless.some((test) => test.fact !== null && caller.scope.binding(`@${test.fact}`) !== null);
  const known = named.size === 0 ? knownArguments(run, caller, args) : undefined;
  for (const flow of summary.flows.filter((candidate) => !settled(candidate))) {
    if (!mayHold(flow.conditions, known) || isNoText(flow, fn, args, named)) continue;
    const conditions = passedOn(flow.conditions, known);
    for (const taint of taintOf(flow.parameter, flow.field)) applyFlow(run, { ...flow, conditions }, taint);
  }
  for (const pass of [...summary.passes]) {
    if (!mayHold(pass.conditions, known)) continue;
    for (const taint of taintOf(pass.source.parameter?.index ?? 0, pass.source.parameter?.field)) {
      hand(run, {
        ...pass,
        source: taint.source,
        clean: taint.clean | pass.clean,
        step: rebase(pass.step, taint.step),
        via: joinedPassages(taint.via, pass.via),
        known: knownFurther(pass.known, known),
        conditions: passedOn(pass.conditions, known),
      });
    }
  }
  const isGiven = [...args, ...named.values()].some((value) => value.instance || allTaint(value).length > 0);
  for (const keep of isGiven ? [...summary.keeps] : []) {
    const stored = substitute(keep.value, fn, taintOf, 2);
    if (allTaint(stored).length > 0) run.keep({ ...keep, into: ofObject(keep.into, summary, self) }, stored);
  }
  for (const fact of summary.settles) caller.scope.set(fact, constant(true));
  if (run.thrown && summary.throws !== nothing)
    run.thrown = join(run.thrown, substitute(summary.throws, fn, taintOf, 2));
  return substitute(summary.returns, fn, taintOf, 2);
}

/** `def run(words): subprocess.run(words)`: what a sink asks to be a text is a list here, whose elements have ways of their own. */
function isNoText(
  { match, parameter, field, step }: Flow,
  { params }: FunctionNode,
  args: readonly Value[],
  named: ReadonlyMap<string, Value>,
): boolean {
  if (field !== undefined || step.parent !== null || match.when.length === 0) return false;
  const param = params[parameter];
  const given = param && !param.rest ? (named.get(param.name) ?? args[parameter]) : undefined;
  if (given?.slots?.shape !== "list" || given.taint.length > 0) return false;
  return match.when.some(({ shape, arguments: asked }) => shape === "text" && asked?.[0] === match.arguments[0]);
}

/** What a constructor keeps that an heir has called is the heir's, whose object it may have been summarised for, or another heir's. */
function ofObject(into: Keep["into"], { self: any }: Summary, self: Value | null): Keep["into"] {
  if (!("methods" in into) || !self?.instance) return into;
  return into === any?.instance || lineageOf(self.instance).includes(into) ? self.instance : into;
}

/** What became of a parameter that was kept, in functions that were looked at before this call: these do not run again. */
export function applyKept(
  run: Run,
  fn: FunctionNode,
  args: readonly Value[],
  named: ReadonlyMap<string, Value>,
  at: Span,
): void {
  const flows = run.summaries.get(fn)?.flows.filter(({ kept }) => kept) ?? [];
  if (flows.length === 0) return;
  const taintOf = argumentTaint(run, fn, args, named, at);
  for (const flow of flows) for (const taint of taintOf(flow.parameter, flow.field)) applyFlow(run, flow, taint);
}

/** Writes what a function puts where its parameters point. */
export function applyOutputs(run: Run, caller: Frame, call: Call, closure: ClosureValue, args: readonly Value[]): void {
  if (run.language !== "c" || run.active.has(closure.fn)) return;
  const { outputs } = summarise(run, closure);
  const taintOf = argumentTaint(run, closure.fn, args, new Map(), call);
  writeBack(run, caller, call, outputs, ({ taint }) => substitute(tainted(taint), closure.fn, taintOf, 1).taint);
}

/** What the arguments of a call bring along for each parameter: of one that is handed on the field that is asked for. */
const argumentTaint =
  (run: Run, fn: FunctionNode, args: readonly Value[], named: ReadonlyMap<string, Value>, at: Span): TaintOf =>
  (index, field) => {
    const param = fn.params[index];
    if (!param) return [];
    const given = param.rest
      ? othersGiven(fn, param, args.slice(index), named, field)
      : [named.get(param.name) ?? args[index] ?? nothing];
    return given
      .flatMap((value) => {
        if (param.rest || field === undefined) return taintOfPart(value, undefined);
        const own = value.slots ? null : memberOfInstance(value, field, true);
        return [...fieldTaint(run, value, taintOfPart(value, field), field), ...(own?.taint ?? [])];
      })
      .map((t) => ({ ...t, step: extend(t.step, at) }));
  };

/** What a parameter has that takes all others, `*parts` or `**options`: one that is asked for, else any of them. */
function othersGiven(
  { params }: FunctionNode,
  { byName }: Parameter,
  behind: readonly Value[],
  named: ReadonlyMap<string, Value>,
  field: string | undefined,
): readonly Value[] {
  if (!byName) return field !== undefined && behind[Number(field)] ? [behind[Number(field)] as Value] : behind;
  if (field !== undefined && named.has(field)) return [named.get(field) as Value];
  const others = [...named].flatMap(([name, value]) => (params.some((param) => param.name === name) ? [] : [value]));
  // What stands behind the last position is of a map that nobody has looked into.
  return field === undefined ? [...others, ...behind] : behind;
}

type TaintOf = (index: number, field: string | undefined) => readonly Taint[];

function substitute(value: Value, fn: FunctionNode, taintOf: TaintOf, depth: number): Value {
  let taint: readonly Taint[] = [];
  for (const t of value.taint) {
    const own = t.source.parameter?.fn === fn;
    const passed = own
      ? taintOf(t.source.parameter?.index ?? 0, t.source.parameter?.field).map((arg) => ({
          ...arg,
          clean: arg.clean | t.clean,
          step: rebase(t.step, arg.step),
          via: joinedPassages(arg.via, t.via),
        }))
      : [t];
    taint = joinTaint(taint, passed);
  }
  const slots =
    value.slots && depth > 0
      ? {
          ...value.slots,
          entries: new Map(
            [...value.slots.entries].map(([k, v]) => [k, substitute(v, fn, taintOf, depth - 1)] as const),
          ),
          rest: value.slots.rest && substitute(value.slots.rest, fn, taintOf, depth - 1),
        }
      : null;
  const own = value.own && new Map([...value.own].map(([name, v]) => [name, substitute(v, fn, taintOf, 0)] as const));
  return own ? { ...value, taint, slots, own } : { ...value, taint, slots };
}
