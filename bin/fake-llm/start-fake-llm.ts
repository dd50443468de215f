import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import * as z from "zod";
import { Barrier } from "./barrier.ts";
import { type Call, CallLog } from "./call-log.ts";
import { type Control, controlOf } from "./control.ts";
import type { Dialect, HttpAnswer } from "./dialect.ts";
import { dialects } from "./dialects/dialects.ts";
import { plainAnswer } from "./dialects/plain-answers.ts";
import type { FaultKind } from "./faults.ts";
import { ScriptedModel, type ScriptedModelOptions } from "./scripted-model.ts";
import { isTransportFault, sendAnswer } from "./send-answer.ts";

export interface FakeLlmOptions extends ScriptedModelOptions {
  /** @default 0, any free one */
  readonly port?: number;
  /** Milliseconds from the arrival of a request to its answer. @default 0 */
  readonly latencyMs?: number;
  /** Whether calls keep the text of their request. @default false */
  readonly keepBodies?: boolean;
  /** Milliseconds between two bytes of the fault slow_bytes. @default 1000 */
  readonly slowByteMs?: number;
}

/** No honest prompt is longer; a client that sends more is broken. */
const requestBytesMax = 8 * 1024 * 1024;

/**
 * Starts a model server on loopback that speaks the wire formats of the providers and makes its answers from the code in the request.
 * @throws when the port is taken
 */
export async function startFakeLlm(options: FakeLlmOptions = {}): Promise<FakeLlm> {
  const fake = new FakeLlm(options);
  await fake.listen();
  return fake;
}

/** A running scripted model; see startFakeLlm. */
export class FakeLlm {
  readonly #options: FakeLlmOptions;
  readonly #model: ScriptedModel;
  readonly #log = new CallLog();
  readonly #server: Server;
  #latencyMs: number;
  #barrier = new Barrier(0);

  constructor(options: FakeLlmOptions) {
    this.#options = options;
    this.#latencyMs = options.latencyMs ?? 0;
    this.#model = new ScriptedModel(options);
    this.#server = createServer((request, response) => {
      this.#serve(request, response).catch((error: Error) => {
        // A client that went away while it was sending is no trouble. All else is ours, and must not pass for a fault of the script.
        if (!response.headersSent && !response.destroyed) send(response, { status: 501, body: { error: error.stack } });
      });
    });
    // Cutting an idle connection at the moment its client uses it again would be a fault that nobody scripted.
    this.#server.keepAliveTimeout = 600_000;
  }

  /** Without a path: "http://127.0.0.1:8790". */
  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** The calls of models so far, the oldest first; of very many only the latest. */
  get calls(): readonly Call[] {
    return this.#log.calls;
  }

  get counts() {
    return this.#log.counts;
  }

  /** Resolves when the server takes requests. */
  async listen(): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      // Hundreds of connections can arrive at once; the default queue is half as long.
      const address = { port: this.#options.port ?? 0, host: "127.0.0.1", backlog: 1_024 };
      this.#server.once("error", reject).listen(address, resolve);
    });
  }

  setLatency(ms: number): void {
    this.#latencyMs = ms;
  }

  /** Every further request has this fault, whatever else was chosen; null ends that. */
  setFault(kind: FaultKind | null): void {
    this.#model.fault = kind;
  }

  /** Holds all answers from now on until so many calls wait for one at the same time, then gives them all; 0 holds none. */
  holdUntil(calls: number): void {
    this.#barrier.open();
    this.#barrier = new Barrier(calls);
  }

  /** Forgets calls, contents and the fault that was set, and holds nothing any more. */
  reset(): void {
    this.holdUntil(0);
    this.#log.reset();
    this.#model.forget();
  }

  /** Stops at once and cuts what is in flight. */
  async close(): Promise<void> {
    this.#barrier.open();
    const closed = new Promise((resolve) => this.#server.close(resolve));
    this.#server.closeAllConnections();
    await closed;
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? "/", "http://127.0.0.1");
    const method = request.method ?? "GET";
    const control = controlOf(method, url.pathname);
    if (control) return send(response, controlled(control, this, parsed(await bodyOf(request))));
    const dialect = method === "POST" ? dialects.find(({ path }) => path.test(url.pathname)) : undefined;
    if (dialect) return await this.#serveModel(dialect, url, request, response);
    const asked = { url, headers: request.headers, body: parsed(await bodyOf(request)) };
    send(response, plainAnswer(method, asked, this.#model.fault));
  }

  async #serveModel(dialect: Dialect, url: URL, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const begun = performance.now();
    const { headers } = request;
    const call = this.#log.begin(dialect.provider, dialect.key({ url, headers, body: undefined }));
    const gone = new AbortController();
    response.on("close", () => {
      gone.abort();
      this.#log.end(call);
    });
    const body = await bodyOf(request);
    if (this.#options.keepBodies) call.body = body;
    const answer = this.#model.answer(dialect, { url, headers, body: parsed(body) }, call);
    const rest = this.#latencyMs - (performance.now() - begun);
    if (rest > 0) await sleep(rest);
    await this.#barrier.pass(gone.signal);
    if (response.destroyed) return;
    if (call.fault !== "stall") call.status = answer.status;
    // Before it is sent: a client that has the answer may ask again before we learn so, and would seem to ask for two at once.
    if (!isTransportFault(call.fault)) this.#log.end(call);
    await sendAnswer(response, answer, call.fault, this.#options.slowByteMs ?? 1_000);
  }
}

function controlled(control: Control, fake: FakeLlm, body: unknown): HttpAnswer {
  try {
    return { status: 200, body: control(fake, body) ?? {} };
  } catch (error) {
    if (!(error instanceof z.ZodError)) throw error;
    return { status: 400, body: { error: z.prettifyError(error) } };
  }
}

const send = (response: ServerResponse, { status, headers, body }: HttpAnswer): void => {
  response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(body));
};

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > requestBytesMax) throw new Error("the request is larger than any prompt");
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

/** Undefined for what is not JSON: no provider's schema takes that. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
