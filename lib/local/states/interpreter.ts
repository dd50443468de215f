import { runInlineMap, runParallel } from "./branches.ts";
import type { Cancellation } from "./cancellation.ts";
import { Cancelled } from "./cancellation.ts";
import { nextTurn } from "./clock.ts";
import { withDeadline } from "./deadline.ts";
import {
  type Catcher,
  type ChoiceState,
  type Definition,
  type FailState,
  isDistributed,
  type State,
  type WaitState,
} from "./definition.ts";
import { runDistributedMap } from "./distributed-map.ts";
import { conclude, type Engine } from "./engine.ts";
import {
  handles,
  type JsonText,
  payloadBytesMax,
  type Retrier,
  retryDelay,
  StateFailure,
  withinLimit,
} from "./failure.ts";
import { enter, newFrame } from "./frames.ts";
import type { Execution, Frame, Status } from "./records.ts";
import { Run, Step } from "./run.ts";
import { runTask } from "./task.ts";
import { notOfType, seconds, timestamp } from "./values.ts";

/** Where a state leads: `next` is null at the end of its scope. */
interface Transition {
  readonly output: JsonText;
  readonly assigned: JsonText | undefined;
  readonly next: string | null;
}

/** An Express execution, alone or as a child of a Map Run, ends after five minutes. */
const expressMillisecondsMax = 5 * 60 * 1000;

/**
 * Runs an execution from where it stands to its end; it never rejects.
 * @returns its final status, or RUNNING when this process gave it up before
 */
export function execute(engine: Engine, execution: Execution, within?: Cancellation): Promise<Status> {
  const ended = runToEnd(engine, execution, within)
    .catch((error): Status => {
      console.error(`embedded cloud: ${execution.arn} could not be ended, it goes on after a restart:`, error);
      return "RUNNING";
    })
    .finally(() => engine.active.delete(ended));
  engine.active.add(ended);
  return ended;
}

async function runToEnd(engine: Engine, execution: Execution, within?: Cancellation): Promise<Status> {
  const run = new Run(engine, execution);
  engine.running.set(execution.id, run.cancellation);
  const forget = within?.onCancel(() => run.cancellation.cancel());
  try {
    const output = await withDeadline(engine.clock, run.cancellation, {
      deadline: deadlineOf(run),
      late: () => new ExecutionTimedOut(),
      work: (scope) => runFrame(run, run.definition, rootFrame(run), [], scope),
    });
    conclude(engine, execution.id, "SUCCEEDED", { output });
  } catch (error) {
    if (error instanceof ExecutionTimedOut) conclude(engine, execution.id, "TIMED_OUT", { error: "States.Timeout" });
    else if (!(error instanceof Cancelled)) fail(engine, execution.id, error);
  } finally {
    forget?.();
    run.cancellation.cancel();
    if (engine.running.get(execution.id) === run.cancellation) engine.running.delete(execution.id);
  }
  return engine.store.execution(execution.id)?.status ?? "ABORTED";
}

class ExecutionTimedOut extends Error {}

function fail(engine: Engine, id: number, error: unknown): void {
  const { error: name, cause } = failureOf(error);
  conclude(engine, id, "FAILED", { error: name, cause });
}

/** An error that is no StateFailure is a defect of ours or a full disk; the execution must not hang for it. */
function failureOf(error: unknown): StateFailure {
  if (error instanceof StateFailure) return error;
  console.error("embedded cloud: an execution failed unexpectedly:", error);
  return new StateFailure("States.Runtime", error instanceof Error ? error.message : String(error));
}

function deadlineOf({ execution, definition }: Run): number | undefined {
  const limits = [
    ...(execution.type === "EXPRESS" ? [expressMillisecondsMax] : []),
    ...(definition.TimeoutSeconds === undefined ? [] : [definition.TimeoutSeconds * 1000]),
  ];
  if (limits.length === 0) return undefined;
  return ((execution.redrivenAt ?? execution.startedAt) as number) + Math.min(...limits);
}

