import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, inject } from "vitest";
import type { FileArtefact } from "../../functions/engine/artefact.ts";
import { type CatalogueHead, headFile } from "../../functions/engine/catalogue/model-files.ts";
import { type AnalysisOptions, createEngine, type Engine } from "../../functions/engine/engine.ts";
import type { Finding } from "../../functions/engine/finding.ts";
import type { WorkClock } from "../../functions/engine/time-limit.ts";

/** What the engine reads, as it was written for this run. */
export const readAsset = (name: string): Promise<Buffer> => readFile(join(inject("taskRoot"), "engine", name));

/** All rules, compiled. */
export const catalogueData = async (): Promise<CatalogueHead> =>
  JSON.parse((await readAsset(headFile)).toString()) as CatalogueHead;

/** The real engine. */
export const openEngine = (clock?: WorkClock): Promise<Engine> =>
  createEngine({ read: readAsset, ...(clock && { clock }) });

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
