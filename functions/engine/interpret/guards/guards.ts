import { allFamilies, type Families } from "../../catalogue/catalogue.ts";
import { lastSegment } from "../../catalogue/paths.ts";
import { remembered } from "../../catalogue/remembered.ts";
import type { Call, Constant, Expression, Operation } from "../../ir/ir.ts";
import { isCleanType } from "../assign.ts";
import { calledBy } from "../calls/called.ts";
import { signatureEqual, signatureTest } from "../calls/signatures.ts";
import { evaluate, recalling } from "../evaluate.ts";
import { noteAsked } from "../memory/unchecked.ts";
import { accessPath } from "../names.ts";
import { truth } from "../operators.ts";
import type { Frame, Run } from "../run.ts";
import { joinStates, type Variables } from "../scope.ts";
import { answerOfSchema, noteParsed } from "../validators/parsing.ts";
import { constant } from "../value.ts";
import { addressOfHost, original } from "./address-parts.ts";
import { changeAddress, secondCharacterTest, subdomainTest, withoutHost } from "./address-tests.ts";
import { asksKept, commonAsked, commonTest, isAllowList, isSet, subsetTest, withinTest } from "./allow-lists.ts";
import { modelGuards, promisesCheck } from "./called-guards.ts";
import { chosenBy } from "./choices.ts";
import { countedAnswerTest } from "./counted-answers.ts";
import { elementsAsked, elementsTest } from "./each-element.ts";
import { characterWithin } from "./element-tests.ts";
import { emptyTest, lengthTest } from "./empty-tests.ts";
import { equal, noObjectTest } from "./equality.ts";
import { equalsCall } from "./equals-calls.ts";
import { applyGuardFunction, argumentTested, verdictTest } from "./guard-functions.ts";
import { applyImplied } from "./implied.ts";
import { markTest } from "./marked-members.ts";
import { childOfParents, pathsInCommon } from "./path-parts.ts";
import {
  absence,
  asksStep,
  firstPartTest,
  folderTest,
  knownExtension,
  nameTest,
  noPartTest,
  noStepTest,
  noteExtensions,
  noWayTest,
  parentTest,
  prefixTest,
} from "./path-tests.ts";
import { absenceTest, isSearch, matcherRefined, patternTest, unchangedTest } from "./pattern-tests.ts";
import { cleanWithin, harmlessNames, noPrototypeTest, ownMemberTest } from "./prototype-tests.ts";
import { below, change, innermost } from "./refined.ts";
import { withoutCharacters } from "./shell-tests.ts";
import { askedHere, conditionalTest, nothingTest, partAsked, saysYes } from "./told-answers.ts";
import { isOrigin, isScheme, isSender } from "./who-asks.ts";

/** Applies to the state what a test tells when it came out as `outcome`. Only the operand tested is refined. */
export function refine(run: Run, frame: Frame, test: Expression, outcome: boolean): void {
  recalling(frame, () => run.deeper(outcome ? refineHolding : refineFailing, frame, test, undefined));
}

const refineHolding = (run: Run, frame: Frame, test: Expression): void => refineTest(run, frame, test, true);
const refineFailing = (run: Run, frame: Frame, test: Expression): void => refineTest(run, frame, test, false);

