import type { ReviewReason } from "./review-result.ts";

/** No further call of this scan can do any good, for the reason given. */
export class ReviewStopped extends Error {
  readonly reason: ReviewReason;

  constructor(reason: ReviewReason) {
    super(`the review has stopped: ${reason}`);
    this.name = "ReviewStopped";
    this.reason = reason;
  }
}
