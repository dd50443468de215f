import { allFamilies, type Families, normalised } from "../../catalogue/catalogue.ts";
import { lastName } from "../../ir/called-name.ts";
import type { Call, Expression, FunctionNode } from "../../ir/ir.ts";
import { walk } from "../../ir/walk.ts";
import { type Called, calledBy } from "../calls/called.ts";
import { isShared } from "../calls/filled-arguments.ts";
import { methodTarget } from "../calls/handover.ts";
import { summarise } from "../calls/invoke.ts";
import { evaluate } from "../evaluate.ts";
import { accessPath, askedKey, askedOf, askedPath } from "../names.ts";
import { truth } from "../operators.ts";
import type { Frame, Run } from "../run.ts";
import type { Scope } from "../scope.ts";
import type { CleanElement, Guard, Outcome } from "../summary.ts";
import { type ClosureValue, cleaned, nothing, type Taint, type Value } from "../value.ts";
import { addressOfHost, textOfParsed } from "./address-parts.ts";
import { changeAddress, parsedOf } from "./address-tests.ts";
import { askingObject } from "./asked-objects.ts";
import { refine } from "./guards.ts";
import { applyImplied } from "./implied.ts";
import { commonPassages, hostPart, joinedPassages, type Passage, shortPart, wholeObject } from "./passage.ts";
import { isShortForm, pathsBefore } from "./path-parts.ts";
import { guarded, guardedParts, isUntouched } from "./prefixed.ts";
import { below, change, innermost } from "./refined.ts";
import { answerAsked, verdictOf, writtenOut } from "./verdicts.ts";

/** Notes, where a function that is summarised returns, what each outcome tells about its parameters. */
export function noteGuard(run: Run, frame: Frame, returned: Expression | null, value: Value): void {
  const { guard, fn } = frame;
  if (!guard || !fn || fn.params.length === 0 || !frame.scope.variables) return;
  note(run, frame, guard, "after");
  if (returned) noteVerdict(run, frame, guard, returned, value);
  const known = truth(value) ?? outcomeOf(returned);
  for (const outcome of [true, false]) {
    if (known === !outcome) continue;
    const before = frame.scope.copy();
    if (returned) {
      refine(run, frame, returned, outcome);
      applyImplied(run, frame, returned, outcome ? "filled" : "empty");
    }
    note(run, frame, guard, outcome ? "true" : "false");
    frame.scope.variables = before;
  }
}

/** `return { ok: false }`: what is known where an answer is a good one, and where it is not. */
function noteVerdict(run: Run, frame: Frame, guard: Guard, returned: Expression, value: Value): void {
  if (returned.kind === "conditional") {
    for (const outcome of [true, false]) {
      const before = frame.scope.copy();
      refine(run, frame, returned.test, outcome);
      const side = outcome ? returned.then : returned.otherwise;
      // Evaluated again it would do again what it does.
      noteVerdict(run, frame, guard, side, writtenOut(side));
      frame.scope.variables = before;
    }
    return;
  }
  const verdict = verdictOf(returned, value);
  if (verdict === undefined) return;
  for (const good of [true, false]) {
    const outcome = good ? "good" : "bad";
    // Whatever another function has found, or anything else, tells nothing.
    if (!verdict) guard[outcome] = frame.fn?.params.map(() => 0) ?? null;
    if (!verdict || verdict.said === !good) continue;
    const before = frame.scope.copy();
    if (verdict.said === null && verdict.asked) {
      const isFilled = good === verdict.good;
      refine(run, frame, verdict.asked, isFilled);
      applyImplied(run, frame, verdict.asked, isFilled ? "filled" : "empty");
    }
    note(run, frame, guard, outcome);
    frame.scope.variables = before;
  }
}

function note(run: Run, frame: Frame, guard: Guard, outcome: Outcome): void {
  guard[outcome] = intersect(guard[outcome], cleanParameters(run, frame));
  guard.asked[outcome] = inBoth(guard.asked[outcome], cleanAnswers(frame));
  guard.elements[outcome] = inBoth(guard.elements[outcome], cleanElements(frame));
  const asked = askedElsewhere(frame);
  guard.passages[outcome] = guard.passages[outcome]?.map((known, i) => commonPassages(known, asked[i])) ?? asked;
}

/** What functions of other files have been asked of each parameter, and have answered; nothing, as a rule. */
function askedElsewhere({ fn, scope }: Frame): readonly (readonly Passage[] | undefined)[] {
  const params = fn?.params ?? [];
  if (!params.some(({ name }) => scope.get(name)?.taint.some(({ via }) => via))) return noneAsked;
  return params.map((param, index) => {
    const own = ownTaint(fn, index, scope.get(param.name));
    const asked = own && isUntouched(fn, own) ? own.via?.filter(({ check }) => check !== "result") : undefined;
    return asked?.length ? asked : undefined;
  });
}

