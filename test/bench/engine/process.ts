import { readdir, readFile } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { auditEngine } from "../../../functions/platform/audit-engine.ts";
import { inChunks } from "../../../functions/scans/plan.ts";

/**
 * A process that does nothing but audit, as a worker does, chunk by chunk: `process.ts <assets> <folder> <path of a small file> <its text>`.
 * Prints what it took from the first call until the small file was analysed, in milliseconds of all its threads, and the most memory that
 * it needed until the whole folder was, in bytes.
 */
const [assets = "", folder = "", path = "", text = ""] = process.argv.slice(2);

const { user, system } = process.cpuUsage();
process.env.LAMBDA_TASK_ROOT = dirname(assets);
const engine = await auditEngine();
await engine.analyse({ path, bytes: Buffer.from(text) });
const took = process.cpuUsage({ user, system });

async function* files() {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  for (const entry of entries.filter((each) => each.isFile())) {
    const file = join(entry.parentPath, entry.name);
    yield { path: relative(folder, file), bytes: await readFile(file) };
  }
}

if (folder) {
  for await (const chunk of inChunks(files())) {
    const artefacts = [];
    for (const file of chunk) artefacts.push(await engine.analyse(file));
    JSON.stringify(artefacts);
  }
}
console.log(JSON.stringify({ start: (took.user + took.system) / 1000, peak: process.resourceUsage().maxRSS * 1024 }));
