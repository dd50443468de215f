import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setFlagsFromString } from "node:v8";
import { createEngine, type Engine } from "../engine/engine.ts";
import { collectEarly } from "./heap-growth.ts";

let engine: Promise<Engine> | undefined;

/**
 * Optimised code parses half as fast again. Making it takes some ten megabytes of memory for a grammar below half a megabyte, such as those of
 * Python, Java, JavaScript and Go; PHP's, twice as large, takes half a gigabyte. In bytes.
 */
const optimisedMax = 500_000;

let optimises = true;

/** V8 looks at these flags when it first runs a function of a grammar, or of the parser that all of them share. */
function optimiseSmall(grammarBytes: number): void {
  const isSmall = grammarBytes <= optimisedMax;
  if (isSmall === optimises) return;
  optimises = isSmall;
  for (const flag of ["wasm-tier-up", "wasm-dynamic-tiering"]) setFlagsFromString(`--${isSmall ? "" : "no-"}${flag}`);
}

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
  const opened = await createEngine({
    read: (name) => readFile(join(process.env.LAMBDA_TASK_ROOT ?? "", "engine", name)),
    clock: workOfThread,
    onGrammar: optimiseSmall,
  });
  collectEarly();
  return opened;
}
