import type { IncomingMessage } from "node:http";
import type { Bucket, CorsRule } from "./bucket.ts";
import { S3Error } from "./s3-error.ts";

/** What CORS adds to the answer of a request from a web page; nothing when no rule of the bucket fits. */
export function corsHeaders(request: IncomingMessage, bucket: Bucket | undefined): Record<string, string> {
  const { origin } = request.headers;
  const rule = origin && bucket?.cors?.find((one) => fits(one, origin, request.method ?? ""));
  return rule ? { ...originHeaders(rule, origin), ...exposeHeaders(rule) } : {};
}

/**
 * The answer to a browser that asks before it sends.
 * @throws S3Error AccessForbidden, InvalidRequest
 */
export function preflightHeaders(request: IncomingMessage, bucket: Bucket): Record<string, string> {
  const { origin } = request.headers;
  const method = request.headers["access-control-request-method"];
  if (!origin || !method) {
    throw new S3Error("InvalidRequest", { message: "Insufficient information. Origin request header needed." });
  }
  const asked = (request.headers["access-control-request-headers"] ?? "")
    .split(",")
    .map((name) => name.trim().toLowerCase())
    .filter((name) => name !== "");
  if (!bucket.cors?.length) {
    throw new S3Error("AccessForbidden", { message: "CORSResponse: CORS is not enabled for this bucket." });
  }
  const rule = bucket.cors.find((one) => fits(one, origin, method) && allowsHeaders(one, asked));
  if (!rule) throw new S3Error("AccessForbidden", { fields: { Method: method, ResourceType: "OBJECT" } });
  return {
    ...originHeaders(rule, origin),
    ...exposeHeaders(rule),
    ...(asked.length > 0 && { "access-control-allow-headers": asked.join(", ") }),
    ...(rule.maxAgeSeconds !== undefined && { "access-control-max-age": String(rule.maxAgeSeconds) }),
  };
}

const fits = (rule: CorsRule, origin: string, method: string) =>
  rule.allowedMethods.includes(method) && rule.allowedOrigins.some((pattern) => matches(pattern, origin));

const allowsHeaders = (rule: CorsRule, asked: readonly string[]) =>
  asked.every((name) => rule.allowedHeaders?.some((pattern) => matches(pattern.toLowerCase(), name)));

/** A pattern has at most one star, which stands for any text. */
function matches(pattern: string, text: string): boolean {
  const [start = "", end] = pattern.split("*", 2);
  if (end === undefined) return text === pattern;
  return text.length >= start.length + end.length && text.startsWith(start) && text.endsWith(end);
}

const originHeaders = (rule: CorsRule, origin: string): Record<string, string> => ({
  ...(rule.allowedOrigins.includes("*")
    ? { "access-control-allow-origin": "*" }
    : { "access-control-allow-origin": origin, "access-control-allow-credentials": "true" }),
  "access-control-allow-methods": rule.allowedMethods.join(", "),
  vary: "Origin, Access-Control-Request-Headers, Access-Control-Request-Method",
});

const exposeHeaders = (rule: CorsRule): Record<string, string> =>
  rule.exposedHeaders?.length ? { "access-control-expose-headers": rule.exposedHeaders.join(", ") } : {};
