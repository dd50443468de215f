import {
  type Assign,
  castOperator,
  type Expression,
  type Field,
  type Index,
  type Operation,
  type Span,
} from "../ir/ir.ts";
import { assign, withType } from "./assign.ts";
import { evaluateCall } from "./calls/calls.ts";
import { targetOf } from "./calls/handover.ts";
import { invoke } from "./calls/invoke.ts";
import { check } from "./check.ts";
import { collect } from "./collect.ts";
import { checkComparison } from "./comparisons.ts";
import { afterHost, holesAfterHost } from "./guards/address-parts.ts";
import { refine } from "./guards/guards.ts";
import { isLastPart } from "./guards/last-parts.ts";
import { keepGivenBack, noteHeld } from "./memory/held.ts";
import { divide } from "./memory/input-numbers.ts";
import { numericOf, useOf, useOfOwner } from "./memory/memory.ts";
import { noteBounds } from "./memory/memory-faults.ts";
import { indexOf } from "./memory/memory-indexes.ts";
import { keepShown } from "./memory/object-ends.ts";
import { placeBefore } from "./memory/pointers.ts";
import { noteUnchecked } from "./memory/unchecked.ts";
import { noteUnset, readUnset } from "./memory/unset.ts";
import { noteWritten } from "./memory/written-lengths.ts";
import {
  accessPath,
  basePaths,
  byName,
  elementPath,
  globalName,
  hasOpenClasses,
  isKey,
  isPackage,
  joined,
  memberPaths,
  namesQualified,
} from "./names.ts";
import { getterOf } from "./objects/accessors.ts";
import { fieldOfKin } from "./objects/fields-of-others.ts";
import { fieldTaint, fromOutside, member, memberOfInstance, partOfTainted, receiverValue } from "./objects/members.ts";
import { withFieldOfClass, withSharedField, withSharedVariable } from "./objects/shared-state.ts";
import { concatenate, formatPrefix, operate, shortCircuit, truth } from "./operators.ts";
import { noteOrigin } from "./origins.ts";
import type { Frame, Run } from "./run.ts";
import { joinStates } from "./scope.ts";
import { noteText } from "./texts/made-text.ts";
import { outsideQuotes } from "./texts/quotes.ts";
import { keyOfPart } from "./validators/schemas.ts";
import {
  allTaint,
  anyElement,
  anyPart,
  arriving,
  cleaned,
  constant,
  elementAt,
  join,
  joinAll,
  joinTaint,
  named,
  nothing,
  type Taint,
  tainted,
  unset,
  type Value,
} from "./value.ts";
import { pageVariable } from "./views/includes.ts";

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
      return noteText(
        run,
        frame,
        concatenate(
          outsideQuotes(
            run,
            afterHost(
              run,
              e.parts.map((part) => evaluate(run, frame, part)),
            ),
          ),
        ),
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
      const known = truth(evaluate(run, frame, e.test));
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
  frame.scope.variables = joinStates(afterThen, frame.scope.variables);
  return join(left, right);
}

function variable(run: Run, frame: Frame, name: string, at: Span): Value {
  if (frame.self && (name === "this" || name === frame.fn?.receiver)) return receiverValue(frame.self, frame.fn);
  const scope = frame.scope.binding(name);
  if (scope) {
    const value = scope.get(name) as Value;
    // A property may be called like its class: `Filter Filter { get; set; }`.
    const property = value.type && run.language === "csharp" && frame.owner ? ownMember(run, frame, name) : null;
    if (property) return property;
    if (scope === frame.scope) return value;
    return scope === run.file ? withSharedVariable(run, frame, name, fromOutside(value), at) : fromOutside(value);
  }
  if (frame.self && name === receiverOf(run, frame)) return frame.self;
  if (frame.owner && hasOpenClasses(run.language)) {
    const member = ownMember(run, frame, name);
    if (member) return member;
  }
  if (frame.owner && frame.owner.node.name === name) return named(name);
  const global = inherited(run, frame, name) ?? globalName(run, name);
  // Input can have a name that is there everywhere.
  const [input] = run.knowledge.reads.find(name).sources;
  if (!input && run.language === "go") return withSharedVariable(run, frame, name, global, at);
  if (!input)
    return { ...global, taint: [...pageVariable(run, frame, name, at), ...inheritedReader(run, frame, name, at)] };
  return { ...global, taint: [arriving(run.source(input.kind, at), at)] };
}

