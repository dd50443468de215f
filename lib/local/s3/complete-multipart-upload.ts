import { createHash } from "node:crypto";
import { answerXml, setHeaders } from "./answer.ts";
import { badChecksum } from "./body-digests.ts";
import { type Checksum, checksumOfParts } from "./checksums.ts";
import { checkWriteConditions } from "./conditions.ts";
import { namedUpload, openUpload, partsMax } from "./multipart.ts";
import { encryptionOf, kmsPermissions, versionHeaders } from "./object-headers.ts";
import { writePermissions } from "./put-object.ts";
import { receiveText } from "./receive-body.ts";
import { S3Error } from "./s3-error.ts";
import type { S3Request } from "./s3-request.ts";
import { commit, type Store } from "./store.ts";
import type { CompletedUpload, Part, Upload } from "./upload-index.ts";
import { parseXml, textOf } from "./xml.ts";

/** A part as the client believes it to be. */
interface NamedPart {
  readonly number: number;
  readonly etag: string;
  readonly checksum: string | undefined;
}

/** CompleteMultipartUpload. Repeated after a lost answer it answers again, as long as the upload is remembered. */
export async function completeMultipartUpload(request: S3Request, store: Store): Promise<void> {
  const upload = namedUpload(request, store);
  await request.authorise("CompleteMultipartUpload", [
    ...writePermissions(request),
    ...kmsPermissions(["kms:Decrypt"], upload.headers, upload.bucket, upload.key),
  ]);
  // A checksum header here is that of the whole object, not of this document.
  const text = await receiveText(request, { bytesMax: documentBytesMax, announced: null });
  const named = parseCompletion(text, upload);
  const again = namedUpload(request, store).completed;
  if (again) return answer(request, upload, again);
  const { added, checksum } = await commit(store, [], () => join(request, store, named));
  answer(request, upload, { etag: added.etag, versionId: added.id, checksum });
}

/** Every part but the last has at least this size: https://docs.aws.amazon.com/AmazonS3/latest/userguide/qfacts.html */
const partBytesMin = 5 * 1024 * 1024;

/** 10,000 parts with their checksums, amply. */
const documentBytesMax = 4 * 1024 * 1024;

function join(request: S3Request, store: Store, named: readonly NamedPart[]) {
  const upload = openUpload(request, store);
  const { bucket, key, headers } = upload;
  const stored = new Map(store.uploads.parts(upload.id, 0, partsMax).map((part) => [part.number, part]));
  const parts = named.map((one) => matchingPart(upload, one, stored.get(one.number)));
  refuseSmallParts(parts);
  const size = parts.reduce((sum, part) => sum + part.size, 0);
  const checksum = checksumOfParts(
    upload.algorithm,
    upload.checksumType,
    parts.map((part) => ({ value: part.checksum, size: part.size })),
  );
  refuseOtherObject(request, size, checksum);
  checkWriteConditions(request.headers, store.objects.latest(bucket, key), key);
  const md5s = parts.map((part) => Buffer.from(part.etag.slice(1, -1), "hex"));
  const etag = `"${createHash("md5").update(Buffer.concat(md5s)).digest("hex")}-${parts.length}"`;
  const version = { bucket, key, size, etag, modified: store.now(), headers, checksum };
  const numbers = parts.map((part) => part.number);
  return { ...store.uploads.complete(upload, version, numbers), checksum };
}

/** @throws S3Error InvalidPart */
function matchingPart(upload: Upload, named: NamedPart, part: Part | undefined): Part {
  const etag = `"${named.etag.replaceAll('"', "")}"`;
  if (part && part.etag === etag && (named.checksum === undefined || named.checksum === part.checksum)) return part;
  throw new S3Error("InvalidPart", { fields: { UploadId: upload.id, PartNumber: named.number, ETag: named.etag } });
}

function refuseSmallParts(parts: readonly Part[]): void {
  const small = parts.slice(0, -1).find((part) => part.size < partBytesMin);
  if (!small) return;
  throw new S3Error("EntityTooSmall", {
    fields: { ProposedSize: small.size, MinSizeAllowed: partBytesMin, PartNumber: small.number, ETag: small.etag },
  });
}

/** Holds the object to what the client says it must be in the end. */
function refuseOtherObject(request: S3Request, size: number, checksum: Checksum): void {
  const expectedSize = request.header("x-amz-mp-object-size");
  if (expectedSize !== undefined && expectedSize !== String(size)) {
    throw new S3Error("InvalidRequest", {
      message: "The provided 'x-amz-mp-object-size' header value does not match what was computed",
    });
  }
  const expected = request.header(`x-amz-checksum-${checksum.algorithm}`);
  if (expected !== undefined && expected !== checksum.value) throw badChecksum(checksum.algorithm);
}

/** @throws S3Error MalformedXML, InvalidPartOrder, InvalidRequest */
function parseCompletion(text: string, upload: Upload): NamedPart[] {
  const root = parseXml(text);
  const elements = root?.children.filter((child) => child.name === "Part") ?? [];
  if (root?.name !== "CompleteMultipartUpload" || elements.length === 0 || elements.length > partsMax) {
    throw new S3Error("MalformedXML");
  }
  const parts = elements.map((element) => {
    const number = textOf(element, "PartNumber")?.trim() ?? "";
    const etag = textOf(element, "ETag")?.trim();
    if (!/^\d{1,5}$/.test(number) || etag === undefined) throw new S3Error("MalformedXML");
    const checksum = textOf(element, `Checksum${upload.algorithm.toUpperCase()}`);
    if (checksum === undefined && upload.checksumType === "COMPOSITE") throw checksumMissing(upload, number);
    return { number: Number(number), etag, checksum };
  });
  if (parts.some((part, index) => index > 0 && part.number <= parts[index - 1]!.number)) {
    throw new S3Error("InvalidPartOrder", { fields: { UploadId: upload.id } });
  }
  return parts;
}

const checksumMissing = ({ algorithm }: Upload, number: string) =>
  new S3Error("InvalidRequest", {
    message: `The upload was created using a ${algorithm} checksum. The complete request must include the checksum for each part. It was missing for part ${number} in the request.`,
  });

function answer(request: S3Request, upload: Upload, { etag, versionId, checksum }: CompletedUpload): void {
  const { response } = request.call;
  setHeaders(response, { ...versionHeaders(request.bucket, { id: versionId }), ...encryptionOf(upload.headers) });
  answerXml(response, "CompleteMultipartUploadResult", {
    Location: `http://${request.call.request.headers.host}/${upload.bucket}/${encodeURIComponent(upload.key)}`,
    Bucket: upload.bucket,
    Key: upload.key,
    ETag: etag,
    [`Checksum${checksum.algorithm.toUpperCase()}`]: checksum.value,
    ChecksumType: checksum.type,
  });
}
