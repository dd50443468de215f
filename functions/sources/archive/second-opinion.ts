import { SluiceError } from "../../platform/errors.ts";
import type { ByteSource } from "./byte-source.ts";
import type { ArchiveEntry } from "./check-archive.ts";
import { SourceReader } from "./source-reader.ts";

/**
 * Has yauzl read the directory too and refuses an archive in which it sees anything else than our own check did. The attacks on archive
 * readers live off two parsers that disagree; a mistake in ours shall not be the first of them.
 * @throws zip_header_mismatch, zip_directory_broken; errors of the source pass unchanged
 */
export async function requireSecondOpinion(source: ByteSource, entries: readonly ArchiveEntry[]): Promise<void> {
  const reader = new SourceReader(source);
  const zip = await reader.open();
  try {
    let index = 0;
    for await (const seen of zip.eachEntry()) {
      const entry = entries[index++];
      const agreed =
        seen.relativeOffsetOfLocalHeader === entry?.headerOffset &&
        seen.compressedSize === entry.compressedBytes &&
        seen.uncompressedSize === entry.bytes &&
        seen.compressionMethod === entry.method &&
        seen.crc32 === entry.crc32;
      if (!agreed)
        throw new SluiceError("zip_header_mismatch", { entry: entry?.path ?? `#${index}`, field: "directory" });
    }
    if (index !== entries.length) throw new SluiceError("zip_directory_broken", { at: source.size });
  } catch (error) {
    throw reader.explain(error);
  } finally {
    zip.close();
  }
}
