import type { IncomingMessage } from "node:http";
import type { Permission, RestCall } from "../service.ts";
import { type Bucket, bucketArn, objectArn } from "./bucket.ts";
import { S3Error } from "./s3-error.ts";

/** Bucket and key of a request in path style, before either is known to exist. */
export interface Target {
  readonly bucket: string;
  /** Empty for a request to the bucket itself. */
  readonly key: string;
}

/** A request whose bucket exists, in the terms of S3. */
export class S3Request {
  readonly call: RestCall;
  readonly bucket: Bucket;
  readonly key: string;
  readonly query: URLSearchParams;
  /** Lower-case header names, with the x-amz-* headers that a presigned URL carries in its query. */
  readonly headers: ReadonlyMap<string, string>;

  constructor(call: RestCall, bucket: Bucket, key: string) {
    this.call = call;
    this.bucket = bucket;
    this.key = key;
    this.query = call.url.searchParams;
    this.headers = headersOf(call.request, this.query);
  }

  header(name: string): string | undefined {
    return this.headers.get(name);
  }

  permission(action: string, context?: Permission["context"]): Permission {
    const resource = this.key === "" ? bucketArn(this.bucket.name) : objectArn(this.bucket.name, this.key);
    return { action, resource, ...(context && { context }) };
  }

  /** Asks IAM; see `RestCall.authorise`. */
  authorise(operation: string, permissions: readonly Permission[]): Promise<void> {
    return this.call.authorise(this.call.caller, operation, [...permissions]);
  }

  /** A whole number from the query, or undefined when it is not given. */
  integer(name: string, min: number, max: number): number | undefined {
    const text = this.query.get(name);
    if (text === null) return undefined;
    const value = /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN;
    if (value >= min && value <= max) return value;
    throw new S3Error("InvalidArgument", {
      message: `Argument ${name} must be an integer between ${min} and ${max}`,
      fields: { ArgumentName: name, ArgumentValue: text },
    });
  }
}

/**
 * Reads the path as it was sent: URL resolution would take the dots out of a key.
 * @throws S3Error InvalidURI, KeyTooLongError
 */
export function targetOf(request: IncomingMessage): Target {
  const path = (request.url ?? "/").split("?", 1)[0]!.slice(1);
  const slash = path.indexOf("/");
  const [bucket, key] = slash < 0 ? [path, ""] : [path.slice(0, slash), path.slice(slash + 1)];
  const target = { bucket: decode(bucket), key: decode(key) };
  checkKey(target.key);
  return target;
}

/** @throws S3Error KeyTooLongError */
export function checkKey(key: string): void {
  const bytes = Buffer.byteLength(key);
  if (bytes > keyBytesMax)
    throw new S3Error("KeyTooLongError", { fields: { Size: bytes, MaxSizeAllowed: keyBytesMax } });
}

/** @throws S3Error InvalidURI when the text is not UTF-8 in percent encoding */
export function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new S3Error("InvalidURI");
  }
}

const keyBytesMax = 1024;

/** SDKs move x-amz-* headers of a presigned request into its query. S3 ignores a checksum there: it was made of no body. */
function headersOf(request: IncomingMessage, query: URLSearchParams): Map<string, string> {
  const headers = new Map<string, string>();
  for (const [name, value] of query) {
    const lower = name.toLowerCase();
    if (lower.startsWith("x-amz-") && !/^x-amz-(sdk-)?checksum/.test(lower)) headers.set(lower, value);
  }
  if (query.get("x-amz-checksum-mode")) headers.set("x-amz-checksum-mode", query.get("x-amz-checksum-mode")!);
  for (const [name, value] of Object.entries(request.headers)) {
    if (value !== undefined) headers.set(name, Array.isArray(value) ? value.join(",") : value);
  }
  return headers;
}
