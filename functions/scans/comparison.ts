import * as z from "zod";
import { severities } from "../issues/issue.ts";
import type { IssueIdentity } from "../issues/issue-identity.ts";

/** What became of an issue between two scans. Lists begin with what a reader has to look at first. */
export const ComparisonState = z.enum(["new", "reopened", "persisting", "resolved", "unknown"]);
export type ComparisonState = z.infer<typeof ComparisonState>;

export interface ComparedIssue {
  readonly state: ComparisonState;
  /** As the later scan has it; as the earlier one had it when the later one has it no more. */
  readonly issue: IssueIdentity;
  /** Its id in the earlier scan; null for what is new. */
  readonly baseIssueId: string | null;
}

/**
 * Says of every issue of two scans of a project what became of it, each once. They are matched by fingerprint, the rest by the
 * fingerprint that does not hold the path, where that is unique on both sides: one file that was copied is no file that was moved.
 * @param lookedAgain whether the later scan looked where an issue of the earlier one was, so that its absence says something
 */
export function compareIssues(
  base: readonly IssueIdentity[],
  present: readonly IssueIdentity[],
  lookedAgain: (issue: IssueIdentity) => boolean,
): ComparedIssue[] {
  const earlier = matchIssues(base, present);
  const found = new Set([...earlier.values()].map(({ id }) => id));
  return [
    ...present.map((issue): ComparedIssue => {
      const before = earlier.get(issue.id);
      if (!before) return { state: "new", issue, baseIssueId: null };
      return { state: before.status === "resolved" ? "reopened" : "persisting", issue, baseIssueId: before.id };
    }),
    ...base
      .filter(({ id }) => !found.has(id))
      .map((issue): ComparedIssue => {
        return { state: lookedAgain(issue) ? "resolved" : "unknown", issue, baseIssueId: issue.id };
      }),
  ];
}

/** The earlier issue of each present one that has one, by the present one's id. */
function matchIssues(base: readonly IssueIdentity[], present: readonly IssueIdentity[]): Map<string, IssueIdentity> {
  const byFingerprint = new Map(base.map((issue) => [issue.fingerprint, issue]));
  const matched = new Map<string, IssueIdentity>();
  const unmatched: IssueIdentity[] = [];
  for (const issue of present) {
    const before = byFingerprint.get(issue.fingerprint);
    if (before) matched.set(issue.id, before);
    else unmatched.push(issue);
    byFingerprint.delete(issue.fingerprint);
  }
  const leftOver = onlyOnes([...byFingerprint.values()]);
  for (const [moved, issue] of onlyOnes(unmatched)) {
    const before = leftOver.get(moved);
    if (before) matched.set(issue.id, before);
  }
  return matched;
}

/** The issues that share their moved fingerprint with no other, by it. */
function onlyOnes(issues: readonly IssueIdentity[]): Map<string, IssueIdentity> {
  const groups = Map.groupBy(issues, (issue) => issue.movedFingerprint);
  return new Map(
    [...groups].flatMap(([moved, [issue, ...others]]) => (issue && others.length === 0 ? [[moved, issue]] : [])),
  );
}

/** How many issues are in each state, states without any included. */
export function countStates(compared: readonly ComparedIssue[]): Record<ComparisonState, number> {
  const counts = { new: 0, reopened: 0, persisting: 0, resolved: 0, unknown: 0 };
  for (const { state } of compared) counts[state] += 1;
  return counts;
}

/** By state, then the most severe first, then by place. */
export const comparisonOrder = (a: ComparedIssue, b: ComparedIssue): number =>
  rank(a) - rank(b) ||
  severities.indexOf(a.issue.severity) - severities.indexOf(b.issue.severity) ||
  byText(a.issue.path, b.issue.path) ||
  a.issue.startLine - b.issue.startLine ||
  byText(a.issue.id, b.issue.id);

const rank = ({ state }: ComparedIssue) => ComparisonState.options.indexOf(state);
const byText = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);
