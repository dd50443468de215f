import type { SourceFile } from "../engine/artefact.ts";
import type { Finding } from "../engine/finding.ts";
import { placeKey } from "../engine/review/excerpts.ts";
import type { ReviewUnit } from "../engine/review/review.ts";
import type { SlicePlace } from "../engine/review/slices.ts";
import { reviewable, unitCharactersMax } from "../engine/review/units.ts";
import type { LinkedFindings } from "./plan.ts";

/** A file that a model looks at, cut into units, or why it looks at none of it. */
export type PlannedFile =
  | { readonly path: string; readonly units: readonly ReviewUnit[] }
  | { readonly path: string; readonly units: null; readonly reason: string };

/** Decides what a model looks at of a file. */
export function planFile(
  file: SourceFile,
  findings: readonly Finding[],
  unitsOf: (file: SourceFile, findings: readonly Finding[]) => ReviewUnit[],
): PlannedFile {
  const looked = reviewable(file.path, file.bytes);
  if (!looked.review) return { path: file.path, units: null, reason: looked.reason };
  return { path: file.path, units: unitsOf(file, findings) };
}

/** The functions that units may show beside their own code, by file. A finding sees its own file anyway where that is one unit. */
export function placesToShow({ findings, slices = {}, coverage }: LinkedFindings): Map<string, SlicePlace[]> {
  const cut = new Set(coverage.filter(({ bytes }) => bytes > unitCharactersMax).map(({ path }) => path));
  const places = findings.flatMap(({ path, fingerprint }) =>
    (slices[fingerprint] ?? []).filter((place) => place.path !== path || cut.has(path)),
  );
  const once = new Map(places.map((place) => [placeKey(place), place]));
  return Map.groupBy(once.values(), (place) => place.path);
}

/** Gathers files until their units make a batch; a file is never in two, so that a batch knows when its files are done. */
export class BatchBuilder {
  readonly #unitsWanted: number;
  #units: ReviewUnit[] = [];
  #files: { path: string; units: number }[] = [];

  constructor(unitsWanted: number) {
    this.#unitsWanted = unitsWanted;
  }

  add(path: string, units: readonly ReviewUnit[]): void {
    this.#units.push(...units);
    this.#files.push({ path, units: units.length });
  }

  get full(): boolean {
    return this.#units.length >= this.#unitsWanted;
  }

  /** What was gathered since the last time; null for nothing. */
  take(): { units: readonly ReviewUnit[]; files: readonly { path: string; units: number }[] } | null {
    if (this.#files.length === 0) return null;
    const taken = { units: this.#units, files: this.#files };
    this.#units = [];
    this.#files = [];
    return taken;
  }
}
