import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { expect, it } from "vitest";
import { FolderInUse, lockFolder } from "../../lib/local/lock.ts";

const scratch = () => join(mkdtempSync(join(tmpdir(), "sluice-lock-")), "data");

it("makes the folder for its owner only", () => {
  const folder = scratch();
  lockFolder(folder)();
  expect(statSync(folder).mode & 0o777).toBe(0o700);
});

it("gives a folder to one at a time and names it in the refusal", () => {
  const folder = scratch();
  const unlock = lockFolder(folder);
  expect(() => lockFolder(folder)).toThrow(FolderInUse);
  expect(() => lockFolder(folder)).toThrow(`The data folder ${folder} is in use by another Sluice`);
  lockFolder(scratch())();
  unlock();
  lockFolder(folder)();
});

it("lets go when the process is killed", async () => {
  const folder = scratch();
  const lock = resolve(import.meta.dirname, "../../lib/local/lock.ts");
  const program = `import { lockFolder } from ${JSON.stringify(lock)}; lockFolder(${JSON.stringify(folder)}); console.log("locked"); setInterval(() => {}, 1e6);`;
  const holder = spawn(process.execPath, ["--input-type=module", "-e", program], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  await once(holder.stdout, "data");
  expect(() => lockFolder(folder)).toThrow(FolderInUse);
  holder.kill("SIGKILL");
  await once(holder, "exit");
  lockFolder(folder)();
});
