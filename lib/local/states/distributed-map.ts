import { randomUUID } from "node:crypto";
import { executionArn, mapRunArn } from "./arns.ts";
import { type ChildInput, childInputs } from "./child-inputs.ts";
import { nextTurn } from "./clock.ts";
import type { MapState } from "./definition.ts";
import { closeMapRun } from "./engine.ts";
import { type JsonText, StateFailure } from "./failure.ts";
import { execute } from "./interpreter.ts";
import { configOf, type MapConfig } from "./map-config.ts";
import { resultOf } from "./map-result.ts";
import type { Execution, MapRun, Status } from "./records.ts";
import type { Step } from "./run.ts";

/** AWS runs up to 10,000 children at once; here each one costs memory, and the functions behind them queue anyway. */
const concurrencyMax = 1000;
/** Children written in one transaction while the items are listed. */
const childrenPerCommit = 200;

/**
 * Runs a Distributed Map: its children are executions of their own, listed on disk before the first one starts, so
 * that memory holds only those that run and a restart repeats none that finished.
 * @returns its result: what the ResultWriter wrote, or the outputs of the children
 * @throws StateFailure States.ExceedToleratedFailureThreshold, States.ItemReaderFailed, States.ResultWriterFailed, ...
 */
export async function runDistributedMap(step: Step<MapState>): Promise<JsonText> {
  const mapRun = begin(step);
  const config = JSON.parse(mapRun.config) as MapConfig;
  try {
    if (!mapRun.listed) await list(step, mapRun, config);
    const tolerated = await runChildren(step, mapRun, config);
    if (!tolerated) closeMapRun(step.engine, mapRun.id, "FAILED");
    const written = await step.scope.guard(resultOf(step, mapRun, config, tolerated));
    if (!tolerated) throw thresholdExceeded();
    closeMapRun(step.engine, mapRun.id, "SUCCEEDED");
    step.note("MapRunSucceeded");
    step.note("MapStateSucceeded");
    return written;
  } catch (error) {
    // A service that is being shut down fails in many ways; none of them is this Map's.
    step.scope.check();
    if (error instanceof StateFailure) {
      closeMapRun(step.engine, mapRun.id, "FAILED");
      step.note("MapRunFailed", { error: error.error, cause: error.cause });
      step.note("MapStateFailed");
    }
    throw error;
  }
}

const thresholdExceeded = () =>
  new StateFailure("States.ExceedToleratedFailureThreshold", "The specified tolerated failure threshold was exceeded");

function begin(step: Step<MapState>): MapRun {
  const { engine, run, frame, state } = step;
  if (frame.progress.mapRun !== undefined) return engine.store.mapRun(frame.progress.mapRun) as MapRun;
  const machine = run.execution.machine;
  mayStartChildren(step, machine);
  return run.commit(() => {
    const mapRun = engine.store.addMapRun({
      arn: mapRunArn(machine, labelOf(frame.state, state), randomUUID()),
      execution: run.execution.id,
      path: frame.path,
      config: JSON.stringify(configOf(step)),
      startedAt: engine.clock.now(),
    });
    frame.progress.mapRun = mapRun.id;
    run.record(frame, "MapStateStarted", { mapStateStartedEventDetails: { length: 0 } });
    run.record(frame, "MapRunStarted", { mapRunStartedEventDetails: { mapRunArn: mapRun.arn } });
    run.save(frame);
    return mapRun;
  });
}

/** The machine's role has to allow starting the machine itself: that is what a child is, in IAM's eyes. */
function mayStartChildren({ engine, run }: Step, machine: string): void {
  const resource = machine.split("/")[0] as string;
  try {
    engine.authorise(run.caller, "StartExecution", [{ action: "states:StartExecution", resource }]);
  } catch (error) {
    throw new StateFailure("States.Permissions", (error as Error).message);
  }
}