function refineTest(run: Run, frame: Frame, test: Expression, outcome: boolean): void {
  if (!outcome) withoutHost(run, frame, test);
  if (test.kind === "variable" || test.kind === "field") answerOfSchema(run, frame, test, outcome);
  verdictTest(run, frame, test, outcome);
  partAsked(run, frame, test, outcome);
  if (!outcome) noWayTest(run, frame, test);
  if (!outcome) emptyTest(run, frame, test);
  else if (test.kind === "variable" || test.kind === "field") applyImplied(run, frame, test, "filled");
  if (outcome) markTest(run, frame, test);
  noteChoice(run, frame, test, outcome);
  if (run.language === "c") noteAsked(run, frame, test, outcome);
  // What is empty carries nothing, which matters where something else could have decided: `if (next && !isLocal(next)) return`.
  if (!outcome && run.language !== "c" && accessPath(test) !== null) change(run, frame, test, allFamilies);
  if (test.kind === "sequence") {
    const last = test.parts.at(-1);
    if (last) refine(run, frame, last, outcome);
  } else if (test.kind === "call") refineCall(run, frame, test, outcome);
  else if (test.kind === "conditional") conditionalTest(run, frame, test, saysYes, outcome);
  // `if ($error = problem($x)) return;`
  else if (test.kind === "assign") refine(run, frame, test.to, outcome);
  else if (test.kind === "variable") {
    // `const known = list.includes(x); if (!known) return;`
    const asked = frame.scope.binding(test.name)?.origins.get(test.name);
    if (asked && asked.kind !== "field" && !run.asked.has(asked)) {
      // `x = x or fallback` asks about itself.
      run.asked.add(asked);
      refine(run, frame, asked, outcome);
      run.asked.delete(asked);
    }
  } else if (test.kind === "index" && test.key && outcome)
    membership(run, frame, test.key, test.of, harmlessNames(run));
  else if (test.kind === "operation") refineOperation(run, frame, test, outcome);
}

function noteChoice(run: Run, frame: Frame, test: Expression, outcome: boolean): void {
  const chosen = asksSetting.has(test.kind) ? chosenBy(run, frame, test, outcome) : null;
  if (chosen !== null) frame.scope.set(`@${chosen}`, constant(true));
}

const asksSetting: ReadonlySet<Expression["kind"]> = new Set(["variable", "field", "index", "call"]);

const logical = new Set(["&&", "and", "||", "or"]);

function refineOperation(run: Run, frame: Frame, test: Operation, outcome: boolean): void {
  const [left, right] = test.operands;
  const operator = test.operator;
  if (logical.has(operator)) {
    const character = characterWithin(test, outcome);
    if (character) change(run, frame, character, allFamilies);
    // Both hold, or both fail; otherwise any of them may have decided.
    const conjunction = operator === "&&" || operator === "and";
    if (conjunction === outcome) for (const operand of test.operands) refine(run, frame, operand, outcome);
    else if (test.operands.length <= alternativesMax) decidedByOne(run, frame, test.operands, outcome);
  } else if (left && (operator === "!" || operator === "not")) refine(run, frame, left, !outcome);
  else if (left && operator === "~" && isPlace(left)) placeTest(run, frame, left, !outcome);
  else if (left && right && operator === "&" && outcome) commonTest(run, frame, left, right);
  else if (left && right) refineComparison(run, frame, operator, left, right, outcome);
}

/** Each way costs a copy of the state. */
const alternativesMax = 4;

/** `x !== "" && !valid(x)` is false: x is empty or valid, and harmless either way. */
function decidedByOne(run: Run, frame: Frame, operands: readonly Expression[], outcome: boolean): void {
  const deciding = operands.filter((operand) => truth(evaluate(run, frame, operand)) !== !outcome);
  let joined: Variables | null = deciding.length === 0 ? frame.scope.copy() : null;
  for (const operand of operands) {
    const before = frame.scope.copy();
    refine(run, frame, operand, outcome);
    // What is known to have come out otherwise has not decided.
    if (deciding.includes(operand)) joined = joinStates(joined, frame.scope.variables);
    // The next one is asked only when this one has not decided.
    frame.scope.variables = before;
    refine(run, frame, operand, !outcome);
  }
  frame.scope.variables = joined;
}

const equalities = new Set(["==", "===", "is"]);
const inequalities = new Set(["!=", "!==", "is not"]);

