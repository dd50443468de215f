import { crc32 } from "node:zlib";
import { crc32c } from "./crc32c.ts";

/** The bytes of an item: as one, or in the pieces that a connection brought, which nobody need put together. */
export type Payload = Buffer | readonly Buffer[];

export const piecesOf = (payload: Payload): readonly Buffer[] => (Buffer.isBuffer(payload) ? [payload] : payload);

export const bytesOf = (payload: Payload): number =>
  Buffer.isBuffer(payload) ? payload.length : payload.reduce((sum, { length }) => sum + length, 0);

/** CRC-32 of a payload. @param before of what stands before it */
export const crc32Of = (payload: Payload, before = 0): number =>
  piecesOf(payload).reduce((crc, piece) => crc32(piece, crc), before);

export const crc32cOf = (payload: Payload): number => piecesOf(payload).reduce((crc, piece) => crc32c(piece, crc), 0);
