import { allFamilies, type Families } from "../catalogue/catalogue.ts";
import { lastSegment } from "../catalogue/paths.ts";
import type { Call, Expression, Operation } from "../ir/ir.ts";
import { addressOfHost } from "./address-parts.ts";
import { calledBy } from "./called.ts";
import { holds } from "./check.ts";
import { characterWithin } from "./element-tests.ts";
import { evaluate, recalling } from "./evaluate.ts";
import { forgetMaking } from "./file-making.ts";
import { applyGuardFunction } from "./guard-functions.ts";
import { matcherTest } from "./matcher-tests.ts";
import { accessPath } from "./names.ts";
import {
  childOfParent,
  childOfParents,
  nameOfExtension,
  pathsBefore,
  pathsInCommon,
  pathsMadeOf,
} from "./path-parts.ts";
import { keepsOnlyHarmless } from "./replacements.ts";
import type { Frame, Run } from "./run.ts";
import { joinStates, type Variables } from "./scope.ts";
import { signatureTest } from "./signatures.ts";
import { allTaint, anyElement, cleaned, constant, nothing, type Taint, type Value } from "./value.ts";

/** Applies to the state what a test tells when it came out as `outcome`. Only the operand tested is refined. */
export function refine(run: Run, frame: Frame, test: Expression, outcome: boolean): void {
  recalling(frame, () => run.deeper(outcome ? refineHolding : refineFailing, frame, test, undefined));
}

const refineHolding = (run: Run, frame: Frame, test: Expression): void => refineTest(run, frame, test, true);
const refineFailing = (run: Run, frame: Frame, test: Expression): void => refineTest(run, frame, test, false);

function refineTest(run: Run, frame: Frame, test: Expression, outcome: boolean): void {
  if (!outcome) withoutHost(run, frame, test);
  // What is empty carries nothing, which matters where something else could have decided: `if (next && !isLocal(next)) return`.
  if (!outcome && run.language !== "c" && accessPath(test) !== null) change(run, frame, test, allFamilies);
  if (test.kind === "sequence") {
    const last = test.parts.at(-1);
    if (last) refine(run, frame, last, outcome);
  } else if (test.kind === "call") refineCall(run, frame, test, outcome);
  else if (test.kind === "variable") {
    // `const known = list.includes(x); if (!known) return;`
    const asked = frame.scope.binding(test.name)?.origins.get(test.name);
    if (asked && asked.kind !== "field" && !run.asked.has(asked)) {
      // `x = x or fallback` asks about itself.
      run.asked.add(asked);
      refine(run, frame, asked, outcome);
      run.asked.delete(asked);
    }
  } else if (test.kind === "index" && test.key && outcome) membership(run, frame, test.key, test.of);
  else if (test.kind === "operation") refineOperation(run, frame, test, outcome);
}

/** `if urlparse(x).netloc:` fails: an address without a host stays where it is. */
function withoutHost(run: Run, frame: Frame, test: Expression): void {
  const address = test.kind === "field" || test.kind === "variable" ? addressOfHost(frame, test) : null;
  if (address) changeAddress(run, frame, address, test);
}

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
  else if (left && right) refineComparison(run, frame, operator, left, right, outcome);
}

/** Each way costs a copy of the state. */
const alternativesMax = 4;

