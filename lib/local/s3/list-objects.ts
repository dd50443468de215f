import { answerXml } from "./answer.ts";
import { afterGroup, afterKey, afterVersion, atKey, listPage } from "./list-page.ts";
import type { Cursor } from "./object-index.ts";
import { S3Error } from "./s3-error.ts";
import type { S3Request } from "./s3-request.ts";
import type { Store } from "./store.ts";
import type { Version } from "./version.ts";
import { sequenceOf } from "./version-id.ts";

/** ListObjectsV2. */
export async function listObjectsV2(request: S3Request, store: Store): Promise<void> {
  const listing = listingOf(request);
  const { prefix, delimiter, max, encode } = listing;
  await request.authorise("ListObjectsV2", [listPermission("s3:ListBucket", request, listing)]);
  const token = request.query.get("continuation-token");
  const startAfter = request.query.get("start-after") ?? "";
  const from =
    token !== null ? cursorOf(token) : startAfter === "" ? atKey(Buffer.alloc(0)) : afterKey(Buffer.from(startAfter));
  const bucket = request.bucket.name;
  const page = listPage({ bucket, prefix, delimiter, from, currentOnly: true, max }, (scan) =>
    store.objects.scan(scan),
  );
  answerXml(request.call.response, "ListBucketResult", {
    Name: bucket,
    Prefix: encode(prefix),
    Delimiter: delimiter === "" ? undefined : encode(delimiter),
    MaxKeys: max,
    KeyCount: page.versions.length + page.commonPrefixes.length,
    IsTruncated: page.next !== null,
    EncodingType: listing.encodingType,
    ContinuationToken: token ?? undefined,
    NextContinuationToken: page.next ? tokenOf(page.next) : undefined,
    StartAfter: startAfter === "" ? undefined : encode(startAfter),
    Contents: page.versions.map((version) => ({ Key: encode(version.key), ...describe(version) })),
    CommonPrefixes: page.commonPrefixes.map((group) => ({ Prefix: encode(group) })),
  });
}

/** ListObjectVersions: every version and delete marker, of each key the newest first. */
export async function listObjectVersions(request: S3Request, store: Store): Promise<void> {
  const listing = listingOf(request);
  const { prefix, delimiter, max, encode } = listing;
  await request.authorise("ListObjectVersions", [listPermission("s3:ListBucketVersions", request, listing)]);
  const bucket = request.bucket.name;
  const from = versionCursor(request, store, listing);
  const page = listPage({ bucket, prefix, delimiter, from, currentOnly: false, max }, (scan) =>
    store.objects.scan(scan),
  );
  const { last } = page;
  const next = page.next && last !== null ? last : undefined;
  const entry = (version: Version) => ({
    Key: encode(version.key),
    VersionId: version.id,
    IsLatest: version.isLatest,
    ...(version.isDeleteMarker ? { LastModified: version.modified.toISOString() } : describe(version)),
  });
  answerXml(request.call.response, "ListVersionsResult", {
    Name: bucket,
    Prefix: encode(prefix),
    Delimiter: delimiter === "" ? undefined : encode(delimiter),
    KeyMarker: encode(request.query.get("key-marker") ?? ""),
    VersionIdMarker: request.query.get("version-id-marker") ?? "",
    NextKeyMarker: next === undefined ? undefined : encode(typeof next === "string" ? next : next.key),
    NextVersionIdMarker: next === undefined || typeof next === "string" ? undefined : next.id,
    MaxKeys: max,
    IsTruncated: page.next !== null,
    EncodingType: listing.encodingType,
    Version: page.versions.filter((version) => !version.isDeleteMarker).map(entry),
    DeleteMarker: page.versions.filter((version) => version.isDeleteMarker).map(entry),
    CommonPrefixes: page.commonPrefixes.map((group) => ({ Prefix: encode(group) })),
  });
}

interface Listing {
  readonly prefix: string;
  readonly delimiter: string;
  readonly max: number;
  readonly encodingType: "url" | undefined;
  /** Keys as the client asked for them: as they are, or with percent signs. */
  readonly encode: (key: string) => string;
}

function listingOf(request: S3Request): Listing {
  const encodingType = request.query.get("encoding-type") ?? undefined;
  if (encodingType !== undefined && encodingType !== "url") {
    throw new S3Error("InvalidArgument", { message: "Invalid Encoding Method specified in Request" });
  }
  return {
    prefix: request.query.get("prefix") ?? "",
    delimiter: request.query.get("delimiter") ?? "",
    max: Math.min(request.integer("max-keys", 0, 2 ** 31 - 1) ?? entriesMax, entriesMax),
    encodingType,
    encode: encodingType ? (key) => encodeURIComponent(key).replaceAll("%2F", "/") : (key) => key,
  };
}

/** A page of S3 never has more, whatever is asked for. */
const entriesMax = 1000;

/** The condition keys are there only when the parameters are: policies test for that. */
const listPermission = (action: string, request: S3Request, { max }: Listing) => {
  const context: Record<string, string> = {};
  for (const name of ["prefix", "delimiter"]) {
    const value = request.query.get(name);
    if (value !== null) context[`s3:${name}`] = value;
  }
  if (request.query.has("max-keys")) context["s3:max-keys"] = String(max);
  return request.permission(action, context);
};

const describe = (version: Version) => ({
  LastModified: version.modified.toISOString(),
  ETag: version.etag,
  ChecksumAlgorithm: version.checksum?.algorithm.toUpperCase(),
  ChecksumType: version.checksum?.type,
  Size: version.size,
  StorageClass: version.headers["x-amz-storage-class"] ?? "STANDARD",
});

const tokenOf = ({ key, below }: Cursor) => Buffer.from(`${below}:${key.toString("hex")}`).toString("base64url");

/** @throws S3Error InvalidArgument */
function cursorOf(token: string): Cursor {
  const parts = /^(\d{1,16}):((?:[0-9a-f]{2})*)$/.exec(Buffer.from(token, "base64url").toString("latin1"));
  if (parts) return { below: Number(parts[1]), key: Buffer.from(parts[2]!, "hex") };
  throw new S3Error("InvalidArgument", { message: "The continuation token provided is incorrect" });
}

function versionCursor(request: S3Request, store: Store, { prefix, delimiter }: Listing): Cursor {
  const key = request.query.get("key-marker") ?? "";
  const id = request.query.get("version-id-marker") ?? "";
  if (key === "") {
    if (id === "") return atKey(Buffer.alloc(0));
    throw new S3Error("InvalidArgument", { message: "A version-id marker cannot be specified without a key marker." });
  }
  if (id === "") {
    // A marker that a page with a delimiter ended with stands for all keys of its group.
    const isGroup = delimiter !== "" && key.startsWith(prefix) && key.endsWith(delimiter);
    return isGroup ? afterGroup(key) : afterKey(Buffer.from(key));
  }
  if (id === "null") {
    const version = store.objects.version(request.bucket.name, key, id);
    // Deleted since the last page: rather show a version twice than leave one out.
    return version ? afterVersion(version) : atKey(Buffer.from(key));
  }
  const sequence = sequenceOf(id);
  if (sequence === null) throw new S3Error("InvalidArgument", { message: "Invalid version id specified" });
  return { key: Buffer.from(key), below: sequence };
}
