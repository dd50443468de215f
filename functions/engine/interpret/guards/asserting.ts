import { calledName } from "../../ir/called-name.ts";
import type { Call, Expression, FunctionNode, Statement } from "../../ir/ir.ts";
import { calledBy } from "../calls/called.ts";
import type { Frame, Run } from "../run.ts";

/** What a call that has come back has found to hold or not to hold. */
export interface Asserted {
  readonly test: Expression;
  readonly holds: boolean;
}

/**
 * `assert(allowed.has(name))`, `ensure(allowed.has(name), "no")`: what models know to throw, functions of the file that do, and what is called so.
 * @param isDropped nobody looks at what it gives
 */
export function assertedBy(run: Run, frame: Frame, call: Call, isDropped: boolean): Asserted | null {
  const [first] = call.args;
  if (!first) return null;
  const { models, callee, target } = calledBy(run, frame, call);
  const [holds] = models.asserts;
  if (holds !== undefined) return { test: first.value, holds };
  const [closure, ...others] = callee.closures;
  if (!closure)
    return target !== null && isAsked(call, first.value, isDropped) ? { test: first.value, holds: true } : null;
  const asserted = others.length === 0 ? assertedParameter(closure.fn) : null;
  const test = asserted && call.args[asserted.index]?.value;
  return asserted && test ? { test, holds: asserted.holds } : null;
}

/** What functions of other files are called that ask for something to hold. */
const asserts =
  /^_*(assert|invariant|precondition|ensure|must|(ensure|assert|require|check|verify)_?(that|true|condition|argument|state)|throw_?(unless|if_?not)|abort_?unless)$/i;

/** The same, if they are given a comparison: `check(clean(name))` may be about what that gives. */
const checks = /^_*(validate|check|verify|require|demand|enforce|expect)s?(_?(that|true|is_?true|condition))?$/i;

/** Whether a call of another file's function asks for something to hold. */
function isAsked(call: Call, first: Expression, isDropped: boolean): boolean {
  const name = calledName(call);
  if (first.kind === "operation")
    return asserts.test(name) || (isDropped && checks.test(name) && compares.test(first.operator));
  return first.kind === "call" && asserts.test(name);
}

const compares = /^([!=]==?|[<>]=?|(not )?in|is( not)?|not|!|and|or|&&|\|\|)$/;

/** The parameter that a function wants to hold, or not: `if (!ok) throw new Error(message);` at its beginning. */
function assertedParameter(fn: FunctionNode): { index: number; holds: boolean } | null {
  const known = asserted.get(fn);
  if (known !== undefined) return known;
  const found = thrown(fn.body);
  const index = found ? fn.params.findIndex(({ name }) => name === found.name) : -1;
  const told = found && index >= 0 ? { index, holds: found.holds } : null;
  asserted.set(fn, told);
  return told;
}

const asserted = new WeakMap<FunctionNode, ReturnType<typeof assertedParameter>>();

function thrown(body: readonly Statement[]): { name: string; holds: boolean } | null {
  // What a function of Python says about itself stands first.
  const first = body.find(({ kind }, i) => kind !== "expression" || i > 0);
  if (first?.kind === "block") return thrown(first.body);
  if (first?.kind !== "branch" || !throws(first.then)) return null;
  const { test } = first;
  if (test.kind === "variable") return { name: test.name, holds: false };
  const [left, right] = test.kind === "operation" ? test.operands : [];
  if (test.kind !== "operation" || left?.kind !== "variable") return null;
  if (/^(!|not)$/.test(test.operator)) return { name: left.name, holds: true };
  const isFalse = /^(===?|is)$/.test(test.operator) && right?.kind === "literal" && right.value === false;
  return isFalse ? { name: left.name, holds: true } : null;
}

const throws = (body: readonly Statement[]): boolean => {
  const last = body.at(-1);
  if (last?.kind === "block") return throws(last.body);
  return last?.kind === "throw" || (last?.kind === "expression" && isAbort(last.value));
};

/** What frameworks call that answers at once, and throws to get there. */
const isAbort = (value: Expression): boolean =>
  value.kind === "call" && /^(abort|halt|not_?found)$/i.test(calledName(value));
