import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { IssueIdentity } from "../../functions/issues/issue-identity.ts";
import { type ComparedIssue, compareIssues, comparisonOrder, countStates } from "../../functions/scans/comparison.ts";

const anIssue = (id: string, change: Partial<IssueIdentity> = {}): IssueIdentity => ({
  id,
  taskId: "task",
  fingerprint: `f-${id}`,
  movedFingerprint: `m-${id}`,
  ruleId: "sql-injection.tainted-query",
  owasp2021: "A03",
  severity: "high",
  path: "a.py",
  startLine: 1,
  otherPaths: [],
  origins: ["rule"],
  status: "open",
  ...change,
});

const everywhere = () => true;
const nowhere = () => false;
const statesById = (compared: readonly ComparedIssue[]) =>
  Object.fromEntries(compared.map(({ issue, state }) => [issue.id, state]));

describe("a comparison of two scans", () => {
  it("tells what is new, persists, was reopened, resolved, and what nobody knows", () => {
    const base = [
      anIssue("stays"),
      anIssue("was-resolved", { status: "resolved" }),
      anIssue("false", { status: "false_positive" }),
      anIssue("fixed"),
      anIssue("unseen", { path: "left-out.py" }),
    ];
    const present = [
      anIssue("stays-2", { fingerprint: "f-stays" }),
      anIssue("was-resolved-2", { fingerprint: "f-was-resolved" }),
      anIssue("false-2", { fingerprint: "f-false" }),
      anIssue("added"),
    ];
    const compared = compareIssues(base, present, ({ path }) => path !== "left-out.py");
    expect(statesById(compared)).toEqual({
      "stays-2": "persisting",
      "was-resolved-2": "reopened",
      "false-2": "persisting",
      added: "new",
      fixed: "resolved",
      unseen: "unknown",
    });
    expect(compared.find(({ issue }) => issue.id === "stays-2")).toMatchObject({ baseIssueId: "stays" });
    expect(countStates(compared)).toEqual({ new: 1, reopened: 1, persisting: 2, resolved: 1, unknown: 1 });
  });

  it("follows an issue whose file was moved, unless it was moved to two places or came from two", () => {
    const moved = (id: string, path: string) => anIssue(id, { movedFingerprint: "m", path });
    expect(statesById(compareIssues([moved("a", "old.py")], [moved("b", "new.py")], everywhere))).toEqual({
      b: "persisting",
    });
    const twice = compareIssues([moved("a", "old.py")], [moved("b", "new.py"), moved("c", "newer.py")], everywhere);
    expect(statesById(twice)).toEqual({ a: "resolved", b: "new", c: "new" });
    const fromTwo = compareIssues([moved("a", "old.py"), moved("b", "older.py")], [moved("c", "new.py")], everywhere);
    expect(statesById(fromTwo)).toEqual({ a: "resolved", b: "resolved", c: "new" });
  });

  it("calls a copy new, and keeps the original", () => {
    const original = anIssue("a", { movedFingerprint: "m" });
    const copy = anIssue("copy", { movedFingerprint: "m", path: "copy.py" });
    expect(statesById(compareIssues([original], [original, copy], everywhere))).toEqual({
      a: "persisting",
      copy: "new",
    });
  });

  it("lists what needs attention first, the most severe before the rest, then by place", () => {
    const base = [anIssue("stays"), anIssue("gone", { severity: "critical" })];
    const present = [
      anIssue("stays"),
      anIssue("low", { severity: "low" }),
      anIssue("later", { startLine: 10 }),
      anIssue("sooner", { startLine: 9 }),
      anIssue("critical", { severity: "critical", path: "z.py" }),
    ];
    const sorted = compareIssues(base, present, everywhere).toSorted(comparisonOrder);
    expect(sorted.map(({ issue }) => issue.id)).toEqual(["critical", "sooner", "later", "low", "stays", "gone"]);
  });
});

/** Few names, so that scans share fingerprints, and moved ones collide. */
const issuesOf = (scan: string) =>
  fc
    .uniqueArray(
      fc.record({
        name: fc.integer({ min: 0, max: 12 }),
        moved: fc.integer({ min: 0, max: 4 }),
        status: fc.constantFrom("open" as const, "resolved" as const, "false_positive" as const),
        path: fc.constantFrom("a.py", "b.py"),
      }),
      { selector: ({ name }) => name, maxLength: 12 },
    )
    .map((issues) =>
      issues.map(({ name, moved, status, path }) =>
        anIssue(`${scan}-${name}`, { fingerprint: `f-${name}`, movedFingerprint: `m-${moved}`, status, path }),
      ),
    );

describe("any comparison", () => {
  it("puts each issue of both scans into exactly one state", () => {
    fc.assert(
      fc.property(issuesOf("base"), issuesOf("present"), fc.boolean(), (base, present, seen) => {
        const compared = compareIssues(base, present, seen ? everywhere : nowhere);
        const now = compared.filter(({ state }) => ["new", "persisting", "reopened"].includes(state));
        expect(now.map(({ issue }) => issue.id).toSorted()).toEqual(present.map(({ id }) => id).toSorted());
        const before = compared.flatMap(({ baseIssueId }) => (baseIssueId === null ? [] : [baseIssueId]));
        expect(before.toSorted()).toEqual(base.map(({ id }) => id).toSorted());
        const counts = countStates(compared);
        expect(Object.values(counts).reduce((sum, count) => sum + count, 0)).toBe(compared.length);
        expect(seen ? counts.unknown : counts.resolved).toBe(0);
      }),
    );
  });

  it("of a scan with itself finds every issue again", () => {
    fc.assert(
      fc.property(issuesOf("same"), (issues) => {
        for (const { state, issue, baseIssueId } of compareIssues(issues, issues, everywhere)) {
          expect(state).toBe(issue.status === "resolved" ? "reopened" : "persisting");
          expect(baseIssueId).toBe(issue.id);
        }
      }),
    );
  });

  it("turns new into resolved when it is made the other way round", () => {
    fc.assert(
      fc.property(issuesOf("base"), issuesOf("present"), (base, present) => {
        const ids = (compared: readonly ComparedIssue[], state: string) =>
          compared.flatMap((one) => (one.state === state ? [one.issue.id] : [])).toSorted();
        const forth = compareIssues(base, present, everywhere);
        const back = compareIssues(present, base, everywhere);
        expect(ids(back, "resolved")).toEqual(ids(forth, "new"));
        expect(ids(back, "new")).toEqual(ids(forth, "resolved"));
      }),
    );
  });

  it("does not depend on the order in which issues were stored", () => {
    fc.assert(
      fc.property(issuesOf("base"), issuesOf("present"), (base, present) => {
        const sorted = (compared: readonly ComparedIssue[]) => compared.toSorted(comparisonOrder);
        const other = compareIssues(base.toReversed(), present.toReversed(), everywhere);
        expect(sorted(other)).toEqual(sorted(compareIssues(base, present, everywhere)));
      }),
    );
  });
});
