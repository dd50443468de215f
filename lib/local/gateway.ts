import { hash } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { Credentials } from "./credentials.ts";
import { AwsError, type Caller, type Json, type JsonService, type Permission, type RestService } from "./service.ts";
import { type Signature, signatureOf, verifySignature } from "./sigv4.ts";

/** A call as the gateway saw it, after authentication. */
export interface RecordedCall {
  /** Counts from 1 over the life of the gateway. */
  readonly number: number;
  readonly role: string;
  readonly service: string;
  readonly operation: string;
  readonly permissions: readonly Permission[];
}

/** What a test makes go wrong. "after" means that the work is done and only the answer is lost. */
export interface Fault {
  readonly when: "before" | "after";
  /** The error to answer with, or "cut" to drop the connection. */
  readonly error: AwsError | "cut";
}

/** Decides whether a role may do something. */
export type Authoriser = (caller: Caller, permission: Permission) => boolean;

export interface GatewayProps {
  /** DynamoDB, KMS, Step Functions, by the service name in the SigV4 scope. */
  readonly json?: Readonly<Record<string, JsonService>>;
  readonly rest?: Readonly<Record<string, RestService>>;
  /** @default everybody may do everything */
  readonly allows?: Authoriser;
  /** @default 0, any free port */
  readonly port?: number;
}

/** An SDK never sends more than DynamoDB's or Step Functions' request limits; S3 bodies are not buffered here. */
const jsonBytesMax = 16 * 1024 * 1024;

/**
 * The one loopback port that all AWS calls of this machine go through. It knows the caller by the signature, asks IAM,
 * records the call, injects planned faults, and hands the call to the service named in the signature.
 */
export class Gateway {
  readonly credentials = new Credentials();
  /** Called for each allowed call, before it runs. */
  onCall: (call: RecordedCall) => void = () => {};
  /** A fault for this call, or undefined to let it pass; the call is held until that is known. Tests only. */
  planFault: (call: RecordedCall) => Fault | undefined | Promise<undefined> = () => undefined;
  readonly #props: GatewayProps;
  readonly #server: Server;
  #calls = 0;

  constructor(props: GatewayProps) {
    this.#props = props;
    this.#server = createServer((request, response) => void this.#answer(request, response));
    this.#server.keepAliveTimeout = 60_000;
    // Uploads of 500 MB over a slow link are legitimate; the default of 300 s for a whole request is not for us.
    this.#server.requestTimeout = 0;
  }

  async start(): Promise<string> {
    await new Promise<void>((resolve, reject) => {
      this.#server.once("error", reject).listen(this.#props.port ?? 0, "127.0.0.1", resolve);
    });
    return this.endpoint;
  }

  get endpoint(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    this.#server.closeAllConnections();
    await closed;
  }

  /** IAM's answer for calls that do not arrive over HTTP: a state machine or a rule that invokes a function. */
  authorise(caller: Caller, service: string, operation: string, permissions: readonly Permission[]): RecordedCall {
    for (const permission of permissions) {
      if (!this.#allows(caller, permission)) {
        throw new AwsError(
          service === "s3" ? "AccessDenied" : "AccessDeniedException",
          `User: ${caller.arn} is not authorized to perform: ${permission.action} on resource: ${permission.resource}`,
          service === "s3" ? 403 : 400,
        );
      }
    }
    this.#calls += 1;
    const call = { number: this.#calls, role: caller.role, service, operation, permissions };
    this.onCall(call);
    return call;
  }

  #allows(caller: Caller, permission: Permission): boolean {
    return caller.role === "operator" || (this.#props.allows?.(caller, permission) ?? true);
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      const url = urlOf(request);
      const signature = signatureOf(request.headers, url);
      const json = this.#props.json?.[signature?.service ?? ""];
      if (signature && json) await this.#answerJson(request, response, url, signature, json);
      else await this.#answerRest(request, response, url, signature);
    } catch (error) {
      if (!response.headersSent) writeJsonError(response, error);
      else response.destroy();
    }
  }