/** What the method, or the one around the function, calls the object that it was called on. */
const receiverOf = (run: Run, { fn }: Frame): string | null => fn && (fn.receiver ?? run.receivers.get(fn) ?? null);

/** What Ruby reads without having assigned it is given by a method, mostly one that the class extends or includes. */
function inheritedReader(run: Run, frame: Frame, name: string, at: Span): readonly Taint[] {
  const target = run.language === "ruby" ? targetOf(run, frame, [name]) : null;
  return target === null ? [] : [arriving(run.outside(target, at), at)];
}

/** A member of a class that this one extends and that another file has, or a library. */
function inherited(run: Run, frame: Frame, name: string): Value | null {
  if (run.language !== "java" || !frame.owner || !/^\p{Ll}/u.test(name) || isPackage(run, name)) return null;
  const bases = basePaths({ ...nothing, type: frame.owner });
  return bases.length === 0 ? null : named(...bases.slice(0, 3).map((base) => `${base}.${name}`), `?${name}`);
}

function ownMember(run: Run, frame: Frame, name: string): Value | null {
  const { self } = frame;
  const key = joined("this", name);
  const assigned = frame.scope.binding(key)?.get(key);
  if (assigned || !self) return assigned ?? null;
  const own = memberOfInstance(self, name);
  return own && self.taint.length > 0 ? partOfTainted(run, self, own, name) : own;
}

function field(run: Run, frame: Frame, e: Field): Value {
  const key = accessPath(e);
  const root = key === null ? null : frame.scope.binding(key);
  const remembered = root && key !== null ? root.get(key) : undefined;
  if (remembered) {
    useOfOwner(run, frame, e.of);
    return root === frame.scope ? remembered : fromOutside(remembered);
  }
  if (run.language === "java" && key !== null && !root && namesQualified(run, key)) return named(key);
  const of = evaluate(run, frame, e.of);
  useOf(run, frame, e.of, of);
  const getter = getterOf(run, of, e);
  if (getter) return evaluateCall(run, frame, getter);
  const read = withSharedField(run, frame, member(run, frame, asWritten(run, of, e.of), e.name, e), e, e);
  const value = withFieldOfClass(run, frame, got(run, frame, read, of, e), of, e);
  const shown = e.of.kind === "variable" && e.of.name === "this" ? ofOthers(run, frame, e) : [];
  return shown.length === 0 ? value : { ...value, constants: null, taint: joinTaint(value.taint, shown) };
}

/** What a field of PHP holds by what other files have done: a view is run as a part of the object that shows it. */
const ofOthers = (run: Run, frame: Frame, { name, ...at }: Field): readonly Taint[] =>
  frame.owner === null ? pageVariable(run, frame, name, at) : fieldOfKin(run, frame, name, at);

/** What is read of an object may be what a function gives that is called by reading. */
function got(run: Run, frame: Frame, value: Value, of: Value, at: Span): Value {
  const [closure] = value.closures;
  if (!closure?.fn.getter || closure.fn.params.length > 0) return value;
  return invoke(run, frame, closure.owner ? closure : { ...closure, self: of }, [], new Map(), at);
}

/** Requests of PHP frameworks come in classes of the application: what the variable is called tells what its properties are. */
function asWritten(run: Run, of: Value, written: Expression): Value {
  if (run.language !== "php" || written.kind !== "variable" || of.instance || !written.name.startsWith("$")) return of;
  const path = byName(written.name);
  return of.paths.includes(path) ? of : { ...of, paths: [...of.paths, path] };
}

