import { environment } from "../platform/environment.ts";
import { getJson } from "../platform/object-store.ts";
import type { FileCoverage } from "./coverage.ts";
import type { ScanInstructions } from "./instructions.ts";
import type { Look } from "./second-look.ts";
import { scanKeys, type Task } from "./task.ts";

/** What a scan has left about what it looked at, and how. @returns null when it is not on record */
export async function findLook({ id, attempt, leftOut }: Task): Promise<Look | null> {
  const bucket = environment().RESULTS_BUCKET;
  const keys = scanKeys(id, attempt);
  const [coverage, instructions] = await Promise.all([
    getJson<FileCoverage[]>({ bucket, key: keys.coverage }),
    getJson<ScanInstructions>({ bucket, key: keys.instructions }),
  ]);
  return coverage && instructions && { coverage, instructions, leftOut };
}
