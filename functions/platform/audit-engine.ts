import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setFlagsFromString } from "node:v8";
import { createEngine, type Engine } from "../engine/engine.ts";
import { collectEarly } from "./heap-growth.ts";

let engine: Promise<Engine> | undefined;

/**
 * Optimising a grammar's code takes a hundred megabytes, several at once: over a gigabyte where a project has many languages, for no time
 * gained.
 */
const plainGrammars = ["--no-wasm-tier-up", "--no-wasm-dynamic-tiering"];

/** What others do on the machine does not count, so a file that is analysed once is analysed when the machine is busy, too. */
export const workOfThread = (): number => {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
};

/** The audit engine of this process, opened on first use from the assets that are bundled beside the functions. */
export function auditEngine(): Promise<Engine> {
  engine ??= open();
  // A failed start must not be remembered: the next call tries again.
  engine.catch(() => {
    engine = undefined;
  });
  return engine;
}

async function open(): Promise<Engine> {
  for (const flag of plainGrammars) setFlagsFromString(flag);
  const opened = await createEngine({
    read: (name) => readFile(join(process.env.LAMBDA_TASK_ROOT ?? "", "engine", name)),
    clock: workOfThread,
  });
  collectEarly();
  return opened;
}
