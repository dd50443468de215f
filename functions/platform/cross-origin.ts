import type { MiddlewareObj } from "@middy/core";
import type { APIGatewayProxyEvent, APIGatewayProxyResult } from "aws-lambda";
import { environment } from "./environment.ts";
import { header } from "./responses.ts";

type Middleware = MiddlewareObj<APIGatewayProxyEvent, APIGatewayProxyResult>;

/** Seconds that a browser may remember what it was allowed; none remembers longer. */
const maxAge = 7200;
const methods = "GET, POST, PUT, PATCH, DELETE";
/** Those that operations read, beside the ones that a page may always send. */
const requestHeaders = "Authorization, Content-Type, Idempotency-Key, If-None-Match";
/** Those of answers that a page may not read by itself. */
const answerHeaders = "Content-Disposition, ETag, Retry-After, X-List-Truncated, X-Total-Count";

/**
 * Lets pages of the origins that the operator has named call the API, and answers their preflights, which carry no token. Cookies are never
 * asked for, so a page that is not named can do no more than a program without a token.
 */
export function crossOrigin(): Middleware {
  const add: Middleware["after"] = ({ event, response }) => {
    if (!response) return;
    response.headers = { ...response.headers, ...allowed(event, { "Access-Control-Expose-Headers": answerHeaders }) };
  };
  const before: Middleware["before"] = ({ event }) => (event.httpMethod === "OPTIONS" ? preflight(event) : undefined);
  return { before, after: add, onError: add };
}

const preflight = (event: APIGatewayProxyEvent): APIGatewayProxyResult => ({
  statusCode: 204,
  headers: allowed(event, {
    "Access-Control-Allow-Methods": methods,
    "Access-Control-Allow-Headers": requestHeaders,
    "Access-Control-Max-Age": String(maxAge),
  }),
  body: "",
});

function allowed(event: APIGatewayProxyEvent, more: Record<string, string>): Record<string, string> {
  const { CORS_ORIGINS: origins } = environment();
  if (origins.size === 0) return {};
  const origin = header(event, "origin") ?? "";
  return { Vary: "Origin", ...(origins.has(origin) && { "Access-Control-Allow-Origin": origin, ...more }) };
}
