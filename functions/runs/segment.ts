import { crc32 } from "node:zlib";
import { parse as uuidBytes, stringify as uuidText } from "uuid";
import { combinedCrc32 } from "./crc32-combination.ts";
import { crc32c } from "./crc32c.ts";
import { bytesOf, crc32cOf, crc32Of, type Payload, piecesOf } from "./payload.ts";
import { ItemKind } from "./run.ts";

/**
 * A segment is one object: a stretch of a run's log. Numbers are big-endian; positions count from the start of the object.
 *
 *     header   "HILS" · u16 version · u16 0 · 16 bytes run id · u64 first offset · u32 crc of the 32 bytes before
 *     record   u32 crc of the rest of this head · u32 payload bytes · u32 checksum of the payload · u8 kind · u8 which checksum
 *              · u16 producer bytes · u16 key bytes · u64 milliseconds since 1970 · u64 seq, all ones for none · producer · key · payload
 *     footer   u32 position of each record · u32 records · u32 position of the footer · u32 crc of footer and header · "SLIH"
 *
 * Each part carries its own CRC-32C, so that a reader of a range can trust what it has. A payload has CRC-32, which Node computes natively and S3
 * checks the object by: bytes are hashed once, when they arrive. Version 1, which is read and not written any more, has CRC-32C there too.
 */
const version = 2;
const versionsRead = [2, 1];
const magic = "HILS";
const endMagic = "SLIH";
const headerBytes = 36;
const recordHeadBytes = 34;
const trailerBytes = 16;
const noSeq = 0xffff_ffff_ffff_ffffn;

/** How a record names the checksum of its payload. */
const payloadChecksums = { crc32c: 0, crc32: 1 } as const;
export type PayloadChecksum = keyof typeof payloadChecksums;

/** One item as it is stored. */
export interface SegmentRecord {
  readonly kind: ItemKind;
  readonly payload: Buffer;
  /** Of the payload. */
  readonly crc: number;
  /** Which one. @default crc32c, as all had in version 1 */
  readonly checksum?: PayloadChecksum;
  /** Milliseconds since 1970, when the item arrived. */
  readonly time: number;
  /** Up to 128 bytes; empty when the caller named none. */
  readonly producer: string;
  readonly seq: number | null;
  /** The idempotency key, so that an index that was lost can be made again. Empty when there is none. */
  readonly key: string;
}

/** One item as it is written; it is read in one piece. */
export type NewRecord = Omit<SegmentRecord, "payload"> & { readonly payload: Payload };

/** True when a record's payload has a checksum, whichever of the two it was computed as: what is known of older items is CRC-32C. */
export const hasChecksum = ({ crc, checksum, payload }: NewRecord, wanted: number): boolean =>
  crc === wanted || (checksum === "crc32" && crc32cOf(payload) === wanted);

export interface SegmentHeader {
  readonly runId: string;
  readonly first: number;
}

/** What is stored is not what was written. `part` says where; `index` which record, when it is one. */
export class CorruptSegment extends Error {
  override readonly name = "CorruptSegment";
  readonly index: number | null;

  constructor(part: string, index: number | null = null) {
    super(`The ${part} of a segment${index === null ? "" : `, record ${index},`} is damaged or cut short.`);
    this.index = index;
  }
}

/** Bytes that a record takes in a segment beside its payload, its place in the footer included. */
export const recordOverhead = (record: Pick<SegmentRecord, "producer" | "key">): number =>
  recordHeadBytes + Buffer.byteLength(record.producer) + Buffer.byteLength(record.key) + 4;

/** A segment ready to be stored. */
export interface SegmentBody {
  /** Behind one another they are the segment; large payloads are referred to. */
  readonly pieces: readonly Buffer[];
  readonly bytes: number;
  /** CRC-32 of all of it. */
  readonly crc32: number;
}

/** Payloads from here on are sent as they are; smaller parts are put together, as each write of a socket costs more than copying them. */
const ownPieceBytes = 64 * 1024;
const pieceBytes = 256 * 1024;

/** Collects records. Payloads are only referred to until the segment is stored; nobody may change them meanwhile. */
export class SegmentEncoder {
  readonly header: SegmentHeader;
  readonly #parts: (Buffer | NewRecord)[] = [];
  readonly #positions: number[] = [];
  #bytes = headerBytes;

  constructor(header: SegmentHeader) {
    this.header = header;
  }

