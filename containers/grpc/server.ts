import { once } from "node:events";
import {
  createSecureServer,
  createServer,
  type ServerOptions as Http2Options,
  type IncomingHttpHeaders,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from "node:http2";
import type { AddressInfo } from "node:net";
import { TLSSocket } from "node:tls";
import { status } from "@grpc/grpc-js";
import { certifiedName } from "./authentication.ts";
import type { CallGate } from "./call-gate.ts";
import { Connections } from "./connections.ts";
import { HealthService } from "./health.ts";
import { type Method, OpenCall } from "./open-call.ts";
import { reflectionMethods } from "./reflection.ts";
import { refusalHeaders } from "./response-wire.ts";
import type { TlsOptions } from "./transport-security.ts";

export interface ServedService {
  /** With its package, as health checks name it. */
  readonly name: string;
  readonly methods: readonly Method[];
}

export interface ServerOptions {
  readonly host: string;
  /** 0 takes any that is free. */
  readonly port: number;
  /** @default plaintext */
  readonly tls?: TlsOptions;
  readonly gate: CallGate;
  readonly services: readonly ServedService[];
  readonly reflection: boolean;
  /** After how long a connection is asked whether it lives. @default 30 seconds */
  readonly keepaliveMilliseconds?: number;
  /** How long it has to answer. @default 10 seconds */
  readonly keepaliveTimeoutMilliseconds?: number;
}

export interface RunningServer {
  readonly port: number;
  /** Tells health checks and their watchers, by service name; the empty name is the whole server. */
  setServing(serving: boolean): void;
  /** Asks clients to go elsewhere with new calls: GOAWAY on every connection. Calls under way go on. */
  sendGoaway(): void;
  /** Waits for the connections to close, as they do after GOAWAY when their last call has ended; at most for the time given. */
  connectionsClosed(milliseconds: number): Promise<void>;
  /** Closes every connection, whatever is under way. */
  close(): void;
}

/**
 * What a client may send before we have read it. Node's 64 KB make a sender on a line of 10 ms wait after each 64 KB: 2.6 MB/s, against 450 with
 * these. They bound the memory of a connection that nobody reads from.
 */
export const streamWindowBytes = 16 * 1024 * 1024;
export const connectionWindowBytes = 32 * 1024 * 1024;

/** A message of a megabyte takes a fifth less time than in frames of 16 KB; small calls beside it wait for one frame. */
const maxFrameSize = 256 * 1024;
/** A call is cheap and a stream waits most of its time; more on one connection is a client that leaks them. */
const maxConcurrentStreams = 1000;
/** With the connection window this bounds what strangers can make us hold. */
const connectionsMax = 1000;

const http2Options: Http2Options = {
  settings: { initialWindowSize: streamWindowBytes, maxFrameSize, maxConcurrentStreams },
  // Node refuses streams of a connection that holds more than 10 MB. The windows and the cap of each stream's outlet bound it here.
  maxSessionMemory: Number.MAX_SAFE_INTEGER,
};

/** Starts a server of gRPC with the given services, health checks and, if wanted, reflection. */
export async function startServer(options: ServerOptions): Promise<RunningServer> {
  const { gate, services, tls, host, port, reflection } = options;
  const { keepaliveMilliseconds = 30_000, keepaliveTimeoutMilliseconds = 10_000 } = options;
  const health = new HealthService(["", ...services.map(({ name }) => name)]);
  const methods = new Map<string, Method>();
  const described = reflection ? reflectionMethods(services.map(({ name }) => name)) : [];
  for (const method of [...services.flatMap(({ methods }) => methods), ...health.methods, ...described])
    methods.set(method.path, method);
  const connections = new Connections({ keepaliveMilliseconds, keepaliveTimeoutMilliseconds });
  const server = tls ? createSecureServer({ ...http2Options, ...tls }) : createServer(http2Options);
  server.maxConnections = connectionsMax;
  server.on("session", (session) => {
    session.setLocalWindowSize(connectionWindowBytes);
    // Whatever goes wrong with a connection ends that connection, and its calls hear of it.
    session.on("error", ignore);
    connections.add(session);
    const certified = certifiedNameOf(session);
    session.on("stream", (stream, headers) => {
      stream.on("error", ignore);
      const method = callable(stream, headers, methods);
      if (method) gate.enter(new OpenCall(stream, headers, method, certified, gate.limits, gate));
    });
  });
  server.listen(port, host);
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port,
    setServing: (serving) => health.set(serving),
    sendGoaway: () => connections.sendGoaway(),
    async connectionsClosed(milliseconds) {
      // Those that were opened after the first GOAWAY too.
      connections.sendGoaway();
      await connections.closed(milliseconds);
    },
    close: () => {
      server.close();
      connections.destroy();
    },
  };
}

const ignore = () => {};

const certifiedNameOf = ({ socket }: ServerHttp2Session): string | undefined =>
  socket instanceof TLSSocket ? certifiedName(socket.getPeerCertificate()) : undefined;

/** The method that a request is for; otherwise answers it. */
function callable(
  stream: ServerHttp2Stream,
  headers: IncomingHttpHeaders,
  methods: ReadonlyMap<string, Method>,
): Method | undefined {
  const path = headers[":path"] ?? "";
  const method = methods.get(path);
  const isGrpc = headers[":method"] === "POST" && /^application\/grpc(?:[+;]|$)/.test(headers["content-type"] ?? "");
  if (method && isGrpc) return method;
  if (stream.destroyed || stream.closed) return undefined;
  const details = `there is no method ${path}`;
  const answer = isGrpc ? refusalHeaders(status.UNIMPLEMENTED, details, {}) : { ":status": 415 };
  stream.respond(answer, { endStream: true });
  if (!stream.readableEnded) stream.close();
  return undefined;
}
