import type { Expression, Span } from "../../ir/ir.ts";
import { check } from "../check.ts";
import { accessPath } from "../names.ts";
import type { Frame, Run } from "../run.ts";
import { allTaint, constant, nothing, type Value } from "../value.ts";
import { lengthOf, measuredIn, rootOf } from "./memory-sizes.ts";

/** What languages without a collector can do wrong; rules name these as calls. */
export type MemoryFault =
  | "<overflow>"
  | "<overflow-by-input>"
  | "<overflow-by-source>"
  | "<overflow-by-parameter>"
  | "<bound-of-source>"
  | "<bound-of-pointer>"
  | "<bound-by-input>"
  | "<over-read>"
  | "<index-beyond>"
  | "<index-by-input>"
  | "<index-unbounded>"
  | "<open-text>"
  | "<left-open>"
  | "<freed-use>"
  | "<freed-twice>"
  | "<freed-perhaps>"
  | "<freed-wrongly>"
  | "<stack-address>"
  | "<size-product>"
  | "<bare-format>"
  | "<checked-then-used>"
  | "<looked-then-opened>"
  | "<left-behind>"
  | "<lost-by-resize>"
  | "<unset-read>"
  | "<null-followed>"
  | "<divisor-by-input>"
  | "<stack-by-input>"
  | "<rights-kept>"
  | "<length-runs-on>"
  | "<text-gone>"
  | "<erased-in-walk>";

/** Whether the language leaves memory to whoever writes it. */
export const isNative = (run: Run): boolean => run.language === "c";

/** Tells of something done wrong. */
export function fault(run: Run, frame: Frame, kind: MemoryFault, at: Span, name: Span = at): void {
  check(run, frame, run.knowledge.calls.find(kind).checks, {
    positional: [],
    named: new Map(),
    receiver: null,
    receiverPaths: [],
    at,
    name: run.excerpt(name, 60),
  });
}

/** The number that a value is known to be. */
export const number = (value: Value | undefined): number | null => {
  const known = value?.constants;
  return known?.length === 1 && typeof known[0] === "number" ? known[0] : null;
};

/** How many bytes fit; null where that is not known. */
export const capacityOf = ({ region }: Value): number | null =>
  region && region.count !== null && region.element !== null ? region.count * region.element : null;

/** The product of two numbers that are known. */
export const product = (a: number | null, b: number | null): number | null => (a === null || b === null ? null : a * b);

/** Whether somebody outside decides what a value is: a source, not merely a parameter. */
export const isInput = (value: Value): boolean =>
  allTaint(value).some(({ source }) => source.parameter === null && source.outside === null);

/** Whether somebody outside decides a number: text that was read as one. */
export const isNumberInput = (run: Run, value: Value): boolean =>
  allTaint(value).some(
    ({ source, clean }) =>
      source.parameter === null &&
      ((clean & run.catalogue.bitsOf(["normalised"])) !== 0 || /^(std::)?(f|s)?(scanf|cin)\b/.test(source.name)),
  );

/** Whether a value is what the function was given. */
export const isParameter = (frame: Frame, value: Value): boolean =>
  allTaint(value).some(({ source }) => source.parameter?.fn === frame.fn && source.parameter !== null);

/** Whether the length of a text, or the value of a number, was asked before. */
export const wasAsked = (frame: Frame, what: "measured" | "bounded" | "capped", e: Expression | undefined): boolean => {
  const path = e && accessPath(rootOf(e));
  return path !== null && path !== undefined && frame.scope.binding(`@${what}:${path}`) !== null;
};

/** Whether the length of a text was compared with more than nothing, be it as a part of a sum. */
export const wasLengthAsked = (run: Run, frame: Frame, text: Expression | undefined): boolean =>
  text !== undefined && frame.scope.binding(`@bounded:${lengthOf(run, text)}`) !== null;

export const limitPrefix = "@limit:";

/** `i > 16` leaves 16 itself; a comparison that does not takes that back, also one with what nobody knows the size of. */
function noteLimit(
  frame: Frame,
  operator: string,
  [left, right]: readonly Expression[],
  values: readonly Value[],
): void {
  const [name, limit, isTurned] =
    left?.kind === "variable"
      ? [left.name, number(values[1]), false]
      : [right?.kind === "variable" ? right.name : null, number(values[0]), true];
  if (name === null || (limit !== null && limit < 1)) return;
  const leaves = isTurned ? /^(<|>=)$/ : /^(>|<=)$/;
  if (limit !== null && leaves.test(operator))
    frame.scope.set(`${limitPrefix}${name}`, { ...nothing, paths: [`${limit}`] });
  else frame.scope.variables?.delete(`${limitPrefix}${name}`);
}

