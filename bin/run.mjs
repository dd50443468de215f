// Every npm script starts here, on whatever Node the machine has (20 or newer): installs what is missing,
// then runs the given program on the pinned Node 24 of node_modules. Plain JavaScript, because Node 20 cannot read TypeScript.
import { spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const modules = join(root, "node_modules");
const stamp = join(modules, ".sluice-lock-sha256");

installWhenLockfileChanged();
const [program, ...args] = process.argv.slice(2);
run(program, args);

function installWhenLockfileChanged() {
  const wanted = createHash("sha256")
    .update(readFileSync(join(root, "package-lock.json")))
    .digest("hex");
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === wanted) return;
  console.error("Installing dependencies (npm ci), once after each change of package-lock.json ...");
  const npm = spawnSync("npm", ["ci", "--no-audit", "--no-fund", "--loglevel=error"], {
    cwd: root,
    stdio: ["ignore", 2, 2],
  });
  if (npm.error) throw npm.error;
  if (npm.status !== 0) process.exit(npm.status ?? 1);
  mkdirSync(modules, { recursive: true });
  writeFileSync(stamp, wanted);
}

function run(script, args) {
  const pinned = join(modules, ".bin", "node");
  const node = existsSync(pinned) ? pinned : process.execPath;
  if (node === process.execPath && Number(process.versions.node.split(".")[0]) < 24) {
    console.error(
      `Sluice needs Node 24. No pinned Node is packaged for ${process.platform}-${process.arch}; install Node 24 and try again.`,
    );
    process.exit(1);
  }
  const env = {
    ...process.env,
    PATH: join(modules, ".bin") + delimiter + process.env.PATH,
    // Reading and compiling the sources is half of what a short program costs; this one and all that it starts do it once.
    NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? join(root, ".build/compile-cache"),
  };
  const child = spawn(node, [join(root, script), ...args], { stdio: "inherit", env });
  // Ctrl-C reaches the child by itself (same process group); `kill` of this process must be passed on.
  process.on("SIGINT", () => {});
  for (const signal of ["SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
  child.on("error", (error) => {
    console.error(error.message);
    process.exit(1);
  });
  child.on("exit", (code, signal) => process.exit(code ?? (signal === "SIGINT" ? 130 : 1)));
}
