import { createHash } from "node:crypto";
import { PassThrough, Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { crc32, createInflateRaw } from "node:zlib";
import yauzl from "yauzl";
import { isSluiceError, SluiceError } from "../../platform/errors.ts";
import { type ByteSource, blockSource, slices } from "./byte-source.ts";
import type { ArchiveEntry } from "./check-archive.ts";

export interface ReadLimits {
  /** Larger entries are inflated and verified, but their bytes are not kept. @default 1 MiB, above every file that is scanned whole */
  readonly keepBytesMax?: number;
}

/** One entry after every byte of it has been inflated and checked. */
export interface ReadEntry {
  readonly entry: ArchiveEntry;
  /** The whole content; null when it is larger than `keepBytesMax`. */
  readonly bytes: Buffer | null;
  /** Of the whole content, in hex; also there when the bytes are not. */
  readonly sha256: string;
  /** A NUL among the first 8,000 bytes, the rule of git. UTF-16 text counts as binary by it. */
  readonly binary: boolean;
}

/**
 * Inflates the given entries of a checked archive one after another, in the order of the directory, and verifies size and CRC of each. What
 * the header declared is the most that is ever inflated. Memory: one entry up to `keepBytesMax` and 16 MiB of read blocks.
 * yauzl reads the directory a second time here; where it disagrees with our own check the archive is refused.
 * @param entries what `checkArchive` answered for the same source, or a part of it
 * @throws zip_crc_mismatch, zip_size_mismatch, zip_data_broken, zip_directory_broken; errors of the source pass unchanged
 */
export async function* readEntries(
  source: ByteSource,
  entries: readonly ArchiveEntry[],
  { keepBytesMax = 1024 * 1024 }: ReadLimits = {},
): AsyncGenerator<ReadEntry> {
  if (entries.length === 0) return;
  const wanted = new Map(entries.map((entry) => [entry.index, entry]));
  const reader = new SourceReader(blockSource(source));
  const zip = await yauzl
    .fromRandomAccessReaderPromise(reader, source.size, { decodeStrings: false, autoClose: false })
    .catch((error) => Promise.reject(refusal(error, reader)));
  try {
    let index = 0;
    for await (const found of zip.eachEntry()) {
      const entry = wanted.get(index++);
      if (entry === undefined) continue;
      refuseDisagreement(found, entry);
      const raw = await zip.openReadStreamPromise(found, { decodeFileData: false });
      yield { entry, ...(await verified(raw, entry, keepBytesMax)) };
      wanted.delete(entry.index);
      if (wanted.size === 0) return;
    }
    throw new SluiceError("zip_directory_broken", { at: source.size });
  } catch (error) {
    throw refusal(error, reader);
  } finally {
    zip.close();
  }
}

/** An error of the source (a failed range request) is not the archive's fault and passes as it is; what else yauzl says is a refusal. */
function refusal(error: unknown, reader: SourceReader): unknown {
  if (reader.failure !== undefined) return reader.failure;
  return isSluiceError(error) ? error : new SluiceError("zip_directory_broken", { at: 0 }, error);
}

function refuseDisagreement(found: yauzl.Entry, entry: ArchiveEntry): void {
  const agreed =
    found.relativeOffsetOfLocalHeader === entry.headerOffset &&
    found.compressedSize === entry.compressedBytes &&
    found.uncompressedSize === entry.bytes &&
    found.compressionMethod === entry.method &&
    found.crc32 === entry.crc32;
  if (!agreed) throw new SluiceError("zip_header_mismatch", { entry: entry.path, field: "directory" });
}

/** git looks this far for a NUL to tell binary files from text. */
const binaryProbeBytes = 8000;

async function verified(raw: Readable, entry: ArchiveEntry, keepBytesMax: number): Promise<Omit<ReadEntry, "entry">> {
  const inflater = entry.method === 8 ? createInflateRaw({ chunkSize: 64 * 1024 }) : new PassThrough();
  const refuse = (code: "zip_size_mismatch" | "zip_crc_mismatch" | "zip_data_broken", cause?: unknown) =>
    new SluiceError(code, { entry: entry.path }, cause);
  const hash = createHash("sha256");
  const kept: Buffer[] | null = entry.bytes <= keepBytesMax ? [] : null;
  let bytes = 0;
  let checksum = 0;
  let binary = false;

  async function take(chunks: AsyncIterable<Buffer>): Promise<void> {
    for await (const chunk of chunks) {
      if (bytes + chunk.length > entry.bytes) throw refuse("zip_size_mismatch");
      if (bytes < binaryProbeBytes) binary ||= chunk.subarray(0, binaryProbeBytes - bytes).includes(0);
      bytes += chunk.length;
      checksum = crc32(chunk, checksum);
      hash.update(chunk);
      kept?.push(chunk);
    }
  }

  try {
    await pipeline(raw, inflater, take);
  } catch (error) {
    const broken = error instanceof Error && "code" in error && String(error.code).startsWith("Z_");
    throw broken ? refuse("zip_data_broken", error) : error;
  }
  if (bytes !== entry.bytes) throw refuse("zip_size_mismatch");
  if (checksum !== entry.crc32) throw refuse("zip_crc_mismatch");
  // Compressed bytes after the end of the deflate stream belong to nothing, like a gap between entries.
  if ("bytesWritten" in inflater && inflater.bytesWritten !== entry.compressedBytes) throw refuse("zip_data_broken");
  return { bytes: kept && Buffer.concat(kept), sha256: hash.digest("hex"), binary };
}

/** yauzl over a byte source; remembers the source's own failure, which yauzl would hand on like one of its own. */
class SourceReader extends yauzl.RandomAccessReader {
  readonly #source: ByteSource;
  failure: unknown;

  constructor(source: ByteSource) {
    super();
    this.#source = source;
  }

  override read(
    target: Buffer,
    offset: number,
    length: number,
    position: number,
    done: (error: Error | null, bytesRead?: number) => void,
  ): void {
    this.#source.read(position, length).then(
      (bytes) => done(null, bytes.copy(target, offset)),
      (error) => {
        this.failure = error;
        done(error);
      },
    );
  }

  override _readStreamForRange(start: number, end: number): Readable {
    return Readable.from(this.#slices(start, end), { objectMode: false });
  }

  async *#slices(start: number, end: number): AsyncGenerator<Buffer> {
    try {
      yield* slices(this.#source, start, end);
    } catch (error) {
      this.failure = error;
      throw error;
    }
  }
}
