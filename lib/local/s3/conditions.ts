import { S3Error } from "./s3-error.ts";
import type { Version } from "./version.ts";

type Headers = ReadonlyMap<string, string>;

/**
 * Decides a conditional read as RFC 9110 13.2.2 orders it: an entity tag goes before a date.
 * @param prefix "x-amz-copy-source-" for the source of a copy, for which 304 makes no sense: it is 412 then
 * @throws S3Error PreconditionFailed, NotModified
 */
export function checkReadConditions(headers: Headers, version: Version, prefix = ""): void {
  const ifMatch = headers.get(`${prefix}if-match`);
  const ifNoneMatch = headers.get(`${prefix}if-none-match`);
  const unmodifiedSince = dateOf(headers.get(`${prefix}if-unmodified-since`));
  const modifiedSince = dateOf(headers.get(`${prefix}if-modified-since`));
  const modified = wholeSeconds(version.modified);
  if (ifMatch !== undefined) {
    if (!matches(ifMatch, version.etag)) throw failed("If-Match");
  } else if (unmodifiedSince !== null && modified > unmodifiedSince) throw failed("If-Unmodified-Since");
  const isUnchanged =
    ifNoneMatch === undefined
      ? modifiedSince !== null && modified <= modifiedSince
      : matches(ifNoneMatch, version.etag);
  if (!isUnchanged) return;
  if (prefix !== "") throw failed(ifNoneMatch === undefined ? "If-Modified-Since" : "If-None-Match");
  throw new S3Error("NotModified", {
    headers: { etag: version.etag, "last-modified": version.modified.toUTCString() },
  });
}

/**
 * Decides a conditional write against what the key shows now. To be called in the same breath as the write, so that of
 * several writers one wins.
 * @throws S3Error PreconditionFailed, NoSuchKey, NotImplemented
 */
export function checkWriteConditions(headers: Headers, current: Version | undefined, key: string): void {
  const ifNoneMatch = headers.get("if-none-match");
  const ifMatch = headers.get("if-match");
  const existing = current?.isDeleteMarker ? undefined : current;
  if (ifNoneMatch !== undefined) {
    // S3 knows no other value here: https://docs.aws.amazon.com/AmazonS3/latest/userguide/conditional-writes.html
    if (ifNoneMatch !== "*") throw new S3Error("NotImplemented", { fields: { Header: "If-None-Match" } });
    if (existing) throw failed("If-None-Match");
  }
  if (ifMatch !== undefined) {
    if (!existing) throw new S3Error("NoSuchKey", { fields: { Key: key } });
    if (!matches(ifMatch, existing.etag)) throw failed("If-Match");
  }
}

const failed = (condition: string) => new S3Error("PreconditionFailed", { fields: { Condition: condition } });

/** A list of entity tags, with or without their quotes, or "*". */
const matches = (list: string, etag: string) =>
  list.split(",").some((one) => {
    const tag = one.trim().replace(/^W\//, "");
    return tag === "*" || tag === etag || `"${tag}"` === etag;
  });

/** A date that cannot be read is no condition. */
function dateOf(text: string | undefined): number | null {
  const at = Date.parse(text ?? "");
  return Number.isNaN(at) ? null : at;
}

/** HTTP dates have no fractions. */
const wholeSeconds = (date: Date) => Math.floor(date.getTime() / 1000) * 1000;
