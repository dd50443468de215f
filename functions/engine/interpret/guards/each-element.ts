import { allFamilies } from "../../catalogue/catalogue.ts";
import { functionName } from "../../ir/called-name.ts";
import type { Call, Expression } from "../../ir/ir.ts";
import { evaluate } from "../evaluate.ts";
import { accessPath } from "../names.ts";
import type { Frame, Run } from "../run.ts";
import { anyElement, nothing, type Taint, type Value } from "../value.ts";
import { withinTest } from "./allow-lists.ts";
import { refineAnswered } from "./answered.ts";
import { comprehended, dividedText, type Quantifier, quantifierOf, questionOf, saidOfAll } from "./element-tests.ts";
import { testOf } from "./filters.ts";
import { refine } from "./guards.ts";
import { commonPassages, joinedPassages } from "./passage.ts";
import { change } from "./refined.ts";

/** What is asked of the elements of a list, under the name that they have in the question. */
interface AboutElements {
  readonly name: string;
  readonly asked: Expression;
  readonly of: Expression;
}

/**
 * `names.every(isName)` and `all(name in columns for name in names)` hold, `names.some(isBad)` does not: what every element is clean for the
 * list is clean for. `columns.some((column) => column.name === x)`: for one of them it holds, which tells about x.
 */
export function elementsTest(run: Run, frame: Frame, call: Call, outcome: boolean): void {
  const { callee, args } = call;
  const quantifier = quantifierOf(call);
  const test = args[0]?.value;
  if (quantifier === null || !test) return;
  if (callee.kind === "field") {
    elementsAsked(run, frame, callee.of, test, quantifier, outcome);
    return;
  }
  const said = saidOfAll(quantifier, outcome);
  const about = said === null ? comprehended(test) : (mapped(test) ?? comprehended(test));
  if (about && said !== null) everyElement(run, frame, about, said);
  else if (about && quantifier !== "all") oneElement(run, frame, about);
}

/** Of how many elements of a list a function says yes. */
export function elementsAsked(
  run: Run,
  frame: Frame,
  of: Expression,
  test: Expression,
  quantifier: Quantifier,
  outcome: boolean,
): void {
  const said = saidOfAll(quantifier, outcome);
  const question = said === null ? questionOf(test) : testOf(test);
  if (question && said !== null) everyElement(run, frame, { ...question, of }, said);
  else if (question && quantifier !== "all") oneElement(run, frame, { ...question, of });
  else if (said === null && quantifier !== "all" && test.kind === "closure") {
    const [param] = test.fn.params;
    if (param) ofOneElement(run, frame, param.name, of, () => refineAnswered(run, frame, test.fn));
  }
}

/** `map(str.isalnum, name)`: what a function says of each element. */
function mapped(test: Expression): AboutElements | null {
  const [fn, of] = test.kind === "call" && functionName(test) === "map" ? test.args : [];
  return fn && of ? aboutElements(of.value, fn.value) : null;
}

const aboutElements = (of: Expression, test: Expression): AboutElements | null => {
  const question = testOf(test);
  return question && { ...question, of };
};

/** `if (names.filter((name) => !columns.has(name)).length) throw …`: no element is left, so each has failed what keeps it. */
export function noneLeft(run: Run, frame: Frame, left: Expression): void {
  const about =
    left.kind === "call" && left.callee.kind === "field" && left.callee.name === "filter" && left.args[0]
      ? aboutElements(left.callee.of, left.args[0].value)
      : comprehended(left, "filtered");
  if (about) everyElement(run, frame, about, false);
}

/** `names.removeIf(name -> !columns.contains(name))`, `names.retainAll(columns)`: what is left of a list. */
export function filteredInPlace(run: Run, frame: Frame, { callee, args }: Call): void {
  const test = args[0]?.value;
  if (callee.kind !== "field" || !test) return;
  if (callee.name === "retainAll") withinTest(run, frame, callee.of, test);
  const keeps = inPlace.get(callee.name);
  if (keeps !== undefined) elementsAsked(run, frame, callee.of, test, keeps ? "all" : "any", keeps);
}

/** Methods that change a list, and whether they keep what the function says yes to. */
const inPlace: ReadonlyMap<string, boolean> = new Map([
  ["removeIf", false],
  ["RemoveAll", false],
  ["reject!", false],
  ["delete_if", false],
  ["select!", true],
  ["filter!", true],
  ["keep_if", true],
  ["retain", true],
  ["retainIf", true],
]);

