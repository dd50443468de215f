import { type Call, type Expression, handsOut, type Loop, type Statement, type Switch, type Try } from "../ir/ir.ts";
import { assign } from "./assign.ts";
import { calledBy } from "./calls/called.ts";
import { summarise } from "./calls/invoke.ts";
import { notePath } from "./calls/path-conditions.ts";
import { forLogs, isThrowing } from "./calls/thrown-values.ts";
import { check } from "./check.ts";
import { decided } from "./decided.ts";
import { bindClass, bindFunction, bindImport } from "./declare.ts";
import { evaluate, recalling } from "./evaluate.ts";
import { assertedBy } from "./guards/asserting.ts";
import { noteThrowingGuard } from "./guards/called-guards.ts";
import { filteredInPlace } from "./guards/each-element.ts";
import { cleanAfterRound, dividedText, type Element, taintedElement } from "./guards/element-tests.ts";
import { applyGuardFunction, noteGuard } from "./guards/guard-functions.ts";
import { oneOf, refine } from "./guards/guards.ts";
import { noteImplied } from "./guards/implied.ts";
import { dividedPath } from "./guards/path-parts.ts";
import { change } from "./guards/refined.ts";
import { noteRefusal } from "./guards/refusals.ts";
import { scannedElements } from "./guards/scanned-elements.ts";
import { joinSides } from "./guards/spared.ts";
import { leaveByJump, leaveHeld } from "./memory/held.ts";
import { returnedRegion } from "./memory/memory.ts";
import { beginRound, endRound } from "./memory/memory-indexes.ts";
import { isLocal } from "./memory/memory-sizes.ts";
import { withFields } from "./objects/known-fields.ts";
import { goneThrough, rewrittenBy, withoutElements } from "./objects/rewritten-elements.ts";
import { truth } from "./operators.ts";
import { leavesForNext } from "./rounds.ts";
import type { Frame, Run } from "./run.ts";
import { copyOf, joinInto, joinStates, passFacts, type Variables } from "./scope.ts";
import { noteParsed } from "./validators/parsing.ts";
import { cleaned, elementAt, join, nothing, type Value } from "./value.ts";
import { returnForView } from "./views/view-variables.ts";

/** Places in one try statement at which something may be thrown by calls; what is thrown by name always counts. */
const placesMax = 16;

/** Runs statements in order until none can be reached. Functions are bound first: they can be used before they stand. */
export function execute(run: Run, frame: Frame, statements: readonly Statement[]): void {
  for (const statement of statements) if (statement.kind === "function") bindFunction(run, frame, statement.fn);
  const asked = frame.path.length;
  for (const statement of statements) {
    if (!frame.scope.alive) break;
    run.charge();
    run.deeper(executeKind, frame, statement, undefined);
  }
  frame.path.length = asked;
}

function executeKind(run: Run, frame: Frame, s: Statement): void {
  if (s.kind !== "block" && s.kind !== "function" && s.kind !== "class") frame.statement = s;
  switch (s.kind) {
    case "expression":
      evaluate(run, frame, s.value);
      if (recalling(frame, () => endsWith(run, frame, s.value))) {
        noteThrow(frame);
        frame.scope.variables = null;
        break;
      }
      if (frame.throws && frame.throws.places < placesMax && s.value.kind !== "literal") noteThrow(frame);
      break;
    case "block":
      execute(run, frame, s.body);
      break;
    case "branch":
      frame.statement = s.test;
      branch(run, frame, s.test, s.then, s.otherwise);
      break;
    case "switch":
      frame.statement = s.of;
      executeSwitch(run, frame, s);
      break;
    case "loop":
      executeLoop(run, frame, s);
      break;
    case "try":
      executeTry(run, frame, s);
      break;
    case "return":
      executeReturn(run, frame, s.value);
      break;
    case "throw":
      if (s.value) throwValue(run, evaluate(run, frame, s.value));
      else leaveByJump(run, frame, s);
      noteThrow(frame);
      frame.scope.variables = null;
      break;
    case "jump": {
      const loop = frame.loops.at(-1);
      if (loop && frame.scope.variables) loop[s.to === "break" ? "breaks" : "continues"].push(frame.scope.variables);
      frame.scope.variables = null;
      break;
    }
    case "import":
      bindImport(run, frame, s);
      break;
    case "class":
      bindClass(run, frame, s);
      break;
    case "function":
      break;
  }
}

