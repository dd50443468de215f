import { createHmac, createSecretKey, hash, type KeyObject } from "node:crypto";

/** What is signed of a request without a query. */
export interface UnsignedRequest {
  readonly method: "POST" | "PUT";
  /** As it stands in the request line. */
  readonly path: string;
  /** By lower-case name, `host` among them; S3 wants every one that begins with `x-amz-`. */
  readonly headers: Readonly<Record<string, string>>;
  /** Of the body in hex, or what S3 takes in its place. */
  readonly contentSha256: string;
  readonly region: string;
  readonly service: string;
  readonly at: Date;
}

export interface SigningCredentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string | undefined;
}

/**
 * Signature Version 4: the headers of a request, and those that sign them.
 * https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html
 */
export function signedHeaders(request: UnsignedRequest, credentials: SigningCredentials): Record<string, string> {
  const { accessKeyId, secretAccessKey, sessionToken } = credentials;
  const date = `${request.at.toISOString().slice(0, 19).replace(/[-:]/g, "")}Z`;
  const headers: Record<string, string> = {
    ...request.headers,
    "x-amz-date": date,
    ...(sessionToken && { "x-amz-security-token": sessionToken }),
  };
  const names = Object.keys(headers).sort();
  const lines = names.map((name) => `${name}:${headers[name]}`);
  const signed = names.join(";");
  const canonical = [request.method, request.path, "", ...lines, "", signed, request.contentSha256].join("\n");
  const scope = `${date.slice(0, 8)}/${request.region}/${request.service}/aws4_request`;
  const signature = sign(
    secretAccessKey,
    scope,
    ["AWS4-HMAC-SHA256", date, scope, hash("sha256", canonical)].join("\n"),
  );
  const authorization = `AWS4-HMAC-SHA256 Credential=${accessKeyId}/${scope}, SignedHeaders=${signed}, Signature=${signature}`;
  return { ...headers, authorization };
}

/** The signature of a string under a scope's signing key, in hex; a POST policy is signed this way too. */
export function sign(secretAccessKey: string, scope: string, toSign: string): string {
  return createHmac("sha256", signingKey(secretAccessKey, scope)).update(toSign).digest("hex");
}

/** A key serves for a day, a role and a service, and costs four times what a signature does. */
const signingKeys = new Map<string, KeyObject>();
const signingKeysMax = 1000;

function signingKey(secretAccessKey: string, scope: string): KeyObject {
  const name = `${secretAccessKey}/${scope}`;
  const known = signingKeys.get(name);
  if (known) return known;
  const bytes = scope
    .split("/")
    .reduce<Buffer>(
      (secret, part) => createHmac("sha256", secret).update(part).digest(),
      Buffer.from(`AWS4${secretAccessKey}`),
    );
  const key = createSecretKey(bytes);
  // The scope is what a caller claims, not yet what was verified.
  if (signingKeys.size >= signingKeysMax) signingKeys.clear();
  signingKeys.set(name, key);
  return key;
}
