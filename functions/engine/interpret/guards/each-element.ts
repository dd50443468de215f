import { allFamilies } from "../../catalogue/catalogue.ts";
import type { Call, Expression } from "../../ir/ir.ts";
import { evaluate } from "../evaluate.ts";
import { accessPath } from "../names.ts";
import type { Frame, Run } from "../run.ts";
import { anyElement, nothing, type Taint, type Value } from "../value.ts";
import { questionOf } from "./element-tests.ts";
import { testOf } from "./filters.ts";
import { refine } from "./guards.ts";
import { commonPassages, joinedPassages } from "./passage.ts";
import { change } from "./refined.ts";

/** `names.every(isName)` holds, `names.some(isBad)` does not: what every element is clean for the list is clean for. */
export function eachElementTest(run: Run, frame: Frame, { callee, args }: Call, outcome: boolean): void {
  if (callee.kind !== "field" || callee.name !== (outcome ? "every" : "some")) return;
  const list = listItself(callee.of);
  const key = accessPath(list);
  const any = key === null ? null : anyElement(evaluate(run, frame, list));
  const question = any && any.taint.length > 0 && args[0] ? testOf(args[0].value) : null;
  if (!any || !question || key === null) return;
  const before = frame.scope.copy();
  frame.scope.set(question.name, any);
  refine(run, frame, question.asked, outcome);
  const passed = frame.scope.get(question.name)?.taint ?? [];
  frame.scope.variables = before;
  const clean = passed.reduce((families, taint) => families & taint.clean, allFamilies);
  if (clean !== 0) change(run, frame, list, clean);
  const via = passed.map((taint) => taint.via).reduce(commonPassages, passed[0]?.via);
  if (!via) return;
  const value = evaluate(run, frame, list);
  const seen = (taint: Taint): Taint => ({ ...taint, via: joinedPassages(taint.via, via) });
  frame.scope.refine(key, { ...value, taint: value.taint.map(seen) });
}

/** `Array.isArray(names) ? names : [names]`: the names, one or many. */
function listItself(list: Expression): Expression {
  if (list.kind !== "conditional") return list;
  const { then, otherwise } = list;
  const [only] = otherwise.kind === "collection" && otherwise.entries.length === 1 ? otherwise.entries : [];
  const isOne = only && accessPath(then) !== null && accessPath(only.value) === accessPath(then);
  return isOne ? then : list;
}

/** `list.some((entry) => entry === x)`: for one of the elements it holds. */
export function someTest(run: Run, frame: Frame, list: Expression, test: Expression): void {
  const question = questionOf(test);
  if (!question) return;
  const { name, asked } = question;
  const outer = frame.scope.get(name);
  const any = anyElement(evaluate(run, frame, list));
  // Of a list of which nothing is known, nobody outside has chosen the elements.
  frame.scope.set(name, isUnknown(any) ? { ...nothing, paths: [elementOfOurs] } : any);
  refine(run, frame, asked, true);
  if (outer) frame.scope.set(name, outer);
  else frame.scope.variables?.delete(name);
}

const isUnknown = (value: Value): boolean =>
  value.constants === null && !value.slots && value.closures.length + value.paths.length + value.taint.length === 0;

const elementOfOurs = "<element>";
