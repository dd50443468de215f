import { allFamilies, type Families } from "../../catalogue/catalogue.ts";
import type { Call, Expression } from "../../ir/ir.ts";
import { evaluate } from "../evaluate.ts";
import type { Frame, Run } from "../run.ts";
import { keepsOnlyHarmless, undelimited } from "../texts/replacements.ts";
import { matcherTest } from "./matcher-tests.ts";
import { climbsNowhere } from "./path-tests.ts";
import { change } from "./refined.ts";

const patternTests = new Set(["test", "matches", "match", "fullmatch", "exec", "MatchString", "Match"]);

export const isPatternTest = ({ callee }: Call): boolean => callee.kind === "field" && patternTests.has(callee.name);

/** A regular expression that is anchored at both ends and lists the characters allowed cleans what it matched. */
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
    const cleans = cleanedByPattern(run, text, whole, callee === "match" && run.language === "python");
    if (cleans !== 0) change(run, frame, subject, cleans);
  }
}

/** What text is clean for that a pattern has matched. */
export function cleanedByPattern(run: Run, pattern: string, whole: boolean, fromStart: boolean): Families {
  if (isStrict(pattern, whole, fromStart)) return allFamilies;
  return staysHere(pattern) ? run.catalogue.bitsOf(["open_redirect", "ssrf"]) : 0;
}

/** `/\.\./.test(path)` does not hold: the path has no two dots, or none that are a part of it. */
export function noDotsTest(run: Run, frame: Frame, call: Call, of: Expression, first: Expression): void {
  const second = call.args[1]?.value;
  const ways: (readonly [pattern: Expression, subject: Expression])[] = [
    [of, first],
    [first, second ?? of],
  ];
  for (const [pattern, subject] of ways)
    if (asksForDots.test(patternText(run, frame, pattern) ?? "")) climbsNowhere(run, frame, subject);
}

/** Two dots, also with what parts of a path stand between. */
const asksForDots =
  /^(\((\?:)?\^\|[^()]*\))?(\\\.|\[\.\])(\\\.|\[\.\]|\{2,?\})(\((\?:)?[^()|]*\|\$\)|\((\?:)?\$\|[^()|]*\)|\[[\\/]+\]|\\?\/)?$/;

/** What matches is a path of this site: it begins with one slash, and neither a slash nor a backslash that browsers take for one follows. */
const staysHere = (pattern: string): boolean =>
  /^(\^|\\A)\\?\/\(?([\w-]|\[[\w-]|\[\^[^\]]*\/|\(?\?![^)]*\/)/.test(pattern) && !/^[^(]*\|/.test(pattern);

/** What a matcher has found, or what it has not: where none but harmless characters are left, text is harmless, too. */
export function matcherRefined(run: Run, frame: Frame, call: Call, outcome: boolean): void {
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

/** Anchored, and no part may match anything: no dot, no negated class, no \S, \W or \D. */
export function isStrict(pattern: string, whole: boolean, fromStart: boolean): boolean {
  const anchored = (whole || fromStart || /^(\^|\\A)/.test(pattern)) && (whole || /(\$|\\[zZ])$/.test(pattern));
  const loose = pattern.replace(/\\[^SWDsn]/g, "").replace(/\[[^\]^][^\]]*\]/g, "");
  // Where marks anchor it, an alternation at the top level is anchored in its first and last branch only.
  return anchored && !/[.]|\[\^|\\[SWDsn]/.test(loose) && (whole || !/^[^(]*\|/.test(loose));
}