function refineComparison(
  run: Run,
  frame: Frame,
  operator: string,
  compared: Expression,
  right: Expression,
  outcome: boolean,
): void {
  // `if (($error = problem($x)) !== null)`
  const left = compared.kind === "assign" ? compared.to : compared;
  noteExtensions(run, frame, left, right);
  if (run.language === "javascript") countedAnswerTest(run, frame, operator, left, right, outcome);
  if (equalities.has(operator) || inequalities.has(operator)) {
    const same = equalities.has(operator) === outcome;
    // Asked before the answer is all that is known of it.
    if (right.kind === "literal" && right.value === true) applyImplied(run, frame, left, same ? "filled" : "empty");
    if (same && right.kind === "literal" && !right.value) emptyTest(run, frame, left);
    if (right.kind === "literal" && right.value === null) nothingTest(run, frame, left, same);
    // `if (result.ok === false)`, `if (error !== null)`
    if (right.kind === "literal" && (right.value === null || typeof right.value === "boolean"))
      verdictTest(run, frame, left, same === Boolean(right.value));
    // `if order is not None`
    if (!same && right.kind === "literal" && right.value === null) keptTest(run, frame, left);
    // `if (VERIFY_PEER === false)`
    if (right.kind === "literal" && typeof right.value === "boolean")
      noteChoice(run, frame, left, same === right.value);
    if (same) {
      equal(run, frame, left, right);
      if (accessPath(left) === null || evaluate(run, frame, left).taint.length === 0) equal(run, frame, right, left);
    }
    if (same)
      for (const path of [...pathsInCommon(frame, left), ...pathsInCommon(frame, right)])
        if (accessPath(path) !== null) change(run, frame, path, below(run));
    if (same) signatureEqual(run, frame, [left, right]);
    if (same) parentTest(run, frame, left, right);
    if (same) folderTest(run, frame, left, right);
    if (same) nameTest(run, frame, left, right);
    if (same) nameTest(run, frame, right, left);
    if (same) unchangedTest(run, frame, left, right);
    if (same) unchangedTest(run, frame, right, left);
    if (same) prefixTest(run, frame, left, right);
    if (!same) noObjectTest(run, frame, left, right);
    if (!same) noPrototypeTest(run, frame, left, right);
    if (!same) secondCharacterTest(run, frame, left, right);
    if (!same) firstPartTest(run, frame, left, right);
    if (!same) noStepTest(run, frame, left, right);
    indexTest(run, frame, left, right, same, (bound) => bound === -1);
    if (isDevelopment(run, frame, left, right, same)) frame.scope.set("@development", constant(true));
    answerTest(run, frame, left, right, same);
    if (left.kind === "literal") answerTest(run, frame, right, left, same);
    if (run.language === "go") errorTest(run, frame, left, right, same);
  } else if (operator === "in" || operator === "not in") {
    if ((operator === "in") === outcome) membership(run, frame, left, right, harmlessNames(run));
    else {
      absence(run, frame, left, right);
      withoutCharacters(run, frame, right, left);
    }
  } else if (operator === "instanceof" && outcome) {
    if (run.language === "php" && isTypeOfClean(run, right)) change(run, frame, left, allFamilies);
  } else if (operator === ">=" || operator === ">") {
    // What is not behind the first place may still stand there.
    const isBound = (bound: unknown) => bound === -1 || (bound === 0 && operator === ">=");
    indexTest(run, frame, left, right, !outcome, isBound);
    if (!outcome) lengthTest(run, frame, left, evaluate(run, frame, right).constants?.[0], operator);
    if (outcome && (isSet(left) || isSet(right))) withinTest(run, frame, right, left);
  } else if (operator === "<" || operator === "<=") {
    indexTest(run, frame, left, right, outcome, (bound) => bound === (operator === "<" ? 0 : -1));
    if (outcome && (isSet(left) || isSet(right))) withinTest(run, frame, left, right);
  }
}

/** `$day instanceof DateTimeInterface`: of a type whose values carry no attack. */
const isTypeOfClean = (run: Run, type: Expression): boolean => type.kind === "variable" && isCleanType(run, type.name);

/**
 * `id, err := uuid.Parse(x); if err != nil { return }`: without an error x is what the call asks for. What gives no error says the same by
 * giving something: `net.ParseIP(x) != nil`.
 */
function errorTest(run: Run, frame: Frame, left: Expression, right: Expression, same: boolean): void {
  const isNull = ({ kind, ...other }: Expression) => kind === "literal" && "value" in other && other.value === null;
  const asked = isNull(right) ? left : isNull(left) ? right : null;
  const call = asked?.kind === "variable" ? frame.scope.origins.get(asked.name) : asked;
  if (call?.kind !== "call") return;
  const { callee } = call;
  const isError =
    asked?.kind === "variable"
      ? /err|^e$/i.test(asked.name)
      : (callee.kind === "field" || callee.kind === "variable") && /^(valid|check|verif|ensure)/i.test(callee.name);
  modelGuards(run, frame, call, isError ? same : !same);
  applyGuardFunction(run, frame, call, same ? "false" : "true");
}

