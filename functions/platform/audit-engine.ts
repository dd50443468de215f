import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { createEngine, type Engine } from "../engine/engine.ts";

let engine: Promise<Engine> | undefined;

/** What others do on the machine does not count, so a file that is analysed once is analysed when the machine is busy, too. */
export const workOfThread = (): number => {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
};

/** The audit engine of this process, opened on first use from the assets that are bundled beside the functions. */
export function auditEngine(): Promise<Engine> {
  engine ??= createEngine({
    read: (name) => readFile(join(process.env.LAMBDA_TASK_ROOT ?? "", "engine", name)),
    clock: workOfThread,
  });
  // A failed start must not be remembered: the next call tries again.
  engine.catch(() => {
    engine = undefined;
  });
  return engine;
}
