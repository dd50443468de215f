import { constants, type Http2Session, type ServerHttp2Stream } from "node:http2";
import { type ServerInterceptingCallInterface, status } from "@grpc/grpc-js";
import type { Caller } from "./authentication.ts";
import type { ByteBudget } from "./byte-budget.ts";
import type { CallerWishes } from "./call-metadata.ts";
import { inflate } from "./inflate.ts";
import type { Metrics } from "./metrics.ts";
import { metadataOf, neverRetry, RpcError, retryAfter, rpcErrorOf, tellsRetry } from "./rpc-error.ts";

/**
 * The parts of grpc-js's call that its interface hides. Its version is pinned, and each thing done with them here has a test that looks at the
 * wire: without them a refusal of the library's own could neither be counted nor say that retrying is of no use.
 */
export interface LibraryCall extends ServerInterceptingCallInterface {
  readonly stream: ServerHttp2Stream;
  readonly receivedHalfClose: boolean;
  decompressMessage(message: Buffer, encoding: string): Buffer | Promise<Buffer>;
}

/** What the transport knows of the other side. */
export type Transport = ReturnType<ServerInterceptingCallInterface["getAuthContext"]>;

/** What a handler knows of its call besides the message. */
export interface AdmittedCall {
  readonly caller: Caller;
  readonly wishes: CallerWishes;
  /** Aborts with an RpcError when the call has to end: cancelled, past its deadline, access withdrawn, drain. Made when it is asked for. */
  readonly signal: AbortSignal;
  /** @throws the signal's reason when the call has to end */
  throwIfEnded(): void;
  /** Resolves when the other side's transport has all that is on the line by now. @throws Error when the connection goes first */
  received(): Promise<void>;
  /** Keeps the bytes of the request accounted for until the handler is done with them, also when the caller is long gone. */
  handledBy<T>(work: Promise<T>): Promise<T>;
  /** The handler has said all it will: status and trailers wait behind its messages, however long the caller takes to read them. */
  settled(): void;
}

export interface CallLimits {
  readonly budget: ByteBudget;
  readonly metrics: Metrics;
  /** Largest message in bytes, also after decompression. */
  readonly messageBytesMax: number;
}

/** Who has to know how far a call is; both may be told more than once. */
export interface CallListener {
  /** Nothing is to be waited for any more but the line. */
  onSettled(): void;
  /** Nothing of the call is on its way any more, trailers included. */
  onClosed(): void;
}

/** One call from its headers to its end, whatever ends it. */
export class OpenCall {
  /** Set once the gate has let the call in. */
  admitted: AdmittedCall | undefined;
  readonly #library: LibraryCall;
  readonly #method: string;
  readonly #options: CallLimits;
  readonly #listener: CallListener;
  /** Most calls end before anybody asks: a signal and an error for each would cost as much as the rest of the call. */
  #ending: AbortController | undefined;
  #reason: RpcError | undefined;
  #held = 0;
  #received = 0;
  /** Who needs the bytes of the request: the call until it ends, and what works for it. */
  #users = 1;
  #ended = false;

