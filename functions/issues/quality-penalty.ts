import type { Severity } from "./issue.ts";

/** What one open issue takes from the 100 points of its file. */
export const qualityPenalty: Readonly<Record<Severity, number>> = { critical: 25, high: 15, medium: 8, low: 3 };
