import type { UserConfig } from "../config/user-config.ts";
import type { Finding } from "../engine/finding.ts";
import type { ReviewInstructions, ReviewOutcome } from "../engine/review/review.ts";
import { reviewUnit } from "../engine/review/review-unit.ts";
import { modelOf } from "../llm/user-model.ts";
import { applicationKey } from "../platform/application-key.ts";
import { auditEngine } from "../platform/audit-engine.ts";
import { askWithin } from "../spending/ask-within.ts";

/** API Gateway gives up after 29 s. Every call of a trial ends before, the second one of a review too. */
const trialMs = 25_000;

/** Why a model's answer is no review. */
export type UnusableAnswer = Extract<ReviewOutcome, { status: "failed" }>["category"];

export interface Trial {
  /** In words of their own, such as "c++"; the model is told. */
  readonly language: string;
  readonly code: string;
  readonly template: string;
  readonly outputLanguage: "zh" | "en";
}

/**
 * Has the user's model look at a piece of code as a scan would, guided by a template that may not be saved yet: secrets are masked,
 * what the code does not bear out is dropped, and the user's month pays.
 * @returns the findings; the word for an answer that is no review; "no_model" when the user has configured none
 * @throws ModelFailure; SluiceError budget_*, secret_unreadable, llm_header_*
 */
export async function tryTemplate(
  trial: Trial,
  userId: string,
  config: UserConfig | null,
  now: () => Date,
): Promise<readonly Finding[] | UnusableAnswer | "no_model"> {
  const settings = await modelOf(config, userId);
  if (!settings) return "no_model";
  const engine = await auditEngine();
  const units = engine.unitsOf({ path: "sample", bytes: Buffer.from(trial.code) }, []);
  const fenceKey = (await applicationKey(`review-fence ${userId}`)).toString("hex");
  const ask = askWithin({ userId, config, settings, until: performance.now() + trialMs, now });
  const instructions: ReviewInstructions = {
    template: trial.template,
    rules: [],
    outputLanguage: trial.outputLanguage,
  };
  const findings: Finding[] = [];
  // One after the other: what is still under way when this function ends is frozen with it, and its cost is never settled.
  for (const unit of units) {
    const outcome = await reviewUnit({ ...unit, language: trial.language }, instructions, ask, { fenceKey });
    if (outcome.status === "failed") return outcome.category;
    findings.push(...outcome.findings);
  }
  return findings;
}
