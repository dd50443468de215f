import type { IncomingMessage } from "node:http";
import type { APIGatewayProxyEvent } from "aws-lambda";
import { localAccount } from "../service.ts";
import type { Match } from "./routes.ts";

/** A request as API Gateway sees it before any function does. */
export interface Arrival {
  readonly id: string;
  readonly at: Date;
  readonly method: string;
  /** As sent: not decoded, without the query. */
  readonly path: string;
  readonly query: string;
  readonly sourceIp: string;
  /** Names as sent, values in order; repeated headers under the first spelling. */
  readonly headers: ReadonlyMap<string, readonly string[]>;
}

export interface ApiStage {
  readonly apiId: string;
  readonly stage: string;
  readonly variables: Readonly<Record<string, string>> | null;
  readonly binaryMediaTypes: readonly string[];
}

export function arrivalOf(request: IncomingMessage, id: string): Arrival {
  const target = request.url ?? "/";
  const mark = target.indexOf("?");
  return {
    id,
    at: new Date(),
    method: request.method ?? "GET",
    path: mark < 0 ? target : target.slice(0, mark),
    query: mark < 0 ? "" : target.slice(mark + 1),
    sourceIp: (request.socket.remoteAddress ?? "").replace(/^::ffff:/, ""),
    headers: headersOf(request),
  };
}

/** The event of a Lambda proxy integration, REST API payload. */
export function proxyEvent(
  arrival: Arrival,
  { integration, pathParameters }: Match,
  stage: ApiStage,
  body: Buffer,
): APIGatewayProxyEvent {
  const query = valuesByName([...new URLSearchParams(arrival.query)]);
  const binary = body.length > 0 && isBinary(stage.binaryMediaTypes, arrival.headers);
  return {
    resource: integration.resource,
    path: arrival.path,
    httpMethod: arrival.method,
    headers: lastOf(arrival.headers) ?? {},
    multiValueHeaders: listsOf(arrival.headers) ?? {},
    queryStringParameters: lastOf(query),
    multiValueQueryStringParameters: listsOf(query),
    pathParameters: pathParameters && { ...pathParameters },
    stageVariables: stage.variables && { ...stage.variables },
    requestContext: requestContextOf(arrival, integration.resource, stage),
    body: body.length === 0 ? null : body.toString(binary ? "base64" : "utf8"),
    isBase64Encoded: binary,
  };
}

/** The variables of `$context` that gateway responses may name. */
export function contextVariables(arrival: Arrival, resource: string, stage: ApiStage): Record<string, string> {
  const { identity, authorizer, ...context } = requestContextOf(arrival, resource, stage);
  const named: Record<string, unknown> = {
    ...context,
    "identity.sourceIp": identity.sourceIp,
    "identity.userAgent": identity.userAgent,
  };
  return Object.fromEntries(Object.entries(named).map(([name, value]) => [name, String(value ?? "")]));
}

function requestContextOf({ id, at, method, path, sourceIp, headers }: Arrival, resource: string, stage: ApiStage) {
  const header = (name: string) =>
    headers.get([...headers.keys()].find((key) => key.toLowerCase() === name) ?? "")?.at(-1);
  const domainName = (header("host") ?? "").replace(/:\d+$/, "");
  return {
    accountId: localAccount.account,
    apiId: stage.apiId,
    authorizer: null,
    domainName,
    domainPrefix: domainName.split(".", 1)[0]!,
    extendedRequestId: id,
    httpMethod: method,
    identity: { ...noIdentity, sourceIp, userAgent: header("user-agent") ?? null },
    path,
    protocol: "HTTP/1.1",
    requestId: id,
    requestTime: commonLogTime(at),
    requestTimeEpoch: at.getTime(),
    resourceId: resource,
    resourcePath: resource,
    stage: stage.stage,
  };
}

/** Nobody signs requests to this API with AWS credentials or certificates. */
const noIdentity = {
  accessKey: null,
  accountId: null,
  apiKey: null,
  apiKeyId: null,
  caller: null,
  clientCert: null,
  cognitoAuthenticationProvider: null,
  cognitoAuthenticationType: null,
  cognitoIdentityId: null,
  cognitoIdentityPoolId: null,
  principalOrgId: null,
  user: null,
  userArn: null,
};

/** "09/Apr/2015:12:34:56 +0000" */
function commonLogTime(at: Date): string {
  const [, day, month, year, time] = /^\w+, (\d+) (\w+) (\d+) ([\d:]+)/.exec(at.toUTCString())!;
  return `${day}/${month}/${year}:${time} +0000`;
}

/** API Gateway tells functions where a request came from and by what protocol. */
function headersOf(request: IncomingMessage): Map<string, string[]> {
  const pairs: [string, string][] = [];
  for (let i = 0; i < request.rawHeaders.length; i += 2)
    pairs.push([request.rawHeaders[i]!, request.rawHeaders[i + 1]!]);
  const headers = valuesByName(pairs, true);
  const before = [...headers.keys()].filter((name) => /^x-forwarded-(for|port|proto)$/i.test(name));
  const via = before.filter((name) => name.toLowerCase() === "x-forwarded-for").flatMap((name) => headers.get(name)!);
  for (const name of before) headers.delete(name);
  const sourceIp = (request.socket.remoteAddress ?? "").replace(/^::ffff:/, "");
  headers.set("X-Forwarded-For", [[...via, sourceIp].join(", ")]);
  headers.set("X-Forwarded-Port", [String(request.socket.localPort)]);
  headers.set("X-Forwarded-Proto", ["http"]);
  return headers;
}

function valuesByName(pairs: readonly (readonly [string, string])[], ignoreCase = false): Map<string, string[]> {
  const spelling = new Map<string, string>();
  const values = new Map<string, string[]>();
  for (const [name, value] of pairs) {
    const folded = ignoreCase ? name.toLowerCase() : name;
    const key = spelling.get(folded) ?? name;
    spelling.set(folded, key);
    values.set(key, [...(values.get(key) ?? []), value]);
  }
  return values;
}

/** Object.fromEntries makes own properties even of "__proto__", so a hostile name stays a name. */
const listsOf = (map: ReadonlyMap<string, readonly string[]>): Record<string, string[]> | null =>
  map.size === 0 ? null : Object.fromEntries([...map].map(([name, values]) => [name, [...values]]));

const lastOf = (map: ReadonlyMap<string, readonly string[]>): Record<string, string> | null =>
  map.size === 0 ? null : Object.fromEntries([...map].map(([name, values]) => [name, values.at(-1)!]));

function isBinary(types: readonly string[], headers: ReadonlyMap<string, readonly string[]>): boolean {
  const [, values] = [...headers].find(([name]) => name.toLowerCase() === "content-type") ?? [];
  return matchesMediaType(types, values?.[0]);
}

/** Whether a media type is among an API's binary ones, where every part may be a star. */
export function matchesMediaType(types: readonly string[], given: string | undefined): boolean {
  const [type, subtype] = (given ?? "").split(/[;,]/)[0]!.trim().toLowerCase().split("/");
  return types.some((pattern) => {
    const [a, b] = pattern.toLowerCase().split("/");
    return pattern === "*/*" || ((a === "*" || a === type) && (b === "*" || b === subtype));
  });
}
