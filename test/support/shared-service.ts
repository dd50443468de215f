import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { startLocalService } from "../../bin/local/service.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** The running service: its address, and its administrator, who has signed in once for all. */
    service: { url: string; token: string };
  }
}

/** Starts the real service once for all tests that talk to it over HTTP. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const dataFolder = mkdtempSync(join(tmpdir(), "sluice-test-"));
  const service = await startLocalService({ dataFolder });
  project.provide("service", { url: service.url, token: await service.token() });
  return async () => {
    await service.stop();
    rmSync(dataFolder, { recursive: true, force: true });
  };
}
