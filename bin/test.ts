import { spawnSync } from "node:child_process";
import { resolve } from "node:path";

/** `npm test`: format and lint, types, then all tests. With arguments only the named tests run: `npm test -- test/engine`. */
const root = resolve(import.meta.dirname, "..");
const named = process.argv.slice(2);

if (named.length === 0) {
  step("node_modules/@biomejs/biome/bin/biome", ["ci", "."]);
  step("node_modules/typescript/bin/tsc", ["--noEmit"]);
}
step("node_modules/vitest/vitest.mjs", ["run", ...named]);

function step(program: string, args: string[]): void {
  const { status, error } = spawnSync(process.execPath, [resolve(root, program), ...args], {
    cwd: root,
    stdio: "inherit",
  });
  if (error) throw error;
  if (status !== 0) process.exit(status ?? 1);
}
