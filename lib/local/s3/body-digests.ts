import { createHash, type Hash, randomBytes } from "node:crypto";
import {
  type Checksum,
  type ChecksumAlgorithm,
  checksumAlgorithms,
  isChecksumAlgorithm,
  isChecksumValue,
  type RunningChecksum,
  startChecksum,
} from "./checksums.ts";
import { S3Error } from "./s3-error.ts";

/** A checksum that the client announced; a null value comes after the body, in a trailer. */
export interface AnnouncedChecksum {
  readonly algorithm: ChecksumAlgorithm;
  readonly value: string | null;
}

/** What arrived, all of it verified. */
export interface Received {
  readonly size: number;
  readonly etag: string;
  readonly checksum: Checksum;
}

/** What a body is verified by and which checksum of it is kept. */
export interface DigestProps {
  /** Lower-case names; only Content-MD5 is read. */
  readonly headers: ReadonlyMap<string, string>;
  readonly announced: AnnouncedChecksum | null;
  /** @default the announced one, else the one that S3 makes of its own accord */
  readonly keep?: ChecksumAlgorithm;
  /** What is encrypted with KMS has an ETag that says nothing of its bytes, as S3 has it: without MD5 a body costs half. @default false */
  readonly isEncrypted?: boolean;
}

/** Size, MD5 and checksum of a body as it passes by, held against what the client announced. */
export class BodyDigests {
  readonly #announced: AnnouncedChecksum | null;
  readonly #contentMd5: Buffer | null;
  /** Of the ETag, or to be held against the announced one. */
  readonly #md5: Hash | null;
  readonly #isEncrypted: boolean;
  readonly #kept: ChecksumAlgorithm;
  readonly #sums = new Map<ChecksumAlgorithm, RunningChecksum>();
  #size = 0;

  /** @throws S3Error InvalidDigest */
  constructor({ headers, announced, keep, isEncrypted = false }: DigestProps) {
    this.#announced = announced;
    this.#contentMd5 = contentMd5Of(headers);
    this.#isEncrypted = isEncrypted;
    this.#md5 = isEncrypted && !this.#contentMd5 ? null : createHash("md5");
    this.#kept = keep ?? announced?.algorithm ?? defaultAlgorithm;
    for (const algorithm of [this.#kept, announced?.algorithm ?? this.#kept]) {
      this.#sums.set(algorithm, startChecksum(algorithm));
    }
  }

  get size(): number {
    return this.#size;
  }

  update(bytes: Buffer): void {
    this.#size += bytes.length;
    this.#md5?.update(bytes);
    for (const sum of this.#sums.values()) sum.update(bytes);
  }

  /** @throws S3Error BadDigest, MalformedTrailerError */
  finish(trailers: ReadonlyMap<string, string> = new Map()): Received {
    const md5 = this.#md5?.digest() ?? null;
    if (md5 && this.#contentMd5?.equals(md5) === false) throw new S3Error("BadDigest");
    const values = new Map([...this.#sums].map(([name, sum]) => [name, sum.digest().toString("base64")]));
    if (this.#announced) {
      const { algorithm } = this.#announced;
      const announced = this.#announced.value ?? trailers.get(`x-amz-checksum-${algorithm}`);
      if (announced === undefined) throw new S3Error("MalformedTrailerError");
      if (announced !== values.get(algorithm)) throw badChecksum(algorithm);
    }
    const checksum = { algorithm: this.#kept, value: values.get(this.#kept)!, type: "FULL_OBJECT" } as const;
    const tag = this.#isEncrypted || !md5 ? randomBytes(16) : md5;
    return { size: this.#size, etag: `"${tag.toString("hex")}"`, checksum };
  }
}

/** S3 has made this checksum of every object that came without one since 2024. */
export const defaultAlgorithm: ChecksumAlgorithm = "crc64nvme";

/**
 * The one checksum that headers or form fields announce, if any.
 * @throws S3Error InvalidRequest when there are several, or the value cannot be one
 */
export function announcedChecksum(headers: ReadonlyMap<string, string>): AnnouncedChecksum | null {
  const given = checksumAlgorithms.filter((name) => headers.has(`x-amz-checksum-${name}`));
  const trailer = /^x-amz-checksum-(\w+)$/.exec(headers.get("x-amz-trailer") ?? "")?.[1] ?? null;
  if (given.length + (trailer ? 1 : 0) > 1) {
    throw invalid("Expecting a single x-amz-checksum- header. Multiple checksum Types are not allowed.");
  }
  if (trailer) {
    if (isChecksumAlgorithm(trailer)) return { algorithm: trailer, value: null };
    throw invalid("The value specified in the x-amz-trailer header is not supported");
  }
  const algorithm = given[0];
  if (!algorithm) {
    if (!headers.has("x-amz-sdk-checksum-algorithm")) return null;
    throw invalid(
      "x-amz-sdk-checksum-algorithm specified, but no corresponding x-amz-checksum-* or x-amz-trailer headers were found.",
    );
  }
  const value = headers.get(`x-amz-checksum-${algorithm}`)!;
  if (!isChecksumValue(algorithm, value)) throw invalid(`Value for x-amz-checksum-${algorithm} header is invalid.`);
  return { algorithm, value };
}

export const badChecksum = (algorithm: ChecksumAlgorithm) =>
  new S3Error("BadDigest", {
    message: `The ${algorithm.toUpperCase()} you specified did not match the calculated checksum.`,
  });

const invalid = (message: string) => new S3Error("InvalidRequest", { message });

function contentMd5Of(headers: ReadonlyMap<string, string>): Buffer | null {
  const text = headers.get("content-md5");
  if (text === undefined) return null;
  const md5 = Buffer.from(text, "base64");
  if (md5.length !== 16 || md5.toString("base64") !== text) throw new S3Error("InvalidDigest");
  return md5;
}
