import { Cancelled } from "./cancellation.ts";
import type { Definition, MapState, ParallelState } from "./definition.ts";
import { abortWithin } from "./engine.ts";
import { type JsonText, StateFailure, withinLimit } from "./failure.ts";
import { enter, newFrame } from "./frames.ts";
import { runFrame } from "./interpreter.ts";
import { itemsOf, mapContext } from "./items.ts";
import type { Frame } from "./records.ts";
import type { Step } from "./run.ts";
import { count } from "./values.ts";

/** Step Functions runs at most 40 iterations of an inline Map at once. */
const inlineConcurrencyMax = 40;

/** @returns the outputs of all branches, as an array in their order */
export async function runParallel(step: Step<ParallelState>): Promise<JsonText> {
  const { Branches, Arguments } = step.state;
  const frames = begin(step, "ParallelStateStarted", undefined, () => {
    const input = withinLimit(step.evaluate({ Arguments }).Arguments ?? step.frame.input, "arguments of the branches");
    return Branches.map((branch, index) => newFrame(step.run, childPath(step, index), branch.StartAt, input, null));
  });
  const group = { definition: (index: number) => Branches[index] as Definition, concurrency: frames.length };
  return finish(step, "Parallel", () => runGroup(step, frames, group), frames);
}

/** @returns the outputs of all iterations, as an array in the order of the items */
export async function runInlineMap(step: Step<MapState>): Promise<JsonText> {
  const { ItemProcessor, ItemSelector, MaxConcurrency } = step.state;
  const frames = begin(step, "MapStateStarted", "length", () => {
    const items = [...itemsOf(step)];
    const each = items.map((item, index) => ({ map: mapContext(index, item) }));
    const selected =
      ItemSelector === undefined
        ? items.map((item) => JSON.stringify(item.value))
        : step.evaluateEach({ ItemSelector }, each).map((fields) => fields.ItemSelector);
    return selected.map((input, index) =>
      newFrame(
        step.run,
        childPath(step, index),
        ItemProcessor.StartAt,
        withinLimit(input, "input of an iteration"),
        (each[index] as { map: JsonText }).map,
      ),
    );
  });
  const wanted = step.evaluate({ MaxConcurrency }).MaxConcurrency;
  const concurrency = wanted === undefined ? 0 : count("MaxConcurrency", wanted);
  const group = {
    definition: () => ItemProcessor,
    concurrency: Math.min(concurrency || inlineConcurrencyMax, inlineConcurrencyMax),
  };
  return finish(step, "Map", () => runGroup(step, frames, group), frames);
}

const childPath = (step: Step, index: number): string => `${step.frame.path}/${index}`;

/** The frames of the group: made once and stored together, so that a restart finds the same inputs. */
function begin(step: Step, event: string, length: "length" | undefined, make: () => Frame[]): Frame[] {
  const { run, frame, engine } = step;
  const { branches } = frame.progress;
  if (branches !== undefined) {
    return Array.from(
      { length: branches },
      (_, index) => engine.store.frame(run.execution.id, childPath(step, index)) as Frame,
    );
  }
  const frames = make();
  run.commit(() => {
    frame.progress.branches = frames.length;
    run.record(frame, event, length && { mapStateStartedEventDetails: { length: frames.length } });
    run.save(frame);
    for (const child of frames) run.save(child);
  });
  return frames;
}

interface Group {
  readonly definition: (index: number) => Definition;
  readonly concurrency: number;
}

/** Runs the frames, some at a time; the first failure stops the others and is the group's. */
async function runGroup(step: Step, frames: readonly Frame[], group: Group): Promise<void> {
  const scope = step.scope.child();
  const outer = [...step.outer, step.frame.variables];
  const failures: unknown[] = [];
  let next = 0;
  const work = async () => {
    for (let index = next++; index < frames.length && !scope.cancelled; index = next++) {
      const frame = frames[index] as Frame;
      if (frame.output !== null) continue;
      try {
        if (frame.lastEvent === 0) start(step, group.definition(index), frame, index);
        await runFrame(step.run, group.definition(index), frame, outer, scope);
        noteIteration(step, frame, index, "Succeeded");
      } catch (error) {
        failures.push(error);
        scope.cancel();
        if (!(error instanceof Cancelled)) noteIteration(step, frame, index, "Failed");
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(group.concurrency, frames.length) }, work));
  scope.cancel();
  step.scope.check();
  const failure = failures.find((error) => !(error instanceof Cancelled));
  if (failure === undefined) return;
  abortWithin(step.engine, step.run.execution.id, step.frame.path);
  throw failure;
}

function start(step: Step, definition: Definition, frame: Frame, index: number): void {
  step.run.commit(() => {
    frame.lastEvent = step.frame.lastEvent;
    frame.enteredAt = step.engine.clock.now();
    if (step.state.Type === "Map")
      step.run.record(frame, "MapIterationStarted", iterationDetails("Started", step, index));
    enter(step.run, definition, frame);
  });
}

function noteIteration(step: Step, frame: Frame, index: number, what: "Succeeded" | "Failed"): void {
  if (step.state.Type !== "Map") return;
  step.run.commit(() => {
    step.run.record(frame, `MapIteration${what}`, iterationDetails(what, step, index));
    step.run.save(frame);
  });
}

const iterationDetails = (what: string, step: Step, index: number) => ({
  [`mapIteration${what}EventDetails`]: { name: step.frame.state, index },
});

async function finish(step: Step, type: "Parallel" | "Map", work: () => Promise<void>, frames: readonly Frame[]) {
  try {
    await work();
    const result = withinLimit(
      `[${frames.map(({ output }) => output).join()}]`,
      `result of state '${step.frame.state}'`,
    );
    step.note(`${type}StateSucceeded`);
    return result;
  } catch (error) {
    if (error instanceof StateFailure) step.note(`${type}StateFailed`);
    throw error;
  }
}
