import * as z from "zod";
import type { LinkedFindings, Plan } from "./plan.ts";
import { type BatchResult, type ReviewPlan, type ReviewReason, stopsReview } from "./review-result.ts";

/** What the model did with a file. "cached" costs nothing: it was reviewed in an earlier scan. */
export const FileReview = z.enum(["reviewed", "cached", "partial", "failed", "not_reviewed"]);
export type FileReview = z.infer<typeof FileReview>;

/** One file of a scan: what the rules and the model made of it, and why if not all. */
export const CoverageRow = z.object({
  path: z.string(),
  status: z.enum(["analysed", "partial", "skipped", "failed"]),
  /** Why not all of it: a limit of the engine that it has reached, or why nobody has looked. */
  reason: z.string().nullable(),
  /** The pattern or built-in rule that keeps it out; null for other reasons. */
  excluded_by: z.string().nullable(),
  /** Null where nobody has looked. */
  language: z.string().nullable(),
  lines: z.number(),
  review: FileReview,
  review_reason: z.string().nullable(),
  /** Another model that its user has set up, which has reviewed what the scan's model refused; null when none had to. */
  other_model: z.object({ provider: z.string(), model: z.string() }).nullable(),
});
export type FileCoverage = Readonly<z.infer<typeof CoverageRow>>;

/** How many files have each status, review and reason. */
export const summaryOf = (rows: readonly FileCoverage[]) => ({
  files: rows.length,
  lines: rows.reduce((sum, row) => sum + row.lines, 0),
  status: { ...zeroFor(CoverageRow.shape.status.options), ...countBy(rows, (row) => row.status) },
  reasons: countBy(rows, (row) => row.reason),
  review: { ...zeroFor(FileReview.options), ...countBy(rows, (row) => row.review) },
  review_reasons: countBy(rows, (row) => row.review_reason),
});

const zeroFor = <K extends string>(names: readonly K[]) =>
  Object.fromEntries(names.map((name) => [name, 0])) as Record<K, number>;

function countBy<K extends string>(rows: readonly FileCoverage[], of: (row: FileCoverage) => K | null) {
  const counts: Partial<Record<K, number>> = {};
  for (const row of rows) {
    const name = of(row);
    if (name !== null) counts[name] = (counts[name] ?? 0) + 1;
  }
  return counts as Record<K, number>;
}

/** What planning the review and its batches have left; a batch that was lost has no result, or an early one. */
export interface ReviewRecord {
  readonly plan: ReviewPlan;
  /** By the number of the batch. */
  readonly results: readonly (BatchResult | null)[];
}

type Reviewed = Pick<FileCoverage, "review" | "review_reason" | "other_model">;

/**
 * Accounts for every file that the archive has, in the order of paths.
 * @param review null when rules alone have judged
 */
export function coverageOf(plan: Plan, linked: LinkedFindings, review: ReviewRecord | null): FileCoverage[] {
  const reviews = review && reviewsOf(review);
  const unreviewed: Reviewed = { review: "not_reviewed", review_reason: null, other_model: null };
  const unread = { excluded_by: null, language: null, lines: 0, ...unreviewed };
  const rows: FileCoverage[] = [
    ...linked.coverage.map(({ path, status, reason, language, lines }) => ({
      ...{ path, status, reason, excluded_by: null, language, lines },
      ...(reviews === null ? { ...unreviewed, review_reason: "rules_only" } : (reviews.get(path) ?? unreviewed)),
    })),
    ...linked.unfinished.map((path) => ({ ...unread, path, status: "failed" as const, reason: "internal_error" })),
    ...plan.skipped.map(({ path, reason, excludedBy = null }) => ({
      ...unread,
      ...{ path, status: "skipped" as const, reason, excluded_by: excludedBy },
    })),
  ];
  return rows.toSorted((a, b) => (a.path < b.path ? -1 : 1));
}

function reviewsOf({ plan, results }: ReviewRecord): Map<string, Reviewed> {
  const skipped = plan.skipped.map(({ path, reason }): [string, Reviewed] => [
    path,
    { review: "not_reviewed", review_reason: reason, other_model: null },
  ]);
  const looked = plan.batches.flatMap(({ batch, files }) => {
    const units = Map.groupBy(Object.values(results[batch] ?? {}), (unit) => unit.path);
    return files.map(({ path, units: wanted }): [string, Reviewed] => [path, reviewOf(units.get(path) ?? [], wanted)]);
  });
  return new Map([...skipped, ...looked]);
}

function reviewOf(units: readonly BatchResult[number][], wanted: number): Reviewed {
  const reasons = units.flatMap((unit): ReviewReason[] => (unit.status === "failed" ? [unit.reason] : []));
  if (units.length < wanted) reasons.push("internal_error");
  const looked = units.filter((unit) => unit.status !== "failed");
  const other_model = looked.find((unit) => unit.by)?.by ?? null;
  const [reason] = reasons;
  if (reason === undefined) {
    const cached = units.every((unit) => unit.status === "cached");
    return { review: cached ? "cached" : "reviewed", review_reason: null, other_model };
  }
  const review = looked.length > 0 ? "partial" : stopsReview.has(reason) ? "not_reviewed" : "failed";
  return { review, review_reason: reason, other_model };
}
