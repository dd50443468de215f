import { allFamilies } from "../../catalogue/catalogue.ts";
import type { Expression } from "../../ir/ir.ts";
import { accessPath } from "../names.ts";
import type { Frame, Run } from "../run.ts";
import { differenceEmpty } from "./allow-lists.ts";
import { noneLeft } from "./each-element.ts";
import { applyGuardFunction } from "./guard-functions.ts";
import { applyImplied } from "./implied.ts";
import { change } from "./refined.ts";

/** What has been looked for and is not there: `[x for x in names if x not in columns]`, `set(names) - columns`, a list or how long it is. */
export function emptyTest(run: Run, frame: Frame, test: Expression): void {
  const list = measured(test) ?? test;
  applyImplied(run, frame, keptIn(list), "empty");
  const left = list.kind === "variable" ? frame.scope.binding(list.name)?.origins.get(list.name) : list;
  if (!left || !makesList.has(left.kind)) return;
  // `const errors = errorsOf(form); if (errors.length) return;`
  if (left.kind === "call" && left !== test) applyGuardFunction(run, frame, left, "false");
  noneLeft(run, frame, left);
  differenceEmpty(run, frame, left);
}

/** `Object.keys(errors)`: there is as much in the object. */
const keptIn = (list: Expression): Expression =>
  list.kind === "call" && /^Object\.(keys|values|entries)$/.test(accessPath(list.callee) ?? "") && list.args[0]
    ? list.args[0].value
    : list;

const makesList: ReadonlySet<Expression["kind"]> = new Set(["sequence", "call", "operation"]);

const measuring = /^(len|(mb_)?strlen|count)$/;

/** `len(x)`, `x.length`, `x.size()`: x. */
export function measured(length: Expression): Expression | undefined {
  const name = length.kind === "call" && length.args.length === 0 ? length.callee : length;
  if (name.kind === "field") return /^([lL]ength|Count|size)$/.test(name.name) ? name.of : undefined;
  const isCall = length.kind === "call" && length.callee.kind === "variable" && measuring.test(length.callee.name);
  return isCall ? length.args[0]?.value : undefined;
}

/** `len(x) > 1` does not hold: one character does no harm, nor does none. */
export function lengthTest(run: Run, frame: Frame, left: Expression, bound: unknown, operator: ">" | ">="): void {
  if (bound === (operator === ">" ? 0 : 1)) emptyTest(run, frame, left);
  if (bound !== (operator === ">" ? 1 : 2) && bound !== (operator === ">" ? 0 : 1)) return;
  const of = measured(left);
  if (of && accessPath(of) !== null) change(run, frame, of, allFamilies);
}
