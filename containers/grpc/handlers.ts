import { errorFields, log } from "../../functions/platform/log.ts";
import { encodedEmpty, MalformedMessage } from "./codec.ts";
import { type Message, whole } from "./message-reader.ts";
import type { AdmittedCall, Method, OpenCall } from "./open-call.ts";
import { framed } from "./response-wire.ts";
import { invalidArgument, type ReplyValues, RpcError, rpcErrorOf } from "./rpc-error.ts";

/** What a method of one answer says. */
export interface UnaryReply {
  readonly message: Buffer;
  readonly trailers?: ReplyValues;
}

/** A method that takes a message and answers another one. */
export const unaryReply = (
  path: string,
  answer: (call: AdmittedCall, message: Buffer) => Promise<UnaryReply>,
): Method => ({
  path,
  isStream: false,
  handle: (call, message) =>
    serveOne(
      call,
      () => answer(call, whole(message)),
      (reply) => call.reply(reply.message, reply.trailers),
    ),
});

/** A method that takes a message, in the pieces that it came in, and answers Empty, with trailers. */
export const unary = (
  path: string,
  answer: (call: AdmittedCall, message: Message) => Promise<ReplyValues>,
): Method => ({
  path,
  isStream: false,
  handle: (call, message) =>
    serveOne(
      call,
      () => answer(call, message),
      (trailers) => call.reply(encodedEmpty, trailers),
    ),
});

/** Where a streaming method puts its messages. */
export interface Outlet {
  /** Sends the initial metadata, at once and before any message. */
  begin(values: ReplyValues): void;
  /** Resolves when there is room for more. @throws the signal's reason when the call ends first */
  send(message: Buffer): Promise<void>;
  /** Sends messages that are framed already, in one write. @param bytes of the messages alone */
  sendFramed(frames: Buffer, bytes: number): Promise<void>;
  /** Resolves when all that was sent is on the line, in the hands of the operating system. @throws the signal's reason when the call ends first */
  flushed(): Promise<void>;
}

/** Most bytes of messages that wait in a stream for a slow reader; a single message may be larger. */
export const outletBytesMax = 8 * 1024 * 1024;

/** A method that answers with a stream. What the handler returns or throws goes out as status and trailers behind the last message. */
export const serverStream = (
  path: string,
  answer: (call: AdmittedCall, message: Buffer, outlet: Outlet) => Promise<ReplyValues>,
): Method => ({
  path,
  isStream: true,
  handle: (call, message) =>
    serveOne(
      call,
      () => answer(call, whole(message), outletOf(call)),
      (trailers) => call.complete(trailers),
    ),
});

/** A method that takes messages and answers each at once. A caller that does not read its answers is not read from. */
export const exchange = (path: string, answer: (message: Buffer) => Buffer): Method => ({
  path,
  isStream: true,
  takes: "many",
  handle(call, message) {
    try {
      const reply = answer(whole(message));
      if (!call.write(framed(reply), reply.length)) call.waitForReader();
    } catch (error) {
      call.refuse(answerTo(error, path));
    }
  },
  finish: (call) => call.complete(),
});

function serveOne<T>(call: OpenCall, answer: () => Promise<T>, say: (answer: T) => void): void {
  call.hold();
  const done = () => {
    call.release();
    call.settled();
  };
  started(call, answer).then(
    (value) => {
      say(value);
      done();
    },
    (error) => {
      call.refuse(answerTo(error, call.method.path));
      done();
    },
  );
}

/** What is thrown at once is a rejection like any other. */
async function started<T>(call: OpenCall, answer: () => Promise<T>): Promise<T> {
  call.throwIfEnded();
  return await answer();
}

function outletOf(call: OpenCall): Outlet {
  const { signal } = call;
  let waiting = 0;
  let wake: (() => void) | undefined;
  const until = async (isSo: () => boolean): Promise<void> => {
    while (!isSo() && !signal.aborted) {
      const room = Promise.withResolvers<void>();
      wake = room.resolve;
      await room.promise;
    }
    signal.throwIfAborted();
  };
  signal.addEventListener("abort", () => wake?.(), { once: true });
  const sendFramed = async (frames: Buffer, bytes: number): Promise<void> => {
    // What Node holds back counts chunks of any size: bytes are counted here.
    await until(() => waiting === 0 || waiting + bytes <= outletBytesMax);
    waiting += bytes;
    call.write(frames, bytes, () => {
      waiting -= bytes;
      wake?.();
    });
  };
  return {
    begin: (values) => call.begin(values),
    send: (message) => sendFramed(framed(message), message.length),
    sendFramed,
    flushed: () => until(() => waiting === 0),
  };
}

function answerTo(error: unknown, method: string): RpcError {
  if (error instanceof MalformedMessage) return invalidArgument(`the message cannot be read: ${error.message}`);
  if (!(error instanceof RpcError)) log("error", "call failed", { operation: method, ...errorFields(error) });
  return rpcErrorOf(error);
}
