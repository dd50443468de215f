import { answerXml, setHeaders } from "./answer.ts";
import { checkReadConditions, checkWriteConditions } from "./conditions.ts";
import { findVersion, readPermissions, type Wanted } from "./find-version.ts";
import { encryptionOf, headersToKeep, kmsPermissions, versionHeaders } from "./object-headers.ts";
import { putBytesMax } from "./receive-body.ts";
import { noSuchBucket, S3Error } from "./s3-error.ts";
import { decode, type S3Request } from "./s3-request.ts";
import { commit, type Store } from "./store.ts";
import type { Version } from "./version.ts";

/** CopyObject: a new version with the bytes of another; no byte is moved. */
export async function copyObject(request: S3Request, store: Store): Promise<void> {
  const { bucket, key } = request;
  const source = sourceOf(request);
  const sourceBucket = store.objects.bucket(source.bucket);
  if (!sourceBucket) throw noSuchBucket(source.bucket);
  const directive = (request.header("x-amz-metadata-directive") ?? "COPY").toUpperCase();
  if (directive !== "COPY" && directive !== "REPLACE") {
    throw new S3Error("InvalidArgument", { message: "Unknown metadata directive." });
  }
  const given = headersToKeep(request.headers, bucket);
  await request.authorise("CopyObject", [
    ...readPermissions(store, source),
    request.permission("s3:PutObject"),
    ...kmsPermissions(["kms:GenerateDataKey"], given, bucket.name, key),
  ]);
  const original = findVersion(store, source, request.call);
  refusePointlessCopy(request, source, directive);
  if (original.size > putBytesMax) {
    throw new S3Error("InvalidRequest", {
      message: "The specified copy source is larger than the maximum allowable size for a copy source: 5368709120",
    });
  }
  checkReadConditions(request.headers, original, "x-amz-copy-source-");
  const headers = directive === "REPLACE" ? given : { ...withoutEncryption(original), ...encryptionOf(given) };
  const { added } = await addCopy(request, store, original, headers);
  setHeaders(request.call.response, {
    ...versionHeaders(bucket, added),
    ...encryptionOf(headers),
    "x-amz-copy-source-version-id": versionHeaders(sourceBucket, original)["x-amz-version-id"],
  });
  answerXml(request.call.response, "CopyObjectResult", {
    ETag: added.etag,
    LastModified: added.modified.toISOString(),
    ...(added.checksum && {
      ChecksumType: added.checksum.type,
      [`Checksum${added.checksum.algorithm.toUpperCase()}`]: added.checksum.value,
    }),
  });
}

/** The pieces keep their part sizes, so entity tag and checksum stay true of the copy. */
async function addCopy(request: S3Request, store: Store, original: Version, headers: Record<string, string>) {
  const { bucket, key } = request;
  const pieces = store.objects.pieces(original);
  const release = store.blobs.hold(pieces.map((piece) => piece.blob));
  try {
    const copies = await Promise.all(
      pieces.map(async (piece) => ({ ...piece, blob: await store.blobs.copy(piece.blob) })),
    );
    store.step("sealed");
    const blobs = copies.map((piece) => piece.blob);
    return await commit(store, blobs, () => {
      checkWriteConditions(request.headers, store.objects.latest(bucket.name, key), key);
      const { size, etag, checksum } = original;
      const version = { bucket: bucket.name, key, size, etag, modified: store.now(), headers, checksum };
      return store.objects.add(version, copies);
    });
  } finally {
    await release();
  }
}

/** @throws S3Error InvalidArgument */
function sourceOf(request: S3Request): Wanted {
  const [path = "", query = ""] = request.header("x-amz-copy-source")!.split("?", 2);
  const parts = /^\/?([^/]+)\/(.+)$/s.exec(decode(path));
  if (!parts) throw new S3Error("InvalidArgument", { message: "Invalid copy source object key" });
  return { bucket: parts[1]!, key: parts[2]!, versionId: new URLSearchParams(query).get("versionId") };
}

function refusePointlessCopy(request: S3Request, source: Wanted, directive: string): void {
  const isSame = source.bucket === request.bucket.name && source.key === request.key && source.versionId === null;
  const changes = ["x-amz-storage-class", "x-amz-server-side-encryption", "x-amz-website-redirect-location"];
  if (!isSame || directive === "REPLACE" || changes.some((name) => request.header(name) !== undefined)) return;
  throw new S3Error("InvalidRequest", {
    message:
      "This copy request is illegal because it is trying to copy an object to itself without changing the object's metadata, storage class, website redirect location or encryption attributes.",
  });
}

/** Encryption belongs to the place, not to the object: the target's applies. */
const withoutEncryption = ({ headers }: Version) =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !name.startsWith("x-amz-server-side-encryption")));