/** `isValid(x) === true`, `$number = ip2long($x); $number === false`: an answer compared with the truth is the answer. */
function answerTest(run: Run, frame: Frame, left: Expression, right: Expression, same: boolean): void {
  if (right.kind !== "literal") return;
  const asked = left.kind === "variable" ? frame.scope.origins.get(left.name) : undefined;
  const last = left.kind === "sequence" ? left.parts.at(-1) : left;
  const isAnswer = typeof right.value === "boolean";
  const isTold = isAnswer || (right.value === null && run.language === "php");
  const call = asked?.kind === "call" && (isTold || isSearch(run, asked)) ? asked : last;
  // Validators of PHP answer with what is wrong, or with nothing: `check_name($name) === ""`.
  if (run.language === "php" && same && isNothing(right.value)) refine(run, frame, left, false);
  if (isAnswer && asked?.kind === "operation" && !run.asked.has(asked)) {
    run.asked.add(asked);
    refine(run, frame, asked, same === right.value);
    run.asked.delete(asked);
  }
  if (call?.kind === "operation" && isAnswer) refine(run, frame, call, same === right.value);
  if (call?.kind !== "call") return;
  // Pointers that are answers tell by being null or not, and so do matches and, where what is true or false never is null, all others.
  if (right.value === null && (tellsByNull.has(run.language) || isSearch(run, call))) refine(run, frame, call, !same);
  // `Sort::tryFrom($name) === null`
  else if (right.value === null && run.language === "php") modelGuards(run, frame, call, !same);
  const counts = call.callee.kind === "field" && call.callee.name === "test";
  if (typeof right.value === "boolean" || (counts && (right.value === 0 || right.value === 1)))
    refine(run, frame, call, same === Boolean(right.value));
}

const isNothing = (value: Constant): boolean => value === "" || value === null || value === false;

const tellsByNull: ReadonlySet<string> = new Set(["c", "java", "kotlin"]);

/** `process.env.NODE_ENV !== "production"`: what follows is not what the world sees. */
function isDevelopment(run: Run, frame: Frame, left: Expression, right: Expression, same: boolean): boolean {
  if (!namesEnvironment(lastSegment(accessPath(left) ?? ""))) return false;
  const [wanted] = evaluate(run, frame, right).constants ?? [];
  if (typeof wanted !== "string") return false;
  return same ? /^(dev|development|local|test)$/i.test(wanted) : /^prod(uction)?$/i.test(wanted);
}

const namesEnvironment = remembered((name) => /^(node_?env|app_?env|flask_?env|env|environment)$/i.test(name));

/** What lists of people are called who may do more than others. */
const trustedName = /allow|white_?list|permit|auth|trust|admin|owner|sudo|staff|mod(erator)?s?$|dev(eloper)?s?$/i;

/** `x in allowed`, where allowed is a list of constants or is called like one: x is harmless. The list is not. */
export function membership(
  run: Run,
  frame: Frame,
  operand: Expression,
  list: Expression,
  families: Families = allFamilies,
): void {
  const child = childOfParents(list);
  if (child) change(run, frame, child, below(run));
  const named = isSender(frame, operand) && trustedName.test(accessPath(list) ?? "");
  if (named || isOrigin(operand)) frame.scope.set("@origin-known", constant(true));
  if (isScheme(frame, operand)) frame.scope.set("@scheme-known", constant(true));
  // Whoever looks an origin up compares it, whatever the list.
  change(run, frame, operand, run.catalogue.bitsOf(["permissive_cors"]));
  if (asksStep(run, frame, operand, list) || !isAllowList(run, frame, operand, list)) return;
  const address = addressOfHost(frame, innermost(operand));
  knownExtension(run, frame, operand);
  change(run, frame, operand, families & cleanWithin(run, frame, list));
  if (address) changeAddress(run, frame, address, operand);
}

