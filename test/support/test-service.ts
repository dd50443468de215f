import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type LocalService, startLocalService } from "../../bin/local/service.ts";
import { hashPassword } from "../../functions/users/password.ts";

export const alice = { email: "alice@example.test", password: "correct horse battery" };
export const mallory = { email: "mallory@example.test", password: "staple ladder window" };

/** The whole service on a folder of its own, with two administrators who have nothing to do with each other. */
export async function startTestService() {
  const dataFolder = mkdtempSync(join(tmpdir(), "sluice-test-"));
  const service: LocalService = await startLocalService({ dataFolder, administrator: alice });
  const { cloud } = service;
  const created = await cloud.invoke(cloud.outputs.CreateAdministratorFunction as string, {
    email: mallory.email,
    full_name: "Mallory",
    password_hash: await hashPassword(mallory.password),
  });
  if (!created.ok) throw new Error(created.message);
  const stop = async () => {
    await service.stop();
    rmSync(dataFolder, { recursive: true, force: true });
  };
  return { url: service.url, cloud, alice, mallory, stop };
}
