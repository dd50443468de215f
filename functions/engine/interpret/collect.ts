import { anyElement, boundSlots, join, nothing, type Value } from "./value.ts";

/** A list or map literal. Without keys, positions count. */
export function collect(
  shape: "list" | "map",
  entries: readonly { key: Value | null; value: Value; spread: boolean }[],
): Value {
  const known = new Map<string, Value>();
  let rest: Value | null = null;
  for (const { key, value, spread } of entries) {
    if (spread) {
      const isKnown = value.slots && value.taint.length === 0 && rest === null;
      if (isKnown && value.slots && (!value.slots.rest || (shape === "list" && value.slots.behind))) {
        for (const [k, v] of value.slots.entries) known.set(shape === "list" ? String(known.size) : k, v);
        rest = value.slots.rest;
      } else rest = rest ? join(rest, anyElement(value)) : anyElement(value);
    } else if (shape === "list" && key === null && rest) rest = join(rest, value);
    else if (shape === "list" && key === null) known.set(String(known.size), value);
    else if (key?.constants?.length === 1) known.set(String(key.constants[0]), value);
    else if (shape === "map" && key && isOneOf(key))
      for (const each of key.constants ?? []) known.set(String(each), join(known.get(String(each)) ?? value, value));
    else rest = rest ? join(rest, value) : value;
  }
  return { ...nothing, slots: boundSlots({ shape, entries: known, rest, behind: shape === "list" }) };
}

/** Whether a key is known to be one of a few, as where a map is made of another one. */
const isOneOf = ({ constants, taint }: Value): boolean =>
  constants !== null && constants.length > 1 && taint.length === 0;