const noneAsked: readonly undefined[] = [];

/** In languages that return errors beside or instead of results: nil says that all is well, an error made on the spot that it is not. */
export function outcomeOf(returned: Expression | null): boolean | null {
  const last = returned?.kind === "collection" && returned.shape === "list" ? returned.entries.at(-1)?.value : returned;
  if (last?.kind === "literal" && returned !== last) return Boolean(last.value);
  const name = last?.kind === "call" ? last.callee : last;
  const called = name?.kind === "field" || name?.kind === "variable" ? name.name : "";
  const makesError = last?.kind === "call" && /^(Errorf|Wrapf?|New\w*Err\w*|New)$/.test(called);
  return makesError || (last?.kind !== "call" && /^(err|[eE]rr[A-Z]\w*)$/.test(called)) ? true : null;
}

const intersect = (a: Families[] | null, b: Families[]): Families[] =>
  a ? a.map((families, i) => families & (b[i] ?? 0)) : b;

/**
 * What each parameter is clean for by tests. One that was assigned to tells nothing about what the caller passed, but for its own short
 * form and the host of an address: what is taken off before the test, spaces and backslashes, makes it stricter.
 */
function cleanParameters(run: Run, frame: Frame): Families[] {
  const fn = frame.fn;
  const ofAddresses = run.catalogue.bitsOf(["ssrf", "open_redirect"]);
  return (fn?.params ?? []).map((param, index) => {
    const value = frame.scope.get(param.name);
    if (!value) return 0;
    const own = ownTaint(fn, index, value);
    if (!own) return value.taint.length === 0 && !isUnasked(run, fn, index, value) ? allFamilies : 0;
    const isSame =
      isUntouched(fn, own) || isShortForm(frame, param.name) || (fn !== null && isRewritten(run, fn, index));
    return guarded(run, frame, param.name, own.clean & (isSame ? ~normalised : ofAddresses));
  });
}

/**
 * `func(c rune) bool { return c == ';' }`: a character carries no attack and is asked about for the text that it is from, so that nothing is
 * known of it but what it was found to be.
 */
const isUnasked = (run: Run, fn: FunctionNode | null, index: number, value: Value): boolean =>
  run.language === "go" &&
  fn !== null &&
  /^(rune|byte)$/.test(fn.params[index]?.type ?? "") &&
  run.summaries.get(fn)?.parameters[index]?.value === value;

/** `function clean(&$text) { $text = addslashes($text); }`: what the parameter is at the end its caller has. */
const isRewritten = (run: Run, fn: FunctionNode, index: number): boolean =>
  run.language === "php" && isShared(run, fn, index);

/** What is known of elements of global input, by the parameters that their keys are in. */
function cleanElements({ fn, scope }: Frame): CleanElement[] {
  return [...(scope.fields ?? [])].flatMap(([name, { taint }]) => {
    const [, of, variable] = name.match(elementOfInput) ?? [];
    const key = fn?.params.findIndex((param) => param.name === variable) ?? -1;
    const clean = taint.reduce((all, one) => all & one.clean, allFamilies);
    return of === undefined || key < 0 || clean === 0 ? [] : { of, key, clean };
  });
}

/**
 * What is known of what parameters have been asked for by a key, and of their fields: a helper that is handed all of a request looks at
 * `c.Query("name")`, one that is handed a form at `field.data`.
 */
function cleanAnswers({ fn, scope }: Frame): CleanElement[] {
  const ofVariables = variablesOfFields(scope).flatMap(([name, path]): [string, Value][] => {
    const value = scope.get(name);
    return value ? [[path, value]] : [];
  });
  const answers = [...(scope.fields ?? []), ...ofVariables].flatMap(([name, { taint }]) => {
    const [, owner = "", of] = name.match(answer) ?? [];
    const key = of === undefined ? -1 : (fn?.params.findIndex((param) => param.name === owner) ?? -1);
    const clean = taint.reduce((all, one) => all & one.clean, allFamilies);
    if (of === undefined || key < 0 || clean === 0) return [];
    const own = ownTaint(fn, key, scope.get(owner));
    // A parameter that was assigned to is no longer the object that the caller has.
    return own && isUntouched(fn, own) ? [{ of, key, clean }] : [];
  });
  return answers.slice(0, answersMax);
}

/** More fields than a form has; each of them is told at each call. */
const answersMax = 50;

/** What a value has of a parameter: all of it, as long as nothing is assigned to that. */
const ownTaint = (fn: FunctionNode | null, index: number, value: Value | undefined): Taint | undefined =>
  value?.taint.find(({ source: { parameter } }) => parameter?.fn === fn && parameter?.index === index);

