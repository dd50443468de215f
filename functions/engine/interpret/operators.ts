import type { Constant } from "../ir/ir.ts";
import { collect } from "./collect.ts";
import {
  constant,
  isElsewhere,
  joinTaint,
  nothing,
  notTheirs,
  perhapsTheirs,
  sharedStart,
  type Taint,
  type Value,
} from "./value.ts";

const comparisons = new Set([
  "==",
  "===",
  "!=",
  "!==",
  "<>",
  "<",
  ">",
  "<=",
  ">=",
  "in",
  "not in",
  "is",
  "is not",
  "instanceof",
  "!",
  "not",
  "typeof",
  "delete",
  "void",
]);
/** Text cannot come out of these. `/` and `%` join paths and format text in Python, so they are not here. */
const numeric = new Set(["plus", "divide", "modulo", "-", "*", "**", "//", "&", "|", "^", "<<", ">>", ">>>", "~"]);
const alternativesMax = 8;
const textMax = 4_096;
/** Longer chains are tables written as text; folding them takes time that grows with the square of their length. */
const operandsMax = 200;

/** Applies an operator to values: folds constants, and decides whether taint goes through. `&&`, `||` and the like are the caller's. */
export function operate(operator: string, operands: readonly Value[]): Value {
  const folded = fold(operator, operands);
  if (folded) return folded;
  // `defaults | given` of Python: the later keys win.
  if (operator === "|" && operands.some(({ slots }) => slots?.shape === "map"))
    return collect(
      "map",
      operands.map((value) => ({ key: null, value, spread: true })),
    );
  if (
    comparisons.has(operator) ||
    (numeric.has(operator) && !((operator === "*" || operator === "plus") && operands.some((o) => o.slots)))
  )
    return nothing;
  // `+x` is a number.
  if (operator === "+" && operands.length === 1) return nothing;
  const slots = joinedLists(operator, operands);
  if (slots) return { ...nothing, slots };
  if (operator === "+" || operator === "%")
    return { ...nothing, taint: taintOf(operands), prefix: operands[0]?.prefix ?? null };
  return { ...nothing, taint: taintOf(operands) };
}

/** What stands in a prefix for a part without text; null where the attacker's begins. */
function standIn(part: Value | undefined): string | null {
  if (!part) return null;
  const taint = taintOf([part]);
  if (taint.length === 0) return notTheirs;
  return taint.every(isElsewhere) ? perhapsTheirs : null;
}

/** The text before what an attacker chooses, as it is for this taint: where that comes from elsewhere, so may what comes first. */
export const prefixFor = (prefix: string, taint: Taint): string =>
  !isElsewhere(taint) ? prefix.replaceAll(perhapsTheirs, notTheirs) : (prefix.split(perhapsTheirs, 1)[0] as string);

/** Concatenates: template parts and `+` with text. */
export function concatenate(parts: readonly Value[]): Value {
  const folded = fold("+", parts.length === 1 ? [constant(""), ...parts] : parts, true);
  if (folded) return folded;
  let prefix = "";
  for (const part of parts) {
    const stand = standIn(part);
    prefix += part.prefix ?? commonStart(part) ?? stand ?? "";
    if (stand === null || (stand === perhapsTheirs && part.prefix !== null)) break;
  }
  return { ...nothing, taint: taintOf(parts), prefix };
}

/** `"http" . ($secure ? "s" : "")`: what one of several texts begins with in any case. */
function commonStart({ constants }: Value): string | null {
  const [first, ...others] = constants ?? [];
  if (typeof first !== "string" || others.length === 0) return null;
  return `${others.map(String).reduce(sharedStart, first)}${notTheirs}`;
}