/** `order = orders.get(key)`, which has found something. */
function keptTest(run: Run, frame: Frame, found: Expression): void {
  const asked = found.kind === "variable" ? frame.scope.binding(found.name)?.origins.get(found.name) : found;
  const [key] = asked?.kind === "call" ? asked.args : [];
  if (asked?.kind !== "call" || asked.callee.kind !== "field" || !key || !asksKept(run, asked.callee)) return;
  membership(run, frame, key.value, asked.callee.of);
}

/** `case "a", "b":` is what a test for membership says. */
export function oneOf(run: Run, frame: Frame, of: Expression, tests: readonly Expression[]): void {
  const entries = tests.map((value) => ({ start: value.start, end: value.end, key: null, value, spread: false }));
  const list: Expression = { start: of.start, end: of.end, kind: "collection", shape: "list", entries };
  refine(run, frame, { start: of.start, end: of.end, kind: "operation", operator: "in", operands: [of, list] }, true);
}

/** `path.indexOf("..") !== -1` and `list.indexOf(x) >= 0` are older spellings of the same tests. */
function indexTest(
  run: Run,
  frame: Frame,
  left: Expression,
  right: Expression,
  absent: boolean,
  isBound: (bound: unknown) => boolean,
): void {
  const place = original(frame, left);
  if (!isPlace(place) || !isBound(evaluate(run, frame, right).constants?.[0])) return;
  const [of, test] = place.args;
  // `strings.IndexFunc(name, isOdd) < 0`: no character is one that the function says yes to.
  if (place.callee.name !== "IndexFunc") placeTest(run, frame, place, absent);
  else if (of && test) elementsAsked(run, frame, of.value, test.value, "any", !absent);
}

type Place = Call & { readonly callee: { readonly kind: "field" } };

const isPlace = (place: Expression): place is Place =>
  place.kind === "call" && place.callee.kind === "field" && indexes.has(place.callee.name);

/** Whether something stands in a text or a list, asked by its place: `~list.indexOf(x)`. */
function placeTest(run: Run, frame: Frame, place: Place, absent: boolean): void {
  const [first, second] = place.args;
  // `Array.IndexOf(columns, name)`
  if (second && place.callee.of.kind === "variable" && place.callee.of.name === "Array") {
    if (first && !absent) membership(run, frame, second.value, first.value);
    return;
  }
  const needle = first?.value;
  if (!needle) return;
  if (absent) {
    absence(run, frame, needle, place.callee.of);
    noPrototypeTest(run, frame, needle, place.callee.of);
  } else membership(run, frame, needle, place.callee.of);
}

const indexes = new Set([
  "indexOf",
  "lastIndexOf",
  "find",
  "rfind",
  "search",
  "IndexOf",
  "LastIndexOf",
  "IndexOfAny",
  "IndexFunc",
]);
const memberTests = new Set([
  "includes",
  "contains",
  "Contains",
  "has",
  "containsKey",
  "ContainsKey",
  "hasOwnProperty",
]);
function refineCall(run: Run, frame: Frame, call: Call, outcome: boolean): void {
  const { callee } = call;
  const first = call.args[0]?.value;
  if (callee.kind === "field" && first) {
    memberTest(run, frame, call, callee, outcome);
    if (outcome && isSearch(run, call)) patternTest(run, frame, call, callee.of, first);
    if (!outcome && isSearch(run, call)) {
      absenceTest(run, frame, call, callee.of, first);
      noPrototypeTest(run, frame, first, callee.of);
    }
  }
  if (callee.kind === "field" && (outcome ? asksEmpty : asksAny).test(callee.name) && !first)
    emptyTest(run, frame, callee.of);
  if (outcome && callee.kind === "variable" && callee.name === "empty" && first) emptyTest(run, frame, first);
  if (first && (isBoolean(callee) || (run.language === "javascript" && accessPath(callee) === "Promise.resolve")))
    refine(run, frame, first, outcome);
  noPartTest(run, frame, call, outcome);
  elementsTest(run, frame, call, outcome);
  if (outcome) subsetTest(run, frame, call);
  commonAsked(run, frame, call, outcome);
  if (outcome) originTest(run, frame, call);
  matcherRefined(run, frame, call, outcome);
  if (outcome) subdomainTest(run, frame, call);
  if (run.language === "java" || run.language === "csharp") equalsCall(run, frame, call, outcome);
  if (outcome) signatureTest(run, frame, call);
  modelGuards(run, frame, call, outcome);
  askedHere(run, frame, call, outcome);
  if (outcome && run.language === "javascript") noteParsed(run, frame, call, "answer");
  const isPromised = outcome && first && promisesCheck(run, frame, call);
  if (isPromised && !(run.language === "javascript" && calledBy(run, frame, call).target !== null))
    argumentTested(run, frame, first, allFamilies);
  else applyGuardFunction(run, frame, call, outcome ? "true" : "false", isPromised);
}

