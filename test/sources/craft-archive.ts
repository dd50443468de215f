import { crc32, deflateRawSync } from "node:zlib";

/** What a local or central header says; tests make the two disagree. */
export interface CraftedHeader {
  name: string | Buffer;
  flags: number;
  method: number;
  crc32: number;
  compressedBytes: number;
  bytes: number;
  extra: Buffer;
}

export interface CraftedEntry {
  name: string | Buffer;
  content?: string | Buffer;
  method?: number;
  flags?: number;
  extra?: Buffer;
  /** Instead of what the method makes of the content. */
  data?: Buffer;
  /** Bytes in front of the local header that belong to nothing. */
  before?: Buffer;
  /** Bytes behind the data. */
  descriptor?: Buffer;
  local?: Partial<CraftedHeader>;
  central?: Partial<CraftedHeader> & { offset?: number; attributes?: number; madeBy?: number; disk?: number };
}

export interface CraftedEnd {
  disk?: number;
  entriesHere?: number;
  entries?: number;
  directoryBytes?: number;
  directoryOffset?: number;
  commentBytes?: number;
}

export interface CraftedArchive {
  entries: CraftedEntry[];
  comment?: Buffer;
  /** Between the last record of the directory and what ends the archive. */
  afterDirectory?: Buffer;
  end?: CraftedEnd;
  /** Adds the zip64 record and locator, with these values in place of the right ones. */
  zip64?: { entries?: number; directoryBytes?: number; directoryOffset?: number; recordOffset?: number };
}

/** Writes a ZIP byte by byte, right where the test says nothing and wrong where it does. */
export function craftArchive({
  entries,
  comment = Buffer.alloc(0),
  afterDirectory,
  end = {},
  zip64,
}: CraftedArchive): Buffer {
  const parts: Buffer[] = [];
  const records: Buffer[] = [];
  let offset = 0;
  const push = (...more: (Buffer | undefined)[]) => {
    for (const part of more) {
      if (part === undefined) continue;
      parts.push(part);
      offset += part.length;
    }
  };
  for (const entry of entries) {
    push(entry.before);
    const { header, data } = written(entry);
    records.push(centralHeader({ ...header, ...entry.central }, entry.central, offset));
    push(localHeader({ ...header, ...entry.local }), data, entry.descriptor);
  }
  const directoryOffset = offset;
  push(...records);
  const directoryBytes = offset - directoryOffset;
  push(afterDirectory);
  if (zip64 !== undefined) {
    const recordOffset = offset;
    push(
      fields(
        "PK\x06\x06",
        [44n],
        [45, 45],
        [0n],
        [
          BigInt(zip64.entries ?? entries.length),
          BigInt(zip64.entries ?? entries.length),
          BigInt(zip64.directoryBytes ?? directoryBytes),
          BigInt(zip64.directoryOffset ?? directoryOffset),
        ],
      ),
      fields("PK\x06\x07", [0, 0], [BigInt(zip64.recordOffset ?? recordOffset)], [1, 0]),
    );
  }
  const all = zip64 === undefined ? undefined : 0xffff;
  push(
    fields(
      "PK\x05\x06",
      [end.disk ?? 0, 0, end.entriesHere ?? all ?? entries.length, end.entries ?? all ?? entries.length],
      u32(end.directoryBytes ?? (zip64 ? 0xffffffff : directoryBytes)),
      u32(end.directoryOffset ?? (zip64 ? 0xffffffff : directoryOffset)),
      [end.commentBytes ?? comment.length],
    ),
    comment,
  );
  return Buffer.concat(parts);
}

/** An Info-ZIP Unicode path field; `checksumOf` is the raw name that it claims to replace. */
export function unicodePath(name: string, checksumOf: string | Buffer): Buffer {
  const value = Buffer.from(name);
  const data = Buffer.concat([Buffer.from([1]), fields("", u32(crc32(checksumOf))), value]);
  return extraField(0x7075, data);
}

/** One extra field. */
export const extraField = (id: number, data: Buffer): Buffer => Buffer.concat([fields("", [id, data.length]), data]);

/** A data descriptor, by default in the form with signature and 4-byte sizes. */
export function descriptorOf(content: string, form: { signed?: boolean; wide?: boolean } = {}): Buffer {
  const bytes = Buffer.byteLength(content);
  const compressedBytes = deflateRawSync(content).length;
  const sizes = form.wide
    ? fields("", [BigInt(compressedBytes), BigInt(bytes)])
    : fields("", u32(compressedBytes), u32(bytes));
  return Buffer.concat([fields((form.signed ?? true) ? "PK\x07\x08" : "", u32(crc32(content))), sizes]);
}

function written(entry: CraftedEntry): { header: CraftedHeader; data: Buffer } {
  const content = Buffer.from(entry.content ?? "");
  const method = entry.method ?? 8;
  const data = entry.data ?? (method === 8 ? deflateRawSync(content) : content);
  const header = {
    name: entry.name,
    flags: entry.flags ?? 0,
    method,
    crc32: crc32(content),
    compressedBytes: data.length,
    bytes: content.length,
    extra: entry.extra ?? Buffer.alloc(0),
  };
  return { header, data };
}

const localHeader = (header: CraftedHeader): Buffer =>
  Buffer.concat([fields("PK\x03\x04", [20], shared(header)), Buffer.from(header.name), header.extra]);

function centralHeader(header: CraftedHeader, central: CraftedEntry["central"] = {}, offset: number): Buffer {
  return Buffer.concat([
    fields(
      "PK\x01\x02",
      [central.madeBy ?? 0x031e, 20],
      shared(header),
      [0, central.disk ?? 0, 0],
      u32(central.attributes ?? 0),
      u32(central.offset ?? offset),
    ),
    Buffer.from(header.name),
    header.extra,
  ]);
}

function shared({ name, flags, method, crc32, compressedBytes, bytes, extra }: CraftedHeader): Buffer {
  const sizes = [...u32(crc32), ...u32(compressedBytes), ...u32(bytes)];
  return fields("", [flags, method, 0, 0x21], sizes, [Buffer.from(name).length, extra.length]);
}

const u32 = (value: number): number[] => [value & 0xffff, value >>> 16];

/** A signature and little-endian fields: numbers take two bytes, bigints eight. */
function fields(signature: string, ...groups: (Buffer | (number | bigint)[])[]): Buffer {
  const parts = groups.flatMap((group) => {
    if (Buffer.isBuffer(group)) return [group];
    return group.map((value) => {
      const part = Buffer.alloc(typeof value === "bigint" ? 8 : 2);
      if (typeof value === "bigint") part.writeBigUInt64LE(value);
      else part.writeUInt16LE(value);
      return part;
    });
  });
  return Buffer.concat([Buffer.from(signature, "latin1"), ...parts]);
}
