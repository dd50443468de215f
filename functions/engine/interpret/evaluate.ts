import type { Assign, Expression, Span } from "../ir/ir.ts";
import { assign } from "./assign.ts";
import { evaluateCall } from "./calls/calls.ts";
import { asTexts } from "./calls/magic-methods.ts";
import { noteWiring } from "./calls/wirings.ts";
import { check } from "./check.ts";
import { collect } from "./collect.ts";
import { decided } from "./decided.ts";
import { refine } from "./guards/guards.ts";
import { isLastPart } from "./guards/last-parts.ts";
import { noteAssigned } from "./memory/assigned.ts";
import { readUnset } from "./memory/unset.ts";
import { underGivenKey } from "./objects/given-keys.ts";
import { withFields } from "./objects/known-fields.ts";
import { operation } from "./operations.ts";
import { noteOrigin } from "./origins.ts";
import { field, index, receiverOf, variable } from "./reads.ts";
import type { Frame, Run } from "./run.ts";
import { madeText } from "./texts/made-text.ts";
import { keyOfPart } from "./validators/schemas.ts";
import {
  allTaint,
  cleaned,
  constant,
  join,
  joinTaint,
  nothing,
  type Taint,
  tainted,
  unset,
  type Value,
} from "./value.ts";

/** Computes what is known about an expression, and reports the problems in it. */
export function evaluate(run: Run, frame: Frame, expression: Expression): Value {
  run.charge();
  const value = run.deeper(evaluateKind, frame, expression, nothing);
  return run.marks ? run.marks.seen(run, frame, expression, value) : value;
}

function evaluateKind(run: Run, frame: Frame, e: Expression): Value {
  switch (e.kind) {
    case "literal":
      return e.regex ? { ...nothing, constants: [e.value] } : constant(e.value);
    case "template":
      return madeText(
        run,
        frame,
        asTexts(
          run,
          frame,
          e.parts.map((part) => evaluate(run, frame, part)),
          e.parts,
        ),
        e.parts,
      );
    case "variable": {
      const value = variable(run, frame, e.name, e);
      if (value === unset) readUnset(run, frame, e.name, e);
      return value;
    }
    case "field":
      return field(run, frame, e);
    case "index":
      return isLastPart(frame, e)
        ? cleaned(index(run, frame, e), run.catalogue.bitsOf(["path_traversal"]))
        : index(run, frame, e);
    case "operation":
      return operation(run, frame, e);
    case "conditional": {
      const known = decided(run, frame, e.test, evaluate(run, frame, e.test));
      return branches(run, frame, e.test, known, e.then, e.otherwise);
    }
    case "call":
      return evaluateCall(run, frame, e);
    case "collection":
      return collection(run, frame, e);
    case "closure": {
      const closure = { fn: e.fn, scope: frame.scope, self: frame.self, owner: frame.owner };
      run.closures.set(e.fn, closure);
      const receiver = receiverOf(run, frame);
      if (receiver && receiver !== "this") run.receivers.set(e.fn, receiver);
      if (!run.symbols.has(e.fn)) run.symbols.set(e.fn, frame.symbol);
      return { ...nothing, closures: [closure] };
    }
    case "assign":
      return assignment(run, frame, e);
    case "sequence":
      return e.parts.reduce<Value>((_, part) => evaluate(run, frame, part), nothing);
    case "unknown":
      return tainted(
        e.reads.reduce<readonly Taint[]>((taint, read) => joinTaint(taint, allTaint(evaluate(run, frame, read))), []),
      );
  }
}

/** Asks again about what was evaluated, as its variables are now. Calls in it are not run again: they gave what they gave. */
export function recalling<T>(frame: Frame, ask: () => T): T {
  const outer = frame.recalls;
  frame.recalls = true;
  const answer = ask();
  frame.recalls = outer;
  return answer;
}

function branches(
  run: Run,
  frame: Frame,
  test: Expression,
  known: boolean | null,
  then: Expression,
  otherwise: Expression,
): Value {
  if (known !== null) return evaluate(run, frame, known ? then : otherwise);
  const before = frame.scope.copy();
  refine(run, frame, test, true);
  const left = evaluate(run, frame, then);
  const afterThen = frame.scope.variables;
  frame.scope.variables = before;
  refine(run, frame, test, false);
  const right = evaluate(run, frame, otherwise);
  frame.scope.variables = frame.scope.join(afterThen, frame.scope.variables);
  return join(left, right);
}

function collection(run: Run, frame: Frame, e: Extract<Expression, { kind: "collection" }>): Value {
  const entries = e.entries.map((entry) => {
    const key = entry.key && keyOfPart(evaluate(run, frame, entry.key));
    const value = evaluate(run, frame, entry.value);
    const isLookedUp = e.shape === "map" && key?.constants?.length !== 1;
    return { key, value: isLookedUp ? underGivenKey(run, true, key, value) : value, spread: entry.spread, at: entry };
  });
  if (e.shape === "map")
    for (const entry of entries) {
      storeEntry(run, frame, entry.key?.constants?.[0], entry.value, entry.at);
      noteWiring(run, entry.key?.constants?.[0], entry.value);
    }
  return collect(e.shape, entries);
}

/** Some keys of options matter wherever they are written. */
export function storeEntry(run: Run, frame: Frame, key: unknown, value: Value, at: Span): void {
  if (typeof key !== "string") return;
  const matches = run.knowledge.entries.get(key);
  if (!matches) return;
  check(run, frame, matches, {
    positional: [value],
    named: new Map(),
    receiver: null,
    receiverPaths: [],
    at,
    name: key,
  });
}

function assignment(run: Run, frame: Frame, e: Assign): Value {
  if (declaresAgain(run, frame, e)) return nothing;
  nameFunction(run, frame, e);
  const given = evaluate(run, frame, e.from);
  // `$copy = clone $row`, `$fields = (array) $row`: the other name has what this function has put into the first.
  const isOther = run.language === "php" && e.from.kind === "variable" && e.to.kind === "variable";
  const value = isOther ? withFields(run, frame, e.from, given) : given;
  noteOrigin(run, frame, e);
  const [closure] = value.closures;
  if (closure?.fn.exported && e.to.kind === "variable" && e.from.kind === "closure")
    run.exports.set(e.to.name, closure);
  assign(run, frame, e.to, value, e, e.type);
  noteAssigned(run, frame, e, value);
  return value;
}

/** `var name;` leaves a parameter, or what was declared before, what it is. */
const declaresAgain = ({ language }: Run, { scope }: Frame, { to, from, declares }: Assign): boolean =>
  language === "javascript" &&
  declares &&
  from.kind === "unknown" &&
  from.reads.length === 0 &&
  to.kind === "variable" &&
  scope.variables?.has(to.name) === true;

/** `exports.login = function () {}` has a name after all. */
function nameFunction(run: Run, frame: Frame, e: Assign): void {
  if (e.from.kind !== "closure" || e.from.fn.name !== "") return;
  const name = e.to.kind === "field" ? e.to.name : e.to.kind === "variable" ? e.to.name : "";
  if (!name) return;
  run.symbols.set(e.from.fn, symbolOf(frame.symbol, name, e.from.fn.params.length));
  if (frame.fn === null) run.named.add(e.from.fn);
}

export const symbolOf = (outer: string, name: string, arity: number): string =>
  `${outer ? `${outer}.` : ""}${name}${arity >= 0 ? `/${arity}` : ""}`;
