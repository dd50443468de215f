import type { FileHandle } from "node:fs/promises";
import type { ByteSource } from "../archive/byte-source.ts";
import { readEndRecord } from "../archive/end-record.ts";

const recordSignature = 0x02014b50;
const recordBytes = 46;
const formatMask = 0o170000;
const linkFormat = 0o120000;
const fileFormat = 0o100000;

/**
 * Marks the symbolic links in a downloaded archive as plain files, which is what git itself writes with `core.symlinks=false`: a small text
 * that holds the target. Ordinary repositories have links, and uploads with links are refused. Nothing else is touched, and a directory that
 * is not as it should be is left for the archive check to refuse.
 * @param file the archive, open for writing; `source` reads the same bytes
 */
export async function linksToFiles(source: ByteSource, file: FileHandle): Promise<void> {
  const { directoryOffset, directoryBytes } = await readEndRecord(source);
  const directory = await source.read(directoryOffset, directoryBytes);
  for (let at = 0; at + recordBytes <= directory.length && directory.readUInt32LE(at) === recordSignature; ) {
    // The high half of the external attributes, judged whatever system made the archive, as the check does.
    const mode = directory.readUInt16LE(at + 40);
    if ((mode & formatMask) === linkFormat) {
      const asFile = (mode & ~formatMask) | fileFormat;
      directory.writeUInt16LE(asFile, at + 40);
      await file.write(directory, at + 40, 2, directoryOffset + at + 40);
    }
    at +=
      recordBytes + directory.readUInt16LE(at + 28) + directory.readUInt16LE(at + 30) + directory.readUInt16LE(at + 32);
  }
}
