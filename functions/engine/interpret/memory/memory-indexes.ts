import type { Expression, Loop } from "../../ir/ir.ts";
import type { Frame, Run } from "../run.ts";
import type { Value } from "../value.ts";
import { endText } from "./memory-ends.ts";
import {
  fault,
  isAddress,
  isHeld,
  isInput,
  isMeasured,
  isNative,
  isNumberInput,
  limitOf,
  number,
} from "./memory-faults.ts";
import {
  forgetGrowing,
  forgetRounds,
  isGrowing,
  isPastEnd,
  lastRound,
  noteGrowing,
  noteRounds,
} from "./memory-sizes.ts";
import { eraseWithin } from "./object-ends.ts";

/** An element that is assigned. */
export function indexSet(
  run: Run,
  frame: Frame,
  at: Expression,
  of: Value,
  key: Value | null,
  written: Expression,
): void {
  indexOf(run, frame, at, of, key, written);
  endText(frame, of);
}

/** An element outside of its array, for certain or because input says which. */
export function indexOf(
  run: Run,
  frame: Frame,
  at: Expression,
  of: Value,
  key: Value | null,
  written: Expression,
): void {
  if (!isNative(run) || !of.region || !key || isMeasured(run, at)) return;
  const isAddressOf = isAddress(run, at);
  if (!isAddressOf && isPastEnd(run, frame, of.region, key, written, at.start)) {
    fault(run, frame, "<index-beyond>", at);
    return;
  }
  const { count } = of.region;
  if (count === null) return;
  if (isGrowing(frame, written)) {
    fault(run, frame, "<index-unbounded>", at);
    // One of all that is stored under the same index.
    forgetGrowing(frame);
    return;
  }
  const known = number(key);
  // Of a block that was made by its bytes nobody says how many elements it has.
  const isCounted = of.region.kind !== "heap" || (of.region.element ?? 1) > 1;
  if (isCounted && limitOf(frame, written) === count) {
    fault(run, frame, "<index-beyond>", at);
    return;
  }
  // Variables begin below zero where they stand for nothing yet.
  const spelled = written.kind === "literal" || (written.kind === "operation" && written.operands.length === 1);
  const counted = known !== null && known < 0 && !spelled ? null : (known ?? lastRound(frame, written));
  if (counted !== null && isCounted && (counted >= count || counted < 0)) {
    // One past the end may be meant as an address.
    if (counted === count && isAddressOf) return;
    fault(run, frame, "<index-beyond>", at);
    return;
  }
  if (known !== null || isHeld(run, frame, written, key) || (count > 255 && isByteField(run, written))) return;
  // A letter of a text is an index into tables that have an element for each.
  if (isNumberInput(run, key) || (written.kind === "field" && isInput(key))) fault(run, frame, "<index-by-input>", at);
}

/** A field that is declared as a byte in this file, whatever it is given. */
const isByteField = (run: Run, e: Expression): boolean =>
  e.kind === "field" &&
  new RegExp(`\\b(unsigned char|u_char|uint8_t|u8|BYTE)\\s[\\w\\s,]{0,80}\\b${e.name}\\s*[;,]`).test(
    run.stretch(0, run.text.length),
  );

/** What a loop tells of the indexes in its body. */
export function beginRound(run: Run, frame: Frame, loop: Loop): void {
  if (!isNative(run)) return;
  noteRounds(run, frame, loop);
  noteGrowing(run, frame, loop);
  eraseWithin(run, frame, loop);
}

/** Forgets it behind the body. */
export function endRound(run: Run, frame: Frame, loop: Loop): void {
  if (!isNative(run)) return;
  forgetRounds(frame, loop);
  forgetGrowing(frame);
}
