import { createHash } from "node:crypto";
import { signatureOf } from "../sigv4.ts";
import { AwsChunkedDecoder } from "./aws-chunked.ts";
import {
  type AnnouncedChecksum,
  announcedChecksum,
  BodyDigests,
  type DigestProps,
  type Received,
} from "./body-digests.ts";
import { S3Error } from "./s3-error.ts";
import type { S3Request } from "./s3-request.ts";

export interface ReceiveProps extends Pick<DigestProps, "keep" | "isEncrypted"> {
  readonly bytesMax: number;
  /** @default what the headers announce for this body */
  readonly announced?: AnnouncedChecksum | null;
}

/** The largest object that can be put in one request, and the largest part. */
export const putBytesMax = 5 * 1024 ** 3;

/**
 * Reads the body of a request piece by piece into `sink` and holds it to everything the client said about it: length,
 * content hash of the signature, Content-MD5, checksum in a header or a trailer, chunk signatures. Memory stays at one
 * piece. Nothing may be committed before this returns.
 * @throws S3Error MissingContentLength, EntityTooLarge, IncompleteBody, XAmzContentSHA256Mismatch, InvalidDigest, BadDigest
 */
export async function receiveBody(
  request: S3Request,
  sink: (bytes: Buffer) => Promise<void> | void,
  props: ReceiveProps,
): Promise<Received> {
  const { signedHash, decoder } = encodingOf(request);
  const expected = expectedLength(request, decoder !== null);
  if (expected > props.bytesMax) {
    throw new S3Error("EntityTooLarge", { fields: { ProposedSize: expected, MaxSizeAllowed: props.bytesMax } });
  }
  const announced = props.announced === undefined ? announcedChecksum(request.headers) : props.announced;
  const digests = new BodyDigests({ ...props, headers: request.headers, announced });
  const contentHash = createHash("sha256");
  for await (const bytes of bodyOf(request, decoder)) {
    digests.update(bytes);
    if (digests.size > expected) throw new S3Error("IncompleteBody");
    if (signedHash !== null) contentHash.update(bytes);
    await sink(bytes);
  }
  if (digests.size !== expected) throw new S3Error("IncompleteBody");
  if (signedHash !== null) verifyContentHash(signedHash, contentHash.digest("hex"));
  return digests.finish(decoder?.trailers);
}

/** A small body, such as an XML document, as text. */
export async function receiveText(request: S3Request, props: ReceiveProps): Promise<string> {
  const pieces: Buffer[] = [];
  await receiveBody(request, (bytes) => void pieces.push(bytes), props);
  return Buffer.concat(pieces).toString("utf8");
}

/** How the body travels and what it must hash to, by the content hash that the signature covers. */
function encodingOf({ call }: S3Request): { signedHash: string | null; decoder: AwsChunkedDecoder | null } {
  const { contentSha256, caller } = call;
  if (/^[0-9a-f]{64}$/.test(contentSha256)) return { signedHash: contentSha256, decoder: null };
  if (contentSha256 === "UNSIGNED-PAYLOAD") return { signedHash: null, decoder: null };
  if (contentSha256 === "STREAMING-UNSIGNED-PAYLOAD-TRAILER") {
    return { signedHash: null, decoder: new AwsChunkedDecoder(null) };
  }
  const signature = signatureOf(call.request.headers, call.url);
  if (/^STREAMING-AWS4-HMAC-SHA256-PAYLOAD(-TRAILER)?$/.test(contentSha256) && signature && caller) {
    const { scope, date, signature: seedSignature } = signature;
    const signing = { secretAccessKey: caller.secretAccessKey, scope, date, seedSignature };
    return { signedHash: null, decoder: new AwsChunkedDecoder(signing) };
  }
  throw new S3Error("InvalidArgument", {
    message:
      "x-amz-content-sha256 must be UNSIGNED-PAYLOAD, a STREAMING value that S3 supports, or a valid sha256 value.",
  });
}

function expectedLength(request: S3Request, isChunked: boolean): number {
  const text = request.header(isChunked ? "x-amz-decoded-content-length" : "content-length");
  if (text === undefined || !/^\d{1,15}$/.test(text)) throw new S3Error("MissingContentLength");
  return Number(text);
}

/** A stream that is left early stays open, so that the client still gets the answer that says why. */
async function* bodyOf({ call }: S3Request, decoder: AwsChunkedDecoder | null): AsyncGenerator<Buffer> {
  const source = call.request.iterator({ destroyOnReturn: false }) as AsyncIterableIterator<Buffer>;
  try {
    yield* decoder ? decoder.decode(source) : source;
  } catch (error) {
    throw (error as NodeJS.ErrnoException).code === "ECONNRESET" ? new S3Error("IncompleteBody") : error;
  } finally {
    await source.return?.();
  }
}

function verifyContentHash(signed: string, computed: string): void {
  if (signed === computed) return;
  throw new S3Error("XAmzContentSHA256Mismatch", {
    fields: { ClientComputedContentSHA256: signed, S3ComputedContentSHA256: computed },
  });
}
