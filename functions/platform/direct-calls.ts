import * as http from "node:http";
import * as https from "node:https";
import { type SigningCredentials, signedHeaders } from "./signed-headers.ts";

/** What is used of a client of the SDK, whichever service it is for. */
interface SdkClient {
  readonly config: {
    readonly credentials: () => Promise<SigningCredentials>;
    /** By how much this machine's clock is off, as the SDK has learned from refusals. */
    readonly systemClockOffset: number;
  };
  readonly middlewareStack: {
    add(middleware: Middleware, options: { step: "deserialize"; name: string; priority: "low" }): void;
  };
}

// biome-ignore lint/suspicious/noExplicitAny: the same for the commands of all services; the request is looked at below.
type Middleware = (next: (args: any) => Promise<any>) => (args: any) => Promise<any>;

/** Where calls go, which the SDK finds out of regions, endpoints, profiles and the names of buckets. */
interface Route {
  readonly isSecure: boolean;
  readonly hostname: string;
  readonly port: number | undefined;
  /** `hostname`, with the port if it is not the usual one. */
  readonly host: string;
  /** What stands before the path that a call names. */
  readonly prefix: string;
  readonly region: string;
  readonly service: string;
}

export interface DirectCall {
  readonly method: "POST" | "PUT";
  /** As it stands in the request line. */
  readonly path: string;
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  readonly contentSha256: string;
  readonly body: readonly Buffer[];
  readonly bytes: number;
}

/** A connection on which nothing moves for so long is lost. */
const silenceMsMax = 20_000;
const agents = {
  http: new http.Agent({ keepAlive: true, maxSockets: 50 }),
  https: new https.Agent({ keepAlive: true, maxSockets: 50 }),
};

/**
 * A short way for calls that a service makes hundreds of times a second: signed and sent, without what the SDK does around that, which takes five times
 * as long as all the rest. It knows one answer, that all is well. Of everything else the SDK makes what it always did, retries and typed errors: whoever
 * is told `false` sends the call again through it, so only calls that are safe to repeat may go this way. The SDK also finds the way, with its first call.
 */
export class DirectCalls<Input> {
  readonly #client: SdkClient;
  readonly #routes = new Map<string, Route>();

  /** @param placeOf what of a call of the SDK names its route, and the end of its path; null for one that says nothing of the way */
  constructor(client: SdkClient, placeOf: (input: Input) => { readonly place: string; readonly path: string } | null) {
    this.#client = client;
    const watch: Middleware = (next) => (args) => {
      const found = placeOf(args.input);
      if (found && !this.#routes.has(found.place)) {
        const route = routeOf(args.request, found.path);
        if (route) this.#routes.set(found.place, route);
      }
      return next(args);
    };
    client.middlewareStack.add(watch, { step: "deserialize", name: "directCalls", priority: "low" });
  }

  /** @returns false when it is not known to have succeeded: unlikely enough to try through the SDK without asking why */
  async send(place: string, call: DirectCall): Promise<boolean> {
    const route = this.#routes.get(place);
    if (!route) return false;
    const { credentials, systemClockOffset } = this.#client.config;
    const { prefix, host, region, service } = route;
    const { method, contentSha256 } = call;
    const path = prefix + call.path;
    const at = new Date(Date.now() + systemClockOffset);
    try {
      const request = { method, path, headers: { ...call.headers, host }, contentSha256, region, service, at };
      const headers = signedHeaders(request, await credentials());
      const status = await statusOf(
        route,
        method,
        path,
        { ...headers, "content-length": String(call.bytes) },
        call.body,
      );
      return status === 200;
    } catch {
      return false;
    }
  }
}

interface SentRequest {
  readonly protocol: string;
  readonly hostname: string;
  readonly port?: number;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** @returns null when the call was signed in another way, or does not go where its path says */
function routeOf({ protocol, hostname, port, path, headers }: SentRequest, end: string): Route | null {
  const scope = /^AWS4-HMAC-SHA256 Credential=[^/]+\/\d{8}\/([^/]+)\/([^/]+)\/aws4_request/.exec(
    headers.authorization ?? "",
  );
  const host = headers.host;
  if (!scope || !host || !path.endsWith(end)) return null;
  const [, region, service] = scope as unknown as [string, string, string];
  const prefix = path.slice(0, path.length - end.length);
  return { isSecure: protocol === "https:", hostname, port, host, prefix, region, service };
}

/** The status of the answer, when all of it is here: only then can the connection serve the next call. */
function statusOf(
  { isSecure, hostname, port }: Route,
  method: string,
  path: string,
  headers: Record<string, string>,
  body: readonly Buffer[],
): Promise<number> {
  const options = { hostname, port, method, path, headers, timeout: silenceMsMax };
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  const request = isSecure
    ? https.request({ ...options, agent: agents.https })
    : http.request({ ...options, agent: agents.http });
  request.once("response", (response) => {
    response.once("end", () => resolve(response.statusCode ?? 0)).once("error", reject);
    response.resume();
  });
  request.once("error", reject);
  request.once("timeout", () => request.destroy(new Error("no answer")));
  // In one write to the socket, as far as it takes that.
  request.cork();
  for (const piece of body) request.write(piece);
  request.end();
  request.uncork();
  return promise;
}
