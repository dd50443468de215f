import { createHash } from "node:crypto";
import { sign } from "../../../functions/platform/signed-headers.ts";
import { equal } from "../sigv4.ts";
import { S3Error } from "./s3-error.ts";

/** What a chain of chunk signatures begins with: the signature of the headers and what it was made of. */
export interface ChunkSigning {
  readonly secretAccessKey: string;
  readonly scope: string;
  readonly date: string;
  readonly seedSignature: string;
}

/**
 * Unwraps a body in S3's own chunked encoding: `size[;chunk-signature=...]\r\n bytes \r\n ... 0 \r\n trailers \r\n`.
 * https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-streaming.html
 * Bytes are passed on before their chunk's signature is known, which is safe only where nothing is committed before the
 * end of the stream.
 */
export class AwsChunkedDecoder {
  /** Complete once `decode` has ended. */
  readonly trailers = new Map<string, string>();
  readonly #signing: ChunkSigning | null;
  #previous: string;
  #pending: Buffer = Buffer.alloc(0);

  /** @param signing null when the chunks carry no signatures (STREAMING-UNSIGNED-PAYLOAD-TRAILER) */
  constructor(signing: ChunkSigning | null) {
    this.#signing = signing;
    this.#previous = signing?.seedSignature ?? "";
  }

  /** @throws S3Error IncompleteBody, SignatureDoesNotMatch, MalformedTrailerError */
  async *decode(source: AsyncIterator<Buffer>): AsyncGenerator<Buffer> {
    for (let size = -1; size !== 0; ) {
      const [digits = "", extension = ""] = (await this.#line(source)).split(";", 2);
      if (!/^[0-9a-fA-F]{1,12}$/.test(digits)) throw incomplete();
      size = Number.parseInt(digits, 16);
      const hash = createHash("sha256");
      for await (const bytes of this.#take(source, size)) {
        if (this.#signing) hash.update(bytes);
        yield bytes;
      }
      this.#verifyChunk(extension, hash.digest("hex"));
      if (size > 0 && (await this.#line(source)) !== "") throw incomplete();
    }
    await this.#readTrailers(source);
    if (this.#pending.length > 0 || !(await source.next()).done) throw incomplete();
  }

  async *#take(source: AsyncIterator<Buffer>, size: number): AsyncGenerator<Buffer> {
    for (let left = size; left > 0; ) {
      if (this.#pending.length === 0) this.#pending = await more(source);
      const bytes = this.#pending.subarray(0, left);
      this.#pending = this.#pending.subarray(bytes.length);
      left -= bytes.length;
      yield bytes;
    }
  }

  async #line(source: AsyncIterator<Buffer>): Promise<string> {
    for (;;) {
      const end = this.#pending.indexOf("\r\n");
      if (end >= 0) {
        const line = this.#pending.toString("latin1", 0, end);
        this.#pending = this.#pending.subarray(end + 2);
        return line;
      }
      if (this.#pending.length > lineBytesMax) throw incomplete();
      this.#pending = Buffer.concat([this.#pending, await more(source)]);
    }
  }

  async #readTrailers(source: AsyncIterator<Buffer>): Promise<void> {
    let canonical = "";
    for (let line = await this.#line(source); line !== ""; line = await this.#line(source)) {
      const colon = line.indexOf(":");
      const [name, value] = [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
      if (colon <= 0 || this.trailers.has(name) || this.trailers.size >= trailersMax) {
        throw new S3Error("MalformedTrailerError");
      }
      this.trailers.set(name, value);
      if (name !== "x-amz-trailer-signature") canonical += `${name}:${value}\n`;
    }
    const signature = this.trailers.get("x-amz-trailer-signature");
    if (this.#signing && this.trailers.size > 0) {
      this.#verify("AWS4-HMAC-SHA256-TRAILER", signature ?? "", [sha256(canonical)]);
    }
  }

  #verifyChunk(extension: string, contentSha256: string): void {
    if (!this.#signing) return;
    const signature = extension.replace(/^chunk-signature=/, "");
    this.#verify("AWS4-HMAC-SHA256-PAYLOAD", signature, [sha256(""), contentSha256]);
    this.#previous = signature;
  }

  #verify(algorithm: string, signature: string, hashes: readonly string[]): void {
    const { secretAccessKey, scope, date } = this.#signing!;
    const toSign = [algorithm, date, scope, this.#previous, ...hashes].join("\n");
    if (!equal(sign(secretAccessKey, scope, toSign), signature)) throw new S3Error("SignatureDoesNotMatch");
  }
}

/** Longer than any chunk header with its signature, and than a trailer line with a checksum. */
const lineBytesMax = 1024;
const trailersMax = 8;

const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");
const incomplete = () => new S3Error("IncompleteBody", { message: "The request body terminated unexpectedly" });

async function more(source: AsyncIterator<Buffer>): Promise<Buffer> {
  const next = await source.next();
  if (next.done) throw incomplete();
  return next.value;
}
