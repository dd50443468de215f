import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

export interface DelayLine {
  readonly port: number;
  close(): void;
}

/**
 * A line to a port of loopback on which everything takes its time, each way, however much there is: bytes wait beside each other and not
 * behind each other, so the line delays and does not throttle.
 */
export async function delayLine(port: number, oneWayMs: number): Promise<DelayLine> {
  const sockets = new Set<Socket>();
  const server = createServer({ noDelay: true }, (near) => {
    const far = connect({ port, host: "127.0.0.1", noDelay: true });
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(from);
      from.on("error", () => {});
      from.on("data", (part: Buffer) => setTimeout(() => void to.write(part), oneWayMs));
      from.on("close", () => {
        sockets.delete(from);
        setTimeout(() => to.destroy(), oneWayMs);
      });
    }
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port,
    close: () => {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}
