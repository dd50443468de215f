import { status } from "@grpc/grpc-js";
import { prefixBytes } from "./response-wire.ts";
import { neverRetry, RpcError } from "./rpc-error.ts";

/** Finds the messages in the bytes of a request, however they are cut. */
export class MessageReader {
  readonly #bytesMax: number;
  readonly #onMessage: (message: Message, isCompressed: boolean) => void;
  /** The prefix, or what there is of it. */
  #prefix: Buffer | null = null;
  /** Bytes that the message still lacks. */
  #left = 0;
  #parts: Buffer[] = [];

  /**
   * @param bytesMax of a message as it travels
   * @param onMessage is given views of the bytes read
   */
  constructor(bytesMax: number, onMessage: (message: Message, isCompressed: boolean) => void) {
    this.#bytesMax = bytesMax;
    this.#onMessage = onMessage;
  }

  /** True between messages. */
  get isAtEnd(): boolean {
    return this.#prefix === null;
  }

  /** @throws RpcError RESOURCE_EXHAUSTED as soon as a prefix announces too much, INTERNAL when it is none */
  read(chunk: Buffer): void {
    let at = 0;
    while (at < chunk.length) {
      if (!this.#prefix || this.#prefix.length < prefixBytes) at = this.#readPrefix(chunk, at);
      else {
        const part = chunk.subarray(at, at + this.#left);
        this.#parts.push(part);
        this.#left -= part.length;
        at += part.length;
      }
      if (this.#prefix?.length === prefixBytes && this.#left === 0) this.#finish();
    }
  }

  #readPrefix(chunk: Buffer, at: number): number {
    const missing = prefixBytes - (this.#prefix?.length ?? 0);
    const piece = chunk.subarray(at, at + missing);
    const prefix = this.#prefix ? Buffer.concat([this.#prefix, piece]) : piece;
    this.#prefix = prefix;
    if (prefix.length < prefixBytes) return chunk.length;
    if (prefix[0]! > 1) throw new RpcError(status.INTERNAL, `there is no flag ${prefix[0]} of a message`);
    this.#left = prefix.readUInt32BE(1);
    if (this.#left > this.#bytesMax) {
      const details = `Received message larger than max (${this.#left} vs ${this.#bytesMax})`;
      throw new RpcError(status.RESOURCE_EXHAUSTED, details, neverRetry);
    }
    return at + missing;
  }

  #finish(): void {
    const parts = this.#parts;
    const bytes = parts.reduce((sum, { length }) => sum + length, 0);
    const isCrumbled = parts.length > 1 && bytes < parts.length * pieceBytesMin;
    const message = isCrumbled ? [Buffer.concat(parts, bytes)] : parts;
    const isCompressed = this.#prefix![0] === 1;
    this.#prefix = null;
    this.#parts = [];
    this.#onMessage(message, isCompressed);
  }
}

/** Less than this a piece, and what each costs by itself is more than putting them together: a sender may cut as it likes. */
const pieceBytesMin = 8 * 1024;

/** A message, or what is left of one, in the pieces that it came in. */
export type Message = readonly Buffer[];

/** For whoever wants it in one piece. */
export const whole = (message: Message): Buffer =>
  message.length === 1 ? (message[0] as Buffer) : Buffer.concat(message);
