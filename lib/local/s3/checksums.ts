import { createHash } from "node:crypto";
import { crc32 } from "node:zlib";
import { Crc, crcJoiner, type JoinCrcs } from "./crc.ts";

/** The checksums that S3 knows, by the name it has in `x-amz-checksum-<name>` and `x-amz-checksum-algorithm`. */
export type ChecksumAlgorithm = "crc32" | "crc32c" | "crc64nvme" | "sha1" | "sha256";

export const checksumAlgorithms: readonly ChecksumAlgorithm[] = ["crc32", "crc32c", "crc64nvme", "sha1", "sha256"];

/** A checksum of a whole object, or of the checksums of its parts (then the value ends in "-<parts>"). */
export interface Checksum {
  readonly algorithm: ChecksumAlgorithm;
  /** Base64, as it stands in headers. */
  readonly value: string;
  readonly type: "FULL_OBJECT" | "COMPOSITE";
}

/** Takes bytes as they arrive; `digest` is called once, at the end. */
export interface RunningChecksum {
  update(bytes: Buffer): void;
  digest(): Buffer;
}

const crc32Polynomial = 0xedb88320n;
const crc32cPolynomial = 0x82f63b78n;
const crc64NvmePolynomial = 0x9a6c9329ac4bc9b5n;

const start: Record<ChecksumAlgorithm, () => RunningChecksum> = {
  crc32: () => new NativeCrc32(),
  crc32c: () => new Crc(crc32cPolynomial, 32),
  crc64nvme: () => new Crc(crc64NvmePolynomial, 64),
  sha1: () => createHash("sha1"),
  sha256: () => createHash("sha256"),
};

/** The CRCs: only they can be made of the parts' checksums without the bytes. */
const joiners: Partial<Record<ChecksumAlgorithm, () => JoinCrcs>> = {
  crc32: () => crcJoiner(crc32Polynomial, 32),
  crc32c: () => crcJoiner(crc32cPolynomial, 32),
  crc64nvme: () => crcJoiner(crc64NvmePolynomial, 64),
};

export const startChecksum = (algorithm: ChecksumAlgorithm): RunningChecksum => start[algorithm]();

export const isChecksumAlgorithm = (name: string): name is ChecksumAlgorithm =>
  (checksumAlgorithms as readonly string[]).includes(name);

/** Whether a base64 text can be a checksum of this kind at all. */
export function isChecksumValue(algorithm: ChecksumAlgorithm, value: string): boolean {
  const bytes = Buffer.from(value, "base64");
  return bytes.toString("base64") === value && bytes.length === startChecksum(algorithm).digest().length;
}

/** Which kinds of checksum S3 offers for a multipart upload, the default first. */
export const multipartTypes: Record<ChecksumAlgorithm, readonly Checksum["type"][]> = {
  crc32: ["COMPOSITE", "FULL_OBJECT"],
  crc32c: ["COMPOSITE", "FULL_OBJECT"],
  crc64nvme: ["FULL_OBJECT"],
  sha1: ["COMPOSITE"],
  sha256: ["COMPOSITE"],
};

/** The checksum of a completed multipart upload. `parts` are in order, values in base64. */
export function checksumOfParts(
  algorithm: ChecksumAlgorithm,
  type: Checksum["type"],
  parts: readonly { readonly value: string; readonly size: number }[],
): Checksum {
  const digests = parts.map((part) => ({ digest: Buffer.from(part.value, "base64") as Buffer, size: part.size }));
  if (type === "COMPOSITE") {
    const running = startChecksum(algorithm);
    for (const { digest } of digests) running.update(digest);
    return { algorithm, type, value: `${running.digest().toString("base64")}-${parts.length}` };
  }
  const join = joiners[algorithm]?.();
  if (!join) throw new Error(`${algorithm} has no checksum of a full object from its parts`);
  const whole = digests.reduce((sum, next) => ({ ...next, digest: join(sum.digest, next.digest, next.size) }));
  return { algorithm, type, value: whole.digest.toString("base64") };
}

class NativeCrc32 implements RunningChecksum {
  #value = 0;

  update(bytes: Buffer): void {
    this.#value = crc32(bytes, this.#value);
  }

  digest(): Buffer {
    const out = Buffer.alloc(4);
    out.writeUInt32BE(this.#value);
    return out;
  }
}
