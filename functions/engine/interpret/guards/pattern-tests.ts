import { allFamilies } from "../../catalogue/catalogue.ts";
import { calledName } from "../../ir/called-name.ts";
import type { Call, Expression } from "../../ir/ir.ts";
import { evaluate } from "../evaluate.ts";
import { accessPath } from "../names.ts";
import type { Frame, Run } from "../run.ts";
import { byConstant } from "../texts/constants-elsewhere.ts";
import { cleanedByAbsence, cleanedByPattern, type Extent } from "../texts/patterns.ts";
import { keepsOnlyHarmless } from "../texts/replaced.ts";
import { undelimited } from "../texts/replacements.ts";
import { original } from "./address-parts.ts";
import { askedByOther } from "./guard-functions.ts";
import { matcherTest } from "./matcher-tests.ts";
import { absence, climbsNowhere } from "./path-tests.ts";
import { change, innermost } from "./refined.ts";

const patternTests = new Set([
  "test",
  "matches",
  "match",
  "fullmatch",
  "exec",
  "MatchString",
  "Match",
  "IsMatch",
  "is_match",
]);

const isPatternTest = ({ callee }: Call): boolean => callee.kind === "field" && patternTests.has(callee.name);

/** A regular expression that is anchored at both ends cleans what it matched for what needs other characters. */
export function patternTest(run: Run, frame: Frame, call: Call, of: Expression, first: Expression): void {
  const second = call.args[1]?.value;
  for (const [pattern, subject] of [[of, first], [first, of], ...(second ? [[first, second]] : [])] as [
    Expression,
    Expression,
  ][]) {
    const text = patternText(run, frame, pattern);
    const callee = call.callee.kind === "field" ? call.callee.name : "";
    const whole = (callee === "matches" && run.language === "java") || callee === "fullmatch";
    const fromStart = callee === "match" && run.language === "python";
    if (text === null) {
      askedConstant(run, frame, pattern, subject, whole ? "whole" : fromStart ? "start" : "any", "true");
      continue;
    }
    const cleans = cleanedByPattern(run.catalogue, text, whole, fromStart);
    if (cleans !== 0) change(run, frame, subject, cleans);
  }
}

/** `/\.\./.test(path)` does not hold: the path has no two dots, or none that are a part of it; `/[^\w-]/`: there is nothing else in it. */
export function absenceTest(run: Run, frame: Frame, call: Call, of: Expression, first: Expression): void {
  const second = call.args[1]?.value;
  const ways: (readonly [pattern: Expression, subject: Expression])[] = [
    [of, first],
    [first, second ?? of],
  ];
  for (const [pattern, subject] of ways) {
    const text = patternText(run, frame, pattern);
    if (text !== null) notFound(run, frame, text, subject, isPartial(run, call));
    else if (!isPartial(run, call)) askedConstant(run, frame, pattern, subject, "any", "false");
  }
}

/** `NAME.test(x)`, `x.match(NAME)`, where NAME is a constant of another file. */
function askedConstant(
  run: Run,
  frame: Frame,
  pattern: Expression,
  subject: Expression,
  asks: Extent,
  check: "true" | "false",
): void {
  const passage = byConstant(run, frame, pattern, asks, check);
  if (passage) askedByOther(run, frame, subject, passage);
}

/** A text in which a pattern is not found has none of its alternatives. */
function notFound(run: Run, frame: Frame, pattern: string, subject: Expression, isPartly = false): void {
  const left = isPartly ? 0 : cleanedByAbsence(run.catalogue, pattern);
  if (left !== 0) change(run, frame, subject, left);
  const alternatives = alternativesOf(pattern);
  if (alternatives.some((one) => asksForDots.test(one))) climbsNowhere(run, frame, subject);
  if (alternatives.some((one) => asksForLineEnd.test(one)))
    change(run, frame, subject, run.catalogue.bitsOf(["header_injection", "log_injection"]));
}