/** Notes what a statement that has come to its end tells by that. @returns whether nothing goes on after it */
function endsWith(run: Run, frame: Frame, value: Expression): boolean {
  const call = value.kind === "assign" ? value.from : value;
  if (isHandedOut(call)) return false;
  if (value.kind === "call") applyGuardFunction(run, frame, value, "after");
  if (call.kind === "call") {
    noteThrowingGuard(run, frame, call);
    filteredInPlace(run, frame, call);
    if (run.language === "javascript") noteParsed(run, frame, call, "after");
    const asserted = assertedBy(run, frame, call, value.kind === "call");
    if (asserted) refine(run, frame, asserted.test, asserted.holds);
  }
  return value.kind === "call" && leaves(run, frame, value);
}

/** `yield x` is no function's call. */
const isHandedOut = (value: Expression): boolean =>
  value.kind === "call" && value.callee.kind === "variable" && value.callee.name === handsOut;

/** Whether nothing goes on after a call: models say so, or the function of this file never returns. A method may be overridden by one that does. */
function leaves(run: Run, frame: Frame, call: Call): boolean {
  const { callee, models } = calledBy(run, frame, call);
  if (call.callee.kind === "variable" && callee.closures.length > 0)
    return callee.closures.every((closure) => closure.owner === null && summarise(run, closure).leaves);
  return models.exits.length > 0;
}

/** What is thrown gets to whoever catches it. */
function throwValue(run: Run, value: Value): void {
  if (run.thrown) run.thrown = join(run.thrown, cleaned(value, run.catalogue.bitsOf(forLogs)));
}

function noteThrow({ throws, scope }: Frame): void {
  if (!throws || !scope.variables) return;
  throws.state = throws.state ? joinInto(throws.state, scope.variables) : scope.copy();
  throws.places++;
}

function executeReturn(run: Run, frame: Frame, returned: Expression | null): void {
  const given = returned ? withFields(run, frame, returned, evaluate(run, frame, returned)) : nothing;
  const value = run.language === "go" && returned ? eachWithFields(run, frame, returned, given) : given;
  if (returned && frame.returns.length > 0) {
    check(run, frame, frame.returns, {
      positional: [pageOf(run, value), value],
      named: new Map([["given", value]]),
      receiver: null,
      receiverPaths: [],
      at: returned,
      name: "return",
    });
  }
  if (returned) {
    returnedRegion(run, frame, returned, value);
    returnForView(run, frame, value, returned);
  }
  noteGuard(run, frame, returned, value);
  leaveHeld(run, frame, frame.statement);
  settle(frame);
  frame.returned = frame.returned ? join(frame.returned, value) : value;
  frame.scope.leave();
}

/** `return query, nil`: the same of each of several results. */
function eachWithFields(run: Run, frame: Frame, returned: Expression, value: Value): Value {
  if (returned.kind !== "collection" || value.slots?.shape !== "list" || value.slots.rest) return value;
  const entries = [...value.slots.entries].map(([place, result]) => {
    const written = returned.entries[Number(place)]?.value;
    return [place, written ? withFields(run, frame, written, result) : result] as const;
  });
  return { ...value, slots: { ...value.slots, entries: new Map(entries) } };
}

/** What a framework makes a page of: maps become JSON, and of several results the first is the body. */
function pageOf(run: Run, value: Value): Value {
  const body = (run.language === "python" && value.slots?.shape === "list" && elementAt(value, "0")) || value;
  return body.slots?.shape === "map" ? nothing : body;
}

/** Notes the facts that hold where a function returns. */
export function settle(frame: Frame): void {
  const here = frame.scope.facts.map(([fact]) => fact).filter((fact) => !isLocal(fact));
  frame.settled = new Set(frame.settled ? here.filter((key) => frame.settled?.has(key)) : here);
}

