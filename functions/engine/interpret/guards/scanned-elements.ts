import { allFamilies, type Families } from "../../catalogue/catalogue.ts";
import { lastName } from "../../ir/called-name.ts";
import type { Expression, Loop, Statement } from "../../ir/ir.ts";
import { walk } from "../../ir/walk.ts";
import { calledBy } from "../calls/called.ts";
import { evaluate } from "../evaluate.ts";
import { accessPath } from "../names.ts";
import type { Frame, Run } from "../run.ts";
import { anyElement } from "../value.ts";
import { original } from "./address-parts.ts";
import { listItself } from "./each-element.ts";
import { elementOf, isAssigned } from "./element-tests.ts";
import { measured } from "./empty-tests.ts";
import { refine } from "./guards.ts";
import { change } from "./refined.ts";

/** What a loop looks at one by one, a list or the characters of a text, and how it writes the one that it is at. */
interface Scan {
  readonly of: Expression;
  readonly isElement: (e: Expression) => boolean;
}

/** Name of the element in tests. */
const element = "<element>";

/**
 * `for (char c : name.toCharArray()) if (!Character.isLetter(c)) return false;`, also by positions: what goes on behind the loop has been
 * asked about each of them, and the whole is clean for what all of them are. Where the loop can be left half-way nobody knows.
 */
export function scannedElements(run: Run, frame: Frame, loop: Loop): void {
  const statements = flat(loop.body);
  if (!frame.scope.variables || !statements.some((statement) => refuses(run, frame, statement))) return;
  const scan = scanOf(frame, loop, statements);
  const list = scan && listItself(frame, scan.of);
  const any = list && accessPath(list) !== null ? anyElement(evaluate(run, frame, list)) : null;
  if (!scan || !list || !any || any.taint.length === 0) return;
  const before = frame.scope.copy();
  frame.scope.set(element, any);
  const clean = cleanOfSkipped(run, frame, statements, scan) & cleanOf(frame);
  frame.scope.variables = before;
  if (clean !== 0) change(run, frame, list, clean);
}

/** Lets an element through the statements. @returns what those are clean for that go on to the next round before their end */
function cleanOfSkipped(run: Run, frame: Frame, statements: readonly Statement[], scan: Scan): Families {
  let clean = allFamilies;
  for (const statement of statements) {
    if (statement.kind !== "branch") {
      if (jumps(statement)) return 0;
      continue;
    }
    const test = asked(statement.test, scan.isElement);
    const [then, otherwise] = [endOf(run, frame, statement.then), endOf(run, frame, statement.otherwise)];
    if (then === "goes on" && otherwise === "leaves") refine(run, frame, test, true);
    else if (then === "goes on") return 0;
    else {
      if (then === "next") clean &= cleanWhere(run, frame, test);
      refine(run, frame, test, false);
      clean &= cleanOfSkipped(run, frame, flat(statement.otherwise), scan);
    }
  }
  return clean;
}

function cleanWhere(run: Run, frame: Frame, test: Expression): Families {
  const before = frame.scope.copy();
  refine(run, frame, test, true);
  const clean = cleanOf(frame);
  frame.scope.variables = before;
  return clean;
}

const cleanOf = ({ scope }: Frame): Families =>
  (scope.get(element)?.taint ?? []).reduce((all, one) => all & one.clean, allFamilies);

/** Blocks mean nothing but what is in them. */
const flat = (body: readonly Statement[]): readonly Statement[] =>
  body.flatMap((statement) => (statement.kind === "block" ? flat(statement.body) : [statement]));

const refuses = (run: Run, frame: Frame, statement: Statement): boolean =>
  statement.kind === "branch" &&
  [statement.then, statement.otherwise].some(
    (way) => endOf(run, frame, way) === "leaves" || flat(way).some((inner) => refuses(run, frame, inner)),
  );

