import type { ReviewInstructions } from "../engine/review/review.ts";
import type { UserPattern } from "../engine/user-rules/user-pattern.ts";
import type { ModelSettings } from "../llm/model.ts";
import type { ReviewReason } from "./review-result.ts";

/** The model of a scan, without its key and headers: those are read when they are used and stored nowhere else. */
export type ReviewModel = Pick<ModelSettings, "provider" | "model" | "baseUrl" | "temperature" | "maxTokens">;

/** What an attempt goes by from its start to its end, whatever its user changes meanwhile. JSON-serialisable. */
export interface ScanInstructions {
  /** Null when rules alone judge. */
  readonly model: ReviewModel | null;
  /** Who looks at what the model refuses; null when the user has set up no other. */
  readonly alternative: ReviewModel | null;
  /** Why there is no model although the user has set one up. */
  readonly modelTrouble: ReviewReason | null;
  readonly review: ReviewInstructions;
  /** Patterns of the rule set's rules; the engine runs them. */
  readonly patterns: readonly UserPattern[];
  /** Codes of the rule set's rules on quality and performance that are switched on; the engine has rules for most of them. */
  readonly codes: readonly string[];
  /** OWASP 2021 categories whose rule is switched off in the rule set, "A01" to "A10". */
  readonly categoriesOff: readonly string[];
  /** Most files that the scan looks at, unless it names them; null for all. */
  readonly filesMax: number | null;
  /** Most calls at the same time. */
  readonly concurrency: number;
  /** Pause of each worker after a call. */
  readonly gapMs: number;
}

/** Calls that one function waits for at a time: it is paid by the second, whether it waits for one or for many. */
const workersMax = 25;
/** A batch is the unit of progress, so each worker gets only a few calls of it. */
const unitsPerWorker = 5;

/**
 * Spreads simultaneous calls over functions.
 * @returns functions at once, workers in each, and units that make a batch; functions times workers is never above `concurrency`
 */
export function spread(concurrency: number): { functions: number; workers: number; batchUnits: number } {
  const functions = Math.ceil(concurrency / workersMax);
  const workers = Math.floor(concurrency / functions);
  return { functions, workers, batchUnits: workers * unitsPerWorker };
}
