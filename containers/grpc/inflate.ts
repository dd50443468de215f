import { createGunzip, createInflate } from "node:zlib";
import { status } from "@grpc/grpc-js";
import { neverRetry, RpcError } from "./rpc-error.ts";

/**
 * Decompresses a message in steps, so that one that grows beyond all measure is given up where it reaches the limit.
 * @param onGrowth is told the bytes of each step before they are kept; what it throws ends the work
 * @throws RpcError RESOURCE_EXHAUSTED beyond the limit, INTERNAL for broken data as the gRPC specification has it, UNIMPLEMENTED for
 *   other encodings
 */
export async function inflate(
  compressed: Buffer,
  encoding: string,
  bytesMax: number,
  onGrowth: (bytes: number) => void,
): Promise<Buffer> {
  const stream = encoding === "gzip" ? createGunzip() : encoding === "deflate" ? createInflate() : null;
  if (!stream) {
    const code = encoding === "identity" ? status.INTERNAL : status.UNIMPLEMENTED;
    throw new RpcError(code, `the message is compressed, and ${encoding} is no compression that we know`);
  }
  const parts: Buffer[] = [];
  let total = 0;
  stream.end(compressed);
  try {
    for await (const part of stream as AsyncIterable<Buffer>) {
      total += part.length;
      if (total > bytesMax) {
        const details = `the message is larger than ${bytesMax} bytes when decompressed`;
        throw new RpcError(status.RESOURCE_EXHAUSTED, details, neverRetry);
      }
      onGrowth(part.length);
      parts.push(part);
    }
  } catch (error) {
    if (error instanceof RpcError) throw error;
    throw new RpcError(status.INTERNAL, "the compressed message is broken", {}, error);
  }
  return Buffer.concat(parts, total);
}
