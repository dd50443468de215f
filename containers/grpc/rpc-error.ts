import { status } from "@grpc/grpc-js";

/** Keys and values of a reply's metadata. */
export type ReplyValues = Readonly<Record<string, string | number>>;

/** A call that ends with a status of ours; its details and trailers go to the caller, so they hold nothing that is not theirs to know. */
export class RpcError extends Error {
  override readonly name = "RpcError";
  readonly code: status;
  readonly details: string;
  readonly trailers: ReplyValues;

  constructor(code: status, details: string, trailers: ReplyValues = {}, cause?: unknown) {
    super(`${status[code]}: ${details}`, { cause });
    this.code = code;
    this.details = details;
    this.trailers = trailers;
  }

  /** The same with further trailers; those that it has already stay as they are. */
  with(trailers: ReplyValues): RpcError {
    return new RpcError(this.code, this.details, { ...trailers, ...this.trailers }, this.cause);
  }
}

export const invalidArgument = (details: string): RpcError => new RpcError(status.INVALID_ARGUMENT, details);

const pushbackKey = "grpc-retry-pushback-ms";
/** Tells clients that retry by themselves not to: the same call would end the same way. */
export const neverRetry: ReplyValues = { [pushbackKey]: -1 };
/** Tells them how long to wait. */
export const retryAfter = (milliseconds: number): ReplyValues => ({ [pushbackKey]: Math.ceil(milliseconds) });
/** True when the trailers say already what retrying is worth. */
export const tellsRetry = (trailers: ReplyValues): boolean => pushbackKey in trailers;

/** Our own error of a call. Whatever else is thrown is our fault, and its text stays with us. */
export const rpcErrorOf = (error: unknown): RpcError =>
  error instanceof RpcError ? error : new RpcError(status.INTERNAL, "something went wrong on our side", {}, error);
