import type { Call, Expression } from "../../ir/ir.ts";
import type { Frame } from "../run.ts";
import type { Extent } from "../texts/patterns.ts";
import { original } from "./address-parts.ts";

/** What an object asks that goes through one text with one pattern. */
export interface MatcherTest {
  pattern: Expression;
  subject: Expression;
  asks: Extent;
}

const asked: Record<string, Extent> = { matches: "whole", lookingAt: "start", find: "any" };

/** `NAME.matcher(x).matches()` of Java, also by way of a variable that holds the matcher. */
export function matcherTest(frame: Frame, { callee, args }: Call): MatcherTest | null {
  if (callee.kind !== "field" || args.length > 0) return null;
  const asks = Object.hasOwn(asked, callee.name) ? asked[callee.name] : undefined;
  const made = asks ? matchedBy(frame, callee.of) : null;
  return asks && made ? { ...made, asks } : null;
}

/** What a matcher looks for, and in what. */
export function matchedBy(frame: Frame, matcher: Expression): Omit<MatcherTest, "asks"> | null {
  const made = original(frame, matcher);
  if (made.kind !== "call" || made.callee.kind !== "field" || made.callee.name !== "matcher") return null;
  const subject = made.args[0]?.value;
  return subject ? { pattern: made.callee.of, subject } : null;
}
