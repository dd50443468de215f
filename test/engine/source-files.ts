import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import type { SourceFile } from "../../functions/engine/artefact.ts";

/** The sample applications and every nth fixture, in the order of their paths: all languages and most rules. */
export function samplesAndFixtures(every: number): readonly SourceFile[] {
  const fixtures = filesOf(join(import.meta.dirname, "../../functions/engine/rules")).filter(({ path }) =>
    path.includes("/fixtures/"),
  );
  return [...filesOf(join(import.meta.dirname, "samples")), ...fixtures.filter((_, i) => i % every === 0)];
}

/** All files below a folder, in the order of their paths. */
export function filesOf(folder: string): { path: string; bytes: Buffer }[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()
    .map((path) => ({ path: relative(folder, path), bytes: readFileSync(path) }));
}
