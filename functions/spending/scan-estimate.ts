import * as z from "zod";
import { type Caps, CapView, capView, type Level } from "./caps.ts";
import { type Cost, type Price, usdOf } from "./cost.ts";
import { type Estimate, type Range, sufficiency } from "./estimate.ts";
import { isBlind } from "./reservation.ts";
import type { Committed } from "./spending.ts";

const Numbers = z.object({ likely: z.number(), at_most: z.number() });

const LevelView = CapView.extend({
  committed_tokens: z.number(),
  committed_usd: z.number(),
  /** "likely": enough for what the scan should cost, not for all that it can. */
  suffices: z.enum(["yes", "likely", "no"]),
});

const EstimateWarning = z.object({
  code: z.enum([
    "rules_only",
    "model_unusable",
    "price_unknown",
    "budget_needs_token_cap",
    "file_limit",
    "listing_incomplete",
    "paths_not_found",
    "sizes_unknown",
  ]),
  /** Of the files, paths, calls or caps that it is about. */
  count: z.number(),
});
type EstimateWarning = z.infer<typeof EstimateWarning>;

export const ScanEstimateView = z.object({
  project_id: z.string(),
  /** What the scan would look at, and what it would leave out. */
  files: z.number(),
  skipped: z.number(),
  /** What the model would look at; the rules look at all files. */
  files_to_review: z.number(),
  calls: Numbers,
  input_tokens: Numbers,
  output_tokens: Numbers,
  /** Null when nobody knows the model's price. */
  cost_usd: z.object({ likely: z.number().nullable(), at_most: z.number().nullable() }),
  provider: z.string().nullable(),
  model: z.string().nullable(),
  caps: z.object({ scan: LevelView, project: LevelView, month: LevelView }),
  warnings: z.array(EstimateWarning),
});

/** All that an estimate has found out. */
export interface ScanEstimate {
  readonly projectId: string;
  readonly files: number;
  readonly skipped: number;
  readonly filesToReview: number;
  /** Null when rules alone judge. */
  readonly model: { readonly provider: string; readonly model: string } | null;
  readonly price: Price | null;
  readonly concurrency: number;
  readonly estimate: Estimate;
  readonly caps: Caps;
  readonly committed: Readonly<Record<Level, Committed>>;
  /** How many there are of what the reader has to know; nothing is said of none. */
  readonly warnings: Partial<Record<EstimateWarning["code"], number>>;
}

export function scanEstimateView(found: ScanEstimate): z.input<typeof ScanEstimateView> {
  const { calls, cost } = found.estimate;
  const range = (of: (cost: Cost) => number) => numbers({ likely: of(cost.likely), atMost: of(cost.atMost) });
  return {
    project_id: found.projectId,
    files: found.files,
    skipped: found.skipped,
    files_to_review: found.filesToReview,
    calls: numbers(calls),
    input_tokens: range(({ inputTokens }) => inputTokens),
    output_tokens: range(({ outputTokens }) => outputTokens),
    cost_usd: { likely: dollars(cost.likely), at_most: dollars(cost.atMost) },
    provider: found.model?.provider ?? null,
    model: found.model?.model ?? null,
    caps: { scan: levelView(found, "scan"), project: levelView(found, "project"), month: levelView(found, "month") },
    warnings: warningsOf(found),
  };
}

const numbers = ({ likely, atMost }: Range<number>) => ({ likely, at_most: atMost });

const dollars = ({ micros }: Cost): number | null => (micros === null ? null : usdOf(micros));

const levelView = ({ caps, committed, estimate, concurrency }: ScanEstimate, level: Level) => ({
  ...capView(caps[level]),
  committed_tokens: committed[level].committedTokens,
  committed_usd: usdOf(committed[level].committedMicros),
  suffices: sufficiency(caps[level], committed[level], estimate, concurrency),
});

function warningsOf({ model, price, estimate, caps, warnings }: ScanEstimate): EstimateWarning[] {
  const asks = model !== null && estimate.calls.likely > 0;
  const blind = Object.values(caps).filter((cap) => isBlind(cap, estimate.largest));
  const counts = {
    ...warnings,
    price_unknown: asks && price === null ? estimate.calls.likely : 0,
    budget_needs_token_cap: asks ? blind.length : 0,
  };
  return Object.entries(counts).flatMap(([code, count]) =>
    count > 0 ? [{ code: code as EstimateWarning["code"], count }] : [],
  );
}
