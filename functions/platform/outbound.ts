import { lookup } from "node:dns/promises";
import http, { type IncomingHttpHeaders, type IncomingMessage } from "node:http";
import https from "node:https";
import { isIP, type LookupFunction, connect as openSocket, type Socket } from "node:net";
import { pipeline } from "node:stream";
import { createGunzip } from "node:zlib";
import { environment } from "./environment.ts";
import { isSluiceError, SluiceError } from "./errors.ts";
import {
  type AllowedHosts,
  checkAddresses,
  checkedSshAddress,
  checkedUrl,
  isAllowed,
  parseAllowedHosts,
  portOf,
  type ResolvedAddress,
} from "./outbound-policy.ts";

export interface OutboundRequest {
  /** @default "GET" */
  readonly method?: "GET" | "POST";
  readonly headers?: Readonly<Record<string, string>>;
  /** Headers that prove who asks. They go to the origin of the address and never along a redirect to another one. */
  readonly credentials?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
  /** For everything: name lookup, redirects, and the answer to its last byte. */
  readonly deadlineMs: number;
  /** Ends the exchange when no byte comes for so long, the time until an answer begins included. @default no such limit */
  readonly silenceMs?: number;
  /** Ends the exchange before that; it then throws the reason of the signal. */
  readonly signal?: AbortSignal | undefined;
  /** Most bytes of an answer, counted as they arrive and again as they are decompressed. */
  readonly bytesMax: number;
}

export interface OutboundAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** What answered, after redirects. */
  readonly url: URL;
  /** The body, decompressed; to be iterated once. Throws outbound_timeout, outbound_too_large, outbound_encoding, outbound_unreachable. */
  readonly chunks: AsyncIterable<Buffer>;
}

export interface OutboundProps {
  readonly allowedHosts?: AllowedHosts;
  /** All addresses of a name. @default the machine's resolver */
  readonly resolve?: (hostname: string) => Promise<readonly ResolvedAddress[]>;
}

const redirectsMax = 3;
const redirectStatuses = new Set([301, 302, 303, 307, 308]);

/** Agents of our own: Node's global ones would follow proxy variables, and a kept connection does not survive a frozen function. */
const agents = {
  "http:": new http.Agent({ keepAlive: false }),
  "https:": new https.Agent({ keepAlive: false, rejectUnauthorized: true, minVersion: "TLSv1.2" }),
};

/**
 * The one way to ask hosts that users name. It reaches only the public internet and what the operator named, connects to the very
 * addresses it has vetted, follows few redirects, and bounds time and bytes. Its errors never carry what a host answered.
 */
export class Outbound {
  readonly #allowed: AllowedHosts;
  readonly #resolve: NonNullable<OutboundProps["resolve"]>;

  constructor({ allowedHosts = new Set(), resolve = systemResolver }: OutboundProps = {}) {
    this.#allowed = allowedHosts;
    this.#resolve = resolve;
  }

