import { allFamilies, type Families } from "../../catalogue/catalogue.ts";
import type { Call, Constant, Expression, Loop, Operation, Statement } from "../../ir/ir.ts";
import { walk } from "../../ir/walk.ts";
import { accessPath } from "../names.ts";
import type { Frame, Run } from "../run.ts";
import { dividedPath } from "./path-parts.ts";

/** The variable of a loop that holds input, and what its elements are of. */
export interface Element {
  name: string;
  of: Expression;
}

/** What a loop goes through, asked when its variable was bound; null where that is nothing to test, or where it is assigned anew. */
export function taintedElement(run: Run, frame: Frame, loop: Loop): Element | null {
  const element = loop.bind && elementOf(loop.bind);
  const isTainted = element && (frame.scope.get(element.name)?.taint.length ?? 0) > 0;
  const isKnown =
    element &&
    (accessPath(element.of) !== null ||
      (dividedText(frame, element.of) ?? dividedPath(run, frame, element.of)) !== null);
  return isTainted && isKnown && !isAssigned(loop, element.name) ? element : null;
}

/** What gives all characters of a text. */
export const characters = /^(toCharArray|chars|codePoints)$/;

/** `explode(".", $host)`, `host.split(".")`: the text whose parts a list has, where what stands between them does no harm. */
export function dividedText(frame: Frame, list: Expression): Expression | null {
  const made = list.kind === "variable" ? frame.scope.binding(list.name)?.origins.get(list.name) : list;
  if (made?.kind !== "call") return null;
  const { callee, args } = made;
  if (callee.kind === "field" && args.length === 0 && characters.test(callee.name)) return callee.of;
  if (callee.kind === "variable" && args.length === 1 && /^(mb_)?str_split$/.test(callee.name))
    return args[0]?.value ?? null;
  const isFunction = callee.kind === "variable" && callee.name === "explode";
  if (!isFunction && !(callee.kind === "field" && callee.name === "split")) return null;
  const separator = args[0]?.value;
  if (separator?.kind !== "literal" || !/^[\w.,:@ -]$/.test(String(separator.value))) return null;
  return callee.kind === "field" ? callee.of : (args[1]?.value ?? null);
}

/** `for _, c := range text { if !unicode.IsLetter(c) { return false } }`: what every element is clean for that lets the loop go on. */
export const cleanAfterRound = (frame: Frame, { name }: Element): Families =>
  (frame.scope.get(name)?.taint ?? []).reduce((all, { clean }) => all & clean, allFamilies);

/** What is bound to an element in each round. */
export function elementOf(bind: Expression): Element | null {
  const parts = bind.kind === "sequence" ? bind.parts : [bind];
  for (const part of parts)
    if (part.kind === "assign" && part.to.kind === "variable" && part.from.kind === "index" && part.from.key === null)
      return { name: part.to.name, of: part.from.of };
  return null;
}

export function isAssigned(loop: Loop, name: string): boolean {
  let found = false;
  walk(loop.body, (node) => {
    found ||= "kind" in node && node.kind === "assign" && accessPath(node.to) === name;
  });
  return found;
}

/** `(name) => allowed.has(name)`: what a function asks of its first parameter, where it does nothing else. */
export function questionOf(test: Expression): { name: string; asked: Expression } | null {
  if (test.kind !== "closure") return null;
  const [param] = test.fn.params;
  const [only, ...others] = test.fn.body;
  return param && only?.kind === "return" && only.value && others.length === 0
    ? { name: param.name, asked: only.value }
    : null;
}

/**
 * What a comprehension asks of each element: `x in columns for x in names` asks whether it is among the columns, and
 * `[x for x in names if x not in columns]`, of which it is asked what is left, whether it is not.
 */
export function comprehended(
  made: Expression,
  way: "yielded" | "filtered" = "yielded",
): { name: string; asked: Expression; of: Expression } | null {
  if (made.kind !== "sequence") return null;
  const [bound, yielded, ...others] = made.parts;
  const element = bound && others.length === 0 ? elementOf(bound) : null;
  const value = yielded?.kind === "collection" ? yielded.entries[0]?.value : undefined;
  const asked = way === "yielded" ? value : value?.kind === "conditional" ? value.test : undefined;
  return element && asked ? { ...element, asked } : null;
}

export type Quantifier = "all" | "any" | "none";

const quantifiers: ReadonlyMap<string, Quantifier> = new Map([
  ["every", "all"],
  ["all", "all"],
  ["All", "all"],
  ["allMatch", "all"],
  ["some", "any"],
  ["any", "any"],
  ["Any", "any"],
  ["anyMatch", "any"],
  // What is found is one for which it holds.
  ["find", "any"],
  ["findLast", "any"],
  ["none", "none"],
  ["noneMatch", "none"],
]);

