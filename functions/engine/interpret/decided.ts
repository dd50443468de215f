import type { Expression, Operation } from "../ir/ir.ts";
import { truth } from "./operators.ts";
import type { Frame, Run } from "./run.ts";
import type { Value } from "./value.ts";

/** How a test comes out, if that is known. What is looked up under a key that nobody knows may not be there, whatever lies under the others. */
export function decided(run: Run, frame: Frame, test: Expression, value: Value): boolean | null {
  const known = truth(value);
  const [asked, ifThere] = isNegation(test) ? [test.operands[0] as Expression, false] : [test, true];
  return known === ifThere && mayBeMissing(run, frame, asked) ? null : known;
}

const isNegation = (test: Expression): test is Operation =>
  test.kind === "operation" && (test.operator === "!" || test.operator === "not");

/** `columns[sort]`, `columns.get(sort)`, or a variable that was given one. */
function mayBeMissing({ language }: Run, { scope }: Frame, asked: Expression): boolean {
  if (!givesNothing.has(language)) return false;
  const found = asked.kind === "variable" ? (scope.binding(asked.name)?.origins.get(asked.name) ?? asked) : asked;
  if (found.kind === "index") return language !== "python" && found.key !== null && found.key.kind !== "literal";
  if (found.kind !== "call" || found.callee.kind !== "field" || found.callee.name !== "get") return false;
  const [key, ...others] = found.args;
  return key !== undefined && key.value.kind !== "literal" && others.length === 0;
}

/** Languages in which looking something up that is not there gives nothing, instead of failing. */
const givesNothing: ReadonlySet<Run["language"]> = new Set(["javascript", "php", "python", "ruby"]);
