import { hash } from "node:crypto";
import * as z from "zod";
import { type FileArtefact, isRepeatable, type SourceFile } from "../engine/artefact.ts";
import type { AnalysisOptions, Engine } from "../engine/engine.ts";
import { environment } from "../platform/environment.ts";
import { getJson, putJson } from "../platform/object-store.ts";
import { scanKeys, type Task } from "./task.ts";
import { completedBefore } from "./task-store.ts";

/** What the analysis of a chunk leaves, with all that decided it besides the files. */
interface ChunkArtefacts {
  /** Engine version, patterns and codes; see `analysisKey`. */
  readonly analysis: string;
  readonly artefacts: readonly FileArtefact[];
}

/** A chunk of an earlier attempt, of this scan or of another one of the same project. */
export const ChunkOfAttempt = z.object({
  task_id: z.uuid(),
  attempt: z.number().int(),
  chunk: z.number().int().min(0),
});
export type ChunkOfAttempt = z.infer<typeof ChunkOfAttempt>;

/** Which chunk each path of an attempt is in. */
export type Places = Readonly<Record<string, number>>;

/** Artefacts depend on nothing else but a file's path and its bytes. */
const analysisKey = (engine: Engine, { patterns = [], codes = [] }: AnalysisOptions): string =>
  `${engine.version}/${hash("sha256", JSON.stringify([patterns, codes]))}`;

export async function writeArtefacts(
  { task_id, attempt, chunk }: ChunkOfAttempt,
  engine: Engine,
  options: AnalysisOptions,
  artefacts: readonly FileArtefact[],
): Promise<void> {
  const kept: ChunkArtefacts = { analysis: analysisKey(engine, options), artefacts };
  await putJson(environment().RESULTS_BUCKET, scanKeys(task_id, attempt).artefacts(chunk), kept);
}

/** @returns null when the chunk was never finished */
export async function readArtefacts({ task_id, attempt, chunk }: ChunkOfAttempt): Promise<ChunkArtefacts | null> {
  return getJson<ChunkArtefacts>({
    bucket: environment().RESULTS_BUCKET,
    key: scanKeys(task_id, attempt).artefacts(chunk),
  });
}

/**
 * Finds what an earlier attempt has left for files that have not changed since: the one before in the same scan, else that of the
 * project's latest completed scan. Only scans of one project lend to each other, so nobody learns what somebody else has.
 */
export class EarlierAttempt {
  readonly #of: Pick<ChunkOfAttempt, "task_id" | "attempt"> | null;
  readonly #places: Places;

  private constructor(of: Pick<ChunkOfAttempt, "task_id" | "attempt"> | null, places: Places) {
    this.#of = of;
    this.#places = places;
  }

  static async before(task: Task): Promise<EarlierAttempt> {
    const completed = await completedBefore(task);
    const candidates = [
      ...(task.attempt > 1 ? [{ task_id: task.id, attempt: task.attempt - 1 }] : []),
      ...(completed ? [{ task_id: completed.id, attempt: completed.attempt }] : []),
    ];
    for (const of of candidates) {
      const key = scanKeys(of.task_id, of.attempt).places;
      const places = await getJson<Places>({ bucket: environment().RESULTS_BUCKET, key });
      if (places) return new EarlierAttempt(of, places);
    }
    return new EarlierAttempt(null, {});
  }

  /** The chunks in which these paths were, in order. */
  chunksOf(paths: readonly string[]): ChunkOfAttempt[] {
    const of = this.#of;
    if (!of) return [];
    const numbers = paths.flatMap((path) => (Object.hasOwn(this.#places, path) ? [this.#places[path] as number] : []));
    return [...new Set(numbers)].sort((a, b) => a - b).map((chunk) => ({ ...of, chunk }));
  }
}

/** Artefacts of earlier chunks that this engine would make again, by path. */
export class KnownArtefacts {
  readonly #byPath = new Map<string, FileArtefact>();

  static async of(
    chunks: readonly ChunkOfAttempt[],
    engine: Engine,
    options: AnalysisOptions,
  ): Promise<KnownArtefacts> {
    const known = new KnownArtefacts();
    const analysis = analysisKey(engine, options);
    for (const chunk of chunks) {
      const kept = await readArtefacts(chunk);
      if (kept?.analysis !== analysis) continue;
      for (const artefact of kept.artefacts) known.#byPath.set(artefact.coverage.path, artefact);
    }
    return known;
  }

  /** @returns null for a file that is new, was changed, or whose analysis may come out better now */
  find({ path, bytes }: SourceFile): FileArtefact | null {
    const artefact = this.#byPath.get(path);
    if (!artefact || !isRepeatable(artefact.coverage)) return null;
    return artefact.sha256 === hash("sha256", bytes) ? artefact : null;
  }
}