/** What a filled format begins with: its text up to the first hole that holds the attacker's. */
export function formatPrefix(format: string, args: readonly Value[]): string {
  let prefix = "";
  let next = 0;
  for (const [piece] of format.matchAll(/%[-+ #0-9.*]*[a-zA-Z]|%\(\w*\)[a-z]|\{[^{}]*\}|[^%{]+|[%{]/g)) {
    if (!/^(%.+|\{.*\})$/s.test(piece)) {
      prefix += piece;
      continue;
    }
    const arg = args[next++];
    const stand = standIn(arg);
    prefix += arg?.prefix ?? stand ?? "";
    if (stand === null) break;
  }
  return prefix;
}

/** Operators whose first operand may decide alone. */
export const shortCircuit: ReadonlySet<string> = new Set(["&&", "||", "??", "and", "or"]);

/** Whether a test is known: true, false, or null when both can be. */
export function truth(value: Value): boolean | null {
  if (!value.constants || value.constants.length === 0) return null;
  const first = Boolean(value.constants[0]);
  return value.constants.every((c) => Boolean(c) === first) ? first : null;
}

/** A list and what is added to it: of what is not known only that it stands behind. A text has no list behind it. */
function joinedLists(operator: string, operands: readonly Value[]): Value["slots"] {
  const [first, ...others] = operands;
  if (operator !== "+" || !first) return null;
  const isList = ({ slots }: Value) => slots?.shape === "list";
  if (!isList(first) && (first.slots || others.length === 0 || !others.every(isList))) return null;
  const isText = ({ slots, constants }: Value) => slots?.shape === "map" || constants !== null;
  if (operands.some(isText)) return null;
  return collect(
    "list",
    operands.map((value) => ({ key: null, value, spread: true })),
  ).slots;
}

const taintOf = (values: readonly Value[]): readonly Taint[] =>
  values.reduce<readonly Taint[]>((taint, value) => {
    const slots = value.slots ? [...value.slots.entries.values(), ...(value.slots.rest ? [value.slots.rest] : [])] : [];
    return joinTaint(
      slots.reduce<readonly Taint[]>((t, slot) => joinTaint(t, slot.taint), taint),
      value.taint,
    );
  }, []);

/** All results that the operands' alternatives allow, or null. */
function fold(operator: string, operands: readonly Value[], asText = false): Value | null {
  if (operands.length > operandsMax) return null;
  let results: Constant[][] = [[]];
  for (const operand of operands) {
    const constants = operand.constants;
    if (!constants || constants.length === 0 || results.length * constants.length > alternativesMax) return null;
    results = results.flatMap((left) => constants.map((right) => [...left, right]));
  }
  const values: Constant[] = [];
  for (const [first, ...others] of results) {
    const value =
      others.length === 0 ? unary(operator, first as Constant) : foldChain(operator, first as Constant, others, asText);
    if (value === undefined) return null;
    values.push(value);
  }
  const distinct = [...new Set(values)];
  const [only] = distinct;
  return { ...nothing, constants: distinct, prefix: distinct.length === 1 && typeof only === "string" ? only : null };
}

function foldChain(
  operator: string,
  first: Constant,
  others: readonly Constant[],
  asText: boolean,
): Constant | undefined {
  if (comparisons.has(operator) && others.length > 1) return undefined;
  return others.reduce<Constant | undefined>(
    (left, right) => (left === undefined ? left : binary(operator, left, right, asText)),
    first,
  );
}

function unary(operator: string, value: Constant): Constant | undefined {
  if (operator === "!" || operator === "not") return !value;
  if (typeof value !== "number") return undefined;
  if (operator === "-") return -value;
  if (operator === "+") return value;
  return operator === "~" ? ~value : undefined;
}

function binary(operator: string, a: Constant, b: Constant, asText: boolean): Constant | undefined {
  if (operator === "==" || operator === "===" || operator === "is") return a === b;
  if (operator === "!=" || operator === "!==" || operator === "is not") return a !== b;
  if (operator === "+" && (asText || typeof a === "string" || typeof b === "string")) {
    const text = `${a}${b}`;
    return text.length <= textMax ? text : undefined;
  }
  if (operator === "in" && typeof a === "string" && typeof b === "string") return b.includes(a);
  if (typeof a !== "number" || typeof b !== "number") return undefined;
  // Of larger numbers every language has its own opinion.
  if (bitwise.has(operator) && !(isSmall(a) && isSmall(b))) return undefined;
  return arithmetic[operator]?.(a, b);
}

const bitwise = new Set(["&", "|", "^", "<<", ">>"]);
const isSmall = (n: number): boolean => Number.isInteger(n) && n >= 0 && n < 1 << 16;

const arithmetic: Record<string, (a: number, b: number) => Constant> = {
  "+": (a, b) => a + b,
  // What PHP spells +, / and %: never text.
  plus: (a, b) => a + b,
  divide: (a, b) => a / b,
  modulo: (a, b) => a % b,
  "-": (a, b) => a - b,
  "*": (a, b) => a * b,
  "%": (a, b) => a % b,
  // Integers divide to integers in Java, to fractions elsewhere: a result that both agree on, or none worth a branch.
  "/": (a, b) => (Number.isInteger(a) && Number.isInteger(b) ? Math.trunc(a / b) : a / b),
  "//": (a, b) => Math.floor(a / b),
  "&": (a, b) => a & b,
  "|": (a, b) => a | b,
  "^": (a, b) => a ^ b,
  "<<": (a, b) => a << b,
  ">>": (a, b) => a >> b,
  "<": (a, b) => a < b,
  ">": (a, b) => a > b,
  "<=": (a, b) => a <= b,
  ">=": (a, b) => a >= b,
};
