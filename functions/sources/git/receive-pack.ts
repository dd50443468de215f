import { createHash } from "node:crypto";
import type { AppendFile } from "./append-file.ts";
import { damaged, tooLarge } from "./git-failure.ts";
import { gitLimits } from "./git-limits.ts";
import type { ObjectFormat } from "./upload-pack.ts";

/** "PACK", version, number of objects. */
export const packHeadBytes = 12;

/**
 * Writes a pack to a file and compares it with the checksum at its end, which belongs to no object and is not written.
 * @throws SluiceError repository_damaged, repository_too_large; errors of the stream pass unchanged
 */
export async function receivePack(
  chunks: AsyncIterable<Buffer>,
  file: AppendFile,
  format: ObjectFormat,
  host: string,
  bytesMax: number = gitLimits.packBytes,
): Promise<void> {
  const hash = createHash(format);
  const trailerBytes = format === "sha1" ? 20 : 32;
  // The last bytes seen may be the checksum, so they wait until more have come.
  let tail: Buffer = Buffer.alloc(0);
  for await (const chunk of chunks) {
    const bytes = Buffer.concat([tail, chunk]);
    const sure = Math.max(0, bytes.length - trailerBytes);
    if (file.size + sure > bytesMax) throw tooLarge(host, "bytes", bytesMax);
    hash.update(bytes.subarray(0, sure));
    await file.append(bytes.subarray(0, sure));
    tail = bytes.subarray(sure);
  }
  if (tail.length !== trailerBytes || !hash.digest().equals(tail)) throw damaged(host, "checksum");
}
