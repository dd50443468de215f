import type { Run } from "../run.ts";
import { cleaned, type Value } from "../value.ts";

/**
 * A value as it lies in a record under a key that was looked up: `update[key] = body[key]`. Where nobody who sends the record chooses the key,
 * or it was found in a list of those that are allowed, it is one of the fields that may be set.
 */
export function underGivenKey(run: Run, isMap: boolean, key: Value | null, value: Value): Value {
  if (!key || value.taint.length === 0 || !(isMap || isText(key))) return value;
  const families = run.catalogue.bitsOf(["mass_assignment"]);
  return key.taint.every(({ clean }) => (clean & families) === families) ? cleaned(value, families) : value;
}

/** The place in a list says nothing of what is put there. */
const isText = ({ constants }: Value): boolean => constants?.every((each) => typeof each === "string") === true;