/** The question comes out the same for each element. */
function everyElement(run: Run, frame: Frame, { name, asked, of }: AboutElements, outcome: boolean): void {
  const list = listItself(frame, of);
  const key = accessPath(list);
  const all = evaluate(run, frame, list);
  if (all.taint.length === 0 && writtenOut(all)) {
    eachOfOurs(run, frame, name, asked, all, outcome);
    return;
  }
  const any = key === null ? null : anyElement(all);
  if (!any || any.taint.length === 0 || key === null) return;
  const before = frame.scope.copy();
  frame.scope.set(name, any);
  refine(run, frame, asked, outcome);
  const passed = frame.scope.get(name)?.taint ?? [];
  frame.scope.variables = before;
  const clean = passed.reduce((families, taint) => families & taint.clean, allFamilies);
  if (clean !== 0) change(run, frame, list, clean);
  // The parts that have a name are what was asked, and so is the text that they are parts of.
  if (clean !== 0 && of.kind === "variable" && list !== of) change(run, frame, of, clean);
  const via = passed.map((taint) => taint.via).reduce(commonPassages, passed[0]?.via);
  if (!via) return;
  const value = evaluate(run, frame, list);
  const seen = (taint: Taint): Taint => ({ ...taint, via: joinedPassages(taint.via, via) });
  frame.scope.refine(key, { ...value, taint: value.taint.map(seen) });
}

/** Words that nobody writes out longer lists of to look for in a text. */
const wordsMax = 24;

const writtenOut = ({ slots }: Value): boolean =>
  slots?.shape === "list" &&
  !slots.rest &&
  slots.entries.size > 0 &&
  slots.entries.size <= wordsMax &&
  [...slots.entries.values()].every(({ constants, taint }) => constants?.length === 1 && taint.length === 0);

/** `["..", "~"].some((bad) => name.includes(bad))` says no: the text has none of them, as if each had been asked for. */
function eachOfOurs(run: Run, frame: Frame, name: string, asked: Expression, all: Value, outcome: boolean): void {
  const outer = frame.scope.get(name);
  for (const word of all.slots?.entries.values() ?? []) {
    frame.scope.set(name, word);
    refine(run, frame, asked, outcome);
  }
  if (outer) frame.scope.set(name, outer);
  else frame.scope.variables?.delete(name);
}

const streaming = /^(stream|parallelStream|iter|asSequence|values)$/;

/** `names.stream()`, `[...names]`: the names; `name.split("")`: the text, by its characters or parts; `Array.isArray(names) ? names : [names]`: the names, one or many. */
export function listItself(frame: Frame, list: Expression): Expression {
  if (list.kind === "variable") return dividedText(frame, list) ?? list;
  if (list.kind === "call") {
    const divided = dividedText(frame, list);
    if (divided) return divided;
    const { callee, args } = list;
    if (callee.kind !== "field") return list;
    const [by] = args;
    if (callee.name === "split" && by?.value.kind === "literal" && by.value.value === "") return callee.of;
    if (args.length === 0 && streaming.test(callee.name)) return callee.of;
    const isWrapped = accessPath(callee) === "Arrays.stream" || accessPath(callee) === "Stream.of";
    return isWrapped && args.length === 1 && args[0] ? args[0].value : list;
  }
  if (list.kind === "collection" && list.entries.length === 1 && list.entries[0]?.spread) return list.entries[0].value;
  if (list.kind !== "conditional") return list;
  const { then, otherwise } = list;
  const [only] = otherwise.kind === "collection" && otherwise.entries.length === 1 ? otherwise.entries : [];
  const isOne = only && accessPath(then) !== null && accessPath(only.value) === accessPath(then);
  return isOne ? then : list;
}

const oneElement = (run: Run, frame: Frame, { name, asked, of }: AboutElements): void =>
  ofOneElement(run, frame, name, of, () => refine(run, frame, asked, true));

/** What holds of one of the elements, by the name that it has where that is asked. */
function ofOneElement(run: Run, frame: Frame, name: string, of: Expression, ask: () => void): void {
  const outer = frame.scope.get(name);
  const any = anyElement(evaluate(run, frame, of));
  // Of a list of which nothing is known, nobody outside has chosen the elements.
  frame.scope.set(name, isUnknown(any) ? { ...nothing, paths: [elementOfOurs] } : any);
  ask();
  if (outer) frame.scope.set(name, outer);
  else frame.scope.variables?.delete(name);
}

const isUnknown = (value: Value): boolean =>
  value.constants === null && !value.slots && value.closures.length + value.paths.length + value.taint.length === 0;

const elementOfOurs = "<element>";
