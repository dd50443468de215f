import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

export interface CuttingLine {
  readonly port: number;
  /** Connections that were cut so far. */
  readonly cuts: number;
  close(): void;
}

/**
 * A TCP line to a port of loopback that breaks: each connection ends, without a goodbye, in the middle of some byte that the server sends.
 * @param port a function where the server moves; a connection stays where it was made to
 * @param bytesOf how many a connection lets through; infinitely many is a line that holds
 */
export async function cuttingLine(
  port: number | (() => number),
  bytesOf: (connection: number) => number,
): Promise<CuttingLine> {
  const sockets = new Set<Socket>();
  let connections = 0;
  let cuts = 0;
  const server = createServer((near) => {
    const far = connect(typeof port === "number" ? port : port(), "127.0.0.1");
    let left = bytesOf(connections++);
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.on("error", () => {});
      socket.on("close", () => {
        sockets.delete(socket);
        (socket === near ? far : near).destroy();
      });
    }
    near.pipe(far);
    far.on("data", (chunk: Buffer) => {
      if (left <= 0) return;
      left -= chunk.length;
      if (left > 0) return void near.write(chunk);
      cuts += 1;
      near.write(chunk.subarray(0, chunk.length + left), () => near.resetAndDestroy());
      far.resetAndDestroy();
    });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port,
    get cuts() {
      return cuts;
    },
    close: () => {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}
