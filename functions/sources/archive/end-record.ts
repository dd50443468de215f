import { SluiceError } from "../../platform/errors.ts";
import type { ByteSource } from "./byte-source.ts";
import { archiveLimits } from "./limits.ts";

/** Where the central directory lies and how many records it says it has. */
export interface EndRecord {
  readonly entries: number;
  readonly directoryOffset: number;
  readonly directoryBytes: number;
}

const endSignature = Buffer.from("PK\x05\x06", "latin1");
const endBytes = 22;
const locatorSignature = 0x07064b50;
const locatorBytes = 20;
const end64Signature = 0x06064b50;
const end64Bytes = 56;
const commentBytesMax = 0xffff;

/**
 * Finds the one end record of an archive (APPNOTE 4.3.14 to 4.3.16). Readers differ in how they search for it, so an archive in which two
 * searches could end at two places is refused.
 * @throws zip_not_an_archive, zip_too_large, zip_end_misplaced, zip_end_ambiguous, zip_multi_disk, zip_too_many_entries,
 *   zip_directory_too_large, zip_directory_misplaced
 */
export async function readEndRecord(source: ByteSource): Promise<EndRecord> {
  if (source.size > archiveLimits.archiveBytes)
    throw new SluiceError("zip_too_large", { bytes: source.size, limit: archiveLimits.archiveBytes });
  const tailBytes = Math.min(source.size, endBytes + commentBytesMax + locatorBytes + end64Bytes);
  const tail = await source.read(source.size - tailBytes, tailBytes);
  const at = locateEnd(tail);
  const classic = {
    disk: tail.readUInt16LE(at + 4),
    directoryDisk: tail.readUInt16LE(at + 6),
    entriesHere: tail.readUInt16LE(at + 8),
    entries: tail.readUInt16LE(at + 10),
    directoryBytes: tail.readUInt32LE(at + 12),
    directoryOffset: tail.readUInt32LE(at + 16),
  };
  const locatorAt = at - locatorBytes;
  const zip64 = locatorAt >= 0 && tail.readUInt32LE(locatorAt) === locatorSignature;
  const end = zip64 ? readEnd64(tail, locatorAt, source.size - tailBytes, classic) : classic;
  if (end.disk !== 0 || end.directoryDisk !== 0 || end.entriesHere !== end.entries)
    throw new SluiceError("zip_multi_disk");
  if (end.entries > archiveLimits.entries)
    throw new SluiceError("zip_too_many_entries", { entries: end.entries, limit: archiveLimits.entries });
  if (end.directoryBytes > archiveLimits.directoryBytes)
    throw new SluiceError("zip_directory_too_large", {
      bytes: end.directoryBytes,
      limit: archiveLimits.directoryBytes,
    });
  const directoryEnd = source.size - tailBytes + (zip64 ? locatorAt - end64Bytes : at);
  // Also where something was put in front of the archive or a second one was appended: every offset is then off by the same amount.
  if (end.directoryOffset + end.directoryBytes !== directoryEnd) throw new SluiceError("zip_directory_misplaced");
  return end;
}

/** The place of the end record in the tail: the only signature whose comment ends with the file, and no signature after it. */
function locateEnd(tail: Buffer): number {
  const signatures: number[] = [];
  for (let at = tail.indexOf(endSignature); at >= 0; at = tail.indexOf(endSignature, at + 1)) signatures.push(at);
  if (signatures.length === 0) throw new SluiceError("zip_not_an_archive");
  const [found, ...others] = signatures.filter(
    (at) => at + endBytes <= tail.length && at + endBytes + tail.readUInt16LE(at + 20) === tail.length,
  );
  if (found === undefined) throw new SluiceError("zip_end_misplaced");
  if (others.length > 0 || signatures.at(-1) !== found) throw new SluiceError("zip_end_ambiguous");
  return found;
}

interface EndFields extends EndRecord {
  readonly disk: number;
  readonly directoryDisk: number;
  readonly entriesHere: number;
}

/**
 * The zip64 record must stand right before its locator: a reader that follows the offset and one that looks there must find the same one.
 * Each classic field holds the same value or says "look in the other record".
 */
function readEnd64(tail: Buffer, locatorAt: number, tailOffset: number, classic: EndFields): EndFields {
  const at = locatorAt - end64Bytes;
  if (
    tail.readUInt32LE(locatorAt + 4) !== 0 ||
    tail.readUInt32LE(locatorAt + 16) > 1 ||
    at < 0 ||
    uint64(tail, locatorAt + 8) !== tailOffset + at ||
    tail.readUInt32LE(at) !== end64Signature ||
    uint64(tail, at + 4) !== end64Bytes - 12
  )
    throw new SluiceError("zip_end_ambiguous");
  const end = {
    disk: tail.readUInt32LE(at + 16),
    directoryDisk: tail.readUInt32LE(at + 20),
    entriesHere: uint64(tail, at + 24),
    entries: uint64(tail, at + 32),
    directoryBytes: uint64(tail, at + 40),
    directoryOffset: uint64(tail, at + 48),
  };
  const fields: [keyof EndFields, number][] = [
    ["disk", 0xffff],
    ["directoryDisk", 0xffff],
    ["entriesHere", 0xffff],
    ["entries", 0xffff],
    ["directoryBytes", 0xffffffff],
    ["directoryOffset", 0xffffffff],
  ];
  for (const [field, elsewhere] of fields)
    if (classic[field] !== end[field] && classic[field] !== elsewhere) throw new SluiceError("zip_end_ambiguous");
  return end;
}

/** Exact up to 2^53 and rounded above, which is far beyond every limit that it is compared with. */
export const uint64 = (bytes: Buffer, offset: number): number => Number(bytes.readBigUInt64LE(offset));