const labelOf = (name: string, { Label }: MapState): string =>
  Label ?? name.replace(/[\s?*<>{}[\]:;,\\|^~$#%&`"/]/g, "").slice(0, 40);

async function list(step: Step<MapState>, mapRun: MapRun, config: MapConfig): Promise<void> {
  const { store } = step.engine;
  // A crash in the middle of an earlier listing left some of them.
  store.deleteChildren(mapRun.id);
  let waiting: ChildInput[] = [];
  const write = () => {
    store.transaction(() => {
      for (const child of waiting) addChild(step, mapRun, config, child);
    });
    waiting = [];
  };
  for await (const child of childInputs(step, config)) {
    step.scope.check();
    waiting.push(child);
    if (waiting.length < childrenPerCommit) continue;
    write();
    await nextTurn();
  }
  step.scope.check();
  store.transaction(() => {
    write();
    store.updateMapRun(mapRun.id, { listed: 1 });
  });
}

function addChild({ engine, run }: Step, mapRun: MapRun, config: MapConfig, { input, items }: ChildInput): void {
  const name = randomUUID();
  const label = mapRun.arn.split(":")[6]?.split("/").at(-1);
  const machine = `${run.execution.machine}/${label}`;
  engine.store.addExecution({
    arn: executionArn(machine, name, config.executionType === "EXPRESS" ? randomUUID() : undefined),
    name,
    machine,
    type: config.executionType,
    definition: config.definition,
    roleArn: run.execution.roleArn,
    mapRun: mapRun.id,
    items,
    status: "PENDING",
    input,
    output: null,
    error: null,
    cause: null,
    startedAt: null,
    stoppedAt: null,
    owner: null,
    ownerPath: null,
  });
}

/** Runs what is not finished yet. @returns whether the failures stayed within what is tolerated */
async function runChildren(step: Step<MapState>, mapRun: MapRun, config: MapConfig): Promise<boolean> {
  const scope = step.scope.child();
  const tally = new Tally(step, mapRun, config);
  const children = unfinished(step, mapRun);
  const work = async () => {
    while (!scope.cancelled && tally.tolerable) {
      await nextTurn();
      const child = scope.cancelled ? undefined : children.next().value;
      if (!child) return;
      const status = await execute(step.engine, started(step, child), scope);
      if (!scope.cancelled) tally.add(status, child.items);
    }
    scope.cancel();
  };
  const wanted = Math.min(config.maxConcurrency || concurrencyMax, concurrencyMax);
  try {
    await Promise.all(Array.from({ length: Math.min(wanted, tally.unfinished) }, work));
  } finally {
    scope.cancel();
  }
  step.scope.check();
  return tally.tolerable;
}

/** Those that a restart interrupted first, then the pending ones. */
function* unfinished({ engine }: Step, mapRun: MapRun): Generator<Execution> {
  yield* engine.store.children(mapRun.id, "RUNNING");
  yield* engine.store.children(mapRun.id, "PENDING");
}

function started({ engine }: Step, child: Execution): Execution {
  if (child.status !== "PENDING") return child;
  const changes = { status: "RUNNING" as const, startedAt: child.startedAt ?? engine.clock.now() };
  engine.store.updateExecution(child.id, changes);
  return { ...child, ...changes };
}

/** Counts failed items against the thresholds. Without any, none may fail; with both, either one ends the run. */
class Tally {
  readonly unfinished: number;
  readonly #config: MapConfig;
  #items = 0;
  #failed = 0;

  constructor({ engine }: Step, mapRun: MapRun, config: MapConfig) {
    this.#config = config;
    let unfinished = 0;
    for (const { status, executions, items } of engine.store.countChildren(mapRun.id)) {
      this.#items += items;
      if (status === "PENDING" || status === "RUNNING") unfinished += executions;
      else this.add(status, items);
    }
    this.unfinished = unfinished;
  }

  add(status: Status, items: number): void {
    if (status !== "SUCCEEDED") this.#failed += items;
  }

  get tolerable(): boolean {
    const { toleratedFailureCount: count, toleratedFailurePercentage: percentage } = this.#config;
    if (count === null && percentage === null) return this.#failed === 0;
    if (count !== null && this.#failed > count) return false;
    return percentage === null || this.#failed * 100 <= percentage * this.#items;
  }
}
