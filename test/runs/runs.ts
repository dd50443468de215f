import { randomUUID } from "node:crypto";
import { type ReadFrom, type RunItem, readRun } from "../../functions/runs/read-run.ts";
import type { Run } from "../../functions/runs/run.ts";
import { ensureRun } from "../../functions/runs/run-store.ts";

/** A run that no other test knows. */
export const freshRun = (): Promise<Run> => ensureRun("test", randomUUID(), new Date());

/** What is in a run now. */
export async function allItems(runId: string, from: ReadFrom = "earliest"): Promise<RunItem[]> {
  const { items } = await readRun(runId, from, { isLive: false });
  return Array.fromAsync(items);
}

export const textOf = ({ payload }: { payload: Buffer }): string => payload.toString();
