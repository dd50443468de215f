import { readdir, readFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { createEngine } from "../../../functions/engine/engine.ts";

/**
 * A process that does nothing but audit, as a worker does: `process.ts <assets> <folder> <path of a small file> <its text>`. Prints what it
 * took from the first call until the small file was analysed, in milliseconds of all its threads, and the most memory that it needed until
 * the whole folder was, in bytes.
 */
const [assets = "", folder = "", path = "", text = ""] = process.argv.slice(2);

const { user, system } = process.cpuUsage();
const engine = await createEngine({ read: (name) => readFile(join(assets, name)) });
await engine.analyse({ path, bytes: Buffer.from(text) });
const took = process.cpuUsage({ user, system });

if (folder) {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const artefacts = [];
  for (const entry of entries.filter((each) => each.isFile())) {
    const file = join(entry.parentPath, entry.name);
    artefacts.push(await engine.analyse({ path: relative(folder, file), bytes: await readFile(file) }));
  }
  engine.link(artefacts);
}
console.log(JSON.stringify({ start: (took.user + took.system) / 1000, peak: process.resourceUsage().maxRSS * 1024 }));
