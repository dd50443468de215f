import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Everything temporary of a run lies in one folder, which goes with it: what a killed process leaves, and what tools never delete. */
export default async function setup(): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), "sluice-tests-"));
  // Read by this process and by all that it starts.
  process.env.TMPDIR = folder;
  return () => rm(folder, { recursive: true, force: true });
}
