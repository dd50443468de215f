import type { Definition, State } from "./definition.ts";
import type { JsonText } from "./failure.ts";
import type { Frame } from "./records.ts";
import type { Run } from "./run.ts";

/** A frame that has not started yet. */
export function newFrame(run: Run, path: string, state: string, input: JsonText, map: JsonText | null): Frame {
  const enteredAt = run.engine.clock.now();
  return { path, state, input, variables: "{}", enteredAt, progress: {}, lastEvent: 0, map, output: null };
}

/** Records that the frame is in its state now, and saves it. Only within a commit. */
export function enter(run: Run, definition: Definition, frame: Frame): void {
  const type = (definition.States[frame.state] as State).Type;
  const stateEnteredEventDetails = { name: frame.state, input: frame.input, inputDetails: { truncated: false } };
  run.record(frame, `${type}StateEntered`, { stateEnteredEventDetails });
  run.save(frame);
}
