import { mkdtempSync } from "node:fs";
import { readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect } from "vitest";
import type { FileArtefact } from "../../functions/engine/artefact.ts";
import { type AnalysisOptions, createEngine, type Engine } from "../../functions/engine/engine.ts";
import type { Finding } from "../../functions/engine/finding.ts";
import type { WorkClock } from "../../functions/engine/time-limit.ts";
import { writeEngineAssets } from "../../lib/bundle/engine-assets.ts";

/** The real engine over freshly written assets; the folder goes when the test file ends. */
export async function openEngine(clock?: WorkClock): Promise<Engine> {
  const folder = mkdtempSync(join(tmpdir(), "sluice-engine-"));
  afterAll(() => rm(folder, { recursive: true, force: true }));
  await writeEngineAssets(folder);
  return createEngine({ read: (name) => readFile(join(folder, name)), ...(clock && { clock }) });
}

const encoder = new TextEncoder();

/** Analyses one file given as text or bytes. */
export const analyseOne = (
  engine: Engine,
  path: string,
  source: string | Uint8Array,
  options?: AnalysisOptions,
): Promise<FileArtefact> =>
  engine.analyse({ path, bytes: typeof source === "string" ? encoder.encode(source) : source }, options);

/** The findings of one file on its own. */
export const findingsOf = (engine: Engine, path: string, source: string): Promise<Finding[]> =>
  findingsOfAll(engine, [{ path, source }]);

/** The findings of files that are linked together. */
export async function findingsOfAll(
  engine: Engine,
  files: readonly { path: string; source: string }[],
  options?: AnalysisOptions,
): Promise<Finding[]> {
  const artefacts = await Promise.all(files.map(({ path, source }) => analyseOne(engine, path, source, options)));
  // An engine that fails finds nothing, which must not pass for a clean file.
  for (const { coverage } of artefacts) expect(coverage).toMatchObject({ status: "analysed", reason: null });
  return engine.link(artefacts);
}
