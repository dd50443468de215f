import { allFamilies } from "../../catalogue/catalogue.ts";
import { BudgetExhausted, type Run } from "../run.ts";
import { Scope } from "../scope.ts";
import type { Summary } from "../summary.ts";
import { allTaint, type ClosureValue, type Taint, type Value } from "../value.ts";
import { followedCallMax, inline, inlineLengthMax, newFrame } from "./invoke.ts";

/** Steps that a file may have taken for its functions to be asked what they give by default. */
const defaultsUntil = 200_000;

/** Settings of a function that are told apart by being given or not. */
const settingsMax = 4;

/** What a function gives that is called with so many arguments at most. */
export interface GivenByDefault {
  count: number;
  returns: Value;
}

/**
 * What a function gives that is called without what has a default: `shown($text, $raw = false)` escapes for all who say no more. Where it
 * has several settings, each number of arguments is one to ask about, the smallest first; those that tell nothing are left out.
 */
export function givenByDefault(run: Run, closure: ClosureValue): GivenByDefault[] {
  const { fn } = closure;
  const first = fn.params.findIndex((param) => param.default !== null);
  const summary = run.summaries.get(fn);
  const isShort = fn.end - fn.start <= inlineLengthMax && run.steps < defaultsUntil;
  if (run.language !== "php" || first < 0 || !summary || !isShort || !allTaint(summary.returns).some(isOpen)) return [];
  const variants: GivenByDefault[] = [];
  for (let count = first; count < Math.min(fn.params.length, first + settingsMax); count++) {
    const returns = calledWith(run, closure, summary, count);
    if (returns === null) break;
    if (tellsMore(returns, summary.returns)) variants.push({ count, returns });
  }
  return variants;
}

const isOpen = ({ clean }: Taint): boolean => clean !== allFamilies;

/** Whether less comes back than in any case, and nothing that is less clean. */
function tellsMore(given: Value, anyway: Value): boolean {
  const all = new Map(allTaint(anyway).map((taint) => [taint.source, taint]));
  const left = allTaint(given);
  const isAsClean = ({ source, clean, via }: Taint) => {
    const other = all.get(source);
    return (
      other !== undefined && (other.clean & clean) === other.clean && (other.via?.length ?? 0) <= (via?.length ?? 0)
    );
  };
  return (
    left.every(isAsClean) &&
    (left.length < all.size || left.some(({ source, clean }) => clean !== all.get(source)?.clean))
  );
}

function calledWith(run: Run, closure: ClosureValue, summary: Summary, count: number): Value | null {
  const { fn } = closure;
  const caller = newFrame(fn, new Scope(closure.scope), closure.self, closure.owner, run.symbols.get(fn) ?? "");
  const given = summary.parameters.slice(0, count).map(({ value }) => value);
  const until = run.followUntil;
  run.followUntil = run.steps + followedCallMax;
  try {
    return inline(run, caller, closure, given, new Map(), fn);
  } catch (error) {
    if (error instanceof BudgetExhausted) return null;
    throw error;
  } finally {
    run.followUntil = until;
  }
}
