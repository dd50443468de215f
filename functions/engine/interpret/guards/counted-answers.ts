import type { Expression } from "../../ir/ir.ts";
import type { Frame, Run } from "../run.ts";
import { modelGuards } from "./called-guards.ts";

/** `net.isIP(x) === 0`, `net.isIP(x) > 0`: what answers with a number says no with zero, and yes with any other. */
export function countedAnswerTest(
  run: Run,
  frame: Frame,
  operator: string,
  left: Expression,
  right: Expression,
  outcome: boolean,
): void {
  if (right.kind !== "literal" || typeof right.value !== "number") return;
  const asked = left.kind === "variable" ? frame.scope.binding(left.name)?.origins.get(left.name) : left;
  if (asked?.kind !== "call") return;
  const answer = saysYes(operator, right.value, outcome);
  if (answer !== null) modelGuards(run, frame, asked, answer);
}

/** Whether a number that is not negative is another than zero when a comparison came out like this; null where it may be either. */
function saysYes(operator: string, bound: number, outcome: boolean): boolean | null {
  if (/^[!=]==?$/.test(operator)) {
    const same = operator.startsWith("=") === outcome;
    if (bound === 0) return !same;
    return same ? true : null;
  }
  // `x >= 1` is `x > 0`, and `x < 1` the contrary of both.
  const least = operator === ">=" || operator === "<" ? bound - 1 : bound;
  if (operator.startsWith(">") === outcome) return least >= 0 ? true : null;
  return least === 0 ? false : null;
}
