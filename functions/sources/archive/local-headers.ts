import { SluiceError } from "../../platform/errors.ts";
import type { ByteSource } from "./byte-source.ts";
import { type DirectoryRecord, flagBits } from "./directory.ts";
import { uint64 } from "./end-record.ts";
import { readEntryName } from "./entry-name.ts";
import { readExtraFields, resolveZip64 } from "./extra-fields.ts";

const headerSignature = 0x04034b50;
const headerBytes = 30;
const descriptorSignature = 0x08074b50;

/**
 * Walks the local headers in the order in which they lie and holds each to its directory record. Headers, data and descriptors must fill the
 * space before the directory to the byte: a gap can hide an archive for another reader, an overlap can hide a bomb.
 * @returns where the data of each entry starts, by entry index
 * @throws zip_header_mismatch, zip_overlap, zip_extra_bytes, zip_entry_extra
 */
export async function checkLocalHeaders(
  source: ByteSource,
  records: readonly DirectoryRecord[],
  directoryOffset: number,
): Promise<number[]> {
  const inPlace = records.toSorted((a, b) => a.headerOffset - b.headerOffset);
  const dataOffsets: number[] = [];
  let expected = 0;
  for (const [position, record] of inPlace.entries()) {
    const entry = entryLabel(record);
    if (record.headerOffset > expected) throw extraBytes(expected, record.headerOffset);
    const dataOffset = await checkHeader(source, record, directoryOffset, entry);
    const dataEnd = dataOffset + record.compressedBytes;
    const next = inPlace[position + 1];
    const end = next?.headerOffset ?? directoryOffset;
    if (dataEnd > end)
      throw new SluiceError("zip_overlap", {
        entry,
        other: next === undefined ? "central directory" : entryLabel(next),
      });
    expected =
      (record.flags & flagBits.descriptor) === 0 ? dataEnd : await checkDescriptor(source, record, dataEnd, end, entry);
    dataOffsets[record.index] = dataOffset;
  }
  if (expected !== directoryOffset) throw extraBytes(expected, directoryOffset);
  return dataOffsets;
}

const entryLabel = (record: DirectoryRecord): string => (record.path === "" ? `#${record.index + 1}` : record.path);

const extraBytes = (from: number, to: number): SluiceError =>
  new SluiceError("zip_extra_bytes", { bytes: to - from, at: from });

/** @returns where the data starts */
async function checkHeader(source: ByteSource, record: DirectoryRecord, limit: number, entry: string): Promise<number> {
  const mismatch = (field: string) => new SluiceError("zip_header_mismatch", { entry, field });
  if (record.headerOffset + headerBytes > limit) throw mismatch("offset");
  const fixed = await source.read(record.headerOffset, headerBytes);
  if (fixed.readUInt32LE(0) !== headerSignature) throw mismatch("signature");
  const nameBytes = fixed.readUInt16LE(26);
  const variableBytes = nameBytes + fixed.readUInt16LE(28);
  const dataOffset = record.headerOffset + headerBytes + variableBytes;
  if (nameBytes !== record.rawName.length) throw mismatch("name");
  if (dataOffset > limit) throw mismatch("length");
  const variable =
    variableBytes === 0 ? Buffer.alloc(0) : await source.read(record.headerOffset + headerBytes, variableBytes);
  if (!variable.subarray(0, nameBytes).equals(record.rawName)) throw mismatch("name");
  // Other bits (the effort of the compressor) change nothing and differ between the two places in archives of real tools.
  const meaningful = flagBits.encrypted | flagBits.descriptor | flagBits.patch | flagBits.utf8;
  if (((fixed.readUInt16LE(6) ^ record.flags) & meaningful) !== 0) throw mismatch("flags");
  if (fixed.readUInt16LE(8) !== record.method) throw mismatch("method");

  const extra = readExtraFields(variable.subarray(nameBytes), entry);
  if (extra.unicodePath !== undefined) {
    const name = readEntryName(record.rawName, (record.flags & flagBits.utf8) !== 0, extra.unicodePath, record.index);
    if (name.path !== record.path || name.directory !== record.directory) throw mismatch("name");
  }
  const sizes = resolveZip64(extra.zip64, [fixed.readUInt32LE(22), fixed.readUInt32LE(18)], entry);
  const promised: [string, number, number][] = [
    ["crc32", fixed.readUInt32LE(14), record.crc32],
    ["size", sizes[0]!, record.bytes],
    ["compressed size", sizes[1]!, record.compressedBytes],
  ];
  // A writer that streams does not know them yet and writes zeros; the descriptor behind the data then has the values.
  const later = (record.flags & flagBits.descriptor) !== 0;
  for (const [field, local, central] of promised)
    if (local !== central && !(later && local === 0)) throw mismatch(field);
  return dataOffset;
}

/**
 * The data descriptor comes in four forms: with or without signature, with sizes of 4 or 8 bytes (APPNOTE 4.3.9). Its end is where the next
 * part starts, so its length tells the form.
 * @returns where the descriptor ends
 */
async function checkDescriptor(
  source: ByteSource,
  record: DirectoryRecord,
  start: number,
  end: number,
  entry: string,
): Promise<number> {
  const mismatch = new SluiceError("zip_header_mismatch", { entry, field: "descriptor" });
  const length = end - start;
  if (![12, 16, 20, 24].includes(length)) throw length > 24 ? extraBytes(start, end) : mismatch;
  const descriptor = await source.read(start, length);
  const signed = length === 16 || length === 24;
  if (signed && descriptor.readUInt32LE(0) !== descriptorSignature) throw mismatch;
  const at = signed ? 4 : 0;
  const wide = length >= 20;
  const compressedBytes = wide ? uint64(descriptor, at + 4) : descriptor.readUInt32LE(at + 4);
  const bytes = wide ? uint64(descriptor, at + 12) : descriptor.readUInt32LE(at + 8);
  if (
    descriptor.readUInt32LE(at) !== record.crc32 ||
    compressedBytes !== record.compressedBytes ||
    bytes !== record.bytes
  )
    throw mismatch;
  return end;
}
