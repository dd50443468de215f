import { hash } from "node:crypto";
import type { ReviewUnit } from "../engine/review/review.ts";
import { environment } from "../platform/environment.ts";
import { getJson, putJson } from "../platform/object-store.ts";
import type { ReviewModel, ScanInstructions } from "./instructions.ts";
import type { Reviewed } from "./review-result.ts";

/** Raise when prompt, gate or shape of an outcome change: what was kept by earlier versions is not used then. */
const passVersion = 3;

/** Where a user's reviews are kept. They hold snippets of source, so they expire and go with their user. */
export const reviewsFolder = (userId: string): string => `reviews/${userId}/`;

/**
 * The reviews that one user has paid for with the same model and instructions. A key is a hash of everything an answer depends on, user
 * included: nobody can learn from a hit what others have scanned.
 */
export class ReviewCache {
  readonly #userId: string;
  readonly #common: readonly unknown[];

  /** @param refusedBy the model that has refused what `model` then looked at: its other reviews are no answer in place of that model's */
  constructor(
    userId: string,
    model: ReviewModel,
    { review }: Pick<ScanInstructions, "review">,
    refusedBy: ReviewModel | null = null,
  ) {
    this.#userId = userId;
    const rules = review.rules.map((rule) => Object.values(rule));
    // An array in a fixed order is canonical JSON.
    this.#common = [
      passVersion,
      userId,
      [identityOf(model), refusedBy && identityOf(refusedBy)],
      [review.template, rules, review.outputLanguage],
    ];
  }

  async find(unit: ReviewUnit): Promise<Reviewed | null> {
    return getJson<Reviewed>({ bucket: environment().RESULTS_BUCKET, key: this.#keyOf(unit) });
  }

  async keep(unit: ReviewUnit, outcome: Reviewed): Promise<void> {
    await putJson(environment().RESULTS_BUCKET, this.#keyOf(unit), outcome);
  }

  #keyOf({ path, language, startLine, text, findings, functions, excerpts }: ReviewUnit): string {
    const asked = findings.map(({ fingerprint, ruleId, startLine: line, trace }) => [
      fingerprint,
      ruleId,
      line,
      trace.map((step) => [step.path, step.startLine]),
    ]);
    const around = [functions.map((place) => Object.values(place)), excerpts.map((excerpt) => Object.values(excerpt))];
    const content = JSON.stringify([...this.#common, [path, language, startLine, text, asked, around]]);
    return `${reviewsFolder(this.#userId)}${hash("sha256", content)}.json`;
  }
}

const identityOf = ({ provider, model, baseUrl, temperature, maxTokens }: ReviewModel) => [
  provider,
  model,
  baseUrl,
  temperature,
  maxTokens,
];