/** See askedPath(). */
const answer = /^(\w+)\.(\w+(?:\([^()]*\))?)$/;

/** See elementPath(). */
const elementOfInput = /^(\$_[A-Z]+)\.\[(\$\w+)\]$/;

const inBoth = (a: readonly CleanElement[] | null, b: readonly CleanElement[]): readonly CleanElement[] =>
  a
    ? a.flatMap((one) => {
        const other = b.find(({ of, key }) => of === one.of && key === one.key);
        return other ? { ...one, clean: one.clean & other.clean } : [];
      })
    : b;

/**
 * Refines the arguments of a call by what the function called is known to answer, in this file or, when linking, in another.
 * @param trusted what it is called promises a test, which is believed where nobody has its file
 */
export function applyGuardFunction(run: Run, frame: Frame, call: Call, check: Outcome, trusted = false): void {
  const object = run.language === "go" && call.callee.kind === "field" ? call.callee.of : null;
  if (call.isNew || (call.args.length === 0 && !object) || call.args.length > 6) return;
  const called = calledBy(run, frame, call);
  const { callee } = called;
  const target =
    called.target ?? (check === "after" && run.language === "php" ? cleanerTarget(run, call, called) : null);
  const [closure, ...others] = callee.closures;
  if (closure && others.length === 0) {
    const given = call.args.map(({ value }) => value);
    if (given.length > 0) applyGuard(run, frame, closure, given, check);
    const asking = object && askingObject(run, closure);
    if (object && asking) applyGuard(run, frame, asking, [object], check);
    return;
  }
  if (target === null) return;
  if (object) askedByOther(run, frame, object, { target, argument: wholeObject, check, trusted: false });
  for (const [i, { name, value }] of call.args.entries()) {
    const passage: Passage = { target, argument: name ?? i, check, trusted: trusted && i === 0 };
    askedByOther(run, frame, value, passage);
    for (const { name: field, value: part } of partsPassed(value))
      askedByOther(run, frame, part, { ...passage, field });
    for (const { into, field } of readBefore(frame, value)) askedByOther(run, frame, into, { ...passage, field });
    const address = addressOfHost(frame, innermost(value));
    for (const whole of address ? [address, ...parsedOf(frame, value)] : [])
      askedByOther(run, frame, whole, { ...passage, part: hostPart });
    const short = isInShortForm(evaluate(run, frame, innermost(value)));
    for (const path of short ? pathsBefore(frame, innermost(value)) : [])
      askedByOther(run, frame, path, { ...passage, part: shortPart, short });
  }
}

/** Refines what a function of this file was given by what it has found out. */
function applyGuard(run: Run, frame: Frame, closure: ClosureValue, given: readonly Expression[], check: Outcome): void {
  const guard: Guard = run.active.has(closure.fn) ? emptyGuard() : summarise(run, closure).guard;
  for (const { of, key, clean } of guard.elements[check] ?? []) {
    const named = given[key];
    if (!named) continue;
    const { start, end } = named;
    const list = { kind: "variable" as const, name: of, start, end };
    change(run, frame, { kind: "index", of: list, key: named, start, end }, clean);
  }
  for (const { of, key, clean } of guard.asked[check] ?? []) {
    const operand = given[key];
    if (!operand) continue;
    const field = askedKey(of);
    for (const name of new Set([of, field])) change(run, frame, askedOf(operand, name), clean);
    for (const read of readBefore(frame, operand)) if (read.field === field) change(run, frame, read.into, clean);
  }
  for (const [i, families] of (guard[check] ?? []).entries()) {
    const operand = given[i];
    if (families === 0 || !operand) continue;
    const { always, inShortForm } = guardedParts(run.catalogue.bitsOf(["path_traversal"]), families);
    if (always !== 0) argumentTested(run, frame, operand, always);
    if (inShortForm !== 0 && accessPath(innermost(operand)) !== null) change(run, frame, operand, below(run));
  }
  for (const [i, passages] of (guard.passages[check] ?? []).entries()) {
    const operand = given[i];
    const key = operand ? accessPath(operand) : null;
    if (!operand || !passages || key === null) continue;
    frame.scope.refine(
      key,
      passages.reduce((value, passage) => through(value, passage), evaluate(run, frame, operand)),
    );
  }
}

/** `problems({ name, age })`: what is passed under names of its own. */
function partsPassed(operand: Expression): { name: string; value: Expression }[] {
  if (operand.kind !== "collection" || operand.shape !== "map") return [];
  return operand.entries
    .slice(0, answersMax)
    .flatMap(({ key, value, spread }) =>
      !spread && key?.kind === "literal" && typeof key.value === "string" ? [{ name: key.value, value }] : [],
    );
}

