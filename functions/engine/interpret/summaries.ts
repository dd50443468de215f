import type { FunctionNode, Span } from "../ir/ir.ts";
import { applyFlow, rebase } from "./check.ts";
import { hand } from "./handover.ts";
import { joinedPassages } from "./passage.ts";
import type { Flow, Frame, Run, Summary } from "./run.ts";
import { allTaint, constant, extend, joinTaint, nothing, type Taint, type Value } from "./value.ts";

/** Substitutes the arguments for the parameters in a summary. */
export function applySummary(
  run: Run,
  caller: Frame,
  summary: Summary,
  fn: FunctionNode,
  args: readonly Value[],
  named: ReadonlyMap<string, Value>,
  at: Span,
): Value {
  const taintOf = (index: number): readonly Taint[] => {
    const param = fn.params[index];
    if (!param) return [];
    const given = param.rest ? args.slice(index) : [named.get(param.name) ?? args[index] ?? nothing];
    return given.flatMap((value) => allTaint(value)).map((t) => ({ ...t, step: extend(t.step, at) }));
  };
  const settled = (flow: Flow) =>
    flow.match.unless.some((test) => test.fact !== null && caller.scope.binding(`@${test.fact}`) !== null);
  for (const flow of summary.flows.filter((candidate) => !settled(candidate)))
    for (const taint of taintOf(flow.parameter)) applyFlow(run, flow, taint);
  for (const pass of [...summary.passes]) {
    for (const taint of taintOf(pass.source.parameter?.index ?? 0)) {
      hand(run, {
        ...pass,
        source: taint.source,
        clean: taint.clean | pass.clean,
        step: rebase(pass.step, taint.step),
        via: joinedPassages(taint.via, pass.via),
      });
    }
  }
  for (const fact of summary.settles) caller.scope.set(fact, constant(true));
  return substitute(summary.returns, fn, taintOf, 2);
}

function substitute(
  value: Value,
  fn: FunctionNode,
  taintOf: (index: number) => readonly Taint[],
  depth: number,
): Value {
  let taint: readonly Taint[] = [];
  for (const t of value.taint) {
    const own = t.source.parameter?.fn === fn;
    const passed = own
      ? taintOf(t.source.parameter?.index ?? 0).map((arg) => ({
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
  return { ...value, taint, slots };
}