function index(run: Run, frame: Frame, e: Index): Value {
  const key = e.key && evaluate(run, frame, e.key);
  const known = key?.constants?.length === 1 ? key.constants[0] : null;
  if (isKey(known)) {
    const literal = { ...e, kind: "literal" as const, value: known };
    const field = accessPath({ ...e, key: literal });
    const remembered = field === null ? undefined : frame.scope.binding(field)?.get(field);
    if (remembered) {
      useOfOwner(run, frame, e.of);
      return remembered;
    }
  }
  const asked = frame.scope.fields && elementPath(e);
  const told = asked ? frame.scope.get(asked) : undefined;
  if (told) return told;
  // Of global input the element that is read is what a reader wants to be told; the rules of users mark the whole.
  const of = e.of.kind === "variable" && !run.marks ? variable(run, frame, e.of.name, e) : evaluate(run, frame, e.of);
  if (of === unset && e.of.kind === "variable") readUnset(run, frame, e.of.name, e.of);
  indexOf(run, frame, e, of, key, e.key ?? e);
  useOf(run, frame, e.of, of);
  if (known === null || known === undefined) {
    const any = anyElement(of);
    // A map may lack the key: a set written as a map of true answers both ways.
    const constants = of.slots?.shape === "map" && any.constants?.every((c) => c === true) ? null : any.constants;
    const paths = memberPaths(of, "[]");
    // What is handed out one by one may be input: the messages of a connection.
    const [input] = e.key ? [] : run.knowledge.reads.findAll(paths).sources;
    const messages: readonly Taint[] = input ? [arriving(run.source(input.kind, e), e)] : [];
    const given = run.language === "php" && !of.slots ? fieldTaint(run, of, any.taint, anyPart) : any.taint;
    return { ...any, taint: joinTaint(given, messages), constants, paths };
  }
  const text = of.constants?.length === 1 ? of.constants[0] : null;
  if (typeof text === "string" && typeof known === "number") return constant(text.at(known) ?? "");
  const slot = elementAt(of, normalisedIndex(of, known));
  if (slot) return slot;
  if (of.slots && !of.slots.rest) return tainted(fieldTaint(run, of, of.taint, String(known)));
  return member(run, frame, of, String(known), e);
}

/** Python counts negative indexes from the end. */
function normalisedIndex(of: Value, key: string | number | boolean): string {
  if (typeof key === "number" && key < 0 && of.slots?.shape === "list") return String(of.slots.entries.size + key);
  return String(key);
}

/** The same object, which goes by the names of the class as well. */
function castTo(run: Run, frame: Frame, { operands: [of, type] }: Operation): Value {
  const value = of ? evaluate(run, frame, of) : nothing;
  return type ? withType(run, frame, value, run.text.slice(type.start, type.end)) : value;
}

function operation(run: Run, frame: Frame, e: Operation): Value {
  if (shortCircuit.has(e.operator)) {
    const value = choice(run, frame, e);
    return run.language === "php" && isAnswer.has(e.operator) ? answerOf(value) : value;
  }
  if (e.operator === castOperator) return castTo(run, frame, e);
  const values = e.operands.map((operand) => evaluate(run, frame, operand));
  if (e.operator === "in" && values.length === 2 && values[1]?.slots) {
    return contains(values[0] as Value, values[1]);
  }
  if (
    e.operator === "+" &&
    values.length > 1 &&
    values.some((value) => value.prefix !== null || value.taint.length > 0) &&
    values.every((value) => !value.slots)
  ) {
    return noteText(run, frame, concatenate(afterHost(run, values)));
  }
  if (e.operator === "%" && run.language === "python") {
    const [format, given] = values as [Value, Value];
    const cleans = format.paths
      .flatMap((path) => run.knowledge.calls.find(`${path}.%`).sanitizers)
      .reduce((families, sanitizer) => families | sanitizer.cleans, 0);
    const text = format.constants?.[0];
    const all = given.slots?.shape === "list" ? [...given.slots.entries.values()] : [given];
    const args = typeof text === "string" ? holesAfterHost(run, text, withoutNumbers(text, all)) : all;
    if (typeof text === "string")
      return cleaned({ ...concatenate([...args, format]), constants: null, prefix: formatPrefix(text, args) }, cleans);
    return cleaned(concatenate(values), cleans);
  }
  noteBounds(run, frame, e.operator, e.operands, values);
  divide(run, frame, e, values);
  checkComparison(run, frame, e, values);
  const result = placeBefore(run, e, values) ?? numericOf(run, e.operator, values) ?? operate(e.operator, values);
  // Models name operators of a type like its methods: a path divided by a name is a path.
  const gives = values[0]?.paths.flatMap((path) => run.knowledge.calls.find(joined(path, e.operator)).returns) ?? [];
  return gives.length === 0 ? result : { ...result, paths: gives };
}

