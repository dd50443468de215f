import { readdir, readFile } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { languageOf } from "../../../functions/engine/inventory/language.ts";
import { auditEngine, workOfThread } from "../../../functions/platform/audit-engine.ts";
import { inChunks } from "../../../functions/scans/plan.ts";

/** What a worker is asked: `process.ts <this as JSON>`. */
export interface Task {
  /** The folder of the engine's assets. */
  readonly assets: string;
  /** A small file; what its language needs is loaded with it. */
  readonly first: readonly [path: string, text: string];
  /** What is audited afterwards, so many times over; empty for nothing. */
  readonly folder: string;
  readonly rounds: number;
  /** Only its files are audited. */
  readonly language?: string;
}

/** What it prints, as JSON. */
export interface Report {
  /** Milliseconds of all threads from the first call until the small file was analysed. */
  readonly start: number;
  /** The most memory that the process needed, in bytes. */
  readonly peak: number;
  /** Of those that were analysed as a whole. */
  readonly files: number;
  readonly bytes: number;
  /** Milliseconds of the thread that analyses, for these files, by round. */
  readonly times: readonly number[];
}

/** A process that does nothing but audit, as a worker does, chunk by chunk. */
const { assets, first, folder, rounds, language }: Task = JSON.parse(process.argv[2] ?? "");
const [path, text] = first;

const { user, system } = process.cpuUsage();
process.env.LAMBDA_TASK_ROOT = dirname(assets);
const engine = await auditEngine();
await engine.analyse({ path, bytes: Buffer.from(text) });
const took = process.cpuUsage({ user, system });

async function* files() {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const all = entries.filter((each) => each.isFile()).map((each) => join(each.parentPath, each.name));
  for (const file of all.sort())
    if (language === undefined || languageOf(file).name === language)
      yield { path: relative(folder, file), bytes: await readFile(file) };
}

let count = 0;
let bytes = 0;
const times: number[] = [];
for (let n = 0; folder && n < rounds; n++) {
  let time = 0;
  [count, bytes] = [0, 0];
  for await (const chunk of inChunks(files())) {
    const artefacts = [];
    for (const file of chunk) {
      const began = workOfThread();
      const artefact = await engine.analyse(file);
      artefacts.push(artefact);
      if (artefact.coverage.status !== "analysed") continue;
      time += workOfThread() - began;
      count += 1;
      bytes += file.bytes.length;
    }
    JSON.stringify(artefacts);
  }
  times.push(time);
}
const report: Report = {
  start: (took.user + took.system) / 1000,
  peak: process.resourceUsage().maxRSS * 1024,
  files: count,
  bytes,
  times,
};
console.log(JSON.stringify(report));