function rootFrame(run: Run): Frame {
  const { engine, execution, definition } = run;
  const saved = engine.store.frame(execution.id, "");
  if (saved) return saved;
  const frame = newFrame(run, "", definition.StartAt, execution.input, null);
  run.commit(() => {
    const input = { input: execution.input, inputDetails: { truncated: false }, roleArn: execution.roleArn };
    run.record(frame, "ExecutionStarted", { executionStartedEventDetails: input });
    enter(run, definition, frame);
  });
  return frame;
}

/**
 * Runs the states of one scope from where the frame stands.
 * @returns the output of the scope
 * @throws StateFailure that no Catch of this scope handled, Cancelled
 */
export async function runFrame(
  run: Run,
  definition: Definition,
  frame: Frame,
  outer: readonly JsonText[],
  scope: Cancellation,
): Promise<JsonText> {
  while (frame.output === null) {
    await nextTurn();
    scope.check();
    const step = new Step(run, definition.States[frame.state] as State, frame, outer, scope);
    try {
      if (frame.progress.retryAt !== undefined) await run.engine.clock.until(frame.progress.retryAt, scope);
      const transition = await perform(step);
      scope.check();
      leave(step, definition, transition);
    } catch (error) {
      if (error instanceof Cancelled) throw error;
      recover(step, definition, failureOf(error));
    }
  }
  return frame.output;
}

async function perform(step: Step): Promise<Transition> {
  const { state } = step;
  switch (state.Type) {
    case "Pass":
      return flow(step, state);
    case "Succeed":
      return flow(step, { ...state, End: true });
    case "Fail":
      throw failState(step as Step<FailState>);
    case "Choice":
      return choose(step as Step<ChoiceState>);
    case "Wait":
      await wait(step as Step<WaitState>);
      return flow(step, state);
    case "Task":
      return flow(step, state, await runTask(step as Step<typeof state>));
    case "Parallel":
      return flow(step, state, await runParallel(step as Step<typeof state>));
    case "Map": {
      const map = step as Step<typeof state>;
      return flow(step, state, await (isDistributed(state) ? runDistributedMap(map) : runInlineMap(map)));
    }
  }
}

interface Exit {
  readonly Output?: unknown;
  readonly Assign?: Record<string, unknown> | undefined;
  readonly Next?: string | undefined;
}

/** Leaves by Next or End, with Output (by default the result, or the input where there is none) and Assign. */
function flow(step: Step, exit: Exit & { End?: boolean | undefined }, result?: JsonText): Transition {
  const { Output, Assign } = step.evaluate({ Output: exit.Output, Assign: exit.Assign }, { result });
  const output = withinLimit(Output ?? result ?? step.frame.input, `output of state '${step.frame.state}'`);
  return { output, assigned: Assign, next: exit.Next ?? null };
}

function failState(step: Step<FailState>): StateFailure {
  const { Error: error, Cause: cause } = step.evaluate({ Error: step.state.Error, Cause: step.state.Cause });
  const text = (json: JsonText | undefined, field: string): string => {
    const value = json === undefined ? "" : JSON.parse(json);
    if (typeof value !== "string") throw notOfType(field, "a string", json as JsonText);
    return value;
  };
  return new StateFailure(text(error, "Error"), text(cause, "Cause"));
}

function choose(step: Step<ChoiceState>): Transition {
  for (const choice of step.state.Choices) {
    const { Condition } = step.evaluate({ Condition: choice.Condition });
    if (Condition === "true") return flow(step, choice);
    if (Condition !== "false") throw notOfType("Condition", "a boolean", Condition);
  }
  if (step.state.Default !== undefined) return flow(step, { ...step.state, Next: step.state.Default });
  throw new StateFailure(
    "States.NoChoiceMatched",
    `No choice of state '${step.frame.state}' matched and it has no Default.`,
  );
}

