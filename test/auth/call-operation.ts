import { randomUUID } from "node:crypto";
import type { APIGatewayProxyEvent, Context } from "aws-lambda";
import { lambdaHandler, type Operation } from "../../functions/platform/operation.ts";

export interface Call {
  readonly form?: Record<string, string>;
  readonly json?: unknown;
  /** Where the request comes from. @default 192.0.2.1 */
  readonly from?: string;
  readonly at: Date;
}

export interface CallAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape.
  readonly body: any;
}

/** Calls an operation through its whole middleware, as API Gateway would, with a clock of the test's own. */
export async function callOperation(name: string, served: Operation, call: Call): Promise<CallAnswer> {
  const { form, json, from = "192.0.2.1", at } = call;
  const event = {
    headers: { "Content-Type": form ? "application/x-www-form-urlencoded" : "application/json" },
    body: form ? new URLSearchParams(form).toString() : json === undefined ? null : JSON.stringify(json),
    isBase64Encoded: false,
    multiValueQueryStringParameters: null,
    requestContext: { requestId: randomUUID(), requestTimeEpoch: at.getTime(), identity: { sourceIp: from } },
  } as unknown as APIGatewayProxyEvent;
  const handler = lambdaHandler(name, served, () => at);
  const { statusCode, headers = {}, body } = await handler(event, {} as Context);
  return { status: statusCode, headers, body: JSON.parse(body) };
}
