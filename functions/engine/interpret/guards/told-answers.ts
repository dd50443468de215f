import { type Call, type Expression, handsOut, type Statement } from "../../ir/ir.ts";
import { calledBy } from "../calls/called.ts";
import { evaluate } from "../evaluate.ts";
import { truth } from "../operators.ts";
import type { Frame, Run } from "../run.ts";
import { refine } from "./guards.ts";

/** Answers that were written down before they are tested, and tell by that what was asked for them. */

/**
 * `const error = isWord(x) ? null : "no word"; if (error) return;`: which of the two answers it is tells what the test was.
 * @param says what an answer says to who asks, null where that is not known
 */
export function conditionalTest(
  run: Run,
  frame: Frame,
  { test, then, otherwise }: Conditional,
  says: (run: Run, frame: Frame, answer: Expression) => boolean | null,
  outcome: boolean,
): void {
  const isThen = says(run, frame, then) !== !outcome;
  const isOther = says(run, frame, otherwise) !== !outcome;
  if (isThen === isOther) return;
  refine(run, frame, test, isThen);
  if (says === saysYes) refine(run, frame, isThen ? then : otherwise, outcome);
}

type Conditional = Extract<Expression, { kind: "conditional" }>;

/** Whether an answer counts as true. */
export const saysYes = (run: Run, frame: Frame, answer: Expression): boolean | null =>
  isText(answer) ? true : answer.kind === "call" && answer.isNew ? null : truth(evaluate(run, frame, answer));

/** Whether an answer is something at all. */
const saysAny = (_run: Run, _frame: Frame, answer: Expression): boolean | null =>
  answer.kind === "literal"
    ? answer.value !== null
    : isText(answer) || (answer.kind === "call" && answer.isNew) || null;

const isText = ({ kind, ...answer }: Expression): boolean =>
  kind === "template" &&
  "parts" in answer &&
  answer.parts.some((part) => part.kind === "literal" && typeof part.value === "string" && part.value !== "");

/** `if (error != null)`, `if why is None`. */
export function nothingTest(run: Run, frame: Frame, asked: Expression, isNothing: boolean): void {
  const origin = asked.kind === "variable" ? frame.scope.binding(asked.name)?.origins.get(asked.name) : asked;
  if (origin?.kind === "conditional") conditionalTest(run, frame, origin, saysAny, !isNothing);
}

/** `const check = () => isWord(x); if (!check()) return;`: a function that is written here, about what is known here. */
export function askedHere(run: Run, frame: Frame, call: Call, outcome: boolean): void {
  if (call.args.length > 0 || call.isNew || (call.callee.kind === "variable" && call.callee.name === handsOut)) return;
  const [closure, ...others] = calledBy(run, frame, call).callee.closures;
  if (closure?.scope !== frame.scope || others.length > 0) return;
  const answer = onlyAnswer(closure.fn.body);
  // It may call itself.
  if (!answer || run.asked.has(answer)) return;
  run.asked.add(answer);
  refine(run, frame, answer, outcome);
  run.asked.delete(answer);
}

function onlyAnswer([only, ...others]: readonly Statement[]): Expression | null {
  if (others.length > 0) return null;
  return only?.kind === "block" ? onlyAnswer(only.body) : only?.kind === "return" ? only.value : null;
}

/** `const result = { ok: isWord(x) }; if (!result.ok) return;`, as long as nobody has changed that field since. */
export function partAsked(run: Run, frame: Frame, test: Expression, outcome: boolean): void {
  if (test.kind !== "field" && test.kind !== "index") return;
  const name = test.kind === "field" ? test.name : test.key?.kind === "literal" ? String(test.key.value) : null;
  if (test.of.kind !== "variable" || name === null) return;
  const made = frame.scope.binding(test.of.name)?.origins.get(test.of.name);
  if (made?.kind !== "collection" || run.asked.has(made)) return;
  const [entry, ...others] = made.entries.filter(({ key }) => key?.kind === "literal" && key.value === name);
  if (!entry || entry.spread || others.length > 0) return;
  run.asked.add(made);
  refine(run, frame, entry.value, outcome);
  run.asked.delete(made);
}
