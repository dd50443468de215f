import type { Call } from "../../ir/ir.ts";
import type { Run } from "../run.ts";
import { constant, nothing, type Value } from "../value.ts";

/**
 * `shlex.split(f"git diff {name}")`, `f"git diff {name}".split()` and, of JavaScript, `.split(" ")`: a list whose first words are written out, and what was put in behind them.
 * That may be several words; which, nobody knows.
 */
export function splitWords(
  { language }: Run,
  { callee, args }: Call,
  receiver: Value | null,
  given: Value | undefined,
): Value["slots"] {
  if (callee.kind !== "field" || callee.name !== "split") return null;
  if (language !== "python" && !(language === "javascript" && isBlank(given))) return null;
  const isText = language === "javascript" || args.length === 0;
  const text = isText ? receiver : callee.of.kind === "variable" && callee.of.name === "shlex" ? given : undefined;
  const isKnown = text?.constants?.length === 1 && text.taint.length === 0;
  if (!text?.prefix || (text.taint.length === 0 && !isKnown)) return null;
  const [known = ""] = text.prefix.split(unknownPart, 1);
  const written = isKnown ? known : known.slice(0, known.lastIndexOf(" ") + 1);
  if (written.length > writtenMax || (!isText && quoting.test(written))) return null;
  const words = written.split(" ").filter((word) => word !== "");
  if (words.length === 0) return null;
  const put = { ...nothing, taint: text.taint };
  const all = [...words.map((word) => constant(word)), ...(isKnown ? [] : [put])];
  const entries = new Map(all.map((word, place) => [String(place), word]));
  return isKnown ? { shape: "list", entries, rest: null } : { shape: "list", entries, rest: put, behind: true };
}

/** Other separators divide texts that are no commands. */
const isBlank = (separator: Value | undefined): boolean => separator?.constants?.every((text) => text === " ") === true;

/** Where something stands in the beginning of a text that is not known. */
const unknownPart = /[\x00\x01\x02]/;
/** What quotes hold together is one word, and may go on behind what is known. */
const quoting = /["'\\]/;
/** UTF-16 units; longer commands have few words that matter at their end. */
const writtenMax = 200;
