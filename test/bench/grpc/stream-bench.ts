import { once } from "node:events";
import { type ClientHttp2Session, connect } from "node:http2";

const windowBytes = 32 * 1024 * 1024;

/**
 * Reads so many items from StreamTransition with each of several readers at once, each on a connection of its own. The readers only look at
 * the lengths of messages, so that what is measured is the server.
 * @returns items per second, of all readers together
 */
export async function streamRate(
  port: number,
  metadata: Readonly<Record<string, string>>,
  { items, readers }: { items: number; readers: number },
): Promise<number> {
  const sessions = Array.from({ length: readers }, () => connect(`http://127.0.0.1:${port}`, { settings }));
  try {
    await Promise.all(sessions.map((session) => once(session, "remoteSettings")));
    const begun = performance.now();
    await Promise.all(sessions.map((session) => readItems(session, metadata, items)));
    return (items * readers) / ((performance.now() - begun) / 1000);
  } finally {
    for (const session of sessions) session.destroy();
  }
}

const settings = { initialWindowSize: windowBytes };

async function readItems(session: ClientHttp2Session, metadata: object, items: number): Promise<void> {
  session.setLocalWindowSize(windowBytes);
  const stream = session.request({
    ":method": "POST",
    ":path": "/hil_serl.ActorService/StreamTransition",
    "content-type": "application/grpc",
    te: "trailers",
    ...metadata,
  });
  stream.end(Buffer.alloc(5));
  const counter = new MessageCounter();
  for await (const part of stream) {
    counter.take(part as Buffer);
    if (counter.messages >= items) return;
  }
  throw new Error(`the stream ended after ${counter.messages} of ${items} items`);
}

/** Counts gRPC messages by their prefixes: a byte for compression, four for the length. */
class MessageCounter {
  messages = 0;
  #prefix: number[] = [];
  #left = 0;

  take(part: Buffer): void {
    for (let at = 0; at < part.length; ) {
      if (this.#prefix.length < 5) {
        this.#prefix.push(part[at++] as number);
        if (this.#prefix.length < 5) continue;
        this.#left = Buffer.from(this.#prefix).readUInt32BE(1);
      }
      const taking = Math.min(this.#left, part.length - at);
      at += taking;
      this.#left -= taking;
      if (this.#left > 0) continue;
      this.messages += 1;
      this.#prefix = [];
    }
  }
}