  async #answerJson(
    request: IncomingMessage,
    response: ServerResponse,
    url: URL,
    signature: Signature,
    service: JsonService,
  ) {
    response.setHeader("content-type", service.contentType);
    const body = await readAll(request, jsonBytesMax);
    const contentSha256 = hash("sha256", body);
    const caller = this.#verify(request, url, signature, contentSha256);
    const operation = String(request.headers["x-amz-target"] ?? "").split(".")[1] ?? "";
    const input = parse(body);
    const call = this.authorise(caller, signature.service, operation, service.permissions(operation, input));
    const fault = await this.planFault(call);
    if (fault?.when === "before") return fail(response, fault);
    const output = await service.call(operation, input, caller);
    if (fault) return fail(response, fault);
    response.writeHead(200, { "x-amzn-requestid": `local-${call.number}` }).end(JSON.stringify(output));
  }

  async #answerRest(request: IncomingMessage, response: ServerResponse, url: URL, signature: Signature | null) {
    const service = this.#props.rest?.[signature?.service ?? "s3"];
    if (!service) throw new AwsError("UnrecognizedClientException", "No such service is embedded here.", 400);
    try {
      const contentSha256 = String(request.headers["x-amz-content-sha256"] ?? "UNSIGNED-PAYLOAD");
      await service.handle({
        request,
        response,
        url,
        contentSha256,
        caller: signature ? this.#verify(request, url, signature, contentSha256) : null,
        callerOf: (accessKeyId) => this.credentials.callerOf(accessKeyId),
        allows: (caller, permission) => caller !== null && this.#allows(caller, permission),
        authorise: async (caller, operation, permissions) => {
          if (!caller) throw new AwsError("AccessDenied", "Access Denied", 403);
          const call = this.authorise(caller, signature?.service ?? "s3", operation, permissions);
          const fault = await this.planFault(call);
          if (fault) applyRestFault(response, fault);
        },
      });
    } catch (error) {
      if (response.headersSent) response.destroy();
      else service.fail(request, response, error);
    }
  }

  #verify(request: IncomingMessage, url: URL, signature: Signature, contentSha256: string): Caller {
    const caller = this.credentials.callerOf(signature.accessKeyId);
    if (!caller) throw new AwsError("InvalidAccessKeyId", "The AWS access key ID you provided does not exist.", 403);
    const rawPath = (request.url ?? "/").split("?")[0] ?? "/";
    const signed = { method: request.method ?? "GET", url, rawPath, headers: request.headers, contentSha256 };
    verifySignature(signature, caller, signed, new Date());
    return caller;
  }
}

/** Joined, not resolved: "//bucket/key" is a path to S3, and URL resolution would take "bucket" for a host. */
function urlOf(request: IncomingMessage): URL {
  const target = request.url ?? "/";
  if (!target.startsWith("/")) throw new AwsError("InvalidURI", "Couldn't parse the specified URI.", 400);
  return new URL(`http://localhost${target}`);
}

function parse(body: Buffer): Json {
  try {
    return body.length === 0 ? {} : JSON.parse(body.toString("utf8"));
  } catch {
    throw new AwsError("SerializationException", "The request body is not JSON.");
  }
}

async function readAll(request: IncomingMessage, bytesMax: number): Promise<Buffer> {
  const parts: Buffer[] = [];
  let bytes = 0;
  // Leaving the loop early must not destroy the request: the refusal still has to be written.
  for await (const part of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    bytes += part.length;
    if (bytes > bytesMax) throw new AwsError("RequestEntityTooLarge", "The request is too large.", 413);
    parts.push(part);
  }
  return Buffer.concat(parts);
}

function writeJsonError(response: ServerResponse, error: unknown): void {
  const known =
    error instanceof AwsError ? error : new AwsError("InternalServerError", "The embedded cloud failed.", 500);
  if (known !== error) console.error("embedded cloud:", error);
  response
    .writeHead(known.status, { "x-amzn-errortype": known.code })
    .end(JSON.stringify({ __type: known.code, message: known.message, Message: known.message, ...known.fields }));
}

function fail(response: ServerResponse, fault: Fault): void {
  if (fault.error === "cut") response.destroy();
  else writeJsonError(response, fault.error);
}

/** "before" stops the service here; "after" lets it do its work and loses the answer on the way back. */
function applyRestFault(response: ServerResponse, fault: Fault): void {
  if (fault.when === "before") {
    if (fault.error !== "cut") throw fault.error;
    response.destroy();
    throw new AwsError("RequestTimeout", "The connection was cut on purpose.", 400);
  }
  response.writeHead = () => response;
  response.write = () => true;
  response.end = () => response.destroy();
}
