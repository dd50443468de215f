import type { Coverage, SourceFile } from "../engine/artefact.ts";
import type { Finding } from "../engine/finding.ts";
import type { Slices } from "../engine/review/slices.ts";
import type { LeftOut } from "../sources/repository-snapshot.ts";
import type { SkippedFile } from "../sources/selection.ts";

/** What an attempt is going to look at, written before anything is analysed. */
export interface Plan {
  readonly accepted: readonly string[];
  readonly skipped: readonly SkippedFile[];
  /** Paths that were asked for and are not in the archive. */
  readonly missing: readonly string[];
  /** What the repository has and its archive lacks; nothing is known of that for a ZIP. */
  readonly leftOut?: LeftOut | null;
}

/** One line of a chunk: a file and its bytes in base64, because source need not be valid UTF-8. */
export interface ChunkFile {
  readonly path: string;
  readonly base64: string;
}

/** The files of a chunk as they were written. @throws Error when the chunk is not there */
export function* filesOfChunk(chunk: Buffer | null): Generator<SourceFile & { bytes: Buffer }> {
  if (!chunk) throw new Error("a chunk is missing");
  for (const line of chunk.toString("utf8").split("\n")) {
    const { path, base64 } = JSON.parse(line) as ChunkFile;
    yield { path, bytes: Buffer.from(base64, "base64") };
  }
}

/** What linking leaves for the conclusion. */
export interface LinkedFindings {
  /** The version of the engine that has linked them. */
  readonly engine?: string;
  readonly findings: readonly Finding[];
  readonly coverage: readonly Coverage[];
  /** Accepted files whose chunk was never finished. */
  readonly unfinished: readonly string[];
  /** For the review; none where rules alone judge. */
  readonly slices?: Slices;
}

/** A chunk is one unit of work, of retry and of progress: about 512 kB of source or 50 files, a few seconds of analysis. */
const chunkBytesMax = 512 * 1024;
const chunkFilesMax = 50;

/** Cuts a stream of files into chunks as it comes. The same archive comes in the same order, so a repeated plan overwrites itself. */
export async function* inChunks<T extends { readonly bytes: Uint8Array }>(
  files: AsyncIterable<T>,
): AsyncGenerator<T[]> {
  let open: T[] = [];
  let bytes = 0;
  for await (const file of files) {
    if (open.length === chunkFilesMax || (open.length > 0 && bytes + file.bytes.length > chunkBytesMax)) {
      yield open;
      open = [];
      bytes = 0;
    }
    open.push(file);
    bytes += file.bytes.length;
  }
  if (open.length > 0) yield open;
}
