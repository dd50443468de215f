import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { writeEngineAssets } from "../../lib/bundle/engine-assets.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** What LAMBDA_TASK_ROOT is to a function: a folder with the engine's assets in `engine`. Nobody writes there. */
    taskRoot: string;
  }
}

/** Compiles rules and models once for all tests of a run: some thirty files need them, and each time takes two seconds. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const taskRoot = await mkdtemp(join(tmpdir(), "sluice-assets-"));
  await writeEngineAssets(join(taskRoot, "engine"));
  project.provide("taskRoot", taskRoot);
  return () => rm(taskRoot, { recursive: true, force: true });
}
