import type { Assign, Call, Expression, Loop, Statement } from "../../ir/ir.ts";
import type { Frame, Run } from "../run.ts";
import { fault } from "./memory-faults.ts";

/** Methods that show what is inside of a text, and go on being right as long as the text is there. */
const shows = /^(c_str|data|constData)$/;
const makesText = /^(str|substr|toStdString|toUtf8|toLatin1|toLocal8Bit|toString|dump)$/;

const shownBy = (e: Expression): Expression | null =>
  e.kind === "call" && e.callee.kind === "field" && shows.test(e.callee.name) && e.args.length === 0
    ? e.callee.of
    : null;

/** Whether an expression makes a text that nobody keeps: a sum, a conversion, what a function gives by value. */
function isPassing(run: Run, e: Expression): boolean {
  if (e.kind === "operation") return e.operator === "+";
  if (e.kind !== "call") return false;
  if (e.callee.kind === "field") return makesText.test(e.callee.name) && e.args.length < 3;
  if (e.callee.kind !== "variable") return false;
  const { name } = e.callee;
  if (/^(to_string|string|wstring)$/.test(name)) return true;
  return new RegExp(
    `(^|[;}{]|\\n)[ \\t]*(static\\s+|inline\\s+){0,2}(std::)?w?string\\s+(\\w+::){0,4}${name}\\s*\\(`,
  ).test(run.stretch(0, run.text.length));
}

/** `const char *p = (a + b).c_str();`: the text is gone at the end of the line. */
export function keepShown(run: Run, frame: Frame, { to, from, start, declares }: Assign): void {
  if (to.kind !== "variable" || !frame.fn) return;
  const of = shownBy(from);
  if (!of || !isPassing(run, of)) return;
  const isPointer = declares
    ? run.text[start] === "*"
    : new RegExp(`\\*\\s*(const\\s+)?${to.name}\\b`).test(run.stretch(frame.fn.start, start));
  if (isPointer) fault(run, frame, "<text-gone>", from);
}

/** `return name.c_str();` of a text of the function itself. */
export function returnShown(run: Run, frame: Frame, returned: Expression): void {
  const of = shownBy(returned);
  if (!of || !frame.fn || !/\*$/.test(frame.fn.result ?? "")) return;
  const body = run.stretch(frame.fn.start, returned.start);
  const isOwn =
    of.kind === "variable" &&
    new RegExp(
      `(?:^|[;{}(,\\n])[ \\t]*(const\\s+)?(std::)?w?(string|stringstream|ostringstream)\\s+([\\w\\s,="]{0,300},\\s*)?${of.name}\\b`,
    ).test(body);
  if (isOwn || isPassing(run, of)) fault(run, frame, "<text-gone>", returned);
}

/** `for (it = v.begin(); …; ++it) v.erase(it);`: the step goes on from what is no longer there. */
export function eraseWithin(run: Run, frame: Frame, loop: Loop): void {
  const update = loop.update?.kind === "sequence" ? loop.update.parts[0] : loop.update;
  if (update?.kind !== "assign" || update.to.kind !== "variable") return;
  const body = run.text.slice(loop.body[0]?.start ?? loop.end, loop.end);
  const { name } = update.to;
  if (!new RegExp(`\\.\\s*erase\\s*\\(\\s*${name}\\s*\\)`).test(body)) return;
  if (new RegExp(`\\b${name}\\s*=(?!=)|--\\s*${name}\\b|\\b${name}\\s*--`).test(body)) return;
  // Whatever leaves the loop further down may do so whenever something was erased.
  for (const call of erasing(loop.body, name))
    if (!/\b(return|break|goto|throw)\b/.test(run.text.slice(call.end, loop.end)))
      fault(run, frame, "<erased-in-walk>", call);
}

/** Statements that erase the element and do not leave the loop right after. */
function erasing(statements: readonly Statement[], name: string): Call[] {
  return statements.flatMap((s, i): Call[] => {
    const leaves = statements.slice(i + 1).some(({ kind }) => kind === "jump" || kind === "return" || kind === "throw");
    if (s.kind === "expression" && s.value.kind === "call" && !leaves) return isErasing(s.value, name) ? [s.value] : [];
    if (s.kind === "block") return leaves ? [] : erasing(s.body, name);
    if (s.kind === "branch") return leaves ? [] : [...erasing(s.then, name), ...erasing(s.otherwise, name)];
    return [];
  });
}

const isErasing = ({ callee, args: [first, ...others] }: Call, name: string): boolean =>
  callee.kind === "field" &&
  callee.name === "erase" &&
  others.length === 0 &&
  first?.value.kind === "variable" &&
  first.value.name === name;
