import type { MiddlewareObj } from "@middy/core";
import type { APIGatewayProxyEvent, APIGatewayProxyResult } from "aws-lambda";
import type { Contract } from "./contract.ts";
import { SluiceError } from "./errors.ts";
import { languageOf } from "./language.ts";
import { errorFields, log } from "./log.ts";
import type { OperationEvent } from "./operation.ts";
import { ValidationFailed } from "./request.ts";

type Middleware = MiddlewareObj<APIGatewayProxyEvent, APIGatewayProxyResult>;

/** Gives the request its id and language, and writes one log line when it ends. */
export function requestLog(operation: string, contract: Contract): Middleware {
  let startedAt = 0;
  return {
    before: ({ event }) => {
      startedAt = performance.now();
      const requestId = event.requestContext.requestId;
      const language = contract.messages ?? languageOf(header(event, "accept-language"));
      const sourceAddress = event.requestContext.identity.sourceIp;
      (event as OperationEvent).request = { requestId, language, sourceAddress };
    },
    after: ({ event, response }) => {
      const { requestId, caller } = (event as OperationEvent).request;
      const milliseconds = Math.round(performance.now() - startedAt);
      log("info", "request", { operation, requestId, user: caller?.id, status: response?.statusCode, milliseconds });
    },
    onError: ({ event, response }) => {
      const { requestId } = (event as OperationEvent).request;
      log("info", "request", { operation, requestId, status: response?.statusCode });
    },
  };
}

/** Tenant-bound answers are never cached, sniffed or framed. A handler's own header wins. */
export function securityHeaders(): Middleware {
  const headers = {
    "Cache-Control": "no-store",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
  };
  const add: Middleware["after"] = ({ response }) => {
    if (response) response.headers = { ...headers, ...response.headers };
  };
  return { after: add, onError: add };
}

/** Turns errors into problem bodies. What we did not foresee is a 500 with the request id and no detail; the log has the cause. */
export function problemAnswers(): Middleware {
  return {
    onError: (request) => {
      const { requestId, language } = (request.event as OperationEvent).request;
      const error = request.error;
      if (error instanceof ValidationFailed) {
        request.response = json(422, { detail: error.issues, code: "validation_failed", request_id: requestId });
        return;
      }
      const known = error instanceof SluiceError ? error : new SluiceError("internal_error", {}, error);
      if (known.status >= 500) log("error", "unexpected error", { requestId, ...errorFields(error) });
      request.response = json(
        known.status,
        { detail: known.text(language), code: known.code, request_id: requestId },
        headersOf(known),
      );
    },
  };
}

/** What HTTP wants beside some statuses. An error that names the seconds to wait says so to programs too, RFC 9110 section 10.2.3. */
function headersOf({ status, fields: { retryAfterSeconds } }: SluiceError): Record<string, string> {
  if (status === 401) return { "WWW-Authenticate": "Bearer" };
  return retryAfterSeconds === undefined ? {} : { "Retry-After": String(retryAfterSeconds) };
}

/** A request header by its lower-case name; API Gateway keeps the client's spelling. */
export function header(event: APIGatewayProxyEvent, name: string): string | undefined {
  for (const [key, value] of Object.entries(event.headers ?? {})) if (key.toLowerCase() === name) return value;
  return undefined;
}

const json = (statusCode: number, body: object, headers: Record<string, string> = {}): APIGatewayProxyResult => ({
  statusCode,
  headers: { "Content-Type": "application/json; charset=utf-8", ...headers },
  body: JSON.stringify(body),
});
