import { randomUUID } from "node:crypto";
import { type Caller, type FunctionPort, type Json, localAccount, type Permission } from "../service.ts";
import type { Cancellation } from "./cancellation.ts";
import type { Clock } from "./clock.ts";
import type { Expressions } from "./expressions.ts";
import type { JsonText } from "./failure.ts";
import type { Execution, Status } from "./records.ts";
import type { Store } from "./store.ts";

/** A task that waits for SendTaskSuccess, SendTaskFailure or SendTaskHeartbeat. */
export interface TokenWaiter {
  answered(outcome: JsonText): void;
  beat(): void;
}

/** What running executions share. */
export interface Engine {
  readonly store: Store;
  readonly clock: Clock;
  readonly expressions: Expressions;
  readonly functions: FunctionPort;
  readonly random: () => number;
  readonly credentials: (roleArn: string) => Caller;
  readonly endpoint: () => string;
  /** @throws AwsError when the role may not */
  readonly authorise: (caller: Caller, operation: string, permissions: Permission[]) => void;
  readonly onStatusChange: (event: object) => void;
  /** The scope of each execution that runs in this process. */
  readonly running: Map<number, Cancellation>;
  /** Settles when the last of an execution's code has left the stage. */
  readonly active: Set<Promise<unknown>>;
  /** Starts an execution for a task, as StartExecution would for that caller. */
  readonly start: (caller: Caller, input: Json, owner?: { execution: number; path: string }) => Promise<Execution>;
  readonly tokens: Map<string, TokenWaiter>;
  /** Called once when the execution closes. */
  readonly closing: Map<number, (() => void)[]>;
}

export interface Ending {
  readonly output?: JsonText;
  readonly error?: string | null;
  readonly cause?: string | null;
}

/**
 * Closes an execution for good: the terminal event, its status, and everything that still runs on its behalf. Only the
 * first ending counts.
 */
export function conclude(engine: Engine, id: number, status: Status, ending: Ending = {}): void {
  const closed = engine.store.transaction(
    () => concludeWithin(engine, id, status, ending),
    // A child's end is told to nobody but its Map Run, which asks again after a restart.
    engine.store.execution(id)?.mapRun === null ? "FULL" : "NORMAL",
  );
  settle(engine, closed);
}

/** Aborts what runs for a part of an execution: Map Runs with their children, executions that a .sync task awaits. */
export function abortWithin(engine: Engine, execution: number, path: string): void {
  settle(
    engine,
    engine.store.transaction(() => abortOwned(engine, execution, path)),
  );
}

/** Marks a Map Run as over and aborts its children; those that never started stay pending. */
export function closeMapRun(engine: Engine, mapRun: number, status: Status): void {
  settle(
    engine,
    engine.store.transaction(() => closeMapRunWithin(engine, mapRun, status)),
  );
}

function concludeWithin(engine: Engine, id: number, status: Status, ending: Ending): number[] {
  const { store, clock } = engine;
  const execution = store.execution(id);
  if (execution?.status !== "RUNNING") return [];
  const closed = abortOwned(engine, id, "");
  if (execution.type === "STANDARD") {
    const previous = store.lastEventId(id);
    const { type, details } = terminalEvent(status, ending);
    store.addEvent(id, { id: previous + 1, at: clock.now(), type, previous, details });
  }
  const { output = null, error = null, cause = null } = ending;
  store.updateExecution(id, { status, output, error, cause, stoppedAt: clock.now() });
  // An execution that did not succeed keeps its position: RedriveExecution goes on from there.
  if (status === "SUCCEEDED") store.clearExecution(id);
  return [...closed, id];
}

function abortOwned(engine: Engine, execution: number, path: string): number[] {
  return [
    ...engine.store.openMapRuns(execution, path).flatMap(({ id }) => closeMapRunWithin(engine, id, "ABORTED")),
    ...engine.store.ownedBy(execution, path).flatMap(({ id }) => concludeWithin(engine, id, "ABORTED", {})),
  ];
}

function closeMapRunWithin(engine: Engine, mapRun: number, status: Status): number[] {
  engine.store.updateMapRun(mapRun, { status, stoppedAt: engine.clock.now() });
  const running = engine.store.children(mapRun, "RUNNING");
  return [...running.flatMap(({ id }) => concludeWithin(engine, id, "ABORTED", {}))];
}

function terminalEvent(status: Status, { output, error, cause }: Ending): { type: string; details: JsonText } {
  const failure = { ...(error != null && { error }), ...(cause != null && { cause }) };
  if (status === "SUCCEEDED") {
    const executionSucceededEventDetails = { output, outputDetails: { truncated: false } };
    return { type: "ExecutionSucceeded", details: JSON.stringify({ executionSucceededEventDetails }) };
  }
  const name = { FAILED: "Failed", TIMED_OUT: "TimedOut", ABORTED: "Aborted" }[status as "FAILED"];
  return { type: `Execution${name}`, details: JSON.stringify({ [`execution${name}EventDetails`]: failure }) };
}

/** After the commit: stops what runs in this process, tells who waits, announces. */
function settle(engine: Engine, closed: readonly number[]): void {
  for (const id of closed) {
    engine.running.get(id)?.cancel();
    engine.running.delete(id);
    for (const tell of engine.closing.get(id) ?? []) tell();
    engine.closing.delete(id);
    announce(engine, id);
  }
}

/**
 * Sends EventBridge's "Step Functions Execution Status Change" and notes that it was sent, so that a crash in between
 * sends it again: at least once, as EventBridge promises. Express executions and children of Map Runs send none.
 */
export function announce(engine: Engine, id: number): void {
  const execution = engine.store.execution(id);
  if (execution?.mapRun !== null || execution.type !== "STANDARD") return;
  try {
    engine.onStatusChange(statusChange(execution, engine.clock.now()));
  } catch (error) {
    console.error("embedded cloud: a status change listener failed:", error);
  }
  engine.store.updateExecution(id, { announced: execution.status });
}

function statusChange(execution: Execution, now: number): object {
  const { arn, machine, name, status, startedAt, stoppedAt, input, output, error, cause } = execution;
  return {
    version: "0",
    id: randomUUID(),
    "detail-type": "Step Functions Execution Status Change",
    source: "aws.states",
    account: localAccount.account,
    time: `${new Date(now).toISOString().slice(0, 19)}Z`,
    region: localAccount.region,
    resources: [arn],
    detail: {
      executionArn: arn,
      stateMachineArn: machine,
      name,
      status,
      startDate: startedAt,
      stopDate: stoppedAt,
      input,
      output,
      inputDetails: { included: true },
      outputDetails: output === null ? null : { included: true },
      stateMachineVersionArn: null,
      stateMachineAliasArn: null,
      redriveCount: execution.redrives,
      redriveDate: execution.redrivenAt,
      redriveStatus: null,
      redriveStatusReason: null,
      error,
      cause,
    },
  };
}
