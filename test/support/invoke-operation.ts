import type { Context } from "aws-lambda";
import { v4 as uuid } from "uuid";
import { operationList } from "../../functions/operations.ts";
import { apiStage, fullPath } from "../../functions/platform/contract.ts";
import { lambdaHandler } from "../../functions/platform/operation.ts";
import { proxyEvent } from "../../lib/local/api/proxy.ts";

export interface Invocation {
  readonly token?: string;
  readonly params?: Record<string, string>;
  readonly query?: Record<string, string>;
  readonly json?: unknown;
  readonly form?: Record<string, string>;
  readonly headers?: Record<string, string>;
  readonly sourceIp?: string;
  readonly requestId?: string;
  /** The clock of the function, and the time at which the API gets the request. @default the present */
  readonly now?: Date;
}

export interface Answered {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly requestId: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape.
  readonly body: any;
}

/** Sends a request through an operation's whole Lambda handler, inside the test process and at a time of the test's own. */
export async function invokeOperation(name: string, sent: Invocation = {}): Promise<Answered> {
  const listed = operationList.find((one) => one.name === name);
  if (!listed) throw new Error(`there is no operation ${name}`);
  const { contract } = listed.operation;
  const { requestId = uuid(), now = new Date(), params = {}, sourceIp = "127.0.0.1" } = sent;
  const headers = new Map(Object.entries(headersOf(sent)).map(([header, value]) => [header, [value]]));
  const path = fullPath(contract).replace(/\{(\w+)\}/g, (_, parameter: string) => params[parameter] ?? "");
  const event = proxyEvent(
    {
      id: requestId,
      at: now,
      method: contract.method,
      path,
      query: new URLSearchParams(sent.query).toString(),
      sourceIp,
      headers,
    },
    { integration: { resource: fullPath(contract) } as never, pathParameters: params },
    { apiId: "test", stage: apiStage, variables: null, binaryMediaTypes: ["*/*"] },
    Buffer.from(sent.form ? new URLSearchParams(sent.form).toString() : sent.json ? JSON.stringify(sent.json) : ""),
  );
  const answer = await lambdaHandler(name, listed.operation, () => now)(event, {} as Context);
  const body = answer.isBase64Encoded ? Buffer.from(answer.body, "base64") : JSON.parse(answer.body);
  return { status: answer.statusCode, headers: answer.headers ?? {}, requestId, body };
}

const headersOf = ({ token, json, form, headers }: Invocation): Record<string, string> => ({
  "User-Agent": "vitest",
  ...(token && { Authorization: `Bearer ${token}` }),
  ...(json !== undefined && { "Content-Type": "application/json" }),
  ...(form && { "Content-Type": "application/x-www-form-urlencoded" }),
  ...headers,
});
