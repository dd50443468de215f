import { allFamilies } from "../../catalogue/catalogue.ts";
import { lastSegment } from "../../catalogue/paths.ts";
import { remembered } from "../../catalogue/remembered.ts";
import type { Call, Expression } from "../../ir/ir.ts";
import { evaluate } from "../evaluate.ts";
import { accessPath } from "../names.ts";
import type { Frame, Run } from "../run.ts";
import { allTaint, type Value } from "../value.ts";
import { change } from "./refined.ts";

/** Whether what is found in a list is one of ours: a list that nobody outside has a part in, whatever it is called. */
export function isAllowList(run: Run, frame: Frame, operand: Expression, list: Expression): boolean {
  const value = evaluate(run, frame, list);
  // A name that is in a folder leads nowhere else.
  if (list.kind === "call" && list.callee.kind === "field" && list.callee.name === "listdir") return true;
  if (isOfAttacker(run, frame, operand, value)) return false;
  // Any part of such a text is as harmless as all of it: `c in "abcdef"`.
  if (list.kind === "literal") return typeof list.value === "string" && /^[\w .,:@+-]+$/.test(list.value);
  // All signs that there are, quotes and brackets with them.
  if (list.kind === "field" && /^(printable|punctuation)$/.test(list.name)) return false;
  // Of a list that begins empty it may not be seen how it is filled. PHP asks lists only.
  if (value.slots)
    return value.slots.entries.size > 0 || value.slots.rest !== null || run.language === "php" || isCopy(list);
  // What is put together here may be a text, in which something else is looked for.
  return run.language === "php" || list.kind === "call" || accessPath(list) !== null;
}

/** `dict(Order.KINDS)` has what the class of another file lists. */
const isCopy = (list: Expression): boolean =>
  list.kind === "call" &&
  list.callee.kind === "variable" &&
  list.callee.name === "dict" &&
  list.args.length === 1 &&
  list.args.every(({ value, spread }) => !spread && accessPath(value) !== null);

/**
 * `self.data["orders"].get(key)`: whether something is kept under a key in Python tells as much as `key in orders`. What is called like many
 * things or like what keeps them counts, and not what fetches pages.
 */
export const asksKept = ({ language }: Run, { name, of }: Extract<Expression, { kind: "field" }>): boolean =>
  language === "python" &&
  name === "get" &&
  (of.kind === "index" ? of.key?.kind === "literal" : keepsByKey(lastSegment(accessPath(of) ?? "")));

const keepsByKey = remembered(
  (name) =>
    /(map|dict|registry|cache|lookup|_by_\w+|[a-z]{2}s)$/i.test(name) &&
    !/^(g?requests|https|sessions|args|params|kwargs|headers|cookies|values|files|queries|aws|rss|css|js)$/i.test(name),
);

/** Whether the attacker has a part in a list. One that another file or a caller gives is theirs, unless what is looked for comes from the same place. */
export function isOfAttacker(run: Run, frame: Frame, operand: Expression, list: Value): boolean {
  const taint = allTaint(list);
  if (taint.length === 0) return false;
  const asked = allTaint(evaluate(run, frame, operand));
  return taint.some(
    ({ source }) =>
      source.outside === null && (source.parameter === null || asked.some((other) => other.source === source)),
  );
}

/** `set(names) <= set(columns)`, `columns.containsAll(names)`, `columns >= {name}`: all that came in is in a list of ours. */
export function withinTest(run: Run, frame: Frame, inner: Expression, outer: Expression): void {
  const names = listOfSet(inner);
  const list = listOfSet(outer);
  for (const name of names.kind === "collection" ? names.entries.map(({ value }) => value) : [names]) {
    if (accessPath(name) === null) continue;
    const isOurs =
      isAllowList(run, frame, name, list) || (isSet(outer) && isSet(inner) && isAlphabet(run, frame, name, list));
    if (isOurs) change(run, frame, name, allFamilies);
  }
}

/** `set(name) <= set(string.ascii_letters + "_")`: the characters that a text may have. */
function isAlphabet(run: Run, frame: Frame, name: Expression, list: Expression): boolean {
  const value = evaluate(run, frame, list);
  const known = value.constants?.length === 1 ? String(value.constants[0]) : "";
  const isHarmless = /^[\w .,:@+-]*$/.test(known) && !/printable|punctuation/.test(run.stretch(list.start, list.end));
  return isHarmless && !isOfAttacker(run, frame, name, value);
}

/** `columns & {name}`, `columns.intersection([name])` has something in it, `columns.isdisjoint({name})` does not hold: the name is a column. */
export function commonTest(run: Run, frame: Frame, left: Expression, right: Expression): void {
  for (const [one, others] of [
    [left, right],
    [right, left],
  ] as const)
    if (one.kind === "collection" && one.entries.length === 1) withinTest(run, frame, one, others);
}

/** `names.issubset(columns)`, `columns.issuperset(names)`. */
export function subsetTest(run: Run, frame: Frame, { callee, args }: Call): void {
  const other = args[0]?.value;
  if (callee.kind !== "field" || !other) return;
  if (isWithin.test(callee.name)) withinTest(run, frame, callee.of, other);
  if (isAround.test(callee.name)) withinTest(run, frame, other, callee.of);
}

/** What two sets have in common, asked of one of them. */
export function commonAsked(run: Run, frame: Frame, { callee, args }: Call, outcome: boolean): void {
  const other = args[0]?.value;
  if (callee.kind === "field" && other && callee.name === (outcome ? "intersection" : "isdisjoint"))
    commonTest(run, frame, callee.of, other);
}

const isWithin = /^(is_?[sS]ubset(Of)?|subset\?)$/;
const isAround = /^(is_?[sS]uperset(Of)?|superset\?|containsAll)$/;

/** `set(names) - columns`, `array_diff($names, $columns)`: where nothing is left, all names are among the columns. */
export function differenceEmpty(run: Run, frame: Frame, left: Expression): void {
  const [names, columns] = differenceOf(run, left);
  if (names && columns) withinTest(run, frame, names, columns);
}

function differenceOf({ language }: Run, left: Expression): readonly (Expression | undefined)[] {
  // Numbers are subtracted as well, and are not what lists of names are.
  if (left.kind === "operation" && left.operator === "-" && (language === "ruby" || left.operands.some(isSet)))
    return left.operands;
  if (left.kind !== "call") return [];
  const { callee, args } = left;
  if (callee.kind === "field" && /^(difference|Except)$/.test(callee.name)) return [callee.of, args[0]?.value];
  if (callee.kind === "variable" && callee.name === "array_diff") return [args[0]?.value, args[1]?.value];
  return [];
}

/** What a set is made of: `set(names)`, `new Set(names)`. */
function listOfSet(set: Expression): Expression {
  if (set.kind !== "call" || set.args.length !== 1 || set.callee.kind !== "variable") return set;
  return /^(set|frozenset|Set|HashSet)$/.test(set.callee.name) ? (set.args[0]?.value ?? set) : set;
}

export const isSet = (expression: Expression): boolean => listOfSet(expression) !== expression;
