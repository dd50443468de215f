import { constants, type IncomingHttpHeaders, type ServerHttp2Stream } from "node:http2";
import { status } from "@grpc/grpc-js";
import type { Caller } from "./authentication.ts";
import type { ByteBudget } from "./byte-budget.ts";
import type { CallerWishes } from "./call-metadata.ts";
import { answered } from "./connections.ts";
import { inflate } from "./inflate.ts";
import { type Message, MessageReader, whole } from "./message-reader.ts";
import type { Metrics } from "./metrics.ts";
import { RequestMetadata } from "./request-metadata.ts";
import { framed, refusalHeaders, responseHeaders, trailersOf } from "./response-wire.ts";
import { neverRetry, type ReplyValues, RpcError, retryAfter, rpcErrorOf, tellsRetry } from "./rpc-error.ts";
import { timeoutMilliseconds } from "./timeout-header.ts";

/** A method as it is served. Messages are bytes until a handler reads them. */
export interface Method {
  readonly path: string;
  /** Its answer is a stream, which may be open for days. */
  readonly isStream: boolean;
  /** How many messages a request has. @default "one" */
  readonly takes?: "one" | "many";
  /** Is given a message: the one of a request when that is whole, any of many as it comes. */
  handle(call: OpenCall, message: Message): void;
  /** Of many messages the last one has been handled. */
  finish?(call: OpenCall): void;
}

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
}

export interface CallLimits {
  readonly budget: ByteBudget;
  readonly metrics: Metrics;
  /** Largest message in bytes, also after decompression. */
  readonly messageBytesMax: number;
}

/** Who has to know how far a call is; both may be told more than once. */
export interface CallListener {
  /** All of a message has come; so many bytes were received so far. */
  onMessage(call: OpenCall, bytes: number): void;
  /** Nothing is to be waited for any more but the line. */
  onSettled(call: OpenCall): void;
  /** Nothing of the call is on its way any more, trailers included. */
  onClosed(call: OpenCall): void;
}

/**
 * One call on its HTTP/2 stream, from the headers to the end, whatever ends it. Nothing of the body is read before `read`. Every answer looks first whether
 * the stream is still there: Node throws at one that is gone, and one cancelled call must not end the process.
 */
export class OpenCall implements AdmittedCall {
  readonly method: Method;
  readonly metadata: RequestMetadata;
  /** By the client certificate that the connection was opened with. */
  readonly certifiedName: string | undefined;
  readonly #stream: ServerHttp2Stream;
  readonly #limits: CallLimits;
  readonly #listener: CallListener;
  readonly #encoding: string;
  readonly #timeout: string | string[] | undefined;
  #reader: MessageReader | undefined;
  #deadline: NodeJS.Timeout | undefined;
  #admitted: { readonly caller: Caller; readonly wishes: CallerWishes } | undefined;
  /** Most calls end before anybody asks: a signal and an error for each would cost as much as the rest of the call. */
  #ending: AbortController | undefined;
  #reason: RpcError | undefined;
  /** The one message of a request that is not whole yet. */
  #message: Message | undefined;
  /** Messages behind a compressed one wait for it. */
  #inflating: Promise<void> | undefined;
  #held = 0;
  #received = 0;
  /** Who needs the bytes of the request: the call until it ends, and its handler. */
  #users = 1;
  #hasRequest = false;
  #hasBegun = false;
  #hasEnded = false;
  #trailers: Record<string, string> | undefined;

  constructor(
    stream: ServerHttp2Stream,
    headers: IncomingHttpHeaders,
    method: Method,
    certifiedName: string | undefined,
    limits: CallLimits,
    listener: CallListener,
  ) {
    this.method = method;
    this.metadata = new RequestMetadata(headers);
    this.certifiedName = certifiedName;
    this.#stream = stream;
    this.#limits = limits;
    this.#listener = listener;
    this.#encoding = String(headers["grpc-encoding"] ?? "identity");
    limits.metrics.callBegan(method.path);
    stream.once("close", () => {
      this.#end(status.CANCELLED);
      listener.onClosed(this);
    });
    this.#timeout = headers["grpc-timeout"];
  }

  get caller(): Caller {
    return this.#whoAsks.caller;
  }

  get wishes(): CallerWishes {
    return this.#whoAsks.wishes;
  }

