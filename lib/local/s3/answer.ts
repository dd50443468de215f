import type { ServerResponse } from "node:http";
import { S3Error } from "./s3-error.ts";
import { toXml, type XmlChildren } from "./xml.ts";

/**
 * Sets headers, undefined ones left out.
 * @throws S3Error InvalidArgument when a value cannot stand in a header
 */
export function setHeaders(response: ServerResponse, headers: Readonly<Record<string, string | number | undefined>>) {
  for (const [name, value] of Object.entries(headers)) {
    if (value === undefined) continue;
    try {
      response.setHeader(name, value);
    } catch {
      throw new S3Error("InvalidArgument", { message: "Header value cannot be represented using ISO-8859-1." });
    }
  }
}

/** Answers with a document. */
export function answerXml(response: ServerResponse, root: string, content: XmlChildren, status = 200): void {
  const body = Buffer.from(toXml(root, content));
  setHeaders(response, { "content-type": "application/xml", "content-length": body.length });
  response.writeHead(status).end(body);
}

/** Answers with headers only. */
export function answerEmpty(
  response: ServerResponse,
  status: number,
  headers: Readonly<Record<string, string | number | undefined>> = {},
): void {
  setHeaders(response, status === 204 ? headers : { "content-length": 0, ...headers });
  response.writeHead(status).end();
}
