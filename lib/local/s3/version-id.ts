import { randomBytes } from "node:crypto";

/**
 * As long as S3's, and as opaque to callers. The sequence inside lets a listing go on after a version that has been
 * deleted since the last page, which is what everybody does who empties a bucket.
 */
export function versionId(sequence: number): string {
  const bytes = randomBytes(24);
  bytes.writeBigUInt64BE(BigInt(sequence));
  return bytes.toString("base64url");
}

/** The sequence of a version id as a client sends it; null when S3 cannot have made it. */
export function sequenceOf(id: string): number | null {
  if (!/^[\w-]{32}$/.test(id)) return null;
  const sequence = Buffer.from(id, "base64url").readBigUInt64BE();
  return sequence <= Number.MAX_SAFE_INTEGER ? Number(sequence) : null;
}