const isBoolean = (callee: Expression): boolean =>
  callee.kind === "variable" && /^(Boolean|bool|boolval)$/.test(callee.name);

type Field = Extract<Expression, { kind: "field" }>;

/** `names.has(x)`: whether something is among others, or in a text. */
function memberTest(run: Run, frame: Frame, { args }: Call, callee: Field, outcome: boolean): void {
  const [first, second] = args.map(({ value }) => value);
  if (!first) return;
  // `strings.Contains(x, "example.org")` asks a text, and no list is called like the package.
  if (run.language === "go" && callee.of.kind === "variable" && run.modules.has(callee.of.name)) {
    if (second) packageTest(run, frame, callee, first, second, outcome);
    return;
  }
  const isOwn = run.language === "javascript" && outcome && ownMember.test(accessPath(callee) ?? "");
  if (isOwn && second) {
    ownMemberTest(run, frame, first, second);
    membership(run, frame, second, first);
  }
  if (outcome && callee.name === "hasOwnProperty") ownMemberTest(run, frame, callee.of, first);
  // Ruby on Rails asks the other way round: `name.in?(columns)`.
  if (outcome && callee.name === "in?") membership(run, frame, callee.of, first);
  if (outcome && asksKept(run, callee)) membership(run, frame, first, callee.of);
  if (!memberTests.has(callee.name)) return;
  noteExtensions(run, frame, callee.of);
  if (outcome) membership(run, frame, first, callee.of);
  else {
    absence(run, frame, first, callee.of);
    withoutCharacters(run, frame, callee.of, first);
    noPrototypeTest(run, frame, first, callee.of);
  }
}

/** `Object.hasOwn(columns, name)`, and how it was written before. */
const ownMember = /^(Object\.hasOwn|(Object\.prototype\.)?hasOwnProperty\.call|(_|lodash)\.has)$/;

/** `slices.Contains(names, x)`, `strings.ContainsAny(x, ";&")`: what Go asks of lists and texts stands before them. */
function packageTest(
  run: Run,
  frame: Frame,
  { of, name }: Field,
  within: Expression,
  needle: Expression,
  outcome: boolean,
): void {
  const asks = `${accessPath(of)}.${name}`;
  if (outcome && /^(slices\.Contains|strings\.Contains(Rune)?)$/.test(asks)) membership(run, frame, needle, within);
  if (asks === "strings.ContainsFunc") elementsAsked(run, frame, within, needle, "any", outcome);
  if (!outcome && /^Contains(Any|Rune)?$/.test(name))
    withoutCharacters(run, frame, within, needle, name === "ContainsAny");
}

const asksEmpty = /^is_?[eE]mpty$/;
const asksAny = /^([aA]ny|some|is_?[nN]ot_?[eE]mpty)$/;

const asksWhetherGiven =
  /^(isset|empty|is_?(string|null|none|blank|empty|present)|not_?empty|has_?(text|length)|strlen|len|bool(ean)?|string)$/i;

/** `isAllowed(origin)`, `pattern.match(origin)`: whoever asks something about an origin compares it, however well. */
function originTest(run: Run, frame: Frame, { callee, args }: Call): void {
  const origins = args.filter(({ value }) => /origin$/i.test(accessPath(value) ?? ""));
  if (origins.length === 0 || asksWhetherGiven.test(lastSegment(accessPath(callee) ?? ""))) return;
  for (const { value } of origins) change(run, frame, value, run.catalogue.bitsOf(["permissive_cors"]));
}