  get count(): number {
    return this.#positions.length;
  }

  /** Size of the object if it ended here. */
  get bytes(): number {
    return this.#bytes + 4 * this.count + trailerBytes;
  }

  add(record: NewRecord): void {
    const head = recordHead(record);
    this.#positions.push(this.#bytes);
    this.#parts.push(head, record);
    this.#bytes += head.length + bytesOf(record.payload);
  }

  encode(): Buffer {
    return Buffer.concat(this.body().pieces, this.bytes);
  }

  body(): SegmentBody {
    const header = encodeHeader(this.header);
    const gathered = new Pieces();
    gathered.add(header);
    for (const part of this.#parts) {
      if (Buffer.isBuffer(part)) gathered.add(part);
      else gathered.add(part.payload, part.checksum === "crc32" ? part.crc : undefined);
    }
    gathered.add(encodeFooter(this.#positions, this.#bytes, header));
    return gathered.body();
  }
}

/** Puts small parts together and leaves large ones alone. */
class Pieces {
  readonly #pieces: Buffer[] = [];
  #small: Buffer[] = [];
  #smallBytes = 0;
  #bytes = 0;
  #crc = 0;

  /** @param crc CRC-32 of the part, if it is known */
  add(part: Payload, crc?: number): void {
    const bytes = bytesOf(part);
    this.#bytes += bytes;
    if (bytes >= ownPieceBytes) {
      this.#putTogether();
      this.#push(part, bytes, crc);
      return;
    }
    this.#small.push(...piecesOf(part));
    this.#smallBytes += bytes;
    if (this.#smallBytes >= pieceBytes) this.#putTogether();
  }

  body(): SegmentBody {
    this.#putTogether();
    return { pieces: this.#pieces, bytes: this.#bytes, crc32: this.#crc };
  }

  #putTogether(): void {
    if (this.#smallBytes > 0) this.#push(Buffer.concat(this.#small, this.#smallBytes), this.#smallBytes);
    this.#small = [];
    this.#smallBytes = 0;
  }

  #push(part: Payload, bytes: number, crc?: number): void {
    this.#pieces.push(...piecesOf(part));
    this.#crc = crc === undefined ? crc32Of(part, this.#crc) : combinedCrc32(this.#crc, crc, bytes);
  }
}

function encodeHeader({ runId, first }: SegmentHeader, as = version): Buffer {
  const bytes = Buffer.alloc(headerBytes);
  bytes.write(magic, 0, "latin1");
  bytes.writeUInt16BE(as, 4);
  bytes.set(uuidBytes(runId), 8);
  bytes.writeBigUInt64BE(BigInt(first), 24);
  bytes.writeUInt32BE(crc32c(bytes.subarray(0, 32)), 32);
  return bytes;
}

function recordHead({ kind, payload, crc, checksum = "crc32c", time, producer, seq, key }: NewRecord): Buffer {
  const names = Buffer.from(producer + key, "utf8");
  const keyBytes = Buffer.byteLength(key);
  const head = Buffer.alloc(recordHeadBytes + names.length);
  head.writeUInt32BE(bytesOf(payload), 4);
  head.writeUInt32BE(crc, 8);
  head.writeUInt8(ItemKind[kind], 12);
  head.writeUInt8(payloadChecksums[checksum], 13);
  head.writeUInt16BE(names.length - keyBytes, 14);
  head.writeUInt16BE(keyBytes, 16);
  head.writeBigUInt64BE(BigInt(time), 18);
  head.writeBigUInt64BE(seq === null ? noSeq : BigInt(seq), 26);
  names.copy(head, recordHeadBytes);
  head.writeUInt32BE(crc32c(head.subarray(4)), 0);
  return head;
}

function encodeFooter(positions: readonly number[], at: number, header: Buffer): Buffer {
  const footer = Buffer.alloc(4 * positions.length + trailerBytes);
  positions.forEach((position, index) => {
    footer.writeUInt32BE(position, 4 * index);
  });
  const end = footer.length - trailerBytes;
  footer.writeUInt32BE(positions.length, end);
  footer.writeUInt32BE(at, end + 4);
  footer.writeUInt32BE(crc32c(header, crc32c(footer.subarray(0, end + 8))), end + 8);
  footer.write(endMagic, end + 12, "latin1");
  return footer;
}

/** Bytes at the end of a segment that hold the footer, for a range request. */
export const footerBytes = (count: number): number => 4 * count + trailerBytes;

/** Positions of the records, from a footer that was read by itself: its CRC covers the header too. @throws CorruptSegment */
export function positionsOf(footer: Buffer, header: SegmentHeader): number[] {
  const end = footer.length - trailerBytes;
  const broken = () => new CorruptSegment("footer");
  if (end < 0 || footer.toString("latin1", end + 12) !== endMagic) throw broken();
  const count = footer.readUInt32BE(end);
  if (count * 4 !== end) throw broken();
  const crc = crc32c(footer.subarray(0, end + 8));
  const isOf = (one: number) => footer.readUInt32BE(end + 8) === crc32c(encodeHeader(header, one), crc);
  if (!versionsRead.some(isOf)) throw broken();
  return Array.from({ length: count }, (_, index) => footer.readUInt32BE(4 * index));
}

/** Header and number of records of a whole segment. @throws CorruptSegment when a piece is missing or is not as it was written */
export function openSegment(segment: Buffer): { header: SegmentHeader; positions: number[] } {
  const header = decodeHeader(segment);
  if (segment.length < headerBytes + trailerBytes) throw new CorruptSegment("footer");
  const count = segment.readUInt32BE(segment.length - trailerBytes);
  const size = footerBytes(count);
  if (size > segment.length - headerBytes) throw new CorruptSegment("footer");
  const positions = positionsOf(segment.subarray(segment.length - size), header);
  if (segment.readUInt32BE(segment.length - 12) !== segment.length - size) throw new CorruptSegment("footer");
  return { header, positions };
}

/** @throws CorruptSegment */
export function decodeHeader(segment: Buffer): SegmentHeader {
  const isWhole =
    segment.length >= headerBytes &&
    segment.toString("latin1", 0, 4) === magic &&
    segment.readUInt32BE(32) === crc32c(segment.subarray(0, 32));
  if (!isWhole) throw new CorruptSegment("header");
  const found = segment.readUInt16BE(4);
  if (!versionsRead.includes(found)) throw new Error(`Segment version ${found} is not known.`);
  return { runId: uuidText(segment.subarray(8, 24)), first: Number(segment.readBigUInt64BE(24)) };
}

/**
 * Reads one record out of a piece of a segment. The payload is a view of that piece.
 * @param position of the record in the piece
 * @param index named in the error
 * @throws CorruptSegment
 */
export function decodeRecord(piece: Buffer, position: number, index: number): SegmentRecord {
  const broken = () => new CorruptSegment("data", index);
  if (piece.length < position + recordHeadBytes) throw broken();
  const producerBytes = piece.readUInt16BE(position + 14);
  const keyBytes = piece.readUInt16BE(position + 16);
  const headEnd = position + recordHeadBytes + producerBytes + keyBytes;
  if (piece.length < headEnd) throw broken();
  if (piece.readUInt32BE(position) !== crc32c(piece.subarray(position + 4, headEnd))) throw broken();
  const payload = piece.subarray(headEnd, headEnd + piece.readUInt32BE(position + 4));
  const crc = piece.readUInt32BE(position + 8);
  const isCrc32 = piece.readUInt8(position + 13) === payloadChecksums.crc32;
  if (payload.length !== piece.readUInt32BE(position + 4) || (isCrc32 ? crc32 : crc32c)(payload) !== crc)
    throw broken();
  const kind = kindOf(piece.readUInt8(position + 12));
  const seq = piece.readBigUInt64BE(position + 26);
  if (!kind) throw broken();
  return {
    kind,
    payload,
    crc,
    ...(isCrc32 && { checksum: "crc32" as const }),
    time: Number(piece.readBigUInt64BE(position + 18)),
    producer: piece.toString("utf8", position + recordHeadBytes, headEnd - keyBytes),
    seq: seq === noSeq ? null : Number(seq),
    key: piece.toString("utf8", headEnd - keyBytes, headEnd),
  };
}

const kindOf = (number: number): ItemKind | undefined =>
  (Object.keys(ItemKind) as ItemKind[]).find((kind) => ItemKind[kind] === number);

/** All records of a whole segment, each checked. @throws CorruptSegment */
export function decodeSegment(segment: Buffer): { header: SegmentHeader; records: SegmentRecord[] } {
  const { header, positions } = openSegment(segment);
  return { header, records: positions.map((position, index) => decodeRecord(segment, position, index)) };
}
