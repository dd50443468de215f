import { allFamilies } from "../../catalogue/catalogue.ts";
import { calledName } from "../../ir/called-name.ts";
import type { Call, Expression } from "../../ir/ir.ts";
import { evaluate } from "../evaluate.ts";
import type { Frame, Run } from "../run.ts";
import { cleanedByAbsence, cleanedByPattern } from "../texts/patterns.ts";
import { keepsOnlyHarmless, undelimited } from "../texts/replacements.ts";
import { matcherTest } from "./matcher-tests.ts";
import { climbsNowhere } from "./path-tests.ts";
import { change } from "./refined.ts";

const patternTests = new Set(["test", "matches", "match", "fullmatch", "exec", "MatchString", "Match"]);

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
    if (text === null) continue;
    const cleans = cleanedByPattern(run.catalogue, text, whole, callee === "match" && run.language === "python");
    if (cleans !== 0) change(run, frame, asText(run, subject), cleans);
  }
}

/** `re.match(pattern, str(name))`: what is looked at is the name. */
const asText = ({ language }: Run, e: Expression): Expression =>
  language === "python" && e.kind === "call" && calledName(e) === "str" && e.args[0] ? e.args[0].value : e;

/** `/\.\./.test(path)` does not hold: the path has no two dots, or none that are a part of it; `/[^\w-]/`: there is nothing else in it. */
export function absenceTest(run: Run, frame: Frame, call: Call, of: Expression, first: Expression): void {
  const second = call.args[1]?.value;
  const ways: (readonly [pattern: Expression, subject: Expression])[] = [
    [of, first],
    [first, second ?? of],
  ];
  for (const [pattern, subject] of ways) {
    const text = patternText(run, frame, pattern) ?? "";
    if (text !== "" && !isPartial(run, call)) {
      const left = cleanedByAbsence(run.catalogue, text);
      if (left !== 0) change(run, frame, subject, left);
    }
    if (asksForDots.test(text)) climbsNowhere(run, frame, subject);
    else if (asksForLineEnd.test(text))
      change(run, frame, subject, run.catalogue.bitsOf(["header_injection", "log_injection"]));
  }
}

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
  /^(\((\?:)?\^\|[^()]*\))?(\\\.|\[\.\])(\\\.|\[\.\]|\{2,?\})(\((\?:)?[^()|]*\|\$\)|\((\?:)?\$\|[^()|]*\)|\[[\\/]+\]|\\?\/)?$/;

/** What a matcher has found, or what it has not: where none but harmless characters are left, text is harmless, too. */
export function matcherRefined(run: Run, frame: Frame, call: Call, outcome: boolean): void {
  const test = matcherTest(frame, call);
  const text = test && patternText(run, frame, test.pattern);
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
