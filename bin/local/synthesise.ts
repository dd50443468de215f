import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";

const root = resolve(import.meta.dirname, "../..");
const assembly = join(root, ".build/assembly");
const stamp = join(root, ".build/assembly.sha256");

/** Everything that synthesis reads. */
const inputs = ["bin/sluice.ts", "lib", "functions", "proto", "cdk.json", "package-lock.json"];

/**
 * Bundles the functions and synthesises the stack as `cdk synth` would, in a process of its own: CDK takes memory that the running
 * service should not keep. Nothing is done when no input changed since the last time.
 * @returns the folder of the cloud assembly
 */
export async function synthesise(): Promise<string> {
  const wanted = hashOf(inputs);
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === wanted) return assembly;
  rmSync(stamp, { force: true });
  await run(process.execPath, [join(root, "bin/sluice.ts")], {
    ...process.env,
    CDK_OUTDIR: assembly,
    CDK_CONTEXT_JSON: JSON.stringify({
      ...JSON.parse(readFileSync(join(root, "cdk.json"), "utf8")).context,
      stage: "local",
    }),
    CDK_DEFAULT_ACCOUNT: "000000000000",
    CDK_DEFAULT_REGION: "us-east-1",
  });
  writeFileSync(stamp, wanted);
  return assembly;
}

function run(program: string, args: string[], env: NodeJS.ProcessEnv): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const child = spawn(program, args, { cwd: root, env, stdio: ["ignore", "ignore", "pipe"] });
  let errors = "";
  child.stderr.on("data", (part: Buffer) => {
    errors = (errors + part.toString()).slice(-10_000);
  });
  child.on("error", reject);
  child.on("exit", (code) => (code === 0 ? resolve() : reject(new Error(`the stack does not synthesise:\n${errors}`))));
  return promise;
}

function hashOf(paths: readonly string[]): string {
  const hash = createHash("sha256");
  for (const path of paths) {
    const full = join(root, path);
    if (!existsSync(full)) continue;
    for (const file of filesUnder(full)) hash.update(`${file}\0`).update(readFileSync(file)).update("\0");
  }
  return hash.digest("hex");
}

function filesUnder(path: string): string[] {
  try {
    return readdirSync(path, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .toSorted();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOTDIR") return [path];
    throw error;
  }
}
