import { damaged } from "./git-failure.ts";

/** One pkt-line: its content, or one of the three that have none. */
export type Packet = Buffer | "flush" | "delimiter" | "end";

const specials: readonly Packet[] = ["flush", "delimiter", "end"];
const headBytes = 4;
const packetBytesMax = 65520;

/** Cuts a stream into pkt-lines: https://git-scm.com/docs/protocol-common. Memory: one packet and one chunk. */
export class PacketReader {
  readonly #chunks: AsyncIterator<Buffer>;
  readonly #host: string;
  #rest: Buffer = Buffer.alloc(0);

  constructor(chunks: AsyncIterable<Buffer>, host: string) {
    this.#chunks = chunks[Symbol.asyncIterator]();
    this.#host = host;
  }

  /** @returns null where the stream ends between packets @throws SluiceError repository_damaged; errors of the stream pass unchanged */
  async next(): Promise<Packet | null> {
    if (!(await this.#fill(1))) return null;
    const head = await this.#take(headBytes);
    if (!/^[0-9a-f]{4}$/i.test(head.toString("latin1"))) throw damaged(this.#host, "packet");
    const length = Number.parseInt(head.toString("latin1"), 16);
    if (length < specials.length) return specials[length]!;
    if (length < headBytes || length > packetBytesMax) throw damaged(this.#host, "packet");
    return this.#take(length - headBytes);
  }

  /** The next packet as a line of text, null for the packets without content. @throws SluiceError repository_damaged at the end of the stream */
  async line(): Promise<string | null> {
    const packet = await this.next();
    if (packet === null) throw damaged(this.#host, "packet");
    return Buffer.isBuffer(packet) ? packet.toString("utf8").replace(/\n$/, "") : null;
  }

  async #take(length: number): Promise<Buffer> {
    if (!(await this.#fill(length))) throw damaged(this.#host, "packet");
    const taken = this.#rest.subarray(0, length);
    this.#rest = this.#rest.subarray(length);
    return taken;
  }

  /** @returns false when the stream ends before */
  async #fill(length: number): Promise<boolean> {
    while (this.#rest.length < length) {
      const { value, done } = await this.#chunks.next();
      if (done) return false;
      this.#rest = this.#rest.length === 0 ? value : Buffer.concat([this.#rest, value]);
    }
    return true;
  }
}

/** A request of pkt-lines; null is a flush, "" a delimiter. */
export const packets = (...lines: readonly (string | null)[]): Buffer =>
  Buffer.from(lines.map((line) => (line === null ? "0000" : line === "" ? "0001" : framed(`${line}\n`))).join(""));

const framed = (text: string) => (Buffer.byteLength(text) + headBytes).toString(16).padStart(4, "0") + text;
