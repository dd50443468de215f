import { isDeepStrictEqual } from "node:util";
import type { IssueIdentity } from "../issues/issue-identity.ts";
import type { LeftOut } from "../sources/repository-snapshot.ts";
import type { FileCoverage } from "./coverage.ts";
import type { ScanInstructions } from "./instructions.ts";

/** What a scan has left about what it looked at, and how. */
export interface Look {
  readonly coverage: readonly FileCoverage[];
  readonly instructions: ScanInstructions;
  /** Null for a ZIP, which is all there is. */
  readonly leftOut: LeftOut | null;
}

/**
 * Tells whether a scan looked where an issue of another one was, with what had found it: only then its absence says something. A file that
 * is not there has been looked at; one that a limit or a pattern left out has not.
 * @param how the other scan looked; null when nobody knows
 */
export function secondLook(look: Look, how: ScanInstructions | null): (issue: IssueIdentity) => boolean {
  const rows = new Map(look.coverage.map((row) => [row.path, row]));
  const categoriesOff = new Set(look.instructions.categoriesOff);
  const sameReview = how !== null && isDeepStrictEqual(question(how), question(look.instructions));
  const sameCodes = how !== null && isDeepStrictEqual(how.codes, look.instructions.codes);
  const samePatterns = how !== null && isDeepStrictEqual(how.patterns, look.instructions.patterns);

  /** Nothing can be found where there is nothing any more. */
  const isGone = (path: string): boolean => {
    const row = rows.get(path);
    return row ? row.reason === "empty" : !mayBeLeftOut(path, look.leftOut);
  };
  const isRead = (path: string): boolean => isGone(path) || rows.get(path)?.status === "analysed";
  const isReviewed = (path: string): boolean => ["reviewed", "cached"].includes(rows.get(path)?.review ?? "");
  return (issue) => {
    if (isGone(issue.path)) return true;
    if (categoriesOff.has(issue.owasp2021 ?? "")) return false;
    if (![issue.path, ...issue.otherPaths].every(isRead)) return false;
    if (!issue.origins.includes("rule")) return sameReview && isReviewed(issue.path);
    if (isAboutQuality(issue)) return sameCodes;
    return samePatterns || !isUsersRule(issue);
  };
}

/** What a model was asked. Another model or template that finds less has not resolved anything. */
const question = ({ model, alternative, review }: ScanInstructions) => [
  model?.provider,
  model?.model,
  alternative?.provider,
  alternative?.model,
  review.template,
  review.rules,
];

/** Rules of users come and go with the rule set that a scan is started with. */
const isUsersRule = ({ ruleId }: IssueIdentity) => ruleId.startsWith("user.");

/** Rules that are on only where the rule set has their codes. */
const isAboutQuality = ({ ruleId }: IssueIdentity) => /^(quality|performance)\./.test(ruleId);

/** A repository's archive may lack files that are still there, and their list is cut. */
const mayBeLeftOut = (path: string, leftOut: LeftOut | null): boolean =>
  leftOut !== null &&
  (leftOut.listingIncomplete || leftOut.count > leftOut.paths.length || leftOut.paths.includes(path));
