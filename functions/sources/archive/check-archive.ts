import { SluiceError } from "../../platform/errors.ts";
import { type ByteSource, blockSource } from "./byte-source.ts";
import { type DirectoryRecord, readDirectory } from "./directory.ts";
import { readEndRecord } from "./end-record.ts";
import { archiveLimits } from "./limits.ts";
import { checkLocalHeaders } from "./local-headers.ts";

/** A file or folder of an archive whose structure has been checked. Its content has not: reading it does that. */
export interface ArchiveEntry {
  /** Position in the central directory; members are addressed by it, never by name. */
  readonly index: number;
  /** Normalised, relative, `/` between segments, none at the end; "" only for a record of the top folder itself. */
  readonly path: string;
  readonly directory: boolean;
  readonly compressedBytes: number;
  readonly bytes: number;
  readonly crc32: number;
  readonly method: 0 | 8;
  readonly headerOffset: number;
  readonly dataOffset: number;
}

/**
 * Checks the structure of a ZIP as strictly as the format allows, before anything in it is opened: one end record, a directory that agrees
 * with every local header, no byte that belongs to nothing, no name that leaves the tree, no link, no size that explodes.
 * Reads the directory and the headers only; costs at most one pass over the archive.
 * @returns all entries in the order of the directory
 * @throws SluiceError zip_* (422) naming the entry and the reason; errors of the source pass unchanged
 */
export async function checkArchive(source: ByteSource): Promise<ArchiveEntry[]> {
  const blocks = blockSource(source);
  const end = await readEndRecord(blocks);
  const records = await readDirectory(blocks, end);
  refuseTotals(records);
  refuseDuplicates(records);
  const dataOffsets = await checkLocalHeaders(blocks, records, end.directoryOffset);
  return records.map(({ rawName: _, flags: __, ...record }) => ({ ...record, dataOffset: dataOffsets[record.index]! }));
}

/** Many small bombs make a large one, so the limits hold for the sum as well. */
function refuseTotals(records: readonly DirectoryRecord[]): void {
  let bytes = 0;
  let compressedBytes = 0;
  for (const record of records) {
    bytes += record.bytes;
    compressedBytes += record.compressedBytes;
  }
  if (bytes > archiveLimits.totalBytes)
    throw new SluiceError("zip_total_too_large", { bytes, limit: archiveLimits.totalBytes });
  if (bytes > archiveLimits.ratioFreeBytes && bytes > compressedBytes * archiveLimits.ratio)
    throw new SluiceError("zip_total_ratio", { limit: archiveLimits.ratio });
}

/**
 * One path, one meaning: the same path twice, or a file where another entry needs a folder, would read differently in different tools.
 * With NUL (which no path contains) for `/`, sorting puts whatever lies below a path right behind it.
 */
function refuseDuplicates(records: readonly DirectoryRecord[]): void {
  const sorted = records
    .map(({ path, directory }) => ({ path, directory, key: path.replaceAll("/", "\0") }))
    .sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0));
  for (const [position, { path, directory, key }] of sorted.entries()) {
    const next = sorted[position + 1];
    if (next === undefined) break;
    if (next.key === key || (!directory && next.key.startsWith(`${key}\0`)))
      throw new SluiceError("zip_duplicate_entry", { entry: path === "" ? "./" : path });
  }
}
