import type { Assign } from "../../ir/ir.ts";
import type { Frame, Run } from "../run.ts";
import type { Value } from "../value.ts";
import { noteHeld } from "./held.ts";
import { isNative } from "./memory-faults.ts";
import { keepShown } from "./object-ends.ts";
import { noteUnchecked } from "./unchecked.ts";
import { noteUnset } from "./unset.ts";
import { noteWritten } from "./written-lengths.ts";

/** What an assignment of C tells about the variable: set or not, what it holds, what is to be asked about it. */
export function noteAssigned(run: Run, frame: Frame, assign: Assign, value: Value): void {
  if (!isNative(run)) return;
  noteUnset(run, frame, assign);
  noteHeld(run, frame, assign);
  noteUnchecked(run, frame, assign, value);
  noteWritten(run, frame, assign);
  keepShown(run, frame, assign);
}
