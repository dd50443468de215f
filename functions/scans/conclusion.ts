import type { Coverage } from "../engine/artefact.ts";
import type { Issue } from "../issues/issue.ts";
import { qualityPenalty } from "../issues/quality-penalty.ts";
import type { FileCoverage } from "./coverage.ts";
import type { LinkedFindings, Plan } from "./plan.ts";
import { isReviewReason, type ReviewReason, stopsReview } from "./review-result.ts";
import { scanFailure } from "./scan-failure.ts";
import type { Task, Warning } from "./task.ts";

/** A task item must stay far below DynamoDB's 400 KB; the whole list is in the results bucket. */
const pathsShownMax = 100;

/** The end of a task: its totals and what the reader must know about them. */
export type Conclusion = Pick<
  Task,
  "status" | "scannedFiles" | "totalLines" | "issuesCount" | "qualityScore" | "warnings" | "failure"
>;

/**
 * Draws the conclusion of a scan. A scan that looked at nothing has no score to be proud of: it says so and scores 0;
 * one that should have looked at files and could not read any has failed.
 */
export function conclude(
  plan: Plan,
  linked: LinkedFindings,
  issues: readonly Issue[],
  review: ConcludedReview,
): Conclusion {
  const looked = linked.coverage.filter((row) => row.status === "analysed" || row.status === "partial");
  const lost = [...linked.unfinished, ...pathsOf(linked.coverage, "failed")];
  const failed = plan.accepted.length > 0 && lost.length === plan.accepted.length;
  return {
    status: failed ? "failed" : "completed",
    failure: failed ? scanFailure("nothing_analysed") : null,
    scannedFiles: linked.coverage.length,
    totalLines: linked.coverage.reduce((sum, row) => sum + row.lines, 0),
    issuesCount: issues.length,
    qualityScore: qualityScore(looked, issues),
    warnings: [
      ...(plan.accepted.length === 0
        ? [
            warning(
              "no_scannable_files",
              plan.skipped.map((file) => file.path),
            ),
          ]
        : []),
      ...warningIfAny("paths_not_found", plan.missing),
      ...warningsOf(plan.leftOut),
      ...warningIfAny(
        "files_over_limit",
        plan.skipped.filter(({ reason }) => reason === "over_file_limit").map(({ path }) => path),
      ),
      ...warningIfAny("files_not_analysed", lost),
      ...warningIfAny("files_partly_analysed", pathsOf(linked.coverage, "partial")),
      ...warningIfAny("files_left_out", pathsOf(linked.coverage, "skipped")),
      ...warningIfAny(
        "suppressed_findings",
        issues.filter((issue) => issue.suppression !== null).map((issue) => issue.path),
      ),
      ...(plan.accepted.length > 0 ? warningsOfReview(review) : []),
    ],
  };
}

/** What a review comes to: a model's, file by file, or none. */
export type ConcludedReview =
  | { readonly model: true; readonly coverage: readonly FileCoverage[] }
  | { readonly model: false; readonly trouble: ReviewReason | null };

/** That a model leaves out lock files and data is as it should be; whatever else it has not reviewed is told, reason by reason. */
function warningsOfReview(review: ConcludedReview): Warning[] {
  if (!review.model) return [{ ...warning("rules_only", []), ...(review.trouble && { reason: review.trouble }) }];
  const wanting = review.coverage.filter(({ review_reason: reason }) => isReviewReason(reason));
  const byReason = [...Map.groupBy(wanting, (row) => row.review_reason as ReviewReason)];
  return byReason.map(([reason, rows]) => ({
    ...warning(
      stopsReview.has(reason) ? "review_stopped" : "files_not_reviewed",
      rows.map((row) => row.path),
    ),
    reason,
  }));
}

/** The mean over the analysed files of 100 minus the penalties of their open issues, at least 0 each. */
function qualityScore(looked: readonly Coverage[], issues: readonly Issue[]): number {
  if (looked.length === 0) return 0;
  const lostPoints = new Map<string, number>();
  for (const issue of issues) {
    if (issue.status === "open")
      lostPoints.set(issue.path, (lostPoints.get(issue.path) ?? 0) + qualityPenalty[issue.severity]);
  }
  const total = looked.reduce((sum, { path }) => sum + Math.max(0, 100 - (lostPoints.get(path) ?? 0)), 0);
  // Rounded down: one open issue in ten thousand files is not a perfect score.
  return Math.floor((total / looked.length) * 10) / 10;
}

const pathsOf = (coverage: readonly Coverage[], status: Coverage["status"]) =>
  coverage.filter((row) => row.status === status).map((row) => row.path);

const warning = (code: Warning["code"], paths: readonly string[]): Warning => ({
  code,
  count: paths.length,
  paths: [...new Set(paths)].toSorted().slice(0, pathsShownMax),
});

/** Who audits wants to know what the author of the code kept out of its archive. */
const warningsOf = (leftOut: Plan["leftOut"]): Warning[] => [
  ...(leftOut && leftOut.count > 0
    ? [{ ...warning("files_not_in_archive", leftOut.paths), count: leftOut.count }]
    : []),
  ...(leftOut?.listingIncomplete ? [warning("listing_incomplete", [])] : []),
];

const warningIfAny = (code: Warning["code"], paths: readonly string[]) =>
  paths.length > 0 ? [warning(code, paths)] : [];
