import { environment } from "../platform/environment.ts";
import { getJson, putJson } from "../platform/object-store.ts";
import type { ScanInstructions } from "./instructions.ts";
import { scanKeys, type Task } from "./task.ts";

const place = (taskId: string, attempt: number) => ({
  bucket: environment().RESULTS_BUCKET,
  key: scanKeys(taskId, attempt).instructions,
});

/** What an attempt went by. @returns null when it never came to its plan */
export const findInstructions = (taskId: string, attempt: number): Promise<ScanInstructions | null> =>
  getJson(place(taskId, attempt));

/** What an attempt goes by. @throws Error when its plan has not written it */
export async function readInstructions(taskId: string, attempt: number): Promise<ScanInstructions> {
  const found = await findInstructions(taskId, attempt);
  if (!found) throw new Error(`the instructions of task ${taskId} are missing`);
  return found;
}

/** Makes them the first time; a plan that runs again goes by what the first run found. */
export async function instructionsOnce(
  { id, attempt }: Task,
  make: () => Promise<ScanInstructions>,
): Promise<ScanInstructions> {
  const { bucket, key } = place(id, attempt);
  const known = await findInstructions(id, attempt);
  if (known) return known;
  const made = await make();
  await putJson(bucket, key, made);
  return made;
}