/** `%d` takes numbers only. */
function withoutNumbers(format: string, args: readonly Value[]): readonly Value[] {
  const kinds = [...format.matchAll(/%[-#0 +]{0,9}\d{0,9}(?:\.\d{1,9})?([a-zA-Z%])/g)].flatMap(([, kind]) =>
    kind === "%" ? [] : [kind],
  );
  if (kinds.length !== args.length) return args;
  return args.map((arg, i) => (/[diouxXeEfFgG]/.test(kinds[i] ?? "") ? cleaned(arg, -1) : arg));
}

function contains(item: Value, list: Value): Value {
  if (item.constants?.length !== 1 || !list.slots || list.slots.rest) return nothing;
  const wanted = String(item.constants[0]);
  if (list.slots.shape === "map") return constant(list.slots.entries.has(wanted));
  const entries = [...list.slots.entries.values()];
  return entries.every((entry) => entry.constants?.length === 1)
    ? constant(entries.some((entry) => String(entry.constants?.[0]) === wanted))
    : nothing;
}

/** In PHP these answer whether, and give none of their operands; `a ?: b` goes by the name of `or`. */
const isAnswer: ReadonlySet<string> = new Set(["&&", "||"]);

function answerOf(value: Value): Value {
  const known = truth(value);
  return known === null ? nothing : constant(known);
}

/** `a || b` gives one of its operands; later ones are evaluated under what the earlier ones tell. */
function choice(run: Run, frame: Frame, e: Operation): Value {
  const conjunction = e.operator === "&&" || e.operator === "and";
  const before = frame.scope.copy();
  const values: Value[] = [];
  const truths: (boolean | null)[] = [];
  for (const [i, operand] of e.operands.entries()) {
    if (i > 0 && e.operator !== "??") refine(run, frame, e.operands[i - 1] as Expression, conjunction);
    const value = evaluate(run, frame, operand);
    const known = e.operator === "??" ? null : truth(value);
    const isLast = i === e.operands.length - 1;
    // `name && all[name]` gives the name only where it is empty.
    values.push(conjunction && !isLast && value.taint.length > 0 ? nothing : value);
    truths.push(known);
    // The rest is never reached.
    if (known !== null && known !== conjunction) break;
  }
  // Assignments inside the operands stay possible, refinements do not outlive the expression.
  const after = frame.scope.variables;
  frame.scope.variables = before;
  if (before && after && run.language === "c") keepGivenBack(before, after);
  if (before && after)
    for (const [key, value] of after)
      if ((!before.has(key) || before.get(key) === unset) && !key.includes(".")) before.set(key, value);
  const decided = truths.at(-1) ?? null;
  if (decided !== null && truths.every((known) => known !== null)) return values.at(-1) as Value;
  const decidedEarly = decided !== null && decided !== conjunction;
  const result = joinAll(values.filter((_, i) => truths[i] !== conjunction || i === values.length - 1));
  if (
    decidedEarly &&
    truths.slice(0, -1).every((known) => known === null) &&
    values.length > 1 &&
    result.constants === null
  ) {
    // `unknown && false` is never true; a test on it can be decided.
    return values.every((value) => allTaint(value).length === 0 && value.paths.length === 0 && value.constants)
      ? (values.at(-1) as Value)
      : result;
  }
  return result;
}

function collection(run: Run, frame: Frame, e: Extract<Expression, { kind: "collection" }>): Value {
  const entries = e.entries.map((entry) => ({
    key: entry.key && keyOfPart(evaluate(run, frame, entry.key)),
    value: evaluate(run, frame, entry.value),
    spread: entry.spread,
    at: entry,
  }));
  if (e.shape === "map")
    for (const entry of entries) storeEntry(run, frame, entry.key?.constants?.[0], entry.value, entry.at);
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
  nameFunction(run, frame, e);
  const value = evaluate(run, frame, e.from);
  noteOrigin(run, frame, e);
  const [closure] = value.closures;
  if (closure?.fn.exported && e.to.kind === "variable" && e.from.kind === "closure")
    run.exports.set(e.to.name, closure);
  assign(run, frame, e.to, value, e, e.type);
  noteUnset(run, frame, e);
  noteHeld(run, frame, e);
  noteUnchecked(run, frame, e, value);
  noteWritten(run, frame, e);
  keepShown(run, frame, e);
  return value;
}

/** `exports.login = function () {}` has a name after all. */
function nameFunction(run: Run, frame: Frame, e: Assign): void {
  if (e.from.kind !== "closure" || e.from.fn.name !== "") return;
  const name = e.to.kind === "field" ? e.to.name : e.to.kind === "variable" ? e.to.name : "";
  if (name) run.symbols.set(e.from.fn, symbolOf(frame.symbol, name, e.from.fn.params.length));
}

export const symbolOf = (outer: string, name: string, arity: number): string =>
  `${outer ? `${outer}.` : ""}${name}${arity >= 0 ? `/${arity}` : ""}`;
