import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import type { FileArtefact, SourceFile } from "../../functions/engine/artefact.ts";
import { createEngine } from "../../functions/engine/engine.ts";
import { writeEngineAssets } from "../../lib/bundle/engine-assets.ts";

const rules = join(import.meta.dirname, "../../functions/engine/rules");
/** The rule fixtures, this many times over, are the source that is audited when no folder is given. */
const copies = 10;

/** Audits a folder, or a synthetic one, and prints what it took: `npm run bench -- engine [folder]`. */
export default async function bench([folder]: string[] = []): Promise<void> {
  const assets = await mkdtemp(join(tmpdir(), "sluice-bench-"));
  try {
    await writeEngineAssets(assets);
    const files = folder ? await filesOf(folder) : await synthetic();
    const opened = performance.now();
    const engine = await createEngine({ read: (name) => readFile(join(assets, name)) });
    const started = performance.now();
    const artefacts: FileArtefact[] = [];
    let peak = 0;
    for (const file of files) {
      artefacts.push(await engine.analyse(file));
      peak = Math.max(peak, process.memoryUsage.rss());
    }
    const analysed = performance.now();
    const findings = engine.link(artefacts);
    const linked = performance.now();
    const bytes = files.reduce((sum, file) => sum + file.bytes.length, 0);
    const seconds = (analysed - started) / 1000;
    console.table({
      files: files.length,
      megabytes: round(bytes / 1e6),
      findings: findings.length,
      "opening, ms": round(started - opened),
      "analysis, s": round(seconds),
      "linking, s": round((linked - analysed) / 1000),
      "files/s": round(files.length / seconds),
      "MB/s": round(bytes / 1e6 / seconds),
      "RSS peak, MB": round(peak / 1e6),
    });
    console.table(countBy(artefacts.map(({ coverage }) => `${coverage.status} ${coverage.reason ?? ""}`.trim())));
  } finally {
    await rm(assets, { recursive: true, force: true });
  }
}

async function filesOf(folder: string): Promise<SourceFile[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const kept = paths.filter((path) => !/(^|\/)(node_modules|\.git)\//.test(path)).sort();
  return Promise.all(kept.map(async (path) => ({ path: relative(folder, path), bytes: await readFile(path) })));
}

async function synthetic(): Promise<SourceFile[]> {
  const files = (await filesOf(rules)).filter((file) => file.path.includes("/fixtures/"));
  return Array.from({ length: copies }, (_, i) =>
    files.map((file) => ({ ...file, path: `copy${i}/${file.path}` })),
  ).flat();
}

const round = (value: number) => Math.round(value * 100) / 100;

function countBy(names: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const name of names) counts[name] = (counts[name] ?? 0) + 1;
  return counts;
}