/** Of how many elements of a list a call asks whether something holds. */
export const quantifierOf = ({ callee }: Call): Quantifier | null =>
  ((callee.kind === "field" || callee.kind === "variable") && quantifiers.get(callee.name)) || null;

/** Whether it holds of each element where a call has come out as `outcome`; null where that tells nothing of all of them. */
export function saidOfAll(quantifier: Quantifier, outcome: boolean): boolean | null {
  if (quantifier === "any") return outcome ? null : false;
  return outcome ? quantifier === "all" : null;
}

/** What is asked of the elements of a list, none of which is so. */
interface Refused extends Element {
  /** Each of them has failed. */
  tests: readonly Expression[];
}

/**
 * What holds of no element: `any(part == ".." for part in parts)` and `parts.some((part) => part === "..")` have failed, or
 * `parts.every((part) => part !== "..")` holds.
 */
export function refusedOfElements(call: Call, outcome: boolean): Refused | null {
  const quantifier = quantifierOf(call);
  const said = quantifier && saidOfAll(quantifier, outcome);
  const test = call.args[0]?.value;
  if (said === null || !test) return null;
  if (call.callee.kind !== "field") {
    const about = comprehended(test);
    return about && { ...about, tests: notAnswering(about.asked, said) };
  }
  const fn = test.kind === "closure" ? test.fn : null;
  const name = fn?.params[0]?.name;
  return fn && name !== undefined
    ? { name, of: call.callee.of, tests: fn.body.flatMap((statement) => refusedBy(statement, said)) }
    : null;
}

/** `if (part === "..") return false;`: what a statement of a function says that has answered `outcome`. */
function refusedBy(statement: Statement, outcome: boolean): readonly Expression[] {
  if (statement.kind === "return") return statement.value ? notAnswering(statement.value, outcome) : [];
  if (statement.kind !== "branch") return [];
  const last = statement.then.at(-1);
  const answer = last?.kind === "return" && last.value?.kind === "literal" ? last.value.value : null;
  return answer === !outcome ? alternatives(statement.test) : [];
}

/** What does not hold where a test has come out as `outcome`. */
function notAnswering(test: Expression, outcome: boolean): readonly Expression[] {
  if (!outcome) return alternatives(test);
  if (test.kind !== "operation") return [];
  const [first] = test.operands;
  if (/^(&&|and)$/.test(test.operator)) return test.operands.flatMap((operand) => notAnswering(operand, true));
  if (/^(!|not)$/.test(test.operator) && first) return alternatives(first);
  return /^!==?$/.test(test.operator) ? [{ ...test, operator: "==" }] : [];
}

const alternatives = (test: Expression): readonly Expression[] =>
  test.kind === "operation" && /^(\|\||or)$/.test(test.operator) ? test.operands.flatMap(alternatives) : [test];

/** `name == x`, `name in xs`: x and xs. */
export function comparedWith(test: Expression, name: string): readonly Expression[] {
  if (test.kind !== "operation" || !/^(===?|in)$/.test(test.operator)) return [];
  const isElement = (operand: Expression): boolean => operand.kind === "variable" && operand.name === name;
  const [left, right] = test.operands;
  if (left && right && isElement(left)) return [right];
  return left && right && isElement(right) && test.operator !== "in" ? [left] : [];
}

/** `c >= 'a' && c <= 'z'`, or `c < 'a' || c > 'z'` when it fails: c is one of those. */
export function characterWithin({ operator, operands }: Operation, outcome: boolean): Expression | null {
  if ((operator === "&&" || operator === "and") !== outcome || operands.length !== 2) return null;
  const bounds = operands.map((operand) => boundOf(operand, outcome));
  const lower = bounds.find((bound) => bound?.side === "lower");
  const upper = bounds.find((bound) => bound?.side === "upper");
  if (!lower || !upper || accessPath(lower.of) === null || accessPath(lower.of) !== accessPath(upper.of)) return null;
  return /^(az|AZ|09|af|AF)$/.test(lower.than + upper.than) ? lower.of : null;
}

/** A character, also by its code. */
const characterOf = (value: Constant): string | null =>
  typeof value === "string" ? value : typeof value === "number" ? String.fromCharCode(value) : null;

interface Bound {
  side: "lower" | "upper";
  of: Expression;
  than: string;
}

function boundOf(test: Expression, outcome: boolean): Bound | null {
  const [left, right] = test.kind === "operation" ? test.operands : [];
  if (test.kind !== "operation" || !left || !right || !/^[<>]=?$/.test(test.operator)) return null;
  const turned = left.kind === "literal";
  const [of, literal] = turned ? [right, left] : [left, right];
  const than = literal.kind === "literal" ? characterOf(literal.value) : null;
  if (than === null) return null;
  const isLower = test.operator.startsWith(">") === outcome;
  return { side: isLower !== turned ? "lower" : "upper", of, than };
}
