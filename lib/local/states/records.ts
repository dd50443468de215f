import type { JsonText } from "./failure.ts";

export type Status = "PENDING" | "RUNNING" | "SUCCEEDED" | "FAILED" | "TIMED_OUT" | "ABORTED";

export interface Machine {
  readonly arn: string;
  readonly name: string;
  readonly roleArn: string;
  readonly type: "STANDARD" | "EXPRESS";
  /** Hash of the definition that new executions get. */
  readonly definition: string;
  readonly createdAt: number;
}

/** One execution; the children of a Map Run are executions too, PENDING until a slot is free. */
export interface Execution {
  readonly id: number;
  readonly arn: string;
  readonly name: string;
  readonly machine: string;
  readonly type: "STANDARD" | "EXPRESS";
  readonly definition: string;
  readonly roleArn: string;
  readonly mapRun: number | null;
  /** How many items of the Map Run this child works on. */
  readonly items: number;
  readonly status: Status;
  readonly input: JsonText;
  readonly output: JsonText | null;
  readonly error: string | null;
  readonly cause: string | null;
  readonly startedAt: number | null;
  readonly stoppedAt: number | null;
  readonly redrives: number;
  readonly redrivenAt: number | null;
  /** The last status that onStatusChange was told. */
  readonly announced: Status | null;
  /** The execution, and the frame in it, whose .sync task waits for this one. */
  readonly owner: number | null;
  readonly ownerPath: string | null;
}

/** A position in an execution: the execution itself, a branch of a Parallel, an iteration of a Map. */
export interface Frame {
  /** "" for the execution, then "/0", "/0/3", ... */
  readonly path: string;
  state: string;
  input: JsonText;
  /** Variables assigned in this scope. */
  variables: JsonText;
  enteredAt: number;
  progress: Progress;
  /** Id of its last history event; 0 before it started. */
  lastEvent: number;
  /** `$states.context.Map` of an iteration. */
  readonly map: JsonText | null;
  output: JsonText | null;
}

/** What has been decided within the current state, so that a restart does not decide it anew. */
export interface Progress {
  /** Retries used, by retrier. */
  retries?: number[];
  retryAt?: number;
  waitUntil?: number;
  token?: string;
  /** The function or execution behind a task token has been started; only the token is awaited. */
  submitted?: boolean;
  deadline?: number;
  /** Name of the execution that this task starts. */
  started?: string;
  /** Number of frames of a Parallel or an inline Map. */
  branches?: number;
  mapRun?: number;
}

export interface MapRun {
  readonly id: number;
  readonly arn: string;
  readonly execution: number;
  readonly path: string;
  readonly status: Status;
  /** All children are in the store; before that a restart reads the items again. */
  readonly listed: 0 | 1;
  readonly config: JsonText;
  readonly startedAt: number;
  readonly stoppedAt: number | null;
  readonly redrives: number;
  readonly redrivenAt: number | null;
}

export interface HistoryEvent {
  readonly id: number;
  readonly at: number;
  readonly type: string;
  readonly previous: number;
  readonly details: JsonText;
}

export interface TokenRow {
  readonly token: string;
  readonly execution: number;
  readonly outcome: JsonText | null;
  readonly heartbeatAt: number;
}
