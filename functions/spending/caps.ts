import * as z from "zod";
import { defaultSettings, type UserConfig } from "../config/user-config.ts";
import type { Project } from "../projects/project.ts";
import type { ScanConfig } from "../scans/task.ts";
import { microsOf, usdOf } from "./cost.ts";

/** What can run out: the budget of one scan, of a project over its whole life, of a user in a calendar month (UTC). */
export type Level = "scan" | "project" | "month";

/** Most that may be spent; null means no limit. */
export interface Cap {
  readonly tokens: number | null;
  readonly micros: number | null;
}

export type Caps = Readonly<Record<Level, Cap>>;

export const noCap: Cap = { tokens: null, micros: null };

/** Null means no limit. */
export const CapView = z.object({ tokens: z.number().nullable(), usd: z.number().nullable() });

export const capView = ({ tokens, micros }: Cap): z.input<typeof CapView> => ({
  tokens,
  usd: micros === null ? null : usdOf(micros),
});

/**
 * The caps of a model call, as they are now.
 * @param config settings of the user who pays, with whose key the model is asked
 * @param project null for what belongs to none, such as an instant analysis
 * @param scan what the scan was asked for; it can only ask for less than its user's settings allow
 */
export function capsFor(
  config: Pick<UserConfig, "otherConfig"> | null,
  project: Pick<Project, "budgetTokens" | "budgetUsd"> | null,
  scan: Pick<ScanConfig, "budgetTokens" | "budgetUsd"> | null,
): Caps {
  const settings = config?.otherConfig ?? {};
  const setting = (name: "scanTokenCap" | "scanCostCap" | "monthTokenCap" | "monthCostCap"): number | null =>
    (settings[name] ?? defaultSettings.otherConfig[name]) || null;
  const own = capOf(setting("scanTokenCap"), setting("scanCostCap"));
  const asked = scan ? capOf(scan.budgetTokens, scan.budgetUsd) : noCap;
  return {
    scan: { tokens: lower(own.tokens, asked.tokens), micros: lower(own.micros, asked.micros) },
    project: project ? capOf(project.budgetTokens, project.budgetUsd) : noCap,
    month: capOf(setting("monthTokenCap"), setting("monthCostCap")),
  };
}

const capOf = (tokens: number | null, usd: number | null): Cap => ({
  tokens,
  micros: usd === null ? null : microsOf(usd),
});

const lower = (a: number | null, b: number | null): number | null =>
  a === null || b === null ? (a ?? b) : Math.min(a, b);