function branch(
  run: Run,
  frame: Frame,
  test: Expression,
  then: readonly Statement[],
  otherwise: readonly Statement[],
): void {
  const known = decided(run, frame, test, evaluate(run, frame, test));
  if (known !== null) {
    execute(run, frame, known ? then : otherwise);
    return;
  }
  const before = frame.scope.copy();
  const asked = frame.path.length;
  refine(run, frame, test, true);
  frame.under.push(test);
  notePath(run, frame, test, true);
  execute(run, frame, then);
  frame.under.pop();
  frame.path.length = asked;
  // The page itself may stand behind `else`; an `elseif` asks some more.
  if (otherwise.every(({ kind }) => kind === "branch")) noteRefusal(run, frame, test, then);
  const after = frame.scope.variables;
  frame.scope.variables = before;
  refine(run, frame, test, false);
  notePath(run, frame, test, false);
  execute(run, frame, otherwise);
  // What leaves has decided for all that follows.
  if (after) frame.path.length = asked;
  const other = frame.scope.variables;
  frame.scope.variables = joinSides(run, frame, test, [then, after], [otherwise, other]);
  if (after && other && frame.scope.variables) noteImplied(run, frame, after, other, frame.scope.variables);
}

function executeSwitch(run: Run, frame: Frame, s: Switch): void {
  const of = evaluate(run, frame, s.of);
  const loop: Frame["loops"][number] = { breaks: [], continues: [], rewritten: null, node: null, through: null };
  frame.loops.push(loop);
  const entry = frame.scope.copy();
  let out: Variables | null = null;
  let falling: Variables | null = null;
  let matched = false;
  let maybe = false;
  for (const option of s.cases) {
    const fits = caseFits(run, frame, of, option.tests, matched);
    if (fits === false && !falling) continue;
    const enters = fits !== false && !matched;
    frame.scope.variables = enters ? joinStates(entry && copyOf(entry), falling) : falling;
    if (enters && option.tests.length === 1 && fits !== true) equalTo(run, frame, s.of, option.tests[0] as Expression);
    if (enters && option.tests.length > 1 && !falling) oneOf(run, frame, s.of, option.tests);
    if (fits === true) matched = true;
    else if (option.tests.length === 0 && !maybe) matched = true;
    else maybe = true;
    execute(run, frame, option.body);
    if (option.through) falling = frame.scope.variables;
    else {
      out = frame.scope.join(out, frame.scope.variables);
      falling = null;
    }
  }
  frame.loops.pop();
  const inner = frame.loops.at(-1);
  inner?.continues.push(...loop.continues);
  const hasDefault = s.cases.some((option) => option.tests.length === 0);
  const states = [out, falling, ...loop.breaks, matched || hasDefault ? null : entry];
  frame.scope.variables = states.reduce<Variables | null>((a, b) => frame.scope.join(a, b), null);
}

/** Whether a case is taken: yes, no, or null for perhaps. The default is taken when nothing is known to be. */
function caseFits(run: Run, frame: Frame, of: Value, tests: readonly Expression[], matched: boolean): boolean | null {
  if (matched) return false;
  if (tests.length === 0) return null;
  if (!of.constants) return null;
  const values = tests.map((test) => evaluate(run, frame, test).constants);
  if (values.some((constants) => constants === null)) return null;
  const options = values.flatMap((constants) => constants ?? []);
  const hits = of.constants.filter((c) => options.includes(c)).length;
  return hits === 0 ? false : hits === of.constants.length ? true : null;
}

function equalTo(run: Run, frame: Frame, of: Expression, test: Expression): void {
  refine(run, frame, { start: of.start, end: test.end, kind: "operation", operator: "==", operands: [of, test] }, true);
}

