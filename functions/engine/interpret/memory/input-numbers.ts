import type { Call, Expression, Operation } from "../../ir/ir.ts";
import { accessPath } from "../names.ts";
import type { Frame, Run } from "../run.ts";
import { literally } from "../texts/literally.ts";
import { allTaint, type Value } from "../value.ts";
import { fault, isFilledNumber, isHeld, isInput, isNative, isNumberInput, wasAsked } from "./memory-faults.ts";

/** Divided by a number that somebody outside has chosen, and that nobody has asked whether it is zero. */
export function divide(run: Run, frame: Frame, { operator, operands }: Operation, values: readonly Value[]): void {
  const [of, by] = operands;
  const [, value] = values;
  if (!isNative(run) || (operator !== "/" && operator !== "%") || operands.length !== 2 || !of || !by || !value) return;
  if (by.kind !== "variable" && by.kind !== "field" && by.kind !== "call") return;
  // What other functions have set, and what was computed, has been looked at where it was made, or never is zero.
  if (by.kind === "variable" && frame.scope.binding(by.name) !== frame.scope) return;
  if (isComputed(run, frame, by)) return;
  if (!isNumberInput(run, value) || wasAsked(frame, "bounded", by) || isTested(run, frame, by)) return;
  if (operator === "/" && (isFraction(run, frame, of) || isFraction(run, frame, by) || madeOfFraction(value))) return;
  fault(run, frame, "<divisor-by-input>", by);
}

/** `n = total * 8 + 1`: what somebody else has chosen is only a part of it. */
function isComputed(run: Run, { fn }: Frame, e: Expression): boolean {
  if (e.kind !== "variable" || !fn) return false;
  const before = run.stretch(fn.start, e.start);
  return new RegExp(`(?<![.>\\w])${e.name}\\s*([-+*/|]=|=[^=;]*[\\w)]\\s*[-+*/|]\\s*[\\w(])`).test(before);
}

/** `if (n)`, `n ? a / n : 0`, `while (!n)`: somewhere above it was asked for. */
function isTested(run: Run, { fn }: Frame, e: Expression): boolean {
  const path = accessPath(e);
  if (path === null || !fn) return false;
  const name = literally(run.text.slice(e.start, e.end));
  const before = run.stretch(fn.start, e.start);
  return new RegExp(
    `\\b(if|while|assert\\w*)\\s*\\([^;{}]{0,300}(?<![&\\w]\\s{0,9})${name}\\b(?!\\s*=[^=])|!\\s*${name}\\b|${name}\\s*(\\?|&&|\\|\\||[<>!=]=|[<>])`,
  ).test(before);
}

const madeOfFraction = (value: Value): boolean =>
  allTaint(value).some(({ source }) => /\b(atof|strto(d|f|ld)|sto[df])\b/.test(source.name));

/** A fraction is divided by zero without harm. */
function isFraction(run: Run, { fn }: Frame, e: Expression): boolean {
  const written = run.text.slice(Math.max(0, e.start - 24), e.end);
  if (/\b(double|float)\b|\d\.\d*|\b(atof|strtod)\b/.test(written)) return true;
  const name = /^\w+$/.exec(run.text.slice(e.start, e.end))?.[0];
  const around = name && fn ? run.stretch(fn.start, e.start) : "";
  return new RegExp(
    `\\b(double|float)\\b[^;(){}]{0,300}\\b${name}\\b|\\b${name}\\s*=[^;]{0,300}\\b(atof|strto(d|f|ld)|sto[df])\\b`,
  ).test(around);
}

/** The stack grows by a number of somebody else's: `char line[n]`, `alloca(n)`. */
export function growStack(run: Run, frame: Frame, call: Call, count: Value | undefined): void {
  const size = call.args[0]?.value;
  if (!size || !count || count.constants !== null || frame.inlined > 0) return;
  const isNumber =
    isNumberInput(run, count) || (size.kind === "variable" && isInput(count) && isFilledNumber(run, frame, size.name));
  if (isNumber && !isHeld(run, frame, size, count)) fault(run, frame, "<stack-by-input>", call, size);
}