async function wait(step: Step<WaitState>): Promise<void> {
  const { frame, state } = step;
  if (frame.progress.waitUntil === undefined) {
    const { Seconds, Timestamp } = step.evaluate({ Seconds: state.Seconds, Timestamp: state.Timestamp });
    const until =
      Seconds === undefined
        ? timestamp("Timestamp", Timestamp)
        : step.engine.clock.now() + seconds("Seconds", Seconds) * 1000;
    frame.progress.waitUntil = until;
    step.run.commit(() => step.run.save(frame));
  }
  await step.engine.clock.until(frame.progress.waitUntil, step.scope);
}

/** Variables of one execution may take 10 MiB together, each no more than a payload. */
function assign(variables: JsonText, assigned: JsonText | undefined): JsonText {
  if (assigned === undefined) return variables;
  const values = JSON.parse(assigned) as Record<string, unknown>;
  for (const [name, value] of Object.entries(values)) withinLimit(JSON.stringify(value), `variable '${name}'`);
  const all = JSON.stringify({ ...JSON.parse(variables), ...values });
  if (Buffer.byteLength(all) > 40 * payloadBytesMax) {
    throw new StateFailure("States.DataLimitExceeded", "The variables together are larger than 10 MiB.");
  }
  return all;
}

function leave(step: Step, definition: Definition, transition: Transition): void {
  const { run, frame, state } = step;
  const { output, assigned, next } = transition;
  const variables = assign(frame.variables, assigned);
  run.commit(() => {
    const details = { name: frame.state, output, outputDetails: { truncated: false } };
    const assignments = assigned === undefined ? {} : { assignedVariables: textByName(assigned) };
    run.record(frame, `${state.Type}StateExited`, { stateExitedEventDetails: { ...details, ...assignments } });
    run.engine.store.clearState(run.execution.id, frame.path);
    frame.variables = variables;
    if (next === null) {
      frame.output = output;
      run.save(frame);
      return;
    }
    Object.assign(frame, { state: next, input: output, progress: {}, enteredAt: run.engine.clock.now() });
    enter(run, definition, frame);
  });
}

const textByName = (assigned: JsonText): Record<string, JsonText> =>
  Object.fromEntries(Object.entries(JSON.parse(assigned)).map(([name, value]) => [name, JSON.stringify(value)]));

/** Retries or catches; both leave the frame where it goes on. @throws the failure when nothing handles it */
function recover(step: Step, definition: Definition, failure: StateFailure): void {
  const { frame, state } = step;
  if (failure.error === "States.QueryEvaluationError") noteEvaluationFailure(step, failure);
  const { Retry = [], Catch = [] } = state as { Retry?: Retrier[]; Catch?: Catcher[] };
  const index = Retry.findIndex(({ ErrorEquals }) => handles(ErrorEquals, failure.error));
  const retrier = Retry[index];
  const used = frame.progress.retries?.[index] ?? 0;
  if (retrier && used < (retrier.MaxAttempts ?? 3)) {
    retry(step, retrier, index, used);
    return;
  }
  const catcher = Catch.find(({ ErrorEquals }) => handles(ErrorEquals, failure.error));
  if (!catcher) throw failure;
  const errorOutput = failure.output;
  const { Output, Assign } = step.evaluate({ Output: catcher.Output, Assign: catcher.Assign }, { errorOutput });
  const output = withinLimit(Output ?? errorOutput, `output of state '${frame.state}'`);
  leave(step, definition, { output, assigned: Assign, next: catcher.Next });
}

function retry({ run, frame }: Step, retrier: Retrier, index: number, used: number): void {
  const retries = [...(frame.progress.retries ?? [])];
  retries[index] = used + 1;
  const retryAt = run.engine.clock.now() + retryDelay(retrier, used, run.engine.random);
  frame.progress = { retries: Array.from(retries, (count) => count ?? 0), retryAt };
  run.commit(() => {
    run.engine.store.clearState(run.execution.id, frame.path);
    run.save(frame);
  });
}

function noteEvaluationFailure(step: Step, { error, cause }: StateFailure): void {
  step.note("EvaluationFailed", { error, cause, state: step.frame.state });
}
