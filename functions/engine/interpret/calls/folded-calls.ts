import type { Call } from "../../ir/ir.ts";
import { concatenate, formatPrefix } from "../operators.ts";
import { textMethods } from "../texts/text-methods.ts";
import { constant, eitherText, isWritten, type Value } from "../value.ts";
import type { Called } from "./called.ts";

/** String methods on constants, as far as tests and names need them. */
export function foldedCall(call: Call, called: Called): Value["constants"] {
  const name = call.callee.kind === "field" ? call.callee.name : "";
  const isBytes = isBuffer(call);
  const of = isBytes ? called.positional[0]?.constants : called.receiver?.constants;
  if (!of?.every((c) => typeof c === "string")) return null;
  if (isBytes) return of;
  const args = called.positional.map((arg) => (arg.constants?.length === 1 ? arg.constants[0] : undefined));
  const fold = Object.hasOwn(textMethods, name) ? textMethods[name] : undefined;
  if (!fold || args.includes(undefined)) return null;
  const results = (of as string[]).map((text) => fold(text, args as (string | number | boolean | null)[]));
  return results.some((result) => result === undefined) ? null : (results as (string | number | boolean)[]);
}

/** `Buffer.from("text", "utf8")`: the bytes of a known text are as known as the text, in whatever way they are written. */
const isBuffer = ({ callee }: Call): boolean =>
  callee.kind === "field" && callee.name === "from" && callee.of.kind === "variable" && callee.of.name === "Buffer";

/** `"https://host/%s".format(x)`: the beginning of a format is the beginning of the result. */
export function prefixOf(folded: Value["constants"], call: Call, called: Called): string | null {
  if (folded?.length === 1 && typeof folded[0] === "string") return folded[0];
  const name = call.callee.kind === "field" ? call.callee.name : "";
  // The first of the words of a text.
  if (name === "split") return called.receiver?.prefix ?? called.positional[0]?.prefix ?? null;
  if (name === "join") return joinedPrefix(called);
  const begun = called.receiver?.prefix ?? null;
  if (trims.has(name)) return begun?.trimStart() || null;
  // What is replaced may be the beginning, which somebody has written all the same.
  if (replaces.has(name)) return begun !== null && isWritten(begun) ? eitherText : null;
  if (name !== "format" && name !== "concat" && name !== "formatted") return null;
  if (name === "concat") return called.receiver?.prefix ?? null;
  const own = beginningOf(called.receiver);
  const [first, ...rest] = called.positional;
  if (own !== null) return formatPrefix(own, called.positional);
  const given = beginningOf(first);
  return given === null ? null : formatPrefix(given, rest);
}

/** What a format is known to say: all of it, or what stands in front of a constant of another file. */
function beginningOf(format: Value | null | undefined): string | null {
  const text = format?.constants?.[0];
  return typeof text === "string" ? text : (format?.prefix ?? null);
}

const trims: ReadonlySet<string> = new Set(["trim", "trimEnd", "trimRight", "strip", "rstrip"]);
const replaces: ReadonlySet<string> = new Set(["replace", "replaceAll"]);

/** `"?".join([base, query])`, `[base, query].join("?")`: what a list of parts becomes begins with the first of them. */
function joinedPrefix({ receiver, positional: [given] }: Called): string | null {
  const [list, between] = receiver?.slots ? [receiver, given ?? constant(",")] : [given, receiver];
  if (list?.slots?.shape !== "list" || list.slots.rest || !between) return null;
  const parts = [...list.slots.entries.values()].slice(0, partsMax);
  return concatenate(parts.flatMap((part, i) => (i === 0 ? [part] : [between, part]))).prefix;
}

/** A beginning is known after a few parts, or not at all. */
const partsMax = 4;