/** `x !== "" && !valid(x)` is false: x is empty or valid, and harmless either way. */
function decidedByOne(run: Run, frame: Frame, operands: readonly Expression[], outcome: boolean): void {
  let joined: Variables | null = null;
  for (const operand of operands) {
    const before = frame.scope.copy();
    refine(run, frame, operand, outcome);
    joined = joinStates(joined, frame.scope.variables);
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
  left: Expression,
  right: Expression,
  outcome: boolean,
): void {
  noteExtensions(run, frame, left, right);
  if (equalities.has(operator) || inequalities.has(operator)) {
    const same = equalities.has(operator) === outcome;
    if (same) {
      equal(run, frame, left, right);
      if (accessPath(left) === null || evaluate(run, frame, left).taint.length === 0) equal(run, frame, right, left);
    }
    if (same)
      for (const path of [...pathsInCommon(left), ...pathsInCommon(right)])
        if (accessPath(path) !== null) change(run, frame, path, below(run));
    if (same) parentTest(run, frame, left, right);
    if (same) folderTest(run, frame, left, right);
    if (same) prefixTest(run, frame, left, right);
    if (!same) secondCharacterTest(run, frame, left, right);
    if (evaluate(run, frame, right).constants?.[0] !== 0) indexTest(run, frame, left, right, same);
    if (isDevelopment(run, frame, left, right, same)) frame.scope.set("@development", constant(true));
    answerTest(run, frame, left, right, same);
    if (run.language === "go") errorTest(run, frame, left, right, same);
  } else if (operator === "in" || operator === "not in") {
    if ((operator === "in") === outcome) membership(run, frame, left, right);
    else absence(run, frame, left, right);
  } else if (operator === ">=" || operator === ">") {
    indexTest(run, frame, left, right, !outcome);
    if (!outcome) lengthTest(run, frame, left, evaluate(run, frame, right).constants?.[0], operator);
  }
}

/** What lies right in a folder that nobody outside has chosen. */
function parentTest(run: Run, frame: Frame, left: Expression, right: Expression): void {
  const child = childOfParent(left);
  if (child && allTaint(evaluate(run, frame, right)).length === 0) change(run, frame, child, below(run));
}

/** `path === root`, both of which a helper is given: the path is the folder itself, which helpers ask beside what lies below it. */
function folderTest(run: Run, frame: Frame, left: Expression, right: Expression): void {
  const isGiven = (side: Expression): boolean => {
    const { taint } = evaluate(run, frame, side);
    return accessPath(side) !== null && taint.length > 0 && taint.every(({ source }) => source.parameter !== null);
  };
  if (!isGiven(left) || !isGiven(right)) return;
  for (const side of [left, right]) change(run, frame, side, below(run));
}

/** `next[1] != '/'`: beside the test for the first slash, what tells a path from the name of a host. */
function secondCharacterTest(run: Run, frame: Frame, left: Expression, right: Expression): void {
  if (left.kind !== "index" || left.key?.kind !== "literal" || left.key.value !== 1) return;
  const [character] = evaluate(run, frame, right).constants ?? [];
  if (character === "/") change(run, frame, left.of, run.catalogue.bitsOf(["open_redirect"]));
}

/** `len(x) > 1` does not hold: one character does no harm. */
function lengthTest(run: Run, frame: Frame, left: Expression, bound: unknown, operator: ">" | ">="): void {
  if (bound !== (operator === ">" ? 1 : 2)) return;
  const measured =
    left.kind === "field" && left.name === "length"
      ? left.of
      : left.kind === "call" && left.callee.kind === "variable" && left.callee.name === "len"
        ? left.args[0]?.value
        : undefined;
  if (measured && accessPath(measured) !== null) change(run, frame, measured, allFamilies);
}

/**
 * Whoever compares something with the extensions of pictures and documents decides by it, in however roundabout a way: many note an error
 * first and look at the errors later.
 */
function noteExtensions(run: Run, frame: Frame, ...sides: readonly Expression[]): void {
  for (const side of sides) {
    const { constants, slots } = evaluate(run, frame, side);
    const texts = slots ? [...slots.entries.values()].flatMap((entry) => entry.constants ?? []) : (constants ?? []);
    if (texts.some((text) => typeof text === "string" && documentExtension.test(text)))
      frame.scope.set("@upload-checked", constant(true));
  }
}

const documentExtension = /^\.?(jpe?g|png|gif|webp|bmp|svg|pdf|docx?|xlsx?|csv|txt|zip|mp[34])$/i;

/** `path.indexOf(root) === 0` and `path.slice(0, root.length) === root` are older spellings of `startsWith`. */
function prefixTest(run: Run, frame: Frame, left: Expression, right: Expression): void {
  if (left.kind !== "call" || left.callee.kind !== "field") return;
  const { callee, args } = left;
  const asked =
    callee.name === "indexOf" || callee.name === "lastIndexOf"
      ? right
      : /^(substr|substring|slice)$/.test(callee.name) && args.length === 2
        ? args[0]?.value
        : undefined;
  if (asked && evaluate(run, frame, asked).constants?.[0] === 0) change(run, frame, callee.of, below(run));
}

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

/** `isValid(x) === true`, `preg_match(...) === 0`: an answer compared with the truth is the answer. */
function answerTest(run: Run, frame: Frame, left: Expression, right: Expression, same: boolean): void {
  const call = left.kind === "sequence" ? left.parts.at(-1) : left;
  if (right.kind !== "literal") return;
  if (call?.kind === "operation" && typeof right.value === "boolean") refine(run, frame, call, same === right.value);
  if (call?.kind !== "call") return;
  // Pointers that are answers tell by being null or not.
  if (run.language === "c" && right.value === null) refine(run, frame, call, !same);
  const counts = call.callee.kind === "field" && call.callee.name === "test";
  if (typeof right.value === "boolean" || (counts && (right.value === 0 || right.value === 1)))
    refine(run, frame, call, same === Boolean(right.value));
}

/** `process.env.NODE_ENV !== "production"`: what follows is not what the world sees. */
function isDevelopment(run: Run, frame: Frame, left: Expression, right: Expression, same: boolean): boolean {
  const name = lastSegment(accessPath(left) ?? "");
  if (!/^(node_?env|app_?env|flask_?env|env|environment)$/i.test(name)) return false;
  const [wanted] = evaluate(run, frame, right).constants ?? [];
  if (typeof wanted !== "string") return false;
  return same ? /^(dev|development|local|test)$/i.test(wanted) : /^prod(uction)?$/i.test(wanted);
}

/** `x === "a"`: x is that constant. Comparing with null says nothing about what else it can be. */
function equal(run: Run, frame: Frame, operand: Expression, other: Expression): void {
  const value = evaluate(run, frame, other);
  const [only] = value.constants ?? [];
  // Functions that escape leave what is no text alone.
  if (run.language === "php" && only === null && value.constants?.length === 1 && accessPath(operand) !== null)
    store(frame, operand, constant(null));
  if (value.constants?.every((c) => typeof c === "string")) {
    knownExtension(run, frame, operand);
    const folded = foldedText(operand);
    if (folded && accessPath(folded) !== null) change(run, frame, folded, allFamilies);
  }
  if (value.constants?.length === 1 && only !== null && only !== undefined) {
    if (operand.kind === "operation" && operand.operator === "typeof" && operand.operands[0]) {
      if (only === "number" || only === "boolean" || only === "bigint")
        change(run, frame, operand.operands[0], allFamilies);
      // Text brings no operators and no keys along.
      else if (only === "string")
        change(run, frame, operand.operands[0], run.catalogue.bitsOf(["nosql_injection", "mass_assignment"]));
    } else if (accessPath(operand) !== null) store(frame, operand, constant(only));
  } else if (value.constants?.every((c) => typeof c === "string") && value.constants.length > 1) {
    // The loop variable over a fixed list: equal to one of them.
    if (accessPath(operand) !== null) store(frame, operand, { ...nothing, constants: value.constants });
  } else if (accessPath(operand) !== null) isThat(run, frame, operand, value);
  if (isOrigin(operand) || isSender(frame, operand)) frame.scope.set("@origin-known", constant(true));
  const address = addressOfHost(frame, innermost(operand));
  const families = run.catalogue.bitsOf(["ssrf", "open_redirect"]);
  const harmless = typeof only === "string" || isOurs(value) ? families : families & cleanFor(value);
  if (address && harmless !== 0) changeAddress(run, frame, address, operand, harmless);
}

/** `strtolower(x) == "jpg"`: what is compared is x, but for its case and the white space around it. */
function foldedText(operand: Expression): Expression | undefined {
  if (operand.kind !== "call") return undefined;
  const { callee, args } = operand;
  if (callee.kind === "variable")
    return /^(mb_)?strto(lower|upper)$|^trim$/.test(callee.name) ? args[0]?.value : undefined;
  return callee.kind === "field" && /^(toLowerCase|toUpperCase|lower|upper|casefold|trim|strip)$/.test(callee.name)
    ? callee.of
    : undefined;
}

/** What all that taints a value is clean for: `Host` names the site that is asked, and leads nowhere else. */
const cleanFor = ({ taint, slots }: Value): Families =>
  slots || taint.length === 0 ? 0 : taint.reduce((families, { clean }) => families & clean, allFamilies);

/** Of a message between windows: who sent it. */
const isOrigin = (operand: Expression): boolean => operand.kind === "field" && /^(origin|source)$/.test(operand.name);

/** Of a message of a chat: `message.from_user.id`, also by way of a variable or as text. */
function isSender(frame: Frame, operand: Expression): boolean {
  const named = operand.kind === "variable" ? frame.scope.binding(operand.name)?.origins.get(operand.name) : operand;
  const asked = named?.kind === "call" && named.args.length === 1 ? named.args[0]?.value : named;
  return /\.(from_user|chat|author|sender|effective_(user|chat))\.(id|username)$|\.(chat|sender)_id$/.test(
    (asked && accessPath(asked)) ?? "",
  );
}

/** What lists of people are called who may do more than others. */
const trustedName = /allow|white_?list|permit|auth|trust|admin|owner|sudo|staff|mod(erator)?s?$|dev(eloper)?s?$/i;

/** `x === y`: where y comes from elsewhere than x, x comes from there. */
function isThat(run: Run, frame: Frame, operand: Expression, other: Value): void {
  if (
    other.constants !== null ||
    other.slots ||
    other.closures.length > 0 ||
    other.paths.length + other.taint.length === 0
  )
    return;
  const value = evaluate(run, frame, operand);
  if (value.taint.every((t) => other.taint.some((o) => o.source === t.source))) return;
  // Equal to input is not made of it: the cleaner of the two tells more.
  if (other.taint.some(isInput) && !value.taint.some(isInput)) return;
  store(frame, operand, { ...value, taint: other.taint });
}

const isInput = ({ source }: Taint): boolean => source.parameter === null && source.outside === null;

/** A value that nobody outside has chosen: to be equal to it leaves no choice either. */
const isOurs = (value: Value): boolean =>
  value.constants === null &&
  value.paths.length > 0 &&
  !value.slots &&
  value.closures.length === 0 &&
  value.taint.length === 0;

/** The host of an address is one that is allowed: the text that was parsed is harmless, and so is what came of it. */
function changeAddress(
  run: Run,
  frame: Frame,
  address: Expression,
  host: Expression,
  families: Families = run.catalogue.bitsOf(["ssrf", "open_redirect"]),
): void {
  change(run, frame, address, families);
  const read = host.kind === "call" ? host.callee : host;
  if (read.kind === "field") change(run, frame, read.of, families);
}

/** `x in allowed`, where allowed is a list of constants or is called like one: x is harmless. The list is not. */
function membership(run: Run, frame: Frame, operand: Expression, list: Expression): void {
  const child = childOfParents(list);
  if (child) change(run, frame, child, below(run));
  const named = isSender(frame, operand) && trustedName.test(accessPath(list) ?? "");
  if (named || isOrigin(operand)) frame.scope.set("@origin-known", constant(true));
  // Whoever looks an origin up compares it, whatever the list.
  change(run, frame, operand, run.catalogue.bitsOf(["permissive_cors"]));
  if (!isAllowList(run, frame, list)) return;
  const address = addressOfHost(frame, innermost(operand));
  knownExtension(run, frame, operand);
  change(run, frame, operand, allFamilies);
  if (address) changeAddress(run, frame, address, operand);
}

/** The extension is one of those wanted: the name may still lead anywhere, but not to a script. */
function knownExtension(run: Run, frame: Frame, extension: Expression): void {
  const name = nameOfExtension(frame, extension);
  if (name) change(run, frame, name, run.catalogue.bitsOf(["unrestricted_upload"]));
}

const allowName = /allow|white|valid|permit|support|known|choice|safe|accept|^[A-Z][A-Z0-9_]+$/i;

function isAllowList(run: Run, frame: Frame, list: Expression): boolean {
  const value = evaluate(run, frame, list);
  // A name that is in a folder leads nowhere else.
  if (list.kind === "call" && list.callee.kind === "field" && list.callee.name === "listdir") return true;
  const slots = value.slots;
  // PHP asks lists only, and what nobody outside has a part in is a list of ours.
  if (run.language === "php" && allTaint(value).length === 0) return true;
  // What another file gives is a list of that file, unless its caller has made it.
  if (value.taint.some(({ source }) => source.outside === null)) return false;
  if (slots && slots.entries.size > 0 && !slots.rest) {
    return slots.shape === "map" || [...slots.entries.values()].every((entry) => entry.constants !== null);
  }
  // `User.column_names` is a call in Ruby.
  const name = accessPath(list.kind === "call" && list.args.length === 0 ? list.callee : list) ?? "";
  return slots === null && !(list.kind === "variable" && value.taint.length > 0)
    ? allowName.test(lastSegment(name))
    : false;
}

/** `if ".." in path: return` leaves a path that cannot climb. */
function absence(run: Run, frame: Frame, needle: Expression, operand: Expression): void {
  const text = evaluate(run, frame, needle).constants;
  if (text?.length !== 1 || text[0] !== "..") return;
  // `".." in path.split("/")`
  const { callee }: Partial<Call> = operand.kind === "call" ? operand : {};
  const whole = callee?.kind === "field" && callee.name === "split" ? callee.of : operand;
  change(run, frame, whole, run.catalogue.bitsOf(["path_traversal"]));
}

/** `path.indexOf("..") !== -1` and `list.indexOf(x) >= 0` are older spellings of the same tests. */
function indexTest(run: Run, frame: Frame, left: Expression, right: Expression, absent: boolean): void {
  const bound = evaluate(run, frame, right).constants?.[0];
  if (left.kind !== "call" || left.callee.kind !== "field" || !["indexOf", "find", "search"].includes(left.callee.name))
    return;
  if (bound !== -1 && bound !== 0) return;
  const needle = left.args[0]?.value;
  if (!needle) return;
  if (absent) absence(run, frame, needle, left.callee.of);
  else membership(run, frame, needle, left.callee.of);
}

const memberTests = new Set([
  "includes",
  "contains",
  "Contains",
  "has",
  "containsKey",
  "ContainsKey",
  "hasOwnProperty",
]);
const anyTests = new Set(["some", "any", "Any", "anyMatch"]);
const patternTests = new Set(["test", "matches", "match", "fullmatch", "exec", "MatchString", "Match"]);

function refineCall(run: Run, frame: Frame, call: Call, outcome: boolean): void {
  const { callee } = call;
  const first = call.args[0]?.value;
  if (callee.kind === "field" && first) {
    if (memberTests.has(callee.name)) {
      noteExtensions(run, frame, callee.of);
      if (outcome) membership(run, frame, first, callee.of);
      else absence(run, frame, first, callee.of);
    }
    if (patternTests.has(callee.name) && outcome) patternTest(run, frame, call, callee.of, first);
    if (anyTests.has(callee.name) && outcome) someTest(run, frame, callee.of, first);
  }
  matcherRefined(run, frame, call, outcome);
  if (outcome) subdomainTest(run, frame, call);
  if (outcome && run.language === "java") equalsTest(run, frame, call);
  if (outcome) signatureTest(run, frame, call);
  modelGuards(run, frame, call, outcome);
  if (outcome && first && promisesCheck(run, frame, call)) change(run, frame, first, allFamilies);
  else applyGuardFunction(run, frame, call, outcome ? "true" : "false");
}

/** `list.some((entry) => entry === x)`: for one of the elements it holds. */
function someTest(run: Run, frame: Frame, list: Expression, test: Expression): void {
  const [only, ...others] = test.kind === "closure" ? test.fn.body : [];
  const param = test.kind === "closure" ? test.fn.params[0] : undefined;
  if (!param || only?.kind !== "return" || !only.value || others.length > 0) return;
  const outer = frame.scope.get(param.name);
  frame.scope.set(param.name, anyElement(evaluate(run, frame, list)));
  refine(run, frame, only.value, true);
  if (outer) frame.scope.set(param.name, outer);
  else frame.scope.variables?.delete(param.name);
}

/** `urlparse(x).hostname.endswith(".example.com")`; without the dot anybody can register a name that ends like this. */
function subdomainTest(run: Run, frame: Frame, { callee, args }: Call): void {
  if (callee.kind !== "field") return;
  const [host, ending] = /^ends_?[wW]ith\??$/.test(callee.name)
    ? [callee.of, args[0]?.value]
    : callee.name === "HasSuffix"
      ? [args[0]?.value, args[1]?.value]
      : [];
  if (!host || !ending) return;
  const address = addressOfHost(frame, innermost(host));
  if (address && evaluate(run, frame, ending).prefix?.startsWith(".")) changeAddress(run, frame, address, host);
}

/** `"png".equals(x)`, `Objects.equals(x, "png")`: x is that text. */
function equalsTest(run: Run, frame: Frame, { callee, args }: Call): void {
  if (callee.kind !== "field" || !/^(equals|contentEquals|equalsIgnoreCase)$/.test(callee.name)) return;
  const [left, right] = args.length === 2 ? [args[0]?.value, args[1]?.value] : [callee.of, args[0]?.value];
  if (!left || !right) return;
  equal(run, frame, left, right);
  equal(run, frame, right, left);
}

/** `isValidName(x)` from another file is taken at its word. */
function promisesCheck(run: Run, frame: Frame, call: Call): boolean {
  const { callee } = call;
  const name = callee.kind === "field" || callee.kind === "variable" ? callee.name : "";
  if (!/^_*(is|has|check|validate|assert)?_?(valid|safe|allowed|white_?listed|trusted|permitted|accepted)/i.test(name))
    return false;
  return (
    callee.kind !== "variable" ||
    (frame.scope.binding(name)?.get(name)?.closures.length ?? 0) === 0 ||
    run.language === "java"
  );
}

/** A regular expression that is anchored at both ends and lists the characters allowed cleans what it matched. */
function patternTest(run: Run, frame: Frame, call: Call, of: Expression, first: Expression): void {
  const second = call.args[1]?.value;
  for (const [pattern, subject] of [[of, first], [first, of], ...(second ? [[first, second]] : [])] as [
    Expression,
    Expression,
  ][]) {
    const text = patternText(run, frame, pattern);
    const callee = call.callee.kind === "field" ? call.callee.name : "";
    const whole = (callee === "matches" && run.language === "java") || callee === "fullmatch";
    if (text !== null && isStrict(text, whole, callee === "match" && run.language === "python"))
      change(run, frame, subject, allFamilies);
  }
}

/** What a matcher has found, or what it has not: where none but harmless characters are left, text is harmless, too. */
function matcherRefined(run: Run, frame: Frame, call: Call, outcome: boolean): void {
  const test = matcherTest(frame, call);
  const text = test && patternText(run, frame, test.pattern);
  if (!test || text === null) return;
  const cleans = outcome
    ? isStrict(text, test.asks === "whole", test.asks === "start")
    : test.asks === "any" && keepsOnlyHarmless(text);
  if (cleans) change(run, frame, test.subject, allFamilies);
}

function patternText(run: Run, frame: Frame, pattern: Expression): string | null {
  const value = evaluate(run, frame, pattern);
  const known = value.constants?.[0] ?? value.slots?.entries.get("pattern")?.constants?.[0];
  if (typeof known !== "string") return null;
  return run.language === "php" ? undelimited(known) : known;
}

/** PHP keeps patterns with their delimiters and flags; what is written at the call has lost them already. */
const undelimited = (pattern: string): string => pattern.match(/^([/#~@%!])(.*)\1[a-zA-Z]*$/s)?.[2] ?? pattern;

/** Anchored, and no part may match anything: no dot, no negated class, no \S, \W or \D. */
export function isStrict(pattern: string, whole: boolean, fromStart: boolean): boolean {
  const anchored = (whole || fromStart || /^(\^|\\A)/.test(pattern)) && (whole || /(\$|\\[zZ])$/.test(pattern));
  const loose = pattern.replace(/\\[^SWDsn]/g, "").replace(/\[[^\]^][^\]]*\]/g, "");
  // An alternation at the top level is anchored in its first and last branch only.
  return anchored && !/[.]|\[\^|\\[SWDsn]/.test(loose) && !/^[^(]*\|/.test(loose);
}

/** `path.relative_to(base)` comes back only where it holds. */
export const noteThrowingGuard = (run: Run, frame: Frame, call: Call): void => modelGuards(run, frame, call, "after");

function modelGuards(run: Run, frame: Frame, call: Call, outcome: boolean | "after"): void {
  const { callee } = call;
  const { models, receiver, positional, named } = calledBy(run, frame, call);
  const anyones = callee.kind === "field" ? run.knowledge.calls.find(`?.${callee.name}`).guards : [];
  for (const guard of new Set([...models.guards, ...anyones])) {
    if ((guard.throws ? "after" : guard.answer) !== outcome) continue;
    const subject = { positional, named, receiver, receiverPaths: [], at: call, name: "" };
    if (!guard.when.every((test) => holds(frame, test, subject))) continue;
    if (guard.unless.some((test) => holds(frame, test, subject))) continue;
    const operand =
      guard.of === "receiver" ? (callee.kind === "field" ? callee.of : null) : call.args[Number(guard.of)]?.value;
    if (!operand) continue;
    change(run, frame, operand, guard.cleans);
    const address = guard.cleans === allFamilies ? addressOfHost(frame, operand) : null;
    if (address) changeAddress(run, frame, address, operand);
  }
}

export function change(run: Run, frame: Frame, operand: Expression, families: Families): void {
  const value = evaluate(run, frame, operand);
  const inner = innermost(operand);
  // A prefix test counts only on a path in its shortest form.
  if (
    families !== allFamilies &&
    (families & run.catalogue.bitsOf(["path_traversal"])) !== 0 &&
    isPrefixOnly(families, run)
  ) {
    const normal =
      value.taint.length > 0 && value.taint.every((t) => (t.clean & run.catalogue.bitsOf(["normalised"])) !== 0);
    if (!normal) return;
  }
  if (families !== allFamilies && (families & run.catalogue.bitsOf(["path_traversal"])) !== 0) {
    forgetMaking(run, value);
    for (const path of pathsBefore(frame, operand))
      if (accessPath(path) !== null) {
        const before = evaluate(run, frame, path);
        forgetMaking(run, before);
        store(frame, path, cleaned(before, families));
      }
    for (const name of pathsMadeOf(frame, operand)) {
      const made = frame.scope.get(name);
      if (made) frame.scope.set(name, cleaned(made, families));
    }
  }
  store(frame, inner, cleaned(inner === operand ? value : evaluate(run, frame, inner), families));
}

/** What lies below a folder: believed of a path in its shortest form. */
const below = (run: Run): Families => run.catalogue.bitsOf(["path_traversal", "normalised"]);

/** Guards that list `normalised` beside path_traversal ask for a normalised operand. */
const isPrefixOnly = (families: Families, run: Run): boolean => (families & run.catalogue.bitsOf(["normalised"])) !== 0;

/** What gives the same text, as far as a comparison is concerned. */
const sameText =
  /^(to(Lower|Upper)Case|lower(case)?|upper(case)?|strip|trim|toString|as_(str|ref|deref)|to_(string|lowercase|uppercase)|clone|components)$/;

/** `x.toLowerCase() in allowed` speaks about x. */
function innermost(operand: Expression): Expression {
  let here = operand;
  for (;;) {
    // `name or ""`: what is tested is the name, or nothing.
    const [first, other] = here.kind === "operation" && /^(or|\|\||\?\?)$/.test(here.operator) ? here.operands : [];
    if (first && other?.kind === "literal") {
      here = first;
      continue;
    }
    if (here.kind !== "call") return here;
    const { callee, args } = here;
    if (callee.kind === "field" && sameText.test(callee.name)) here = callee.of;
    else if (callee.kind === "variable" && /^((mb_)?strto(lower|upper)|trim|strval)$/.test(callee.name) && args[0])
      here = args[0].value;
    else return here;
  }
}

function store(frame: Frame, operand: Expression, value: Value): void {
  const key = accessPath(operand);
  if (key !== null) frame.scope.set(key, value === nothing ? { ...nothing } : value);
}
