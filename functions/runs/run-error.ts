/**
 * What can go wrong with a run on purpose. These are not codes of problems.ts: the callers are the gRPC programs, which have statuses of
 * their own for each, and nobody translates them.
 *
 * - `run_not_found`, `run_closed`: there is no such run; it takes nothing more
 * - `lease_held`: somebody else writes this run (`until`, milliseconds since 1970); try again then
 * - `fenced`: somebody else has taken the run over; this writer is dead
 * - `invalid_argument`, `checksum_mismatch`: the caller's mistake, nothing is stored
 * - `already_exists`: the same sequence number or key came with other bytes (`offset` of those that are stored)
 * - `aborted`: the item is older than what is stored of its producer, and was never stored itself (`seq`)
 * - `overloaded`: too many bytes wait to be written; try again shortly
 * - `unavailable`: S3 or DynamoDB fails, or the writer is closed; nothing was acknowledged, try again
 * - `out_of_range`: such an offset is not there any more, or not yet (`first` and `next` that are there)
 * - `data_loss`: what is stored is damaged (`offset` of the first item lost, `next` to go on with)
 */
export type RunErrorCode =
  | "run_not_found"
  | "run_closed"
  | "lease_held"
  | "fenced"
  | "invalid_argument"
  | "checksum_mismatch"
  | "already_exists"
  | "aborted"
  | "overloaded"
  | "unavailable"
  | "out_of_range"
  | "data_loss";

export class RunError extends Error {
  readonly code: RunErrorCode;
  readonly fields: Readonly<Record<string, string | number>>;

  constructor(
    code: RunErrorCode,
    message: string,
    fields: Readonly<Record<string, string | number>> = {},
    cause?: unknown,
  ) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = "RunError";
    this.code = code;
    this.fields = fields;
  }
}

export const isRunError = (error: unknown, ...codes: RunErrorCode[]): error is RunError =>
  error instanceof RunError && (codes.length === 0 || codes.includes(error.code));