/** A second round shows what the first has left for it; constants that change from round to round are forgotten. */
function executeLoop(run: Run, frame: Frame, s: Loop): void {
  if (s.test && !s.always && truth(evaluate(run, frame, s.test)) === false) return;
  const rewritten = rewrittenBy(run, frame, s);
  const entry = frame.scope.copy();
  const loop: Frame["loops"][number] = { breaks: [], continues: [], rewritten, node: s, through: null };
  frame.loops.push(loop);
  let skipped = s.always ? null : entry && copyOf(entry);
  if (rewritten) withoutElements(skipped, rewritten);
  let element: Element | null = null;
  let passed = 0;
  const { storings } = run;
  for (let round = 0; round < 2 && frame.scope.alive; round++) {
    frame.statement = s.bind ?? s.test ?? { start: s.start, end: s.start };
    if (s.bind) evaluate(run, frame, s.bind);
    if (round === 0) element = taintedElement(run, frame, s);
    if (round === 0) loop.through = goneThrough(run, frame, s);
    // What is gone through has been asked for, also where it is empty.
    if (round === 0) passFacts(frame.scope, skipped);
    if (s.test && (round > 0 || !s.always)) {
      evaluate(run, frame, s.test);
      refine(run, frame, s.test, true);
    }
    beginRound(run, frame, s);
    execute(run, frame, s.body);
    endRound(run, frame, s);
    frame.scope.variables = [...loop.continues.splice(0), frame.scope.variables].reduce<Variables | null>(
      (a, b) => frame.scope.join(a, b),
      null,
    );
    if (round === 0 && element && frame.scope.alive) passed = cleanAfterRound(frame, element);
    if (s.update && frame.scope.alive) evaluate(run, frame, s.update);
    forget(frame, entry);
    skipped = frame.scope.join(skipped, frame.scope.copy());
    if (entry && !leavesForNext(run, frame, s, entry, storings)) break;
  }
  frame.loops.pop();
  const ends = s.test || s.bind ? skipped : loop.breaks.length === 0 ? frame.scope.variables : null;
  frame.scope.variables = loop.breaks.reduce<Variables | null>((a, b) => frame.scope.join(a, b), ends);
  if (s.test && loop.breaks.length === 0 && frame.scope.alive) refine(run, frame, s.test, false);
  if (element && passed !== 0 && loop.breaks.length === 0 && frame.scope.alive) {
    change(run, frame, element.of, passed);
    const divided = dividedText(frame, element.of);
    if (divided) change(run, frame, divided, passed);
    // A slash between harmless parts still leads to other hosts.
    const path = dividedPath(run, frame, element.of);
    const climbing = passed & run.catalogue.bitsOf(["path_traversal"]);
    if (path && climbing !== 0) change(run, frame, path, climbing);
  }
  if (loop.breaks.length === 0) scannedElements(run, frame, s);
  forget(frame, entry);
}

function forget(frame: Frame, entry: Variables | null): void {
  for (const [key, value] of frame.scope.variables ?? []) {
    if (value.constants && entry?.get(key) !== value && (entry?.has(key) || typeof value.constants[0] === "number")) {
      frame.scope.variables?.set(key, { ...value, constants: null });
    }
  }
}

function executeTry(run: Run, frame: Frame, s: Try): void {
  const outer = frame.throws;
  const throws: NonNullable<Frame["throws"]> = { state: null, places: 0 };
  frame.throws = throws;
  noteThrow(frame);
  const { thrown: around, catching } = run;
  if (s.catches.length > 0) {
    run.thrown = nothing;
    run.catching = isThrowing(run);
  }
  execute(run, frame, s.body);
  const caught = run.thrown ?? nothing;
  run.thrown = around;
  run.catching = catching;
  frame.throws = outer;
  const after = frame.scope.variables;
  const thrown = throws.state && after ? joinInto(throws.state, after) : (throws.state ?? frame.scope.copy());
  let ends = after;
  for (const clause of s.catches) {
    frame.scope.variables = thrown && copyOf(thrown);
    if (clause.bind) assign(run, frame, clause.bind, caught, clause.bind);
    execute(run, frame, clause.body);
    ends = frame.scope.join(ends, frame.scope.variables);
  }
  // What comes last runs on every way out, also where nothing goes on afterwards.
  frame.scope.variables = ends ?? (thrown && copyOf(thrown));
  execute(run, frame, s.last);
  if (!ends) frame.scope.variables = null;
}
