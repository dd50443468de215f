import { randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { type Answer, answerOf, MalformedAnswer } from "./api/answer.ts";
import { type CustomResponse, GatewayResponses, type GatewayResponseType } from "./api/gateway-responses.ts";
import { type ApiStage, type Arrival, arrivalOf, contextVariables, proxyEvent } from "./api/proxy.ts";
import { type Integration, MalformedPath, type Match, Routes } from "./api/routes.ts";
import { type InvokeResult, type Json, localAccount } from "./service.ts";

export interface ApiProps extends ApiStage {
  /** The OpenAPI document of the RestApi, resolved. */
  readonly body: Json;
  readonly responses: readonly CustomResponse[];
  /**
   * Invokes the function of an integration, IAM permitting.
   * @param sourceArn the method of the API that invokes it
   */
  readonly invoke: (integration: Integration, sourceArn: string, event: Json) => Promise<InvokeResult>;
  /** A client that has not sent its whole request by then has stalled, and is cut off. @default 60_000 */
  readonly requestTimeoutMs?: number;
  /** Whether requests wait for `takeRequests()`. @default false */
  readonly holdsRequests?: boolean;
}

/** API Gateway's limit for a request; what Lambda takes is less, see below. */
const requestBytesMax = 10 * 1024 * 1024;
/** API Gateway's limit for the request line and all headers together. */
const headerBytesMax = 10_240;
/** Time for a client to send its headers; a second bound is the one for the whole request. */
const headersTimeoutMs = 10_000;
/** Longer than the 29 s that a function may take; ends connections that no longer take their answer. */
const socketTimeoutMs = 60_000;
/** Answers under way get this long when the API stops. */
const drainMs = 3_000;

/** The port is taken by another program. */
export class PortInUse extends Error {
  override readonly name = "PortInUse";

  constructor(port: number) {
    super(`Port ${port} is in use by another program; stop that one, or set PORT to a free port.`);
  }
}

class TooLarge extends Error {}

/**
 * API Gateway on this machine: a REST API with Lambda proxy integrations, its routes those of the template. The stage is
 * served at the root, as behind a custom domain.
 */
export class Api {
  readonly #props: ApiProps;
  readonly #routes: Routes;
  readonly #responses: GatewayResponses;
  readonly #server: Server;
  readonly #taking = Promise.withResolvers<void>();

  /** @throws Error for what the OpenAPI body asks of API Gateway and this one does not do */
  constructor(props: ApiProps) {
    this.#props = props;
    this.#routes = new Routes(props.body);
    this.#responses = new GatewayResponses(props.responses);
    if (!props.holdsRequests) this.takeRequests();
    const requestTimeout = props.requestTimeoutMs ?? 60_000;
    const limits = {
      maxHeaderSize: headerBytesMax,
      headersTimeout: Math.min(headersTimeoutMs, requestTimeout),
      requestTimeout,
      connectionsCheckingInterval: Math.min(5_000, requestTimeout),
    };
    this.#server = createServer(limits, (request, response) => {
      void this.#answer(request, response);
    });
    this.#server.timeout = socketTimeoutMs;
    this.#server.keepAliveTimeout = 30_000;
    this.#server.on("checkContinue", (request: IncomingMessage, response: ServerResponse) => {
      // A client that asks before sending too much is spared the sending.
      if (!isTooLarge(request)) response.writeContinue();
      void this.#answer(request, response);
    });
  }

  /**
   * Starts to answer.
   * @param port 0 for any free one
   * @returns the address, without a slash at the end
   * @throws PortInUse
   */
  async listen(host: string, port: number): Promise<string> {
    await new Promise<void>((resolve, reject) => {
      this.#server.once("error", (error: NodeJS.ErrnoException) => {
        reject(error.code === "EADDRINUSE" ? new PortInUse(port) : error);
      });
      this.#server.listen(port, host, resolve);
    });
    return `http://${host}:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Answers the requests that have waited, and from now on each as it comes. */
  takeRequests(): void {
    this.#taking.resolve();
  }

  /** Takes no more requests, lets those under way end for a moment, then cuts them. */
  async stop(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    const cut = setTimeout(() => this.#server.closeAllConnections(), drainMs);
    this.#server.closeIdleConnections();
    await closed;
    clearTimeout(cut);
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const arrival = arrivalOf(request, randomUUID());
    let match: Match | null = null;
    try {
      await this.#taking.promise;
      match = this.#routes.match(arrival.method, arrival.path);
      const outcome = match ? await this.#ask(request, arrival, match) : "MISSING_AUTHENTICATION_TOKEN";
      if (typeof outcome === "string") this.#refuse(outcome, request, response, arrival, match);
      else write(response, arrival.id, outcome);
    } catch (error) {
      // Node has closed the connection of a client that went away or stalled.
      if (request.destroyed && !request.complete) return;
      if (error instanceof MalformedAnswer || error instanceof MalformedPath || error instanceof TooLarge) {
        this.#refuse(typeOf(error), request, response, arrival, match);
      } else {
        console.error("embedded cloud: the API failed:", error);
        this.#refuse("API_CONFIGURATION_ERROR", request, response, arrival, match);
      }
    }
  }

  async #ask(request: IncomingMessage, arrival: Arrival, match: Match): Promise<Answer | GatewayResponseType> {
    const body = await readBody(request);
    const { apiId, stage } = this.#props;
    const event = proxyEvent(arrival, match, this.#props, body);
    const { region, account } = localAccount;
    const method = `${arrival.method}${match.integration.resource}`;
    const sourceArn = `arn:aws:execute-api:${region}:${account}:${apiId}/${stage}/${method}`;
    const { promise: timeout, resolve } = Promise.withResolvers<"timeout">();
    const timer = setTimeout(() => resolve("timeout"), match.integration.timeoutMs);
    // The function runs on after a time-out, as it does on AWS: nobody can tell it that nobody waits.
    const result = await Promise.race([this.#props.invoke(match.integration, sourceArn, event), timeout]);
    clearTimeout(timer);
    if (result === "timeout") return "INTEGRATION_TIMEOUT";
    if (!result.ok) return refusalOf(result.error);
    return answerOf(result.payload, this.#props.binaryMediaTypes, request.headers.accept);
  }

  #refuse(
    type: GatewayResponseType,
    request: IncomingMessage,
    response: ServerResponse,
    arrival: Arrival,
    match: Match | null,
  ) {
    const context = contextVariables(arrival, match?.integration.resource ?? "", this.#props);
    const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]));
    const { status, body, headers: own } = this.#responses.render(type, { context, headers });
    const lists = new Map(
      Object.entries({ ...own, "x-amzn-ErrorType": errorTypes[type] }).map(([name, value]) => [name, [value]]),
    );
    write(response, arrival.id, { status, headers: lists, body: Buffer.from(body) });
  }
}

const errorTypes: Record<GatewayResponseType, string> = {
  MISSING_AUTHENTICATION_TOKEN: "MissingAuthenticationTokenException",
  BAD_REQUEST_PARAMETERS: "BadRequestException",
  REQUEST_TOO_LARGE: "RequestTooLargeException",
  API_CONFIGURATION_ERROR: "InternalServerErrorException",
  INTEGRATION_TIMEOUT: "InternalServerErrorException",
  DEFAULT_5XX: "InternalServerErrorException",
};

const typeOf = (error: MalformedAnswer | MalformedPath | TooLarge): GatewayResponseType =>
  error instanceof TooLarge
    ? "REQUEST_TOO_LARGE"
    : error instanceof MalformedPath
      ? "BAD_REQUEST_PARAMETERS"
      : "DEFAULT_5XX";

/** Errors of the function are 502; that it could not be invoked at all is a fault of the API's configuration. */
function refusalOf(error: string): GatewayResponseType {
  // Base64 makes a body a third longer, so Lambda's 6 MB are reached by an upload of about 4.5 MB.
  if (error === "Lambda.RequestTooLargeException") return "REQUEST_TOO_LARGE";
  return error.startsWith("Lambda.") ? "API_CONFIGURATION_ERROR" : "DEFAULT_5XX";
}

const isTooLarge = (request: IncomingMessage): boolean =>
  Number(request.headers["content-length"] ?? 0) > requestBytesMax;

/** Node reads and drops what follows a refusal, so that a client which is still sending gets to read the answer. */
async function readBody(request: IncomingMessage): Promise<Buffer> {
  if (isTooLarge(request)) throw new TooLarge();
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
  const parts: Buffer[] = [];
  let bytes = 0;
  request.on("data", (part: Buffer) => {
    bytes += part.length;
    if (bytes <= requestBytesMax) {
      parts.push(part);
    } else {
      parts.length = 0;
      reject(new TooLarge());
    }
  });
  request.on("end", () => resolve(Buffer.concat(parts)));
  request.on("error", reject);
  return promise;
}

function write(response: ServerResponse, requestId: string, { status, headers, body }: Answer): void {
  if (response.destroyed) return;
  try {
    for (const [name, values] of headers) response.setHeader(name, values.length === 1 ? values[0]! : values);
  } catch (error) {
    for (const name of response.getHeaderNames()) response.removeHeader(name);
    throw new MalformedAnswer("A header of the answer cannot be sent.", { cause: error });
  }
  response.setHeader("x-amzn-RequestId", requestId);
  if (status !== 204 && status !== 304) response.setHeader("Content-Length", body.length);
  response.writeHead(status).end(body);
}
