import { AwsError } from "../service.ts";
import { announce, type Engine } from "./engine.ts";
import { execute } from "./interpreter.ts";
import type { Execution, Status } from "./records.ts";

const redriveMillisecondsMax = 14 * 24 * 60 * 60 * 1000;
const redrivesMax = 1000;
/** The history must hold what comes: a redriven execution needs room for at least one more event and the last one. */
const eventsBefore = 24_999;

const failed: readonly Status[] = ["FAILED", "TIMED_OUT", "ABORTED"];

/**
 * RedriveExecution: goes on from where the execution failed, with the definition and input it had. What had succeeded
 * in a Parallel or a Map is kept; of a Map Run only the failed children run again.
 * @throws AwsError ExecutionNotRedrivable
 */
export function redriveExecution(engine: Engine, execution: Execution): number {
  const { store, clock } = engine;
  const now = clock.now();
  const why = obstacle(engine, execution, now);
  if (why) throw new AwsError("ExecutionNotRedrivable", `Execution Not Redrivable: '${execution.arn}' ${why}`);
  store.transaction(() => {
    reopen(engine, execution, "RUNNING", now);
    const previous = store.lastEventId(execution.id);
    const details = JSON.stringify({ executionRedrivenEventDetails: { redriveCount: execution.redrives + 1 } });
    store.addEvent(execution.id, { id: previous + 1, at: now, type: "ExecutionRedriven", previous, details });
  }, "FULL");
  announce(engine, execution.id);
  void execute(engine, store.execution(execution.id) as Execution);
  return now;
}

function obstacle({ store }: Engine, execution: Execution, now: number): string | undefined {
  if (execution.type !== "STANDARD" || execution.mapRun !== null) return "is no Standard execution of its own.";
  if (!failed.includes(execution.status)) return `is ${execution.status}.`;
  if (now - (execution.stoppedAt as number) > redriveMillisecondsMax) return "closed more than 14 days ago.";
  if (execution.redrives >= redrivesMax) return `was redriven ${redrivesMax} times.`;
  if (store.lastEventId(execution.id) >= eventsBefore) return "has too long a history.";
  return undefined;
}

function reopen(engine: Engine, execution: Execution, status: Status, now: number): void {
  const { store } = engine;
  const redrives = execution.redrives + 1;
  store.updateExecution(execution.id, { status, error: null, cause: null, stoppedAt: null, redrives, redrivenAt: now });
  // An Express child has no place to go on from: it starts over.
  if (execution.type === "EXPRESS") {
    store.clearExecution(execution.id);
    return;
  }
  store.clearTokens(execution.id);
  for (const frame of store.frames(execution.id)) {
    const { branches, mapRun } = frame.progress;
    frame.progress = { ...(branches !== undefined && { branches }), ...(mapRun !== undefined && { mapRun }) };
    store.saveFrame(execution.id, frame);
    if (mapRun !== undefined) reopenMapRun(engine, mapRun, now);
  }
}

function reopenMapRun(engine: Engine, id: number, now: number): void {
  const { store } = engine;
  const mapRun = store.mapRun(id);
  if (!mapRun || !failed.includes(mapRun.status)) return;
  store.updateMapRun(id, { status: "RUNNING", stoppedAt: null, redrives: mapRun.redrives + 1, redrivenAt: now });
  for (const status of failed) for (const child of store.children(id, status)) reopen(engine, child, "PENDING", now);
}
