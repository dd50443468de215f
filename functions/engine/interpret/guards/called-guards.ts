import { allFamilies } from "../../catalogue/catalogue.ts";
import { remembered } from "../../catalogue/remembered.ts";
import { calledName } from "../../ir/called-name.ts";
import type { Call, Expression } from "../../ir/ir.ts";
import { calledBy } from "../calls/called.ts";
import { holds } from "../check.ts";
import type { Frame, Run } from "../run.ts";
import { fieldsAsked } from "../validators/asked-fields.ts";
import { addressOfHost } from "./address-parts.ts";
import { changeAddress } from "./address-tests.ts";
import { change } from "./refined.ts";

/** `isValidName(x)` from a file that nobody has is taken at its word. */
export function promisesCheck(run: Run, frame: Frame, call: Call): boolean {
  const { callee } = call;
  const name = calledName(call);
  if (!promises(name)) return false;
  return (
    callee.kind !== "variable" ||
    (frame.scope.binding(name)?.get(name)?.closures.length ?? 0) === 0 ||
    run.language === "java"
  );
}

const promises = remembered(
  (name) =>
    /^_*(is|has|check|validate|assert)?_?(valid|safe|allowed|white_?listed|trusted|permitted|accepted)/i.test(name) ||
    /^_*is_?(relative|local|internal|same_?(origin|site|host))_?(ur[il]|link|redirect)/i.test(name),
);

/** `path.relative_to(base)` comes back only where it holds, and so does `assertUrlIsSafe(url)` of a package, as it says. */
export function noteThrowingGuard(run: Run, frame: Frame, call: Call): void {
  modelGuards(run, frame, call, "after");
  const first = call.args[0]?.value;
  if (!first || !insists(calledName(call))) return;
  const { target, callee } = calledBy(run, frame, call);
  if (target === null && callee.closures.length === 0) change(run, frame, first, allFamilies);
}

const insists = remembered((name) =>
  /^_*(assert|ensure|validate|verify|check|require|enforce)_?\w*(safe|allowed|permitted|trusted|within|inside)/i.test(
    name,
  ),
);

/** What a text is put together from. */
const madeOf = (e: Expression): readonly Expression[] =>
  e.kind === "template" ? e.parts.flatMap(madeOf) : e.kind === "operation" ? e.operands.flatMap(madeOf) : [e];

const argumentAt = ({ args }: Call, place: string | number): Expression | undefined =>
  (typeof place === "number" ? args[place] : args.find(({ name }) => name === place))?.value;

/** What models say of a call that has given an answer, or has come back at all. */
export function modelGuards(run: Run, frame: Frame, call: Call, outcome: boolean | "after"): void {
  const { callee } = call;
  const { guards, receiver, positional, named } = calledBy(run, frame, call);
  for (const guard of guards) {
    if ((guard.throws ? "after" : guard.answer) !== outcome) continue;
    const subject = { positional, named, receiver, receiverPaths: [], at: call, name: "" };
    if (!guard.when.every((test) => holds(frame, test, subject))) continue;
    if (guard.unless.some((test) => holds(frame, test, subject))) continue;
    const operand = guard.of === "receiver" ? (callee.kind === "field" ? callee.of : null) : argumentAt(call, guard.of);
    if (!operand) continue;
    if (guard.asksFields) fieldsAsked(run, frame, operand);
    if (guard.cleans === 0) continue;
    for (const part of guard.ofParts ? madeOf(operand) : [operand]) change(run, frame, part, guard.cleans);
    const address = guard.cleans === allFamilies ? addressOfHost(frame, operand) : null;
    if (address) changeAddress(run, frame, address, operand);
  }
}
