import { once } from "node:events";
import type { Http2Server, ServerHttp2Session } from "node:http2";
import {
  Server,
  type ServerCredentials,
  type ServiceDefinition,
  type UntypedServiceImplementation,
} from "@grpc/grpc-js";
import { ReflectionService } from "@grpc/reflection";
import { HealthImplementation } from "grpc-health-check";
import type { CallGate } from "./call-gate.ts";
import { publishedInterface } from "./published-interface.ts";

export interface ServedService {
  /** With its package, as health checks name it. */
  readonly name: string;
  readonly definition: ServiceDefinition;
  readonly implementation: UntypedServiceImplementation;
}

export interface ServerOptions {
  readonly host: string;
  /** 0 takes any that is free. */
  readonly port: number;
  readonly credentials: ServerCredentials;
  readonly gate: CallGate;
  readonly services: readonly ServedService[];
  readonly messageBytesMax: number;
  readonly reflection: boolean;
  /** After how long a silent connection is asked whether it lives. @default 30 seconds */
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

/** A call is cheap and a stream waits most of its time; more on one connection is a client that leaks them. */
const concurrentStreamsMax = 1000;
/** With the connection window this bounds what strangers can make us hold. */
const connectionsMax = 1000;

/** Starts a server with the given services, health checks and, if wanted, reflection. */
export async function startServer(options: ServerOptions): Promise<RunningServer> {
  const server = new Server({
    interceptors: [options.gate.interceptor],
    "grpc.max_receive_message_length": options.messageBytesMax,
    // Items were taken in, so they go out, whatever the limit is by now.
    "grpc.max_send_message_length": -1,
    "grpc.max_concurrent_streams": concurrentStreamsMax,
    "grpc.keepalive_time_ms": options.keepaliveMilliseconds ?? 30_000,
    "grpc.keepalive_timeout_ms": options.keepaliveTimeoutMilliseconds ?? 10_000,
    // Bookkeeping for a debugging service that we do not offer.
    "grpc.enable_channelz": 0,
  });
  for (const { definition, implementation } of options.services) server.addService(definition, implementation);
  const names = ["", ...options.services.map(({ name }) => name)];
  const health = new HealthImplementation(Object.fromEntries(names.map((name) => [name, "SERVING"])));
  health.addToServer(server);
  if (options.reflection) new ReflectionService(publishedInterface, { services: names.slice(1) }).addToServer(server);
  const port = await bind(server, options);
  const sessions = raiseWindows(server);
  return {
    port,
    setServing: (serving) => {
      for (const name of names) health.setStatus(name, serving ? "SERVING" : "NOT_SERVING");
    },
    sendGoaway: () => {
      for (const session of sessions) session.close();
    },
    connectionsClosed: async (milliseconds) => {
      // Those that were opened after the first GOAWAY too.
      for (const session of sessions) session.close();
      const signal = AbortSignal.timeout(milliseconds);
      const closed = [...sessions].map((session) => once(session, "close", { signal }));
      await Promise.allSettled(closed);
    },
    close: () => server.forceShutdown(),
  };
}

async function bind(server: Server, { host, port, credentials }: ServerOptions): Promise<number> {
  const address = host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`;
  return await new Promise((resolve, reject) => {
    server.bindAsync(address, credentials, (error, bound) => (error ? reject(error) : resolve(bound)));
  });
}

/**
 * grpc-js has no option for the receive window of a server (https://github.com/grpc/grpc-node/pull/3058), but keeps its http2 servers in a field that
 * types call private. Its version is pinned, and a test reads the SETTINGS that a client gets.
 * @returns the open connections
 */
function raiseWindows(server: Server): Set<ServerHttp2Session> {
  const { http2Servers } = server as unknown as { http2Servers: Map<Http2Server, unknown> };
  const sessions = new Set<ServerHttp2Session>();
  for (const http2Server of http2Servers.keys()) {
    http2Server.maxConnections = connectionsMax;
    // Settings are replaced as a whole, so the limit of streams is said again.
    http2Server.updateSettings({ initialWindowSize: streamWindowBytes, maxConcurrentStreams: concurrentStreamsMax });
    http2Server.on("session", (session) => {
      session.setLocalWindowSize(connectionWindowBytes);
      sessions.add(session);
      session.once("close", () => sessions.delete(session));
    });
  }
  return sessions;
}