/** Whether what follows a way of a branch in the loop is reached from it, the next round is, or neither. */
function endOf(run: Run, frame: Frame, way: readonly Statement[]): "goes on" | "next" | "leaves" {
  const last = flat(way).at(-1);
  if (last?.kind === "return" || last?.kind === "throw") return "leaves";
  if (last?.kind === "expression" && last.value.kind === "call")
    return calledBy(run, frame, last.value).models.exits.length > 0 ? "leaves" : "goes on";
  return last?.kind === "jump" && last.to === "continue" ? "next" : "goes on";
}

function jumps(statement: Statement): boolean {
  let found = false;
  walk([statement], (node) => {
    found ||= "kind" in node && node.kind === "jump";
  });
  return found;
}

/** The test, asked about the element. */
function asked(test: Expression, isElement: Scan["isElement"]): Expression {
  if (isElement(test)) return { start: test.start, end: test.end, kind: "variable", name: element };
  const inner = (e: Expression): Expression => asked(e, isElement);
  switch (test.kind) {
    case "operation":
      return { ...test, operands: test.operands.map(inner) };
    case "field":
      return { ...test, of: inner(test.of) };
    case "call":
      return {
        ...test,
        callee: inner(test.callee),
        args: test.args.map((arg) => ({ ...arg, value: inner(arg.value) })),
      };
    default:
      return test;
  }
}

function scanOf(frame: Frame, loop: Loop, statements: readonly Statement[]): Scan | null {
  const bound = loop.bind && elementOf(loop.bind);
  const counted = bound ? listOfRange(bound.of) : null;
  if (bound && !counted) {
    const isElement = (e: Expression) => e.kind === "variable" && e.name === bound.name;
    return isAssigned(loop, bound.name) ? null : { of: bound.of, isElement };
  }
  const by = counted && bound ? { name: bound.name, of: counted } : counterOf(frame, loop);
  const key = by && accessPath(by.of);
  if (!by || key === null) return null;
  const isAt = (e: Expression): boolean => {
    const [of, at] = placed(e);
    return at?.kind === "variable" && at.name === by.name && of !== undefined && accessPath(of) === key;
  };
  const names = statements.flatMap((statement) => namesOf(statement, isAt));
  return { of: by.of, isElement: (e) => isAt(e) || (e.kind === "variable" && names.includes(e.name)) };
}

/** `char c = text.charAt(i)` */
const namesOf = (statement: Statement, isAt: Scan["isElement"]): string[] =>
  statement.kind === "expression" &&
  statement.value.kind === "assign" &&
  statement.value.to.kind === "variable" &&
  isAt(statement.value.from)
    ? [statement.value.to.name]
    : [];

/** `x[i]`, `x.charAt(i)`: x and i. */
function placed(e: Expression): readonly [of?: Expression, at?: Expression] {
  if (e.kind === "index" && e.key) return [e.of, e.key];
  if (e.kind !== "call" || e.args.length !== 1 || e.callee.kind !== "field") return [];
  return /^(char(Code)?At|codePointAt|at|get|elementAt)$/.test(e.callee.name) ? [e.callee.of, e.args[0]?.value] : [];
}

/** `range(len(x))` */
function listOfRange(of: Expression): Expression | undefined {
  const isRange = of.kind === "call" && lastName(of.callee) === "range" && of.args.length === 1;
  return isRange && of.args[0] ? measured(of.args[0].value) : undefined;
}

/** `i < x.length`, also where the length is in a variable, and `for i := range x`: the counter, and what it counts. */
function counterOf(frame: Frame, { test, bind, body }: Loop): { name: string; of: Expression } | null {
  if (test?.kind === "operation" && /^(<|!==?)$/.test(test.operator)) {
    const [counter, end] = test.operands;
    const of = end && measured(original(frame, end));
    return counter?.kind === "variable" && of ? { name: counter.name, of } : null;
  }
  const position = bind?.kind === "sequence" && bind.parts.length === 1 ? bind.parts[0] : undefined;
  if (position?.kind !== "assign" || position.to.kind !== "variable" || position.from.kind !== "unknown") return null;
  const { name } = position.to;
  let of: Expression | undefined;
  walk(body, (node) => {
    const [list, at] = "kind" in node ? placed(node as Expression) : [];
    if (at?.kind === "variable" && at.name === name) of ??= list;
  });
  return of ? { name, of } : null;
}
