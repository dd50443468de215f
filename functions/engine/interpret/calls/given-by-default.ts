import { allFamilies } from "../../catalogue/catalogue.ts";
import { BudgetExhausted, type Run } from "../run.ts";
import { Scope } from "../scope.ts";
import { allTaint, type ClosureValue, type Taint, type Value } from "../value.ts";
import { followedCallMax, inline, inlineLengthMax, newFrame } from "./invoke.ts";

/** Steps that a file may have taken for its functions to be asked what they give by default. */
const defaultsUntil = 200_000;

/**
 * What a function gives that is called without what has a default, and how many arguments that are at most: `shown($text, $raw = false)`
 * escapes for all who say no more. Null where there is nothing to tell apart.
 */
export function givenByDefault(run: Run, closure: ClosureValue): { count: number; returns: Value } | null {
  const { fn } = closure;
  const count = fn.params.findIndex((param) => param.default !== null);
  const summary = run.summaries.get(fn);
  const isShort = fn.end - fn.start <= inlineLengthMax && run.steps < defaultsUntil;
  if (run.language !== "php" || count < 1 || !summary || !isShort) return null;
  const ofCaller = ({ clean, source }: Taint) => source.parameter?.fn === fn && clean !== allFamilies;
  if (!allTaint(summary.returns).some(ofCaller)) return null;
  const caller = newFrame(fn, new Scope(closure.scope), closure.self, closure.owner, run.symbols.get(fn) ?? "");
  const given = summary.parameters.slice(0, count).map(({ value }) => value);
  const until = run.followUntil;
  run.followUntil = run.steps + followedCallMax;
  try {
    return { count, returns: inline(run, caller, closure, given, new Map(), fn) };
  } catch (error) {
    if (error instanceof BudgetExhausted) return null;
    throw error;
  } finally {
    run.followUntil = until;
  }
}
