import { allFamilies, type Families } from "../../catalogue/catalogue.ts";
import { callable } from "../../ir/callable.ts";
import type { Call, Expression } from "../../ir/ir.ts";
import type { Called } from "../calls/called.ts";
import { recalling } from "../evaluate.ts";
import type { Frame, Run } from "../run.ts";
import { anyElement, cleaned, join, tainted, type Value } from "../value.ts";
import { isAllowList } from "./allow-lists.ts";
import { questionOf } from "./element-tests.ts";
import { through } from "./guard-functions.ts";
import { refine } from "./guards.ts";
import { commonPassages, type Passage } from "./passage.ts";

/** What keeps, or finds, the elements for which a function answers yes. */
const filters = new Set([
  "filter",
  "array_filter",
  "select",
  "takeWhile",
  "find",
  "findLast",
  "Where",
  "First",
  "FirstOrDefault",
  "Single",
  "SingleOrDefault",
  "first",
  "firstOrNull",
  "last",
  "lastOrNull",
  "single",
  "singleOrNull",
  "TakeWhile",
]);
const element = "<element>";

/** The elements that a call keeps of lists, with what is known of them by that. */
export function asKept(run: Run, frame: Frame, call: Call, called: Called, kept: Value): Value {
  const { clean, via } = filtered(run, frame, call, called);
  const value = cleaned(kept, clean | intersectionCleans(run, frame, call));
  return via ? via.reduce((elements, passage) => through(elements, passage), value) : value;
}

interface Filtered {
  readonly clean: Families;
  /** What functions of other files were asked of each element. */
  readonly via?: readonly Passage[] | undefined;
}

const notFiltered: Filtered = { clean: 0 };

/** `names.filter((name) => allowed.has(name))`: what every element is clean for that gets through the test. */
function filtered(
  run: Run,
  frame: Frame,
  call: Call,
  { receiver, positional, callee: { closures } }: Called,
): Filtered {
  const { callee, args } = call;
  if ((callee.kind !== "field" && callee.kind !== "variable") || !filters.has(callee.name) || closures.length > 0)
    return notFiltered;
  const isBehind = callee.name === "array_filter";
  const test = args[isBehind ? 1 : 0]?.value;
  const from = callee.kind === "field" ? receiver : positional[isBehind ? 0 : 1];
  const any = from && anyElement(from);
  const ofKey = test && callee.kind === "field" && isEntries(callee.of) ? keyQuestionOf(test) : null;
  const question = any && any.taint.length > 0 && test ? (ofKey ?? testOf(test)) : null;
  if (!any || !question || !frame.scope.alive) return notFiltered;
  const before = frame.scope.copy();
  frame.scope.set(question.name, any);
  recalling(frame, () => refine(run, frame, question.asked, true));
  const after = frame.scope.get(question.name);
  frame.scope.variables = before;
  const asked = ofKey ? run.catalogue.bitsOf(["mass_assignment", "prototype_pollution"]) : allFamilies;
  const passed = after?.taint ?? any.taint;
  const via = passed.map((taint) => taint.via).reduce(commonPassages, passed[0]?.via);
  return {
    clean: passed.reduce((families, { clean }) => families & clean, asked),
    via: ofKey ? undefined : via?.filter(({ check }) => check === "true"),
  };
}

/** `Object.entries(body)`: its elements are pairs of a key and a value. */
const isEntries = (list: Expression): boolean =>
  list.kind === "call" && list.callee.kind === "field" && list.callee.name === "entries";

/** `([key]) => allowed.includes(key)`: what is asked of the key of each pair. */
function keyQuestionOf(test: Expression): ReturnType<typeof questionOf> {
  const question = questionOf(test);
  const pair = test.kind === "closure" ? test.fn.params[0]?.pattern : null;
  const key = pair?.kind === "collection" ? pair.entries[0]?.value : null;
  return question && key?.kind === "variable" ? { ...question, name: key.name } : null;
}

/** `array_intersect($names, $columns)`: what is in all lists is in one of ours. */
function intersectionCleans(run: Run, frame: Frame, { callee, args }: Call): Families {
  if ((callee.kind !== "field" && callee.kind !== "variable") || !intersections.test(callee.name)) return 0;
  const given = args.map(({ value }) => value);
  const lists = callee.kind === "field" && given.length === 1 ? [callee.of, ...given] : given;
  if (lists.length < 2 || !frame.scope.alive) return 0;
  const isOurs = (list: Expression) => lists.some((other) => other !== list && isAllowList(run, frame, other, list));
  return recalling(frame, () => (lists.some(isOurs) ? allFamilies : 0));
}

const intersections = /^(array_u?intersect|intersection|intersect|Intersect)$/;

/** `array_intersect_key($_POST, array_flip($columns))`: what is left is as it came in, under keys that are ours. */
export function underOwnKeys(run: Run, frame: Frame, { callee, args }: Call, given: Value): Value {
  const [of, list] = args.map(({ value }) => value);
  const asks = callee.kind === "variable" && callee.name === "array_intersect_key";
  if (!asks || !of || !list || given.taint.length === 0 || !isAllowList(run, frame, of, list)) return given;
  const { slots, taint } = given;
  const rest = slots?.rest ? join(slots.rest, tainted(taint)) : tainted(taint);
  return { ...given, taint: [], slots: { shape: "map", entries: slots?.entries ?? new Map(), rest } };
}

/** The name that the element has in the test, and the test: the only expression of a function, or a call of one that has a name or does more. */
export function testOf(test: Expression): ReturnType<typeof questionOf> {
  const plain = questionOf(test);
  // `array_filter($ids, "is_numeric")`
  if (test.kind === "literal" && typeof test.value === "string") return testOf(callable(test));
  if (plain || !(test.kind === "field" || test.kind === "variable" || test.kind === "closure")) return plain;
  const { start, end } = test;
  const given: Expression = { start, end, kind: "variable", name: element };
  // `str.isalnum`, `char::is_alphanumeric`: a method of the type, which is asked of the element.
  const owner = test.kind === "field" && test.of.kind === "variable" ? test.of.name : null;
  if (test.kind === "field" && (owner === "str" || (owner === "char" && test.name.startsWith("is_")))) {
    const callee: Expression = { ...test, of: given };
    return { name: element, asked: { start, end, kind: "call", callee, args: [], isNew: false } };
  }
  const args = [{ name: null, spread: false, value: given }];
  return { name: element, asked: { start, end, kind: "call", callee: test, args, isNew: false } };
}