/** `name = form["name"]`, in front of what asks the form: variables that have fields of an object. */
function readBefore({ scope }: Frame, operand: Expression): { into: Expression; field: string }[] {
  const of = accessPath(innermost(operand));
  if (of === null) return [];
  return variablesOfFields(scope).flatMap(([name, path]) => {
    const field = path.startsWith(`${of}.`) ? askedKey(path.slice(of.length + 1)) : "";
    const { start, end } = operand;
    return field === "" || field.includes(".")
      ? []
      : [{ into: { start, end, kind: "variable" as const, name }, field }];
  });
}

/** Variables of a function that has to do with a form; a program that has more of them is asked too often to look at all. */
const variablesMax = 200;

/** Variables that have been read out of something, by what that is: `name` of `form["name"]` or of `form.get("name")`. */
export function variablesOfFields({ origins }: Scope): [name: string, path: string][] {
  if (origins.size > variablesMax) return [];
  return [...origins].flatMap(([name, from]): [string, string][] => {
    const path = from.kind === "call" ? askedPath(from) : accessPath(from);
    return path?.includes(".") ? [[name, path]] : [];
  });
}

/** `const checked = check(x); if (!checked.ok) return`: what was asked is known to be as the answer says. */
export function verdictTest(run: Run, frame: Frame, test: Expression, outcome: boolean): void {
  const asked = answerAsked(frame, test, outcome);
  if (asked) applyGuardFunction(run, frame, asked.call, asked.good ? "good" : "bad");
}

/** `$db->clean($name);`: a method of an object that only linking may know, called for what it does to what it is given. */
const cleanerTarget = (run: Run, call: Call, called: Called): string | null =>
  cleaners.test(lastName(call.callee)) ? methodTarget(run, called) : null;

const cleaners = /clean|escap|sanit|filter|quot|purif|safe/i;

/** Notes that a function of another file was asked about a value. */
export function askedByOther(run: Run, frame: Frame, asked: Expression, passage: Passage): void {
  const operand = innermost(asked);
  const key = accessPath(operand);
  if (key === null) return;
  const value = evaluate(run, frame, operand);
  const short = isInShortForm(value);
  const seen = through(value, short ? { ...passage, short } : passage);
  if (seen !== value) frame.scope.refine(key, seen);
}

const isInShortForm = ({ taint }: Value): boolean =>
  taint.length > 0 && taint.every(({ clean }) => (clean & normalised) !== 0);

/** What a function has found out of its argument, and with the host of an address of the address: `allowed(u.Hostname())`. */
export function argumentTested(run: Run, frame: Frame, operand: Expression, families: Families): void {
  const ofAddress = families & run.catalogue.bitsOf(["ssrf", "open_redirect"]);
  const address = ofAddress === 0 ? null : addressOfHost(frame, innermost(operand));
  if (accessPath(innermost(operand)) !== null) change(run, frame, operand, families);
  if (address) changeAddress(run, frame, address, operand, ofAddress);
  // `allowed(u)` speaks about the text that u was parsed of as well.
  const text = ofAddress === 0 ? null : textOfParsed(frame, operand);
  if (text) change(run, frame, text, ofAddress);
}

/**
 * What a function gives that is called after verifying it, and that has null for what it refuses: how it tells the two apart is often more
 * than following values can see, such as patterns of allowed addresses that come from a database.
 */
export const verified = (fn: FunctionNode, given: Value): Value =>
  given.taint.length > 0 && /^_?(verif|validat)(y|e)(_|[A-Z]|$)/.test(fn.name) && givesNull(fn)
    ? cleaned(given, allFamilies)
    : given;

function givesNull({ body }: FunctionNode): boolean {
  let found = false;
  walk(body, (node) => {
    found ||= "kind" in node && node.kind === "return" && node.value?.kind === "literal" && node.value.value === null;
  });
  return found;
}

const nothingTold = { true: null, false: null, after: null, good: null, bad: null };

export const emptyGuard = (): Guard => ({
  ...nothingTold,
  elements: { ...nothingTold },
  asked: { ...nothingTold },
  passages: { ...nothingTold },
});

/** The same value, known to have been seen by a function of another file. */
export function through(value: Value, passage: Passage, depth = 2): Value {
  if (value === nothing || (value.taint.length === 0 && !value.slots)) return value;
  const slots =
    value.slots && depth > 0
      ? {
          ...value.slots,
          entries: new Map(
            [...value.slots.entries].map(([key, entry]) => [key, through(entry, passage, depth - 1)] as const),
          ),
          rest: value.slots.rest && through(value.slots.rest, passage, depth - 1),
        }
      : value.slots;
  return { ...value, slots, taint: value.taint.map((t) => ({ ...t, via: joinedPassages(t.via, [passage]) })) };
}