  constructor(
    library: LibraryCall,
    { path: method, responseStream }: { path: string; responseStream: boolean },
    options: CallLimits,
    listener: CallListener,
  ) {
    this.#library = library;
    this.#method = method;
    this.#options = options;
    this.#listener = listener;
    options.metrics.callBegan(method);
    const sendStatus = library.sendStatus.bind(library);
    library.sendStatus = (given) => {
      const sent = given instanceof RpcError ? given.statusObject : given;
      const refused = sent.code === status.RESOURCE_EXHAUSTED && !tellsRetry(sent.metadata);
      this.#end(sent.code ?? status.UNKNOWN);
      sendStatus(refused ? { ...sent, metadata: metadataOf(neverRetry) } : sent);
      // A client that still sends is told to stop. Without this it would send all of a message that nobody reads.
      if (!library.receivedHalfClose) library.stream.close(constants.NGHTTP2_NO_ERROR);
    };
    const sendMessage = library.sendMessage.bind(library);
    library.sendMessage = (message, sent) => {
      options.metrics.sent(method, (message as Buffer).length ?? 0);
      if (responseStream) return sendMessage(message, sent);
      // The library would wait until the answer has been written before it writes the status. Behind one another at once they take one write.
      sendMessage(message, () => {});
      sent();
    };
    library.decompressMessage = (message, encoding) => this.#decompress(message, encoding);
    library.stream.on("data", (chunk: Buffer) => this.#receive(chunk.length));
    library.stream.once("close", () => {
      this.#end(status.CANCELLED);
      listener.onClosed();
    });
  }

  /** Lets the call in. */
  admit(caller: Caller, wishes: CallerWishes): AdmittedCall {
    const handledBy = <T>(work: Promise<T>) => this.#holdingFor(work);
    const settled = () => this.#listener.onSettled();
    const received = () => answered(this.#library.stream.session);
    const signal = () => this.#signal();
    const throwIfEnded = () => {
      if (this.#reason || this.#ended) throw this.#endReason();
    };
    this.admitted = {
      ...{ caller, wishes, received, handledBy, settled, throwIfEnded },
      get signal() {
        return signal();
      },
    };
    return this.admitted;
  }

  /** Ends the call from outside its handler. */
  refuse(error: unknown): void {
    this.#library.sendStatus(rpcErrorOf(error).statusObject);
  }

  /** Asks the handler to end the call by itself, so that what it has sent and its trailers still arrive. */
  askToEnd(reason: RpcError): void {
    this.#reason ??= reason;
    this.#ending?.abort(this.#reason);
  }

  /** Bytes of the request so far, as they came. */
  get receivedBytes(): number {
    return this.#received;
  }

  async #holdingFor<T>(work: Promise<T>): Promise<T> {
    this.#users++;
    return await work.finally(() => this.#leave());
  }

  #receive(bytes: number): void {
    this.#received += bytes;
    this.#options.metrics.received(this.#method, bytes);
    if (!this.#ended && !this.#hold(bytes)) this.refuse(overloaded());
  }

  #hold(bytes: number): boolean {
    if (!this.#options.budget.take(bytes)) return false;
    this.#held += bytes;
    return true;
  }

  #decompress(message: Buffer, encoding: string): Buffer | Promise<Buffer> {
    const compressed = message[0] === 1;
    if (!compressed) return message.subarray(5);
    const grows = (bytes: number) => {
      if (!this.#hold(bytes)) throw overloaded();
    };
    return this.#holdingFor(inflate(message.subarray(5), encoding, this.#options.messageBytesMax, grows));
  }

  #end(code: status): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#options.metrics.callEnded(this.#method, code);
    this.#leave();
    this.#listener.onSettled();
    this.#ending?.abort(this.#endReason());
  }

  #signal(): AbortSignal {
    this.#ending ??= new AbortController();
    if (this.#reason || this.#ended) this.#ending.abort(this.#endReason());
    return this.#ending.signal;
  }

  #endReason(): RpcError {
    this.#reason ??= new RpcError(status.CANCELLED, "the call has ended");
    return this.#reason;
  }

  #leave(): void {
    this.#users--;
    if (this.#users > 0) return;
    this.#options.budget.release(this.#held);
    this.#held = 0;
  }
}

/** Pings under way by connection. Node allows ten, so they take turns. */
const pings = new WeakMap<Http2Session, Promise<void>>();

/** What comes back over a connection follows what has gone out: an answered ping tells that everything before it has arrived. */
async function answered(session: Http2Session | undefined): Promise<void> {
  if (!session || session.destroyed) throw new RpcError(status.CANCELLED, "the connection is gone");
  const before = pings.get(session);
  const ping = async () => {
    await before?.catch(() => undefined);
    await new Promise<void>((resolve, reject) => {
      const isSent = !session.destroyed && session.ping((error) => (error ? reject(error) : resolve()));
      if (!isSent) reject(new RpcError(status.CANCELLED, "the connection is gone"));
    });
  };
  const turn = ping();
  pings.set(session, turn);
  await turn;
}

const overloaded = (): RpcError =>
  new RpcError(
    status.UNAVAILABLE,
    "the server holds as many requests as it can; try again shortly",
    // Spread, so that all who were refused at once do not come back at once.
    retryAfter(500 + Math.random() * 1000),
  );
