import type { Json } from "../service.ts";
import { matchesMediaType } from "./proxy.ts";

/** What goes to the client. */
export interface Answer {
  readonly status: number;
  readonly headers: ReadonlyMap<string, readonly string[]>;
  readonly body: Buffer;
}

/** The function's answer is not one of a proxy integration: API Gateway answers 502. */
export class MalformedAnswer extends Error {
  override readonly name = "MalformedAnswer";
}

/**
 * API Gateway keeps these headers of its own answer for itself and hands the function's on under another name; that is
 * why a function cannot send WWW-Authenticate here either.
 * https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-known-issues.html
 */
const remapped = new Set(
  "authorization connection content-md5 date host max-forwards server user-agent www-authenticate".split(" "),
);
/** API Gateway makes these itself. */
const dropped = new Set(
  "content-length expect keep-alive proxy-authenticate te trailer transfer-encoding upgrade".split(" "),
);

/**
 * Reads the answer of a proxy integration.
 * @throws MalformedAnswer
 */
export function answerOf(payload: Json, binaryMediaTypes: readonly string[], accept: string | undefined): Answer {
  if (payload === null || typeof payload !== "object") throw new MalformedAnswer("The answer is no object.");
  const { statusCode, headers, multiValueHeaders, body, isBase64Encoded } = payload;
  const status = Number(statusCode);
  if (!Number.isInteger(status) || status < 200 || status > 599)
    throw new MalformedAnswer("The statusCode is no status.");
  if (body !== undefined && body !== null && typeof body !== "string")
    throw new MalformedAnswer("The body is no text.");
  const decode = isBase64Encoded === true && matchesMediaType(binaryMediaTypes, accept);
  return {
    status,
    headers: headersOf(headers ?? {}, multiValueHeaders ?? {}),
    body: Buffer.from(body ?? "", decode ? "base64" : "utf8"),
  };
}

function headersOf(single: Json, multiple: Json): Map<string, string[]> {
  const headers = new Map<string, { name: string; values: string[] }>([
    ["content-type", { name: "Content-Type", values: ["application/json"] }],
  ]);
  const entries = [
    ...Object.entries(single).map(([name, value]): [string, unknown[]] => [name, [value]]),
    ...Object.entries(multiple).map(([name, values]): [string, unknown[]] => [
      name,
      Array.isArray(values) ? values : [values],
    ]),
  ];
  for (const [name, values] of entries) {
    const folded = name.toLowerCase();
    if (dropped.has(folded)) continue;
    // The lists come last, so they win over a single value of the same name, as AWS documents.
    headers.set(folded, { name: remapped.has(folded) ? `x-amzn-Remapped-${name}` : name, values: values.map(textOf) });
  }
  return new Map([...headers.values()].map(({ name, values }) => [name, values]));
}

function textOf(value: unknown): string {
  if (!["string", "number", "boolean"].includes(typeof value))
    throw new MalformedAnswer("A header's value is no text.");
  return String(value);
}
