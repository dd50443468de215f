import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { startLocalService } from "../../bin/local/service.ts";
import { hashPassword } from "../../functions/users/password.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** The running service: its address and the people who may sign in. */
    service: { url: string; alice: { email: string; password: string }; mallory: { email: string; password: string } };
  }
}

/** Starts the real service once for all tests that talk to it over HTTP. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const dataFolder = mkdtempSync(join(tmpdir(), "sluice-test-"));
  const alice = { email: "alice@example.test", password: "correct horse battery" };
  const mallory = { email: "mallory@example.test", password: "staple ladder window" };
  const service = await startLocalService({ dataFolder, administrator: alice });
  const { cloud } = service;
  const created = await cloud.invoke(cloud.outputs.CreateAdministratorFunction as string, {
    email: mallory.email,
    full_name: "Mallory",
    password_hash: await hashPassword(mallory.password),
  });
  if (!created.ok) throw new Error(created.message);
  project.provide("service", { url: service.url, alice, mallory });
  return async () => {
    await service.stop();
    rmSync(dataFolder, { recursive: true, force: true });
  };
}