/** The number that tests have left a variable to be at most; null where there is none such. */
export const limitOf = (frame: Frame, e: Expression): number | null => {
  const told = e.kind === "variable" ? frame.scope.variables?.get(`${limitPrefix}${e.name}`) : undefined;
  return told ? Number(told.paths[0]) : null;
};

export const forgetLimit = (frame: Frame, name: string): unknown =>
  frame.scope.variables?.delete(`${limitPrefix}${name}`);

/** `sizeof(*p)`, `sizeof(all[0])` read nothing. */
export const isMeasured = (run: Run, { start }: Expression): boolean =>
  /\bsizeof[\s(*]*$/.test(run.text.slice(Math.max(0, start - 16), start));

/** A comparison of sizes tells that whoever wrote this thought of bounds. */
export function noteBounds(
  run: Run,
  frame: Frame,
  operator: string,
  operands: readonly Expression[],
  values: readonly Value[],
): void {
  if (!isNative(run) || !/^([<>]=?|[!=]=)$/.test(operator)) return;
  noteLimit(frame, operator, operands, values);
  for (const [i, operand] of operands.entries()) {
    const other = operands[1 - i];
    const limit = other ? run.text.slice(other.start, other.end) : "";
    const isLow = /^-?\s*[01]$/.test(limit);
    if (!isLow) for (const of of measuredIn(operand)) frame.scope.set(`@bounded:${lengthOf(run, of)}`, constant(true));
    const path = accessPath(rootOf(operand));
    if (path === null) continue;
    frame.scope.set(`@bounded:${path}`, constant(true));
    // `n < 0`, `n == -1` ask whether anything was read, not whether it was too much; `n < 10` does not ask whether it is less than nothing.
    if (other && !isLow) frame.scope.set(`@capped:${path}`, constant(true));
    if (isLow || /^[!=]=$/.test(operator) || !(/^(\d+|[A-Z][A-Z0-9_]*)$/.test(limit) || isSignedSize(run, other)))
      frame.scope.set(`@floored:${path}`, constant(true));
  }
}

/** `(int)sizeof(x)`: compared with it, a number stays one that can be negative. */
const isSignedSize = (run: Run, e: Expression | undefined): boolean =>
  e !== undefined &&
  /\(\s*(int|long|ssize_t)\s*\)\s*\(?sizeof\b[^;]*$/.test(run.text.slice(Math.max(0, e.start - 12), e.start + 6));

/** Whether a number from outside was asked on both sides: how large it is, and, of one that can be negative, whether it is. */
export function isHeld(run: Run, frame: Frame, e: Expression, value: Value): boolean {
  if (!wasAsked(frame, "bounded", e)) return false;
  const path = accessPath(rootOf(e));
  if (path === null || !/^\w+$/.test(path)) return true;
  if (!isReadAsNumber(run, value) && !isFilledNumber(run, frame, path)) return true;
  const was = (fact: string) => frame.scope.binding(`@${fact}:${path}`) !== null;
  return was("capped") && (was("floored") || isUnsigned(run, frame, path));
}

/** Text that was read as a number; single characters and the fields of packets have few values. */
const isReadAsNumber = (run: Run, value: Value): boolean =>
  isNumberInput(run, value) && allTaint(value).every(({ source }) => !/\b(f?getc|getchar)\b/.test(source.name));

const textAround = (run: Run, { fn }: Frame): string => (fn ? run.stretch(fn.start, fn.end) : "");

/** `recv(s, &n, sizeof(n), 0)` with an n that has a sign. */
export function isFilledNumber(run: Run, frame: Frame, name: string): boolean {
  const text = textAround(run, frame);
  return (
    new RegExp(`\\b(int|long|short|ss?ize_t|int(16|32|64)_t)\\b[^;{}()=]{0,200}\\b${name}\\b`).test(text) &&
    new RegExp(`\\b(read|fread|recv|recvfrom|SSL_read)\\s*\\([^;]{0,300}&\\s*${name}\\s*,`).test(text)
  );
}

/** By how it is declared, or by what has made it. */
function isUnsigned(run: Run, frame: Frame, name: string): boolean {
  const text = textAround(run, frame);
  return new RegExp(
    `\\b(unsigned|u?size_t|u_?(int|char|short|long)\\w*|U?(INT|LONG|SHORT)\\w*|DWORD|WORD|BYTE|uchar|ushort|u(8|16|32|64)|auto)\\b[^;{}()=]{0,200}\\b${name}\\b|\\b${name}\\s*=[^;]{0,300}?(ntoh|strtou|stou|[%&])`,
  ).test(text);
}

/** `&x`: what is meant is the place and not what is there. */
export const isAddress = (run: Run, e: Expression): boolean =>
  /&\s*\(?$/.test(run.text.slice(Math.max(0, e.start - 3), e.start));
