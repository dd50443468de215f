import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync } from "node:fs";
import { join, resolve } from "node:path";

const root = resolve(import.meta.dirname, "../..");
const builds = join(root, ".build");

/** Everything that synthesis reads. */
const inputs = ["bin/sluice.ts", "lib", "functions", "containers", "proto", "cdk.json", "package-lock.json"];

/** Older ones may still serve functions of a running service; more than a few only take space. */
const assembliesKept = 4;

/**
 * Bundles the functions and synthesises the stack as `cdk synth` would, in a process of its own: CDK takes memory that the running
 * service should not keep. Nothing is done when these inputs were synthesised before, and processes that start together do not disturb
 * each other: each writes a folder of its own, and the first to finish gives it its name.
 * @returns the folder of the cloud assembly
 */
export async function synthesise(): Promise<string> {
  const assembly = join(builds, `assembly-${hashOf(inputs).slice(0, 16)}`);
  if (existsSync(assembly)) return assembly;
  const draft = `${assembly}.${process.pid}`;
  mkdirSync(builds, { recursive: true });
  try {
    await run(process.execPath, [join(root, "bin/sluice.ts")], {
      ...process.env,
      CDK_OUTDIR: draft,
      CDK_CONTEXT_JSON: JSON.stringify({ ...context(), stage: "local" }),
      CDK_DEFAULT_ACCOUNT: "000000000000",
      CDK_DEFAULT_REGION: "us-east-1",
      // Half of the time, for rules about deployments to AWS: `npm run synth` and `npm run deploy` look at these.
      CDK_VALIDATION: "false",
    });
    if (!existsSync(assembly)) renameSync(draft, assembly);
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
  removeOldAssemblies();
  return assembly;
}

const context = (): object => JSON.parse(readFileSync(join(root, "cdk.json"), "utf8")).context;

function removeOldAssemblies(): void {
  const found = readdirSync(builds)
    .filter((name) => /^assembly-[0-9a-f]{16}$/.test(name))
    .map((name) => ({ path: join(builds, name), at: statSync(join(builds, name)).mtimeMs }))
    .toSorted((a, b) => b.at - a.at);
  for (const { path } of found.slice(assembliesKept)) rmSync(path, { recursive: true, force: true, maxRetries: 3 });
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
  if (statSync(path).isFile()) return [path];
  return readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .toSorted();
}
