import { anyElement, boundSlots, elementAt, join, nothing, type Slots, slotsMax, type Value } from "./value.ts";

interface Part {
  readonly key: Value | null;
  readonly value: Value;
  readonly spread: boolean;
}

/** A list or map literal. Without keys, positions count. */
export function collect(shape: "list" | "map", parts: readonly Part[]): Value {
  const slots = shape === "list" ? listOf(parts) : mapOf(parts);
  return { ...nothing, slots: boundSlots({ ...slots, behind: true }) };
}

function listOf(parts: readonly Part[]): Slots {
  const known = new Map<string, Value>();
  let rest: Value | null = null;
  // `[*command, name]`: how much comes first is not known, but what is first is of that.
  const [first] = parts;
  const isBegun = parts.length > 1 && first?.spread === true && (!first.value.slots || first.value.taint.length > 0);
  if (isBegun) known.set("0", anyElement(first.value));
  for (const { key, value, spread } of parts) {
    if (spread) {
      const isKnown = value.slots && value.taint.length === 0 && rest === null;
      if (isKnown && value.slots && (!value.slots.rest || value.slots.behind)) {
        for (const each of value.slots.entries.values()) known.set(String(known.size), each);
        rest = value.slots.rest;
      } else rest = rest ? join(rest, anyElement(value)) : anyElement(value);
    } else if (key === null && rest) rest = join(rest, value);
    else if (key === null) known.set(String(known.size), value);
    else if (key.constants?.length === 1) known.set(String(key.constants[0]), value);
    else rest = rest ? join(rest, value) : value;
  }
  return { shape: "list", entries: known, rest, ...(isBegun && { least: 0 }) };
}

/** Later keys win: `{ ...input, safe: true }` is safe, and `{ safe: true, ...input }` may be anything. */
function mapOf(parts: readonly Part[]): Slots {
  const known = new Map<string, Value>();
  let rest: Value | null = null;
  const add = (any: Value) => {
    // The keys of more are going to be forgotten, and then each may be any.
    if (known.size <= slotsMax) for (const [key, value] of known) known.set(key, join(value, any));
    rest = rest ? join(rest, any) : any;
  };
  for (const { key, value, spread } of parts) {
    if (spread && value.slots && value.taint.length === 0) {
      if (value.slots.rest) add(value.slots.rest);
      for (const name of value.slots.entries.keys()) known.set(name, elementAt(value, name) ?? nothing);
    } else if (spread) add(anyElement(value));
    else if (key?.constants?.length === 1) known.set(String(key.constants[0]), value);
    else if (key && isOneOf(key))
      for (const each of key.constants ?? []) known.set(String(each), join(known.get(String(each)) ?? value, value));
    else add(value);
  }
  return { shape: "map", entries: known, rest };
}

/** Whether a key is known to be one of a few, as where a map is made of another one. */
const isOneOf = ({ constants, taint }: Value): boolean =>
  constants !== null && constants.length > 1 && taint.length === 0;
