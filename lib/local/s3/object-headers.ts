import type { Permission } from "../service.ts";
import { localAccount } from "../service.ts";
import { type Bucket, bucketArn, objectArn } from "./bucket.ts";
import type { Checksum } from "./checksums.ts";
import { S3Error } from "./s3-error.ts";
import type { Version } from "./version.ts";

const encryption = "x-amz-server-side-encryption";
const kmsKeyId = "x-amz-server-side-encryption-aws-kms-key-id";
const bucketKey = "x-amz-server-side-encryption-bucket-key-enabled";

/** Headers that are kept with an object and come back with it, beside x-amz-meta-*. */
const keptHeaders = [
  "cache-control",
  "content-disposition",
  "content-encoding",
  "content-language",
  "content-type",
  "expires",
  "x-amz-storage-class",
  "x-amz-website-redirect-location",
] as const;

/** What we do not keep we refuse: a tag or a lock that is silently dropped is worse than an error. */
const refusedHeaders =
  /^x-amz-(tagging|grant-.*|object-lock-.*|server-side-encryption-customer-.*|write-offset-bytes)$/;

/**
 * The headers to keep with a new object.
 * @param given lower-case names; headers of a request, or fields of a form
 * @throws S3Error NotImplemented, AccessControlListNotSupported, MetadataTooLarge, InvalidArgument
 */
export function headersToKeep(given: ReadonlyMap<string, string>, bucket: Bucket): Record<string, string> {
  refuseUnsupported(given);
  const kept: Record<string, string> = {};
  for (const name of keptHeaders) {
    const value = name === "content-encoding" ? withoutChunking(given.get(name)) : given.get(name);
    if (value) kept[name] = asHeader(value);
  }
  let metadataBytes = 0;
  for (const [name, value] of given) {
    if (!name.startsWith("x-amz-meta-")) continue;
    kept[name] = asHeader(value);
    metadataBytes += name.length - "x-amz-meta-".length + Buffer.byteLength(value);
  }
  if (metadataBytes > metadataBytesMax) throw new S3Error("MetadataTooLarge");
  if (kept["x-amz-storage-class"] === "STANDARD") delete kept["x-amz-storage-class"];
  return { "content-type": "binary/octet-stream", ...kept, ...encryptionHeaders(given, bucket) };
}

/** The part of an object's headers that answers to a write repeat. */
export function encryptionOf(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => name.startsWith(encryption)));
}

/** The header in which a checksum travels, and its kind. */
export function checksumHeaders(checksum: Checksum | null): Record<string, string> {
  return checksum
    ? { [`x-amz-checksum-${checksum.algorithm}`]: checksum.value, "x-amz-checksum-type": checksum.type }
    : {};
}

/** x-amz-version-id, which S3 leaves out where versioning was never on. */
export const versionHeaders = (bucket: Bucket, version: Pick<Version, "id">): Record<string, string> =>
  bucket.versioning === "Off" ? {} : { "x-amz-version-id": version.id };

/** Whether an object with these headers is encrypted under a customer key. */
export const isKmsEncrypted = (headers: Readonly<Record<string, string>>): boolean => headers[kmsKeyId] !== undefined;

/** What KMS has to allow for an object that is encrypted under a customer key: as on AWS, the caller's role is asked. */
export function kmsPermissions(
  actions: readonly ("kms:GenerateDataKey" | "kms:Decrypt")[],
  headers: Readonly<Record<string, string>>,
  bucket: string,
  key: string,
): Permission[] {
  const resource = headers[kmsKeyId];
  if (resource === undefined) return [];
  const context = {
    "kms:ViaService": `s3.${localAccount.region}.amazonaws.com`,
    "kms:EncryptionContext:aws:s3:arn": headers[bucketKey] === "true" ? bucketArn(bucket) : objectArn(bucket, key),
  };
  return actions.map((action) => ({ action, resource, context }));
}

const metadataBytesMax = 2048;

function refuseUnsupported(given: ReadonlyMap<string, string>): void {
  const header = [...given.keys()].find((name) => refusedHeaders.test(name));
  if (header) throw new S3Error("NotImplemented", { fields: { Header: header } });
  const acl = given.get("x-amz-acl") ?? given.get("acl");
  if (acl !== undefined && acl !== "bucket-owner-full-control") throw new S3Error("AccessControlListNotSupported");
}

function encryptionHeaders(given: ReadonlyMap<string, string>, bucket: Bucket): Record<string, string> {
  const asked = given.get(encryption);
  const key = given.get(kmsKeyId);
  const kind = asked ?? (bucket.kmsKeyArn ? "aws:kms" : "AES256");
  if (!["AES256", "aws:kms", "aws:kms:dsse"].includes(kind)) {
    throw new S3Error("InvalidArgument", { message: "The encryption method specified is not supported" });
  }
  if (kind === "AES256") return { [encryption]: kind };
  const keyArn = key === undefined ? bucket.kmsKeyArn : keyArnOf(key);
  const useBucketKey = given.get(bucketKey)?.toLowerCase() ?? String(bucket.bucketKeyEnabled ?? false);
  return {
    [encryption]: kind,
    ...(keyArn && { [kmsKeyId]: keyArn }),
    ...(useBucketKey === "true" && { [bucketKey]: "true" }),
  };
}

const keyArnOf = (key: string) =>
  key.startsWith("arn:") ? key : `arn:aws:kms:${localAccount.region}:${localAccount.account}:key/${key}`;

/** aws-chunked describes the journey of the bytes, not the object. */
const withoutChunking = (value: string | undefined) =>
  value
    ?.split(",")
    .map((part) => part.trim())
    .filter((part) => part !== "aws-chunked")
    .join(",");

/** Headers are Latin-1; S3 wraps any other text as RFC 2047 says. */
const asHeader = (value: string) =>
  /^[\x20-\x7e\xa0-\xff\t]*$/.test(value) ? value : `=?UTF-8?B?${Buffer.from(value).toString("base64")}?=`;
