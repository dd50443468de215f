import { status } from "@grpc/grpc-js";
import { isRunError, type RunError, type RunErrorCode } from "../../functions/runs/run-error.ts";
import { type ReplyValues, RpcError, retryAfter } from "./rpc-error.ts";

/** How each refusal of the log reads in gRPC. */
const statuses: Readonly<Record<RunErrorCode, status>> = {
  run_not_found: status.NOT_FOUND,
  run_closed: status.FAILED_PRECONDITION,
  lease_held: status.UNAVAILABLE,
  fenced: status.UNAVAILABLE,
  invalid_argument: status.INVALID_ARGUMENT,
  checksum_mismatch: status.INVALID_ARGUMENT,
  already_exists: status.ALREADY_EXISTS,
  aborted: status.ABORTED,
  overloaded: status.UNAVAILABLE,
  unavailable: status.UNAVAILABLE,
  out_of_range: status.OUT_OF_RANGE,
  data_loss: status.DATA_LOSS,
};

/** What the caller needs besides the text to go on. */
function trailersOf({ code, fields }: RunError): ReplyValues {
  if (code === "lease_held") return retryAfter(Math.max(100, Number(fields.until) - Date.now()));
  if (code === "fenced" || code === "overloaded" || code === "unavailable")
    return retryAfter(500 + Math.random() * 1000);
  if (code === "already_exists" && fields.offset !== undefined) return { "x-hil-offset": fields.offset };
  if (code === "out_of_range" && fields.first !== undefined) return { "x-hil-first-offset": fields.first };
  if (code === "data_loss" && fields.next !== undefined) return { "x-hil-next-offset": fields.next };
  return {};
}

/** What a call of the stores has thrown, as a caller is told it. Trouble of AWS is for another try; whatever else is thrown is a fault of ours. */
export function statusOf(error: unknown): unknown {
  if (isRunError(error)) return new RpcError(statuses[error.code], error.message, trailersOf(error), error);
  if (error instanceof Error && "$metadata" in error)
    return new RpcError(status.UNAVAILABLE, "what the log is stored in cannot be reached", retryAfter(1000), error);
  return error;
}

/** Runs what calls the stores. @throws RpcError for what they refuse */
export async function inStatuses<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw statusOf(error);
  }
}

/** The same for items that are read as they are taken. */
export async function* itemsInStatuses<T>(items: AsyncIterable<T>): AsyncGenerator<T> {
  try {
    yield* items;
  } catch (error) {
    throw statusOf(error);
  }
}
