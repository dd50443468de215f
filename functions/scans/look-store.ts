import { environment } from "../platform/environment.ts";
import { getJson } from "../platform/object-store.ts";
import type { FileCoverage } from "./coverage.ts";
import { findInstructions } from "./instructions-store.ts";
import type { Look } from "./second-look.ts";
import { scanKeys, type Task } from "./task.ts";

/** What a scan has left about what it looked at, and how. @returns null when it is not on record */
export async function findLook({ id, attempt, leftOut }: Task): Promise<Look | null> {
  const [coverage, instructions] = await Promise.all([findCoverage(id, attempt), findInstructions(id, attempt)]);
  return coverage && instructions && { coverage, instructions, leftOut };
}

/** What an attempt did with each file. @returns null when it was stopped before it accounted for them */
export async function findCoverage(taskId: string, attempt: number): Promise<FileCoverage[] | null> {
  const key = scanKeys(taskId, attempt).coverage;
  const rows = await getJson<FileCoverage[]>({ bucket: environment().RESULTS_BUCKET, key });
  // Older scans asked one model only.
  return rows?.map((row) => ({ ...row, other_model: row.other_model ?? null })) ?? null;
}