  /**
   * Asks and hands the answer, whatever its status, to `read`; the connection is closed when that is done. Only GET follows redirects:
   * a body must not reach a place that its sender did not name.
   * @throws SluiceError outbound_*; what `read` throws passes unchanged, and so does the reason of the request's signal
   */
  async exchange<T>(
    address: string | URL,
    request: OutboundRequest,
    read: (answer: OutboundAnswer) => Promise<T>,
  ): Promise<T> {
    const deadline = AbortSignal.timeout(request.deadlineMs);
    const ended = request.signal ? AbortSignal.any([deadline, request.signal]) : deadline;
    let url = checkedUrl(address, this.#allowed);
    let credentials = request.credentials ?? {};
    for (let redirects = 0; ; redirects++) {
      const silence = new AbortController();
      const failure = failureOf(url, request, deadline, silence.signal);
      const response = await this.#send(url, { ...request, credentials }, ended, silence).catch(failure);
      try {
        const { statusCode: status = 0, headers } = response;
        if (!redirectStatuses.has(status))
          return await read({ status, headers, url, chunks: bodyOf(response, url, request.bytesMax, failure) });
        if (redirects === redirectsMax || (request.method ?? "GET") !== "GET" || !headers.location)
          throw new SluiceError("outbound_redirects", { host: url.hostname });
        const next = checkedUrl(URL.parse(headers.location, url.href) ?? "", this.#allowed);
        if (next.origin !== url.origin) credentials = {};
        url = next;
      } finally {
        response.destroy();
      }
    }
  }

  /**
   * Opens a connection for SSH under the rules of requests: to port 22 or what the operator named, and to the very addresses that were
   * vetted. The connection is the caller's to close.
   * @param hostname IPv6 in brackets
   * @param deadlineMs for the name lookup and until there is a connection
   * @throws SluiceError outbound_port, outbound_address_refused, outbound_unreachable, outbound_timeout
   */
  async connect(hostname: string, port: number, deadlineMs: number): Promise<Socket> {
    const deadline = AbortSignal.timeout(deadlineMs);
    const url = checkedSshAddress(hostname, port, this.#allowed);
    return this.#open(url, deadline).catch(failureOf(url, { deadlineMs }, deadline));
  }

  async #open(url: URL, signal: AbortSignal): Promise<Socket> {
    const addresses = await this.#addressesOf(url, signal);
    const { promise, resolve, reject } = Promise.withResolvers<Socket>();
    const socket = openSocket({ host: unbracketed(url.hostname), port: portOf(url), lookup: pinnedTo(addresses) });
    const onAbort = () => socket.destroy(signal.reason);
    if (signal.aborted) onAbort();
    signal.addEventListener("abort", onAbort, { once: true });
    // Stays on for good: an error that comes before the caller listens would end the process.
    socket.on("error", reject);
    socket.once("connect", () => resolve(socket));
    return promise.finally(() => signal.removeEventListener("abort", onAbort));
  }

  /** Vets the addresses of this hop and connects to one of them; the name is not looked up a second time. */
  async #send(
    url: URL,
    request: OutboundRequest,
    signal: AbortSignal,
    silence: AbortController,
  ): Promise<IncomingMessage> {
    const addresses = await this.#addressesOf(url, signal);
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
    const { protocol } = url as { protocol: "http:" | "https:" };
    const sent = (protocol === "https:" ? https : http).request(url, {
      method: request.method ?? "GET",
      headers: {
        "User-Agent": "Sluice",
        "Accept-Encoding": "gzip",
        ...request.headers,
        ...request.credentials,
      },
      agent: agents[protocol],
      lookup: pinnedTo(addresses),
      signal: AbortSignal.any([signal, silence.signal]),
    });
    if (request.silenceMs !== undefined) sent.setTimeout(request.silenceMs, () => silence.abort());
    sent.on("error", reject);
    // Node drops the connection of a server that switches protocols, without an error: no answer and no timeout would ever come.
    sent.on("close", () => reject(Object.assign(new Error("closed before an answer"), { code: "ECONNRESET" })));
    sent.on("response", (response) => {
      // An error that comes while nobody is reading is found by whoever reads next; unheard, it would end the process.
      response.on("error", () => undefined);
      resolve(response);
    });
    sent.end(request.body);
    return promise;
  }

  async #addressesOf(url: URL, signal: AbortSignal): Promise<readonly ResolvedAddress[]> {
    const host = url.hostname;
    // An IP address is never looked up, so a check inside the lookup alone would miss it.
    const literal = unbracketed(host);
    const family = isIP(literal) as 0 | 4 | 6;
    const addresses = family === 0 ? await until(signal, this.#resolve(host)) : [{ address: literal, family }];
    if (addresses.length === 0) throw new SluiceError("outbound_unreachable", { host, reason: "ENOTFOUND" });
    checkAddresses(host, addresses, isAllowed(url, this.#allowed));
    return addresses;
  }
}

let shared: Outbound | undefined;

/** The client of this function, with the hosts that its operator allows. */
export const outbound = (): Outbound => {
  shared ??= new Outbound({ allowedHosts: parseAllowedHosts(environment().OUTBOUND_ALLOWED_HOSTS) });
  return shared;
};

/** The whole body in memory; `bytesMax` of the request is its bound. */
export async function readAll({ chunks }: OutboundAnswer): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const chunk of chunks) parts.push(chunk);
  return Buffer.concat(parts);
}

const unbracketed = (hostname: string): string => hostname.replace(/^\[(.*)\]$/, "$1");

const systemResolver = async (hostname: string) =>
  (await lookup(hostname, { all: true })) as readonly { address: string; family: 4 | 6 }[];

/** Hands Node's connect the vetted addresses, whatever it asks for. */
const pinnedTo =
  (addresses: readonly ResolvedAddress[]): LookupFunction =>
  (_, { all }, done) => {
    if (all) done(null, [...addresses]);
    else done(null, addresses[0]!.address, addresses[0]!.family);
  };

/** A lookup cannot be cancelled, but nobody has to wait for it. */
function until<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const onAbort = () => reject(signal.reason);
  if (signal.aborted) onAbort();
  signal.addEventListener("abort", onAbort, { once: true });
  return Promise.race([work, promise]).finally(() => signal.removeEventListener("abort", onAbort));
}

