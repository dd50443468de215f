import { createHash } from "node:crypto";
import { pipeline, type Readable } from "node:stream";
import { crc32, createInflateRaw, inflateRawSync } from "node:zlib";
import type { ZipFile } from "yauzl";
import { SluiceError } from "../../platform/errors.ts";
import type { ByteSource } from "./byte-source.ts";
import type { ArchiveEntry } from "./check-archive.ts";
import { SourceReader } from "./source-reader.ts";

export interface ReadLimits {
  /** Larger entries are inflated and verified, but their bytes are not kept. @default 1 MiB, above every file that is scanned */
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
 * Inflates entries of a checked archive one after another, in the order in which they lie, and verifies size and CRC of each. What the
 * directory declared is the most that is ever inflated. Memory: one entry up to `keepBytesMax` and 16 MiB of read blocks.
 * @param entries what `checkArchive` answered for the same source, or a part of it; other entries are neither fetched nor touched
 * @throws zip_crc_mismatch, zip_size_mismatch, zip_data_broken; errors of the source pass unchanged
 */
export async function* readEntries(
  source: ByteSource,
  entries: readonly ArchiveEntry[],
  { keepBytesMax = 1024 * 1024 }: ReadLimits = {},
): AsyncGenerator<ReadEntry> {
  const reader = new SourceReader(source);
  const zip = await reader.open();
  try {
    for (const entry of entries.toSorted((a, b) => a.dataOffset - b.dataOffset))
      yield { entry, ...(await verified(await openRaw(zip, entry), entry, keepBytesMax)) };
  } catch (error) {
    throw reader.explain(error);
  } finally {
    zip.close();
  }
}

/** The compressed bytes, from where the check found them. (yauzl 3.4.0 has a promise form of this method that calls another one.) */
const openRaw = (zip: ZipFile, { dataOffset, compressedBytes }: ArchiveEntry): Promise<Readable> =>
  new Promise((resolve, reject) =>
    zip.openReadStreamLowLevel(dataOffset, compressedBytes, 0, compressedBytes, false, null, (error, stream) =>
      error ? reject(error) : resolve(stream),
    ),
  );

/** git looks this far for a NUL to tell binary files from text. */
const binaryProbeBytes = 8000;

async function verified(raw: Readable, entry: ArchiveEntry, keepBytesMax: number): Promise<Omit<ReadEntry, "entry">> {
  const hash = createHash("sha256");
  const kept: Buffer[] | null = entry.bytes <= keepBytesMax ? [] : null;
  let bytes = 0;
  let checksum = 0;
  let binary = false;
  for await (const chunk of inflated(raw, entry)) {
    if (bytes + chunk.length > entry.bytes) throw refuse("zip_size_mismatch", entry);
    if (bytes < binaryProbeBytes) binary ||= chunk.subarray(0, binaryProbeBytes - bytes).includes(0);
    bytes += chunk.length;
    checksum = crc32(chunk, checksum);
    hash.update(chunk);
    kept?.push(chunk);
  }
  if (bytes !== entry.bytes) throw refuse("zip_size_mismatch", entry);
  if (checksum !== entry.crc32) throw refuse("zip_crc_mismatch", entry);
  return { bytes: kept && Buffer.concat(kept), sha256: hash.digest("hex"), binary };
}

const refuse = (
  code: "zip_size_mismatch" | "zip_crc_mismatch" | "zip_data_broken",
  { path }: ArchiveEntry,
  cause?: unknown,
): SluiceError => new SluiceError(code, { entry: path }, cause);

/**
 * Most source files are a few kilobytes, for which a round trip to zlib's threads costs ten times the work. Up to this size an entry is
 * inflated in one call, which holds the thread for a millisecond at most.
 */
const atOnceBytes = 256 * 1024;

/** The content in chunks. Compressed bytes behind the end of the deflate stream belong to nothing, like a gap between entries: refused. */
async function* inflated(raw: Readable, entry: ArchiveEntry): AsyncGenerator<Buffer> {
  if (entry.method === 0) return yield* raw;
  try {
    let consumed: number;
    if (Math.max(entry.bytes, entry.compressedBytes) <= atOnceBytes) {
      const options = { info: true, maxOutputLength: Math.max(entry.bytes, 1) };
      const { buffer, engine } = inflateRawSync(Buffer.concat(await raw.toArray()), options) as unknown as InflateInfo;
      yield buffer;
      consumed = engine.bytesWritten;
    } else {
      const inflater = createInflateRaw({ chunkSize: 64 * 1024 });
      // Errors of either stream end the other and come out of the iteration; the callback has nothing left to do.
      yield* pipeline(raw, inflater, () => undefined);
      consumed = inflater.bytesWritten;
    }
    if (consumed !== entry.compressedBytes) throw refuse("zip_data_broken", entry);
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "";
    if (code === "ERR_BUFFER_TOO_LARGE") throw refuse("zip_size_mismatch", entry, error);
    throw code.startsWith("Z_") ? refuse("zip_data_broken", entry, error) : error;
  }
}

/** What `info: true` makes of the answer; its declared type does not say so. */
interface InflateInfo {
  readonly buffer: Buffer;
  readonly engine: { readonly bytesWritten: number };
}
