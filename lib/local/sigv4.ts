import { hash, timingSafeEqual } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import { sign } from "../../functions/platform/signed-headers.ts";
import { AwsError, type Caller } from "./service.ts";

/**
 * Signature Version 4, the verifying side, for headers, presigned queries and POST policies.
 * https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html
 */
export interface Signature {
  readonly accessKeyId: string;
  /** "20261121/us-east-1/dynamodb/aws4_request" */
  readonly scope: string;
  readonly service: string;
  readonly signedHeaders: readonly string[];
  readonly signature: string;
  /** ISO basic format, "20261121T083000Z". */
  readonly date: string;
  /** Seconds a presigned URL lives; null for a signature in headers. */
  readonly expiresSeconds: number | null;
  readonly sessionToken: string | null;
}

/** AWS refuses a header signature that is further away than this. */
const clockSkewMs = 15 * 60 * 1000;
/** The longest life of a presigned URL. */
const presignSecondsMax = 7 * 24 * 3600;

/** The signature of a request, wherever it carries one; null when it is unsigned. */
export function signatureOf(headers: IncomingHttpHeaders, url: URL): Signature | null {
  const query = url.searchParams;
  if (query.get("X-Amz-Algorithm") === "AWS4-HMAC-SHA256") {
    const [accessKeyId = "", ...scope] = (query.get("X-Amz-Credential") ?? "").split("/");
    return {
      accessKeyId,
      scope: scope.join("/"),
      service: scope[2] ?? "",
      signedHeaders: (query.get("X-Amz-SignedHeaders") ?? "").split(";"),
      signature: query.get("X-Amz-Signature") ?? "",
      date: query.get("X-Amz-Date") ?? "",
      expiresSeconds: Number(query.get("X-Amz-Expires")),
      sessionToken: query.get("X-Amz-Security-Token"),
    };
  }
  const parts =
    /^AWS4-HMAC-SHA256 Credential=([^/,\s]+)\/([^,\s]+),\s*SignedHeaders=([^,\s]+),\s*Signature=(\w+)$/.exec(
      headers.authorization ?? "",
    );
  if (!parts) return null;
  const [, accessKeyId, scope, signedHeaders, signature] = parts as unknown as [string, string, string, string, string];
  return {
    accessKeyId,
    scope,
    service: scope.split("/")[2] ?? "",
    signedHeaders: signedHeaders.split(";"),
    signature,
    date: String(headers["x-amz-date"] ?? ""),
    expiresSeconds: null,
    sessionToken: headers["x-amz-security-token"] === undefined ? null : String(headers["x-amz-security-token"]),
  };
}

export interface SignedRequest {
  readonly method: string;
  readonly url: URL;
  /** The path as it stood in the request line: S3 signs it exactly as sent. */
  readonly rawPath: string;
  readonly headers: IncomingHttpHeaders;
  readonly contentSha256: string;
}

/**
 * Checks that `caller` signed this request and that the signature is still alive.
 * @throws AwsError SignatureDoesNotMatch, RequestTimeTooSkewed, AccessDenied (expired), InvalidClientTokenId
 */
export function verifySignature(signature: Signature, caller: Caller, request: SignedRequest, now: Date): void {
  if (signature.sessionToken !== caller.sessionToken) {
    throw new AwsError("InvalidClientTokenId", "The security token included in the request is invalid.", 403);
  }
  checkAge(signature, now);
  if (signature.service === "s3") refuseUnsignedHeaders(signature, request.headers);
  const presigned = signature.expiresSeconds !== null;
  const canonical = [
    request.method,
    request.rawPath,
    canonicalQuery(request.url),
    ...signature.signedHeaders.map((name) => `${name}:${headerValue(request, name)}`),
    "",
    signature.signedHeaders.join(";"),
    presigned && signature.service === "s3"
      ? (request.headers["x-amz-content-sha256"] ?? "UNSIGNED-PAYLOAD")
      : request.contentSha256,
  ].join("\n");
  const toSign = ["AWS4-HMAC-SHA256", signature.date, signature.scope, hash("sha256", canonical)].join("\n");
  const expected = sign(caller.secretAccessKey, signature.scope, toSign);
  if (!signature.signedHeaders.includes("host") || !equal(expected, signature.signature)) {
    throw new AwsError(
      "SignatureDoesNotMatch",
      "The request signature we calculated does not match the signature you provided.",
      403,
    );
  }
}

/** Compares two signatures in constant time. Lengths are those of the bytes: a caller may send any text. */
export function equal(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)];
  return left.length === right.length && timingSafeEqual(left, right);
}

/**
 * S3 takes instructions from x-amz-* headers (copy this object, trust that checksum), so whoever holds a presigned URL
 * must not be able to add one. The content hash is part of what is signed in any case.
 */
function refuseUnsignedHeaders(signature: Signature, headers: IncomingHttpHeaders): void {
  const unsigned = Object.keys(headers).filter(
    (name) => name.startsWith("x-amz-") && name !== "x-amz-content-sha256" && !signature.signedHeaders.includes(name),
  );
  if (unsigned.length > 0) {
    throw new AwsError("AccessDenied", "There were headers present in the request which were not signed", 403, {
      HeadersNotSigned: unsigned.join(", "),
    });
  }
}

function checkAge(signature: Signature, now: Date): void {
  const at = Date.parse(signature.date.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, "$1-$2-$3T$4:$5:$6Z"));
  if (Number.isNaN(at) || !signature.scope.startsWith(signature.date.slice(0, 8))) {
    throw new AwsError("AuthorizationHeaderMalformed", "The date of the signature is missing or malformed.", 400);
  }
  if (signature.expiresSeconds !== null) {
    if (!(signature.expiresSeconds > 0 && signature.expiresSeconds <= presignSecondsMax)) {
      throw new AwsError(
        "AuthorizationQueryParametersError",
        "X-Amz-Expires must be between 1 and 604800 seconds",
        400,
      );
    }
    if (now.getTime() > at + signature.expiresSeconds * 1000)
      throw new AwsError("AccessDenied", "Request has expired", 403);
    if (at - now.getTime() > clockSkewMs) throw new AwsError("AccessDenied", "Request is not yet valid", 403);
  } else if (Math.abs(now.getTime() - at) > clockSkewMs) {
    throw new AwsError(
      "RequestTimeTooSkewed",
      "The difference between the request time and the current time is too large.",
      403,
    );
  }
}

function headerValue(request: SignedRequest, name: string): string {
  const value = request.headers[name];
  return (Array.isArray(value) ? value.join(",") : (value ?? "")).trim().replace(/\s+/g, " ");
}

function canonicalQuery(url: URL): string {
  return [...url.searchParams]
    .filter(([name]) => name !== "X-Amz-Signature")
    .map(([name, value]) => [encode(name), encode(value)] as const)
    .sort(([a, x], [b, y]) => (a === b ? compare(x, y) : compare(a, b)))
    .map(([name, value]) => `${name}=${value}`)
    .join("&");
}

const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);

/** RFC 3986: encodeURIComponent leaves five characters that AWS encodes. */
const encode = (text: string) =>
  encodeURIComponent(text).replace(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`);