type Failure = (error: unknown) => never;

/** What an error on the way means to the caller. Node's error codes are ours to show; messages can hold what a host sent. */
const failureOf =
  (
    { hostname: host }: URL,
    { deadlineMs, silenceMs = 0, signal }: Pick<OutboundRequest, "deadlineMs" | "silenceMs" | "signal">,
    deadline: AbortSignal,
    silence?: AbortSignal,
  ): Failure =>
  (error) => {
    if (isSluiceError(error)) throw error;
    if (signal?.aborted) throw signal.reason;
    if (deadline.aborted) throw new SluiceError("outbound_timeout", { host, seconds: deadlineMs / 1000 }, error);
    if (silence?.aborted) throw new SluiceError("outbound_silent", { host, seconds: silenceMs / 1000 }, error);
    const code = String((error as NodeJS.ErrnoException).code ?? "network");
    if (code === "ERR_INVALID_CHAR") throw new SluiceError("outbound_credentials_malformed", { host });
    if (code.startsWith("Z_")) throw new SluiceError("outbound_encoding", { host }, error);
    throw new SluiceError("outbound_unreachable", { host, reason: code }, error);
  };

async function* bodyOf(
  response: IncomingMessage,
  { hostname: host }: URL,
  bytesMax: number,
  failure: Failure,
): AsyncGenerator<Buffer> {
  const encoding = response.headers["content-encoding"]?.trim().toLowerCase() ?? "identity";
  const tooLarge = new SluiceError("outbound_too_large", { host, limit: bytesMax });
  if (encoding !== "identity" && encoding !== "gzip") throw new SluiceError("outbound_encoding", { host });
  if (Number(response.headers["content-length"] ?? 0) > bytesMax) throw tooLarge;
  const wire = within(bytesMax, response, tooLarge);
  try {
    // A few bytes can unpack to gigabytes: what comes out of the decompressor counts like what went in.
    // Errors of either side end the other and come out of the iteration; the callback has nothing left to do.
    if (encoding === "identity") yield* wire;
    else
      yield* within(
        bytesMax,
        pipeline(wire, createGunzip(), () => undefined),
        tooLarge,
      );
  } catch (error) {
    failure(error);
  }
}

async function* within(bytesMax: number, chunks: AsyncIterable<Buffer>, tooLarge: Error): AsyncGenerator<Buffer> {
  let bytes = 0;
  for await (const chunk of chunks) {
    bytes += chunk.length;
    if (bytes > bytesMax) throw tooLarge;
    yield chunk;
  }
}