  get signal(): AbortSignal {
    this.#ending ??= new AbortController();
    if (this.#reason || this.#hasEnded) this.#ending.abort(this.#endReason());
    return this.#ending.signal;
  }

  /** Begins to count the caller's time. Whoever has to hear how the call ends must listen by now: it may end here. */
  start(): void {
    if (this.#timeout === undefined) return;
    const milliseconds = timeoutMilliseconds(String(this.#timeout));
    if (milliseconds === null)
      this.refuse(new RpcError(status.INTERNAL, `grpc-timeout ${this.#timeout} cannot be read`));
    else if (milliseconds < longestTimer && !this.#hasEnded) {
      const isLate = () => this.refuse(new RpcError(status.DEADLINE_EXCEEDED, "the deadline has passed"));
      this.#deadline = setTimeout(isLate, milliseconds);
    }
  }

  /** Lets the call in: its body may be read. */
  admit(caller: Caller, wishes: CallerWishes): void {
    this.#admitted = { caller, wishes };
  }

  throwIfEnded(): void {
    if (this.#reason || this.#hasEnded) throw this.#endReason();
  }

  received(): Promise<void> {
    return answered(this.#stream.session);
  }

  /** Reads the request and hands its messages to the method. */
  read(): void {
    if (this.#hasEnded) return;
    const { messageBytesMax } = this.#limits;
    this.#reader = new MessageReader(messageBytesMax, (message, isCompressed) => this.#take(message, isCompressed));
    this.#stream.on("data", (chunk: Buffer) => this.#receive(chunk));
    this.#stream.once("end", () => this.#finishRequest());
  }

  /** Keeps the bytes of the request accounted for until a handler is done with them, also when the caller is long gone. */
  hold(): void {
    this.#users += 1;
  }

  /** The handler is done with the request. */
  release(): void {
    this.#users -= 1;
    if (this.#users > 0) return;
    this.#limits.budget.release(this.#held);
    this.#held = 0;
  }

  /** The handler has said all it will: status and trailers wait behind its messages, however long the caller takes to read them. */
  settled(): void {
    this.#listener.onSettled(this);
  }

  /** Sends the initial metadata, at once and before any message. */
  begin(values: ReplyValues = {}): void {
    if (this.#hasBegun || this.#isGone) return;
    this.#hasBegun = true;
    this.#stream.respond(responseHeaders(values), answering);
    this.#stream.once("wantTrailers", () => this.#sendTrailers());
  }

  /**
   * Sends messages that are framed already, in one write.
   * @param bytes of the messages alone
   * @param sent is told when they are in the hands of the operating system, and nothing when the call ends first
   * @returns false when more should wait
   */
  write(frames: Buffer, bytes: number, sent?: () => void): boolean {
    if (this.#isGone || this.#hasEnded) return false;
    this.begin();
    this.#limits.metrics.sent(this.method.path, bytes);
    return this.#stream.write(frames, (error) => {
      if (!error) sent?.();
    });
  }

  /** Answers with one message and ends the call well. */
  reply(message: Buffer, trailers: ReplyValues = {}): void {
    if (this.#hasEnded || this.#isGone) return;
    this.begin();
    this.#limits.metrics.sent(this.method.path, message.length);
    this.#endWith(status.OK, "", trailers, framed(message));
  }

  /** Ends the call well, behind all that was written. */
  complete(trailers: ReplyValues = {}): void {
    this.#endWith(status.OK, "", trailers);
  }

  /** Ends the call with an error, behind all that was written. */
  refuse(error: unknown): void {
    const { code, details, trailers } = rpcErrorOf(error);
    const isUntold = code === status.RESOURCE_EXHAUSTED && !tellsRetry(trailers);
    this.#endWith(code, details, isUntold ? { ...trailers, ...neverRetry } : trailers);
  }

  /** Asks the handler to end the call by itself, so that what it has sent and its trailers still arrive. */
  askToEnd(reason: RpcError): void {
    this.#reason ??= reason;
    this.#ending?.abort(this.#reason);
  }

  /** Reads no further messages until the other side has taken what is on the line. */
  waitForReader(): void {
    this.#stream.pause();
    this.#stream.once("drain", () => this.#stream.resume());
  }

  get #whoAsks() {
    if (!this.#admitted) throw new Error(`${this.method.path} is not listed in the gate's access`);
    return this.#admitted;
  }

  get #isGone(): boolean {
    return this.#stream.destroyed || this.#stream.closed;
  }

  #receive(chunk: Buffer): void {
    this.#received += chunk.length;
    this.#limits.metrics.received(this.method.path, chunk.length);
    if (this.#hasEnded) return;
    try {
      if (!this.#hold(chunk.length)) throw overloaded();
      this.#reader?.read(chunk);
    } catch (error) {
      this.refuse(error);
    }
  }

  #hold(bytes: number): boolean {
    if (!this.#limits.budget.take(bytes)) return false;
    this.#held += bytes;
    return true;
  }

  #take(message: Message, isCompressed: boolean): void {
    if (isCompressed || this.#inflating) this.#inflateInTurn(message, isCompressed);
    else this.#deliver(message);
  }

  #inflateInTurn(message: Message, isCompressed: boolean): void {
    const before = this.#inflating;
    this.hold();
    this.#inflating = (async () => {
      try {
        await before;
        const inflated = isCompressed ? [await this.#inflate(whole(message))] : message;
        if (!this.#hasEnded) this.#deliver(inflated);
      } catch (error) {
        this.refuse(error);
      } finally {
        this.release();
      }
    })();
  }

  #inflate(message: Buffer): Promise<Buffer> {
    return inflate(message, this.#encoding, this.#limits.messageBytesMax, (bytes) => {
      if (!this.#hold(bytes)) throw overloaded();
    });
  }

  #deliver(message: Message): void {
    if (this.#hasEnded) return;
    this.#listener.onMessage(this, this.#received);
    if (this.method.takes === "many") this.method.handle(this, message);
    else if (this.#message) this.refuse(new RpcError(status.UNIMPLEMENTED, "this method takes one message"));
    else this.#message = message;
  }

  #finishRequest(): void {
    this.#hasRequest = true;
    if (this.#hasEnded) return;
    if (this.#reader?.isAtEnd === false) this.refuse(new RpcError(status.INTERNAL, "the last message is cut short"));
    else if (this.#inflating) void this.#inflating.then(() => this.#serve());
    else this.#serve();
  }

  #serve(): void {
    if (this.#hasEnded) return;
    const message = this.#message;
    this.#message = undefined;
    if (this.method.takes === "many") this.method.finish?.(this);
    else if (message) this.method.handle(this, message);
    else this.refuse(new RpcError(status.UNIMPLEMENTED, "this method takes one message, and none has come"));
  }

  #endWith(code: status, details: string, trailers: ReplyValues, last?: Buffer): void {
    if (this.#hasEnded) return;
    this.#end(code);
    if (this.#isGone) return;
    if (this.#hasBegun) {
      this.#trailers = trailersOf(code, details, trailers);
      this.#stream.end(last);
    } else {
      this.#stream.respond(refusalHeaders(code, details, trailers), refusing);
      this.#stopSender();
    }
  }

  #sendTrailers(): void {
    if (this.#isGone) return;
    this.#stream.sendTrailers(this.#trailers ?? trailersOf(status.UNKNOWN));
    this.#stopSender();
  }

  /** A client that still sends is told to stop. Without this it would send all of a message that nobody reads. */
  #stopSender(): void {
    if (!this.#hasRequest) this.#stream.close(constants.NGHTTP2_NO_ERROR);
  }

  #end(code: status): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    clearTimeout(this.#deadline);
    this.#message = undefined;
    this.#limits.metrics.callEnded(this.method.path, code);
    this.release();
    this.#listener.onSettled(this);
    this.#ending?.abort(this.#endReason());
  }

  #endReason(): RpcError {
    this.#reason ??= new RpcError(status.CANCELLED, "the call has ended");
    return this.#reason;
  }
}

/** A date costs a header of each call, and gRPC has no use for it. Node knows the option; its types do not. */
const answering = { waitForTrailers: true, sendDate: false };
const refusing = { endStream: true, sendDate: false };

/** Longer ones overflow a timer, and mean nothing. */
const longestTimer = 2 ** 31;

const overloaded = (): RpcError =>
  new RpcError(
    status.UNAVAILABLE,
    "the server holds as many requests as it can; try again shortly",
    // Spread, so that all who were refused at once do not come back at once.
    retryAfter(500 + Math.random() * 1000),
  );
