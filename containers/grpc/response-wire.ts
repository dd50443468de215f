import type { OutgoingHttpHeaders } from "node:http2";
import type { status } from "@grpc/grpc-js";
import type { ReplyValues } from "./rpc-error.ts";

/** How answers look on the wire: https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-HTTP2.md */
const everyResponse = {
  ":status": 200,
  "content-type": "application/grpc",
  "grpc-encoding": "identity",
  "grpc-accept-encoding": "identity,deflate,gzip",
} as const;

/** Headers of an answer that has messages; initial metadata. */
export const responseHeaders = (values: ReplyValues): OutgoingHttpHeaders => ({ ...everyResponse, ...values });

/** Headers of an answer that is nothing but its status. */
export const refusalHeaders = (code: status, details: string, values: ReplyValues): OutgoingHttpHeaders => ({
  ...everyResponse,
  ...trailersOf(code, details, values),
});

/** What comes behind the last message. */
export function trailersOf(code: status, details = "", values: ReplyValues = {}): Record<string, string> {
  const trailers: Record<string, string> = { "grpc-status": String(code) };
  if (details !== "") trailers["grpc-message"] = percentEncoded(details);
  for (const key in values) trailers[key] = String(values[key]);
  return trailers;
}

/** Before each message: whether it is compressed, and its length. */
export const prefixBytes = 5;
const emptyFrame = Buffer.alloc(prefixBytes);

/** A message behind its prefix, in one piece, uncompressed. */
export function framed(...parts: readonly Buffer[]): Buffer {
  const bytes = parts.reduce((sum, { length }) => sum + length, 0);
  return bytes === 0 ? emptyFrame : Buffer.concat([framePrefix(bytes), ...parts], prefixBytes + bytes);
}

/** What stands before a message of so many bytes. */
export function framePrefix(bytes: number): Buffer {
  const prefix = Buffer.alloc(prefixBytes);
  prefix.writeUInt32BE(bytes, 1);
  return prefix;
}

/** Visible ASCII without "%" stays as it is; of all else each byte of UTF-8 becomes %XX. */
const percentEncoded = (text: string): string =>
  text.replace(/[^ -$&-~]+/gu, (other) =>
    [...Buffer.from(other)].map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, "0")}`).join(""),
  );
