import type { Call, Expression, FunctionNode } from "../../ir/ir.ts";
import type { Frame, Run } from "../run.ts";
import type { ClosureValue, Value } from "../value.ts";
import { ofHeirs } from "./handover.ts";

/** A method that classes which extend its own say: the one of an interface, or in Python and JavaScript one that only refuses. */
export const isLeftOpen = ({ language }: Run, { body }: FunctionNode): boolean =>
  body.length === 0 ||
  // A docstring and `...` do nothing.
  ((language === "python" || language === "javascript") &&
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

/** The target of what a call asks of classes of other files, because the class of its own file leaves the method open. */
export function leftToOthers(run: Run, frame: Frame, { callee }: Call, found: Value): string | null {
  const [declared] = found.closures;
  if (declared) return openTarget(run, declared);
  if (run.language === "javascript") return undeclared(frame, callee, found);
  return run.language === "python" ? undeclaredInPart(frame, callee, found) : null;
}

/** The target of a method that its class leaves open, by which linking finds the classes of other files that extend it. */
export function openTarget(run: Run, { fn, owner }: ClosureValue): string | null {
  if (!owner || !leaving.test(run.language) || !isLeftOpen(run, fn)) return null;
  const method = `${owner.node.name}.${fn.name}`;
  return run.language === "java" || run.language === "php" ? method : `${ofHeirs}${method}`;
}

const leaving = /^(java|php|python|javascript)$/;

/** `self.run(command)` in a class that others are made with: what it does not have itself, those have. */
function undeclaredInPart({ owner, fn }: Frame, callee: Call["callee"], found: Value): string | null {
  if (!owner || callee.kind !== "field" || callee.of.kind !== "variable" || callee.of.name !== fn?.receiver)
    return null;
  const { name, bases } = owner.node;
  const isPart = bases.length === 0 || isForHeirs.test(name);
  const isKept = found.type !== null || found.instance !== null || found.constants !== null;
  return isPart && !isKept && /^[A-Za-z_]/.test(name) ? `${ofHeirs}${name}.${callee.name}` : null;
}

/** What classes are called that are there to be extended. */
const isForHeirs = /mixin|^_*(base|abstract|generic|common)|(base|abstract)$/i;

/** `this.execute(order)`, where nothing above the class has such a method: in JavaScript, what has no body need not be declared. */
function undeclared({ owner }: Frame, callee: Call["callee"], found: Value): string | null {
  if (!owner || callee.kind !== "field" || callee.of.kind !== "variable" || callee.of.name !== "this") return null;
  const isKept = found.type !== null || found.instance !== null || found.paths.some((path) => !path.startsWith("?"));
  return isKept || !/^[A-Za-z]/.test(owner.node.name) || owner.bases.some(({ type }) => !type)
    ? null
    : `${ofHeirs}${owner.node.name}.${callee.name}`;
}
