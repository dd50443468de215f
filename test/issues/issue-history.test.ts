import { v7 as uuid } from "uuid";
import { describe, expect, it } from "vitest";
import type { Finding } from "../../functions/engine/finding.ts";
import {
  bornFalse,
  type Issue,
  type IssueStatus,
  isJudgedFalse,
  newIssue,
  noteCharactersMax,
  triage,
  verdictsMax,
} from "../../functions/issues/issue.ts";
import { aFinding } from "../support/finding.ts";

const [alice, bob] = [uuid(), uuid()];
const day = (n: number) => new Date(Date.UTC(2026, 0, 1 + n));
const born = (change: Partial<Finding> = {}): Issue =>
  newIssue({ ...aFinding("a"), ...change }, uuid(), uuid(), day(0).toISOString());

describe("a verdict", () => {
  it("replaces the one before, and the history keeps both with their notes", () => {
    const resolved = triage(born(), "resolved", alice, day(1), "fixed in 1.2");
    const open = triage(resolved, "open", bob, day(2));
    expect(open).toMatchObject({ status: "open", resolvedBy: null, resolvedAt: null, updatedAt: day(2).toISOString() });
    expect(open.history).toEqual([
      { status: "resolved", by: alice, at: day(1).toISOString(), note: "fixed in 1.2", from: null },
      { status: "open", by: bob, at: day(2).toISOString(), note: null, from: null },
    ]);
  });

  it("that is repeated word for word changes nothing; by another person or with another note it does", () => {
    const resolved = triage(born(), "resolved", alice, day(1), "fixed");
    expect(triage(resolved, "resolved", alice, day(2), "fixed")).toBe(resolved);
    expect(triage(resolved, "resolved", bob, day(2), "fixed").history).toHaveLength(2);
    expect(triage(resolved, "resolved", alice, day(2), "not only here").history).toHaveLength(2);
    expect(triage(born(), "open", alice, day(1)).history).toHaveLength(1);
  });

  it("is one of the latest fifty, which fit into an item with the longest notes", () => {
    const note = "注".repeat(noteCharactersMax);
    let issue = born();
    for (let n = 1; n <= verdictsMax + 7; n++) issue = triage(issue, n % 2 ? "open" : "resolved", alice, day(n), note);
    expect(issue.history).toHaveLength(verdictsMax);
    expect(issue.history.at(0)?.at).toBe(day(8).toISOString());
    expect(issue.history.at(-1)?.at).toBe(day(verdictsMax + 7).toISOString());
    expect(Buffer.byteLength(JSON.stringify(issue.history))).toBeLessThan(200_000);
  });
});

describe("a false positive of an earlier scan", () => {
  const judged = (status: IssueStatus) => triage(born(), status, alice, day(1), "test data");

  it("is one when a person said so, not when a comment in the code does", () => {
    expect(isJudgedFalse(judged("false_positive"))).toBe(true);
    expect(isJudgedFalse(judged("resolved"))).toBe(false);
    const suppressed = born({ suppressed: { reason: "known" } });
    expect([suppressed.status, isJudgedFalse(suppressed)]).toEqual(["false_positive", false]);
    expect(isJudgedFalse(triage(suppressed, "false_positive", alice, day(1)))).toBe(true);
  });

  it("is born one, with the verdict of then and the place where it was given", () => {
    const first = judged("false_positive");
    const second = bornFalse(born(), first);
    const from = { taskId: first.taskId, issueId: first.id };
    const verdict = { status: "false_positive", by: alice, at: day(1).toISOString(), note: "test data", from };
    expect(second).toMatchObject({ status: "false_positive", resolvedBy: null, updatedAt: null, history: [verdict] });
    expect(bornFalse(born(), second).history).toEqual([verdict]);
    const again = triage(second, "false_positive", bob, day(5));
    expect(bornFalse(born(), again).history[0]).toMatchObject({ by: bob, from: { issueId: second.id } });
  });
});
