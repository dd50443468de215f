import type { ReviewOutcome } from "../engine/review/review.ts";
import { modelFailures } from "../llm/model.ts";
import type { ReviewModel } from "./instructions.ts";

/** Why a unit has no review. What the model layer can fail with, what the review makes of an answer, and what the scan decides itself. */
export const reviewReasons = [
  ...modelFailures,
  "format",
  "truncated",
  "empty",
  "refused",
  /** A cap of the scan, the project or the month left no room for the worst case of the next call. */
  "budget_exhausted",
  /** There is a cap in money, none in tokens, and nobody knows the model's price. */
  "budget_needs_token_cap",
  /** The scan ran for as long as a scan may. */
  "time_limit",
  /** The user chose another model or address while the scan ran; the key belongs to the new one. */
  "model_changed",
  /** The settings cannot be used as they are, for example a key that no longer decrypts. */
  "model_unusable",
  /** A batch was lost after all its retries; the log has the cause. */
  "internal_error",
] as const;
export type ReviewReason = (typeof reviewReasons)[number];

/** True for what should not have happened; why a model does not look at a file by design is another matter. */
export const isReviewReason = (reason: string | null): reason is ReviewReason =>
  (reviewReasons as readonly (string | null)[]).includes(reason);

/** After these no further call of the scan can do better, so none is made. */
export const stopsReview: ReadonlySet<ReviewReason> = new Set([
  "insufficient_balance",
  "auth_invalid_key",
  "auth_failed",
  "model_not_found",
  "unsupported_provider",
  "budget_exhausted",
  "budget_needs_token_cap",
  "time_limit",
  "model_changed",
  "model_unusable",
]);

export type Reviewed = Extract<ReviewOutcome, { status: "reviewed" }>;

/** A model by its names. */
export type ModelName = Pick<ReviewModel, "provider" | "model">;

/** What became of one unit. "cached" is a review that was paid for earlier. */
export type UnitResult = { readonly path: string; readonly startLine: number } & (
  | {
      readonly status: "reviewed" | "cached";
      readonly outcome: Reviewed;
      /** The other model that has looked at it, as the scan's had refused. */
      readonly by?: ModelName;
    }
  | {
      readonly status: "failed";
      readonly reason: ReviewReason;
      /** True while another model is still to be asked. */
      readonly referred?: true;
      /** What the model said instead of a review; kept with the scan's results, shown to nobody. */
      readonly reply?: string;
    }
);

/** What a batch leaves in the results bucket: one entry for each unit it is through with, by the unit's place in the batch. */
export type BatchResult = Readonly<Record<number, UnitResult>>;

/** What planning the review leaves for the conclusion. */
export interface ReviewPlan {
  readonly batches: readonly BatchFiles[];
  /** Files that no model looks at, and why. */
  readonly skipped: readonly { readonly path: string; readonly reason: string }[];
}

/** The files of a batch and how many units each has, so that what a batch has lost can be told. No file is in two batches. */
export interface BatchFiles {
  readonly batch: number;
  readonly files: readonly { readonly path: string; readonly units: number }[];
}
