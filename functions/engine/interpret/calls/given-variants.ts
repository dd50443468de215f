import { allFamilies } from "../../catalogue/catalogue.ts";
import type { Constant, Expression, FunctionNode } from "../../ir/ir.ts";
import { walk } from "../../ir/walk.ts";
import { BudgetExhausted, type Run } from "../run.ts";
import { Scope } from "../scope.ts";
import type { Summary } from "../summary.ts";
import { allTaint, type ClosureValue, constant, type Taint, type Value } from "../value.ts";
import { followedCallMax, inline, inlineLengthMax, newFrame } from "./invoke.ts";

/** Steps that a file may have taken for its functions to be asked what they give by default. */
const defaultsUntil = 200_000;

/** Settings of a function that are told apart by being given or not. */
const settingsMax = 4;

/** Constants that a function is asked about: each is one more way through it. Who asks for more of them mostly tells apart names of fields. */
const constantsMax = 8;

/** A constant that a parameter of a function is held against. */
interface Setting {
  parameter: number;
  is: Constant;
}

/** What a function gives that is called with so many arguments at most, with a constant that it asks for, or both. */
export interface GivenVariant {
  count?: number;
  setting?: Setting;
  returns: Value;
}

/**
 * What a function gives whose caller says what it wants: `input($name, true)` escapes, `field($name, "int")` gives a number. And what it
 * gives to whoever leaves out what has a default: `shown($text, $raw = false)` escapes for all who say no more. Where it has several
 * settings, each number of arguments is one to ask about, the smallest first. Those that tell most come first, those that tell nothing are
 * left out.
 */
export function givenVariants(run: Run, closure: ClosureValue): GivenVariant[] {
  const { fn } = closure;
  const summary = run.summaries.get(fn);
  const isShort = fn.end - fn.start <= inlineLengthMax && run.steps < defaultsUntil;
  if (run.language !== "php" || !summary || !isShort || !allTaint(summary.returns).some(isOpen)) return [];
  const variants: GivenVariant[] = [];
  for (const asked of askedOf(fn)) {
    const returns = calledWith(run, closure, summary, asked);
    if (returns === null) break;
    if (tellsMore(returns, summary.returns)) variants.push({ ...asked, returns });
  }
  return variants;
}

function askedOf(fn: FunctionNode): Omit<GivenVariant, "returns">[] {
  const first = fn.params.findIndex((param) => param.default !== null);
  const settings = settingsOf(fn);
  if (first < 0) return settings.map((setting) => ({ setting }));
  const counts = Array.from({ length: Math.min(fn.params.length - first, settingsMax) }, (_, more) => first + more);
  const both = settings.flatMap((setting) => {
    const count = Math.max(first, setting.parameter + 1);
    return count < fn.params.length ? [{ setting, count }] : [];
  });
  return [...both, ...counts.map((count) => ({ count })), ...settings.map((setting) => ({ setting }))];
}

/** The constants that parameters are held against, and both answers of those that are yes or no by default. */
function settingsOf(fn: FunctionNode): Setting[] {
  const places = new Map(fn.params.flatMap(({ name, rest }, at) => (rest ? [] : [[name, at] as const])));
  const found = new Map<string, Setting>();
  const add = (parameter: number, is: Constant) => {
    if (found.size < constantsMax) found.set(`${parameter} ${typeof is} ${is}`, { parameter, is });
  };
  for (const [at, { default: given }] of fn.params.entries())
    if (given?.kind === "literal" && typeof given.value === "boolean") for (const is of [true, false]) add(at, is);
  const compare = (asked: Expression, told: Expression) => {
    const parameter = asked.kind === "variable" ? places.get(asked.name) : undefined;
    if (parameter !== undefined && told.kind === "literal") add(parameter, told.value);
  };
  walk(fn.body, (node) => {
    if (!("kind" in node)) return;
    if (node.kind === "switch") for (const test of node.cases.flatMap(({ tests }) => tests)) compare(node.of, test);
    if (node.kind !== "operation" || !/^[=!]==?$/.test(node.operator)) return;
    const [left, right] = node.operands;
    if (!left || !right) return;
    compare(left, right);
    compare(right, left);
  });
  return [...found.values()];
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

function calledWith(
  run: Run,
  closure: ClosureValue,
  summary: Summary,
  { count, setting }: Omit<GivenVariant, "returns">,
): Value | null {
  const { fn } = closure;
  const caller = newFrame(fn, new Scope(closure.scope), closure.self, closure.owner, run.symbols.get(fn) ?? "");
  const given = summary.parameters.slice(0, count).map(({ value }) => value);
  if (setting) given[setting.parameter] = constant(setting.is);
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
