import type { Expression, FunctionNode } from "../../ir/ir.ts";
import type { Run } from "../run.ts";
import type { ClosureValue, Value } from "../value.ts";
import { ofHeirs } from "./handover.ts";

/** A method that classes which extend its own say: the one of an interface, or in Python one that only refuses. */
export const isLeftOpen = ({ language }: Run, { body }: FunctionNode): boolean =>
  body.length === 0 ||
  // A docstring and `...` do nothing.
  (language === "python" &&
    body.length <= saidMax &&
    body.every(
      (statement) =>
        statement.kind === "throw" || (statement.kind === "expression" && nothingDone.has(statement.value.kind)),
    ));

const nothingDone: ReadonlySet<Expression["kind"]> = new Set(["literal", "unknown"]);

/** A docstring, and what is raised. */
const saidMax = 2;

/** A method that its class leaves open is that of the classes of the file that extend it. */
export function byImplementers(run: Run, called: Value): Value {
  const [only, ...others] = called.closures;
  if (!only?.owner || others.length > 0 || !isLeftOpen(run, only.fn)) return called;
  const { owner, fn } = only;
  const closures = run.classes
    .filter(({ bases }) => bases.some(({ type }) => type === owner))
    .flatMap(({ methods }) => methods.get(fn.name) ?? [])
    .slice(0, implementersMax);
  return closures.length === 0 ? called : { ...called, closures };
}

/** More are variants of one another. */
const implementersMax = 4;

/** The target of a method that its class leaves open, by which linking finds the classes of other files that extend it. */
export function leftToOthers(run: Run, declared: ClosureValue | undefined): string | null {
  if (!declared?.owner || !leaving.test(run.language) || !isLeftOpen(run, declared.fn)) return null;
  const method = `${declared.owner.node.name}.${declared.fn.name}`;
  return run.language === "python" ? `${ofHeirs}${method}` : method;
}

const leaving = /^(java|php|python)$/;