/** A pattern, and what it consists of where it says no more than that one of several things is there. */
function alternativesOf(pattern: string): readonly string[] {
  const flat = pattern.replace(/\((?:\?:)?(\\\.|\[\.\])\)/g, "$1");
  const within = flat.match(/^\((?:\?:)?(.*)\)$/s)?.[1] ?? flat;
  return pattern.length > patternMax || hasParts.test(within) ? [pattern] : [pattern, ...within.split("|")];
}

/** UTF-16 units of a pattern that is taken apart: what is longer says more than what must not be there. */
const patternMax = 200;
/** Groups, and lists with a bar in them. */
const hasParts = /(?<!\\)[()]|\[[^\]]*\|/;

/** `BAD.sub("", x) == x`, `x.replace("..", "") === x`: what replacing leaves as it is has nothing that would have been replaced. */
export function unchangedTest(run: Run, frame: Frame, given: Expression, subject: Expression): void {
  const replacing = original(frame, given);
  if (replacing.kind !== "call" || !replaces.test(calledName(replacing))) return;
  const path = accessPath(subject);
  if (path === null) return;
  const { callee, args } = replacing;
  const operands = [...(callee.kind === "field" ? [callee.of] : []), ...args.map(({ value }) => value)];
  if (!operands.some((operand) => accessPath(innermost(operand)) === path)) return;
  const pattern = operands.find((operand) => patternText(run, frame, operand) !== null);
  if (!pattern) return;
  absence(run, frame, pattern, subject);
  notFound(run, frame, patternText(run, frame, pattern) ?? "", subject);
}

const replaces = /^(replace|replaceAll|ReplaceAll|ReplaceAllString|Replace|sub|gsub|preg_replace|str_i?replace)$/;

/** Whether a call says that something was found anywhere in a text: `re.search` of Python does, where `match` looks at the beginning. */
export const isSearch = ({ language }: Run, call: Call): boolean =>
  isPatternTest(call) || (language === "python" && call.callee.kind === "field" && call.callee.name === "search");

/** What looks at the beginning of a text only, or at all of it, may have found something elsewhere. */
const isPartial = ({ language }: Run, { callee }: Call): boolean =>
  callee.kind === "field" &&
  (callee.name === "fullmatch" ||
    (callee.name === "matches" ? language === "java" : callee.name === "match" && language === "python"));

/** `[\r\n]`, as it is written or as it is meant. */
const asksForLineEnd = /^(\[(?:[\r\n]|\\[rn])+\]\+?|\\R|\\[rn]|[\r\n])$/;

/** Two dots, also with what parts of a path stand between. */
const asksForDots =
  /^(\((\?:)?\^\|[^()]*\))?(\\\.|\[\.\])(\\\.|\[\.\]|\{2,?\})\+?(\((\?:)?[^()|]*\|\$\)|\((\?:)?\$\|[^()|]*\)|\[[\\/]+\]|\\?\/)?$/;

/** What a matcher has found, or what it has not: where none but harmless characters are left, text is harmless, too. */
export function matcherRefined(run: Run, frame: Frame, call: Call, outcome: boolean): void {
  const test = matcherTest(frame, call);
  const text = test && patternText(run, frame, test.pattern);
  if (test && text === null)
    askedConstant(run, frame, test.pattern, test.subject, test.asks, outcome ? "true" : "false");
  if (!test || text === null) return;
  const harmless = test.asks === "any" && keepsOnlyHarmless(text) ? allFamilies : 0;
  const cleans = outcome
    ? cleanedByPattern(run.catalogue, text, test.asks === "whole", test.asks === "start")
    : harmless;
  if (cleans !== 0) change(run, frame, test.subject, cleans);
}

function patternText(run: Run, frame: Frame, pattern: Expression): string | null {
  const value = evaluate(run, frame, pattern);
  const known = value.constants?.[0] ?? value.slots?.entries.get("pattern")?.constants?.[0];
  if (typeof known !== "string") return null;
  return run.language === "php" ? undelimited(known) : known;
}
