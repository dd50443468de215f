import { SluiceError } from "../../platform/errors.ts";
import type { ByteSource } from "./byte-source.ts";
import type { EndRecord } from "./end-record.ts";
import { displayName, readEntryName } from "./entry-name.ts";
import { readExtraFields, resolveZip64 } from "./extra-fields.ts";
import { archiveLimits } from "./limits.ts";

/** One record of the central directory, already checked on its own. */
export interface DirectoryRecord {
  readonly index: number;
  readonly path: string;
  readonly directory: boolean;
  readonly rawName: Buffer;
  readonly flags: number;
  readonly method: 0 | 8;
  readonly crc32: number;
  readonly compressedBytes: number;
  readonly bytes: number;
  /** Where the local header starts. */
  readonly headerOffset: number;
}

/** General purpose bits, APPNOTE 4.4.4. */
export const flagBits = { encrypted: 0x2041, descriptor: 0x0008, patch: 0x0020, utf8: 0x0800 } as const;

const recordSignature = 0x02014b50;
const recordBytes = 46;

/**
 * Reads the central directory with a counter: exactly the promised number of records in exactly the promised bytes.
 * @throws zip_directory_broken and what the checks of one record throw
 */
export async function readDirectory(source: ByteSource, end: EndRecord): Promise<DirectoryRecord[]> {
  const broken = (at: number) => new SluiceError("zip_directory_broken", { at: end.directoryOffset + at });
  const bytes = await source.read(end.directoryOffset, end.directoryBytes);
  const records: DirectoryRecord[] = [];
  let at = 0;
  for (let index = 0; index < end.entries; index++) {
    if (at + recordBytes > bytes.length || bytes.readUInt32LE(at) !== recordSignature) throw broken(at);
    const nameEnd = at + recordBytes + bytes.readUInt16LE(at + 28);
    const extraEnd = nameEnd + bytes.readUInt16LE(at + 30);
    const recordEnd = extraEnd + bytes.readUInt16LE(at + 32);
    if (recordEnd > bytes.length) throw broken(at);
    const name = bytes.subarray(at + recordBytes, nameEnd);
    records.push(readRecord(bytes.subarray(at, at + recordBytes), name, bytes.subarray(nameEnd, extraEnd), index));
    at = recordEnd;
  }
  if (at !== bytes.length) throw broken(at);
  return records;
}

function readRecord(fixed: Buffer, rawName: Buffer, extraBytes: Buffer, index: number): DirectoryRecord {
  const flags = fixed.readUInt16LE(8);
  const label = displayName(rawName, index);
  const extra = readExtraFields(extraBytes, label);
  const name = readEntryName(rawName, (flags & flagBits.utf8) !== 0, extra.unicodePath, index);
  const entry = name.path === "" ? label : name.path;
  const [bytes, compressedBytes, headerOffset] = resolveZip64(
    extra.zip64,
    [fixed.readUInt32LE(24), fixed.readUInt32LE(20), fixed.readUInt32LE(42)],
    entry,
  ) as [number, number, number];
  const disk = fixed.readUInt16LE(34);
  if (disk !== 0 && !(disk === 0xffff && extra.zip64 !== undefined)) throw new SluiceError("zip_multi_disk");
  refuseKind(fixed.readUInt32LE(38), entry);
  const method = supportedMethod(fixed.readUInt16LE(10), flags, entry);
  if (method === 0 && bytes !== compressedBytes) throw new SluiceError("zip_size_mismatch", { entry });
  if (name.directory && bytes !== 0) throw new SluiceError("zip_directory_with_content", { entry });
  refuseBomb(bytes, compressedBytes, entry);
  return {
    index,
    ...name,
    rawName,
    flags,
    method,
    crc32: fixed.readUInt32LE(16),
    compressedBytes,
    bytes,
    headerOffset,
  };
}

/**
 * The file type of Unix lies in the high half of the external attributes. It is looked at whatever system the archive claims to come from:
 * some readers create the link without asking for the origin.
 */
function refuseKind(externalAttributes: number, entry: string): void {
  const type = externalAttributes >>> 28;
  if (type === 0o12) throw new SluiceError("zip_symlink", { entry });
  if (type !== 0 && type !== 0o10 && type !== 0o04) throw new SluiceError("zip_special_file", { entry });
}

function supportedMethod(method: number, flags: number, entry: string): 0 | 8 {
  // Method 99 is how WinZip marks AES.
  if ((flags & flagBits.encrypted) !== 0 || method === 99) throw new SluiceError("zip_encrypted", { entry });
  if ((method !== 0 && method !== 8) || (flags & flagBits.patch) !== 0)
    throw new SluiceError("zip_method_unsupported", { entry, method });
  return method as 0 | 8;
}

/** Declared sizes are judged here, so that nothing is inflated in vain; reading holds the entry to its declaration. */
function refuseBomb(bytes: number, compressedBytes: number, entry: string): void {
  if (bytes > archiveLimits.entryBytes)
    throw new SluiceError("zip_entry_too_large", { entry, bytes, limit: archiveLimits.entryBytes });
  if (bytes > archiveLimits.ratioFreeBytes && bytes > compressedBytes * archiveLimits.ratio)
    throw new SluiceError("zip_bomb_ratio", { entry, limit: archiveLimits.ratio });
}
