import type {
  handleServerStreamingCall,
  handleUnaryCall,
  MethodDefinition,
  ServerWritableStream,
  ServiceDefinition,
} from "@grpc/grpc-js";
import { errorFields, log } from "../../functions/platform/log.ts";
import type { CallGate } from "./call-gate.ts";
import { encodedEmpty, MalformedMessage } from "./codec.ts";
import type { AdmittedCall } from "./open-call.ts";
import { invalidArgument, metadataOf, type ReplyValues, RpcError, rpcErrorOf } from "./rpc-error.ts";

const same = (bytes: Buffer): Buffer => bytes;

/**
 * Describes methods to grpc-js. Messages stay bytes until a handler reads them: what a deserialiser throws becomes INTERNAL, and a malformed message is
 * the caller's fault.
 */
export const serviceOf = (methods: Readonly<Record<string, { path: string; stream?: true }>>): ServiceDefinition =>
  Object.fromEntries(
    Object.entries(methods).map(([name, { path, stream = false }]): [string, MethodDefinition<Buffer, Buffer>] => {
      const serialization = { requestSerialize: same, requestDeserialize: same, responseSerialize: same };
      return [
        name,
        { path, requestStream: false, responseStream: stream, ...serialization, responseDeserialize: same },
      ];
    }),
  );

/** A method that takes a message and answers Empty, with trailers. */
export const unary = (
  gate: CallGate,
  handle: (call: AdmittedCall, message: Buffer) => Promise<ReplyValues>,
): handleUnaryCall<Buffer, Buffer> =>
  unaryReply(gate, async (call, message) => ({ message: encodedEmpty, trailers: await handle(call, message) }));

/** What a method of one answer says. */
export interface UnaryReply {
  readonly message: Buffer;
  readonly trailers?: ReplyValues;
}

/** A method that takes a message and answers another one. */
export function unaryReply(
  gate: CallGate,
  handle: (call: AdmittedCall, message: Buffer) => Promise<UnaryReply>,
): handleUnaryCall<Buffer, Buffer> {
  return (call, callback) => {
    const admitted = gate.callOf(call.metadata);
    const work = async () => {
      admitted.throwIfEnded();
      return await handle(admitted, call.request);
    };
    admitted.handledBy(work()).then(
      ({ message, trailers = {} }) => callback(null, message, metadataOf(trailers)),
      (error) => callback(answerTo(error, call.getPath()).statusObject),
    );
  };
}

/** Where a streaming method puts its messages. */
export interface Outlet {
  /** Sends the initial metadata, at once and before any message. */
  begin(values: ReplyValues): void;
  /** Resolves when there is room for more. @throws the signal's reason when the call ends first */
  send(message: Buffer): Promise<void>;
  /** Resolves when all that was sent is on the line, in the hands of the operating system. @throws the signal's reason when the call ends first */
  flushed(): Promise<void>;
}

/** Most bytes of messages that wait in a stream for a slow reader; a single message may be larger. */
export const outletBytesMax = 8 * 1024 * 1024;

/** A method that answers with a stream. What the handler returns or throws goes out as status and trailers behind the last message. */
export function serverStream(
  gate: CallGate,
  handle: (call: AdmittedCall, message: Buffer, outlet: Outlet) => Promise<ReplyValues>,
): handleServerStreamingCall<Buffer, Buffer> {
  return (call) => {
    const admitted = gate.callOf(call.metadata);
    const work = async () => await handle(admitted, call.request, outletOf(call, admitted.signal));
    admitted
      .handledBy(work())
      .then(
        (trailers) => call.end(metadataOf(trailers)),
        // grpc-js listens to this event and ends the call with it once all that was written has gone out.
        (error) => call.emit("error", answerTo(error, call.getPath()).statusObject),
      )
      .finally(() => admitted.settled());
  };
}

function outletOf(call: ServerWritableStream<Buffer, Buffer>, signal: AbortSignal): Outlet {
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
  return {
    begin: (values) => call.sendMetadata(metadataOf(values)),
    async send(message) {
      // write() says full after sixteen messages whatever their size, which can be far too much or far too little: bytes are counted here.
      await until(() => waiting === 0 || waiting + message.length <= outletBytesMax);
      waiting += message.length;
      call.write(message, () => {
        waiting -= message.length;
        wake?.();
      });
    },
    flushed: () => until(() => waiting === 0),
  };
}

function answerTo(error: unknown, method: string): RpcError {
  if (error instanceof MalformedMessage) return invalidArgument(`the message cannot be read: ${error.message}`);
  if (!(error instanceof RpcError)) log("error", "call failed", { operation: method, ...errorFields(error) });
  return rpcErrorOf(error);
}
