import { once } from "node:events";
import type { Http2Session, ServerHttp2Session } from "node:http2";
import { status } from "@grpc/grpc-js";
import { RpcError } from "./rpc-error.ts";

/** When a silent connection is asked whether it lives, and how long it has to answer. */
export interface KeepaliveTimes {
  readonly keepaliveMilliseconds: number;
  readonly keepaliveTimeoutMilliseconds: number;
}

/** The open connections of a server. */
export class Connections {
  readonly #times: KeepaliveTimes;
  readonly #sessions = new Set<ServerHttp2Session>();

  constructor(times: KeepaliveTimes) {
    this.#times = times;
  }

  add(session: ServerHttp2Session): void {
    this.#sessions.add(session);
    const stop = keepAlive(session, this.#times);
    session.once("close", () => {
      stop();
      this.#sessions.delete(session);
    });
  }

  /** Asks clients to go elsewhere with new calls: GOAWAY on every connection. Calls under way go on. */
  sendGoaway(): void {
    for (const session of this.#sessions) session.close();
  }

  /** Waits for the connections to close, as they do after GOAWAY when their last call has ended; at most for the time given. */
  async closed(milliseconds: number): Promise<void> {
    const signal = AbortSignal.timeout(milliseconds);
    await Promise.allSettled([...this.#sessions].map((session) => once(session, "close", { signal })));
  }

  /** Closes every connection, whatever is under way. */
  destroy(): void {
    for (const session of this.#sessions) session.destroy();
  }
}

/** A peer that has gone without a word keeps its streams and their buffers until somebody asks. @returns how to stop */
function keepAlive(session: Http2Session, times: KeepaliveTimes): () => void {
  let late: NodeJS.Timeout | undefined;
  const ask = () => {
    if (session.destroyed || late) return;
    late = setTimeout(() => session.destroy(), times.keepaliveTimeoutMilliseconds);
    late.unref();
    const heard = () => {
      clearTimeout(late);
      late = undefined;
    };
    answered(session).then(heard, heard);
  };
  const asking = setInterval(ask, times.keepaliveMilliseconds);
  asking.unref();
  return () => {
    clearInterval(asking);
    clearTimeout(late);
  };
}

/** Pings under way by connection. Node allows ten, so they take turns. */
const pings = new WeakMap<Http2Session, Promise<void>>();

/**
 * What comes back over a connection follows what has gone out: an answered ping tells that everything before it has arrived.
 * @throws Error when the connection goes first
 */
export async function answered(session: Http2Session | undefined): Promise<void> {
  if (!session || session.destroyed) throw gone();
  const before = pings.get(session);
  const ping = async () => {
    await before?.catch(() => undefined);
    await new Promise<void>((resolve, reject) => {
      const isSent = !session.destroyed && session.ping((error) => (error ? reject(error) : resolve()));
      if (!isSent) reject(gone());
    });
  };
  const turn = ping();
  pings.set(session, turn);
  await turn;
}

const gone = () => new RpcError(status.CANCELLED, "the connection is gone");
