import { answerEmpty, answerXml, setHeaders } from "./answer.ts";
import { announcedChecksum, defaultAlgorithm } from "./body-digests.ts";
import { type Checksum, type ChecksumAlgorithm, isChecksumAlgorithm, multipartTypes } from "./checksums.ts";
import { encryptionOf, headersToKeep, isKmsEncrypted, kmsPermissions } from "./object-headers.ts";
import { putBytesMax, receiveBody } from "./receive-body.ts";
import { S3Error } from "./s3-error.ts";
import type { S3Request } from "./s3-request.ts";
import { commit, type Store, writeBlob } from "./store.ts";
import type { Upload } from "./upload-index.ts";

/** CreateMultipartUpload. */
export async function createMultipartUpload(request: S3Request, store: Store): Promise<void> {
  const { bucket, key } = request;
  const headers = headersToKeep(request.headers, bucket);
  const checksum = checksumChoice(request);
  await request.authorise("CreateMultipartUpload", [
    request.permission("s3:PutObject"),
    ...kmsPermissions(["kms:GenerateDataKey"], headers, bucket.name, key),
  ]);
  const id = store.uploads.start({ bucket: bucket.name, key, created: store.now(), headers, ...checksum });
  setHeaders(request.call.response, {
    ...encryptionOf(headers),
    ...(checksum.isChecksumRequested && {
      "x-amz-checksum-algorithm": checksum.algorithm.toUpperCase(),
      "x-amz-checksum-type": checksum.checksumType,
    }),
  });
  answerXml(request.call.response, "InitiateMultipartUploadResult", { Bucket: bucket.name, Key: key, UploadId: id });
}

/** UploadPart. The same number sent again replaces the part. */
export async function uploadPart(request: S3Request, store: Store): Promise<void> {
  const number = request.integer("partNumber", 1, partsMax)!;
  if (request.header("x-amz-copy-source") !== undefined) {
    throw new S3Error("NotImplemented", { fields: { Header: "x-amz-copy-source" } });
  }
  const upload = openUpload(request, store);
  const { algorithm, headers } = upload;
  await request.authorise("UploadPart", [
    request.permission("s3:PutObject"),
    ...kmsPermissions(["kms:GenerateDataKey", "kms:Decrypt"], headers, request.bucket.name, request.key),
  ]);
  const announced = announcedChecksum(request.headers);
  refuseOtherChecksum(upload, announced?.algorithm);
  const { blob, received } = await writeBlob(store, (sink) =>
    receiveBody(request, sink, {
      bytesMax: putBytesMax,
      announced,
      keep: algorithm,
      isEncrypted: isKmsEncrypted(headers),
    }),
  );
  const { size, checksum, etag } = received;
  await commit(store, [blob], () => {
    // The upload may have been completed or aborted while the bytes came in.
    const { id } = openUpload(request, store);
    const part = { number, blob, size, etag, checksum: checksum.value, modified: store.now() };
    return { freed: store.uploads.putPart(id, part) };
  });
  answerEmpty(request.call.response, 200, {
    etag,
    ...(announced?.algorithm === algorithm && { [`x-amz-checksum-${algorithm}`]: checksum.value }),
    ...encryptionOf(headers),
  });
}

/** AbortMultipartUpload. */
export async function abortMultipartUpload(request: S3Request, store: Store): Promise<void> {
  await request.authorise("AbortMultipartUpload", [request.permission("s3:AbortMultipartUpload")]);
  await commit(store, [], () => ({ freed: store.uploads.abort(openUpload(request, store).id) }));
  answerEmpty(request.call.response, 204);
}

/** ListParts. */
export async function listParts(request: S3Request, store: Store): Promise<void> {
  await request.authorise("ListParts", [request.permission("s3:ListMultipartUploadParts")]);
  const upload = openUpload(request, store);
  const after = request.integer("part-number-marker", 0, 2 ** 31 - 1) ?? 0;
  const max = Math.min(request.integer("max-parts", 0, 2 ** 31 - 1) ?? listedMax, listedMax);
  const parts = store.uploads.parts(upload.id, after, max + 1);
  const page = parts.slice(0, max);
  const isTruncated = page.length > 0 && parts.length > max;
  answerXml(request.call.response, "ListPartsResult", {
    Bucket: upload.bucket,
    Key: upload.key,
    UploadId: upload.id,
    PartNumberMarker: after,
    NextPartNumberMarker: isTruncated ? page.at(-1)!.number : undefined,
    MaxParts: max,
    IsTruncated: isTruncated,
    ChecksumAlgorithm: upload.algorithm.toUpperCase(),
    ChecksumType: upload.checksumType,
    StorageClass: upload.headers["x-amz-storage-class"] ?? "STANDARD",
    Part: page.map((part) => ({
      PartNumber: part.number,
      LastModified: part.modified.toISOString(),
      ETag: part.etag,
      Size: part.size,
      [`Checksum${upload.algorithm.toUpperCase()}`]: part.checksum,
    })),
  });
}

/**
 * The upload that a request names, still open.
 * @throws S3Error NoSuchUpload
 */
export function openUpload(request: S3Request, store: Store): Upload {
  const upload = namedUpload(request, store);
  if (upload.completed === null) return upload;
  throw new S3Error("NoSuchUpload", { fields: { UploadId: upload.id } });
}

/** The upload that a request names, completed or not. */
export function namedUpload(request: S3Request, store: Store): Upload {
  const id = request.query.get("uploadId") ?? "";
  const upload = store.uploads.upload(id);
  if (upload && upload.bucket === request.bucket.name && upload.key === request.key) return upload;
  throw new S3Error("NoSuchUpload", { fields: { UploadId: id } });
}

/** Part numbers go up to this: https://docs.aws.amazon.com/AmazonS3/latest/userguide/qfacts.html */
export const partsMax = 10_000;
const listedMax = 1000;

/** @throws S3Error InvalidRequest */
function checksumChoice(request: S3Request): Pick<Upload, "algorithm" | "checksumType" | "isChecksumRequested"> {
  const requested = request.header("x-amz-checksum-algorithm")?.toLowerCase();
  const algorithm = requested ?? defaultAlgorithm;
  if (!isChecksumAlgorithm(algorithm)) {
    throw new S3Error("InvalidRequest", { message: "Checksum algorithm provided is unsupported." });
  }
  const types = multipartTypes[algorithm];
  const type = (request.header("x-amz-checksum-type") ?? types[0]!).toUpperCase() as Checksum["type"];
  if (types.includes(type)) return { algorithm, checksumType: type, isChecksumRequested: requested !== undefined };
  throw new S3Error("InvalidRequest", {
    message: `The ${type} checksum type cannot be used with the ${algorithm} checksum algorithm.`,
  });
}

/** A checksum of checksums needs one of the client's for each part; S3 makes up those of a full object itself. */
function refuseOtherChecksum(upload: Upload, actual: ChecksumAlgorithm | undefined): void {
  const { algorithm, checksumType, isChecksumRequested } = upload;
  if (actual === algorithm || !isChecksumRequested) return;
  if (actual === undefined && checksumType === "FULL_OBJECT") return;
  throw new S3Error("InvalidRequest", {
    message: `Checksum Type mismatch occurred, expected checksum Type: ${algorithm}, actual checksum Type: ${actual ?? "null"}`,
  });
}
