import type { Cap, Caps, Level } from "./caps.ts";
import type { Cost, Price } from "./cost.ts";

/** The scan that a call is made for. */
export interface ScanOfCall {
  readonly taskId: string;
  readonly attempt: number;
  readonly projectId: string;
}

/** A call of a model that somebody is about to make. */
export interface Call {
  /** Who pays: the user with whose settings and key the model is asked. */
  readonly userId: string;
  /** Null for calls of no scan, such as an instant analysis or the test of a template. */
  readonly scan: ScanOfCall | null;
  readonly provider: string;
  readonly model: string;
  readonly price: Price | null;
  /** See worstCase. */
  readonly worst: Cost;
  readonly caps: Caps;
}

/** What is set aside for one call until it is settled. JSON-serialisable. */
export interface Reservation extends Omit<Call, "caps"> {
  readonly id: string;
  /** The month that pays, "2026-11", whenever the call ends. */
  readonly month: string;
}

/** The calendar month in UTC that a moment belongs to, "2026-11". */
export const monthOf = (at: Date): string => at.toISOString().slice(0, 7);

/** What a call is booked at, the narrowest first: that is the one a refusal names. */
export const levelsOf = ({ scan }: Pick<Call, "scan">): readonly Level[] =>
  scan ? ["scan", "project", "month"] : ["month"];

/** True where a cap in money cannot be kept: nobody knows what the model costs, and no cap in tokens stands in. */
export const isBlind = (cap: Cap, worst: Cost): boolean =>
  worst.micros === null && cap.micros !== null && cap.tokens === null;
