import { allFamilies } from "../../catalogue/catalogue.ts";
import { calledName } from "../../ir/called-name.ts";
import type { Expression, Statement } from "../../ir/ir.ts";
import { walk } from "../../ir/walk.ts";
import { calledBy } from "../calls/called.ts";
import { evaluate, recalling } from "../evaluate.ts";
import { accessPath } from "../names.ts";
import type { Frame, Run } from "../run.ts";
import { isFact, isMark, joinStates, type Variables } from "../scope.ts";
import type { Taint, Value } from "../value.ts";
import { joinedPassages } from "./passage.ts";

/** Fields that one test may ask about; more of them are generated. */
const fieldsMax = 20;

/**
 * Joins what holds after both sides of a test. One that ends with a function of another file may be its end: `if (!valid($x)) fail();`.
 * Linking knows whether that function ever comes back, and so is told what the value is known to be on the other side.
 */
export function joinSides(
  run: Run,
  frame: Frame,
  test: Expression,
  [then, afterThen]: Side,
  [otherwise, afterOtherwise]: Side,
): Variables | null {
  if (!afterThen || !afterOtherwise) return afterThen ?? afterOtherwise;
  // Elsewhere a test that fails ends where it stands: by an exception, a return, or a promise that is refused.
  if (run.language !== "php" && run.language !== "javascript") return frame.scope.join(afterThen, afterOtherwise);
  if (otherwise.length === 0 && asksUnsent(test)) alsoSettled(afterThen, afterOtherwise);
  const [left, going, target] =
    otherwise.length === 0
      ? [afterThen, afterOtherwise, lastCalled(run, frame, then, afterThen)]
      : then.length === 0
        ? [afterOtherwise, afterThen, lastCalled(run, frame, otherwise, afterOtherwise)]
        : [afterThen, afterOtherwise, null];
  if (target === null) return frame.scope.join(afterThen, afterOtherwise);
  tellFields(run, frame, test, left, going);
  const joined = joinStates(afterThen, afterOtherwise) as Variables;
  for (const [key, value] of joined) {
    const known = going.get(key);
    if (known && known !== left.get(key) && !isFact(key) && !isMark(key))
      joined.set(key, unlessLeft(run, value, known, target));
  }
  return joined;
}

/** `if (!headers_sent()) header("Content-Type: text/xml");`: what is said of the answer is meant of it, also where it comes too late. */
const asksUnsent = (test: Expression): boolean =>
  test.kind === "operation" &&
  test.operator === "!" &&
  test.operands[0]?.kind === "call" &&
  calledName(test.operands[0]) === "headers_sent";

function alsoSettled(from: Variables, to: Variables): void {
  for (const [key, value] of from) if (isFact(key) || isMark(key)) to.set(key, value);
}

type Side = readonly [statements: readonly Statement[], after: Variables | null];

/** The function of another file that is called last. */
function lastCalled(run: Run, frame: Frame, statements: readonly Statement[], after: Variables): string | null {
  const last = statements.at(-1);
  if (last?.kind === "block") return lastCalled(run, frame, last.body, after);
  if (last?.kind !== "expression" || last.value.kind !== "call") return null;
  const call = last.value;
  const { callee, target } = inState(frame, after, () => recalling(frame, () => calledBy(run, frame, call)));
  return callee.closures.length === 0 ? target : null;
}

/** A field that one side has tested is what its object makes it on the other, where nothing is known of it. */
function tellFields(run: Run, frame: Frame, test: Expression, left: Variables, going: Variables): void {
  const fields = new Map<string, Expression>();
  walk([test], (node) => {
    if (!("kind" in node) || (node.kind !== "index" && node.kind !== "field") || fields.size === fieldsMax) return;
    const key = accessPath(node);
    if (key !== null && going.has(key) && !left.has(key)) fields.set(key, node);
  });
  for (const [key, field] of fields) inState(frame, left, () => frame.scope.refine(key, evaluate(run, frame, field)));
}

function inState<T>({ scope }: Frame, state: Variables, ask: () => T): T {
  const before = scope.variables;
  scope.variables = state;
  const answer = ask();
  scope.variables = before;
  return answer;
}

/** The value of both sides, which is what it is on the one that goes on where the function called on the other does not come back. */
function unlessLeft(run: Run, value: Value, going: Value, target: string): Value {
  const taint = value.taint.map((t) => unlessLeftBehind(run, t, going, target));
  return taint.every((t, i) => t === value.taint[i]) ? value : { ...value, taint };
}

function unlessLeftBehind(run: Run, taint: Taint, { taint: others }: Value, target: string): Taint {
  const other = others.find(({ source }) => source === taint.source);
  const clean = other ? other.clean & ~taint.clean : allFamilies;
  const via = (other?.via ?? []).filter((passage) => passage.check !== "left" && !taint.via?.includes(passage));
  if (clean === 0 && via.length === 0) return taint;
  const spared = { clean: other ? run.catalogue.namesOf(clean) : ("all" as const), via };
  const passage = { target, argument: 0, check: "left" as const, trusted: false, spared };
  return { ...taint, via: joinedPassages(taint.via, [passage]) };
}
