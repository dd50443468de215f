/** JSON as text. Payloads stay text between states: that is what is stored, measured and handed to expressions. */
export type JsonText = string;

/** What goes wrong inside an execution, in the words that Retry and Catch compare. */
export class StateFailure extends Error {
  readonly error: string;
  override readonly cause: string;

  constructor(error: string, cause: string) {
    super(`${error}: ${cause}`);
    this.error = error;
    this.cause = cause;
  }

  /** `$states.errorOutput`, and the output of a Catch that names none. */
  get output(): JsonText {
    return JSON.stringify({ Error: this.error, Cause: this.cause });
  }
}

/** https://docs.aws.amazon.com/step-functions/latest/dg/service-quotas.html: input or result of a task, state or execution. */
export const payloadBytesMax = 262_144;

/** @throws StateFailure States.DataLimitExceeded, which States.ALL does not catch */
export function withinLimit(payload: JsonText, what: string): JsonText {
  // A UTF-16 unit is at most three bytes of UTF-8, so most payloads need no count.
  if (payload.length * 3 > payloadBytesMax && Buffer.byteLength(payload) > payloadBytesMax) {
    throw new StateFailure(
      "States.DataLimitExceeded",
      `The ${what} is larger than the maximum number of bytes service limit (${payloadBytesMax}).`,
    );
  }
  return payload;
}

/** Whether a retrier or catcher that lists these names handles the error. */
export function handles(errorEquals: readonly string[], error: string): boolean {
  if (error === "States.Runtime") return false;
  return errorEquals.some((name) => {
    if (name === error) return true;
    if (name === "States.Timeout") return error === "States.HeartbeatTimeout";
    if (error === "States.DataLimitExceeded") return false;
    return name === "States.ALL" || (name === "States.TaskFailed" && error !== "States.Timeout");
  });
}

export interface Retrier {
  ErrorEquals: string[];
  IntervalSeconds?: number | undefined;
  MaxAttempts?: number | undefined;
  BackoffRate?: number | undefined;
  MaxDelaySeconds?: number | undefined;
  JitterStrategy?: "FULL" | "NONE" | undefined;
}

/** Milliseconds to wait before retry number `attempt` (from 0) of a retrier; FULL jitter draws from [0, that). */
export function retryDelay(retrier: Retrier, attempt: number, random: () => number): number {
  const backoff = (retrier.IntervalSeconds ?? 1) * (retrier.BackoffRate ?? 2) ** attempt;
  const seconds = Math.min(backoff, retrier.MaxDelaySeconds ?? Number.MAX_SAFE_INTEGER / 1000);
  return Math.round(seconds * 1000 * (retrier.JitterStrategy === "FULL" ? random() : 1));
}
