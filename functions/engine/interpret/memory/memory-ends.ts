import type { Call, Expression } from "../../ir/ir.ts";
import type { Frame, Run } from "../run.ts";
import { literally } from "../texts/literally.ts";
import { constant, type Region, type Value } from "../value.ts";
import { copyOf, formatOf } from "./memory-calls.ts";
import { measureOf } from "./memory-sizes.ts";

/** Texts of C end with a zero; what only copies bytes does not write one. */
const openFact = ({ id }: Region) => `@open:${id}`;

const reads = new Set(["read", "recv", "recvfrom", "SSL_read", "BIO_read", "readlink", "fread"]);

/** Functions that go through a text until its end, beside those that format. */
const goesThrough =
  /^(str(len|cpy|cat|chr|rchr|str|casestr|tok|tok_r|sep|dup|cmp|casecmp|spn|cspn|pbrk)|f?puts|ato[ifl]l?|strto[a-z]+|sscanf|string|system|popen|fopen)$/;

/** Whether a call may fill a block to its last byte: as many as it has, and not less. */
function fills(run: Run, frame: Frame, call: Call, name: string, { measure }: Region): boolean {
  const copy = copyOf(name);
  const at = copy?.times !== undefined && copy.size !== undefined ? [copy.size, copy.times] : [copy?.size];
  const sizes = at.flatMap((i) => (i === undefined ? [] : (call.args[i]?.value ?? [])));
  return (
    measure !== null &&
    sizes.some((size) => {
      const most = measureOf(run, frame, size);
      return most === measure || Number(most) >= Number(measure);
    })
  );
}

/** Whether a text that was read to the last byte of its room is used before anything has ended it. */
export function usesOpenText(run: Run, frame: Frame, call: Call, name: string, args: readonly Value[]): boolean {
  const to = copyOf(name)?.to;
  const region = to === undefined ? null : args[to]?.region;
  if (region && to !== undefined) {
    // One past the beginning, the last byte may still be a zero that was there before.
    if (reads.has(name) && fills(run, frame, call, name, region)) frame.scope.set(openFact(region), constant(true));
    else if (!/^str(n?cat|tok)/.test(name)) frame.scope.variables?.delete(openFact(region));
  }
  const texts = goesThrough.test(name) && call.args.length < 4 ? args.keys() : (formatOf(name, args)?.texts ?? []);
  for (const i of texts) {
    const used = args[i]?.region;
    // A text object can be told how much to take.
    if (!used || !frame.scope.variables?.has(openFact(used)) || (name === "string" && args.length > 1)) continue;
    frame.scope.variables.delete(openFact(used));
    return true;
  }
  return false;
}

/** Something is written into a block; that may well be its end. */
export function endText({ scope }: Frame, { region }: Value): void {
  if (region) scope.variables?.delete(openFact(region));
}

/** Whether `strncpy` is given all of the room, or the length of the source, and nothing in the function writes the end. */
export function leavesOpen(
  run: Run,
  frame: Frame,
  call: Call,
  name: string,
  region: Region | null | undefined,
  to: Expression,
): boolean {
  const [, from, size] = call.args;
  if (name !== "strncpy" || !from || !size || !frame.fn) return false;
  const most = measureOf(run, frame, size.value);
  const isLengthOf = most === `<length of ${run.text.slice(from.value.start, from.value.end).replace(/\s+/g, "")}>`;
  if (!isLengthOf && !(region && fills(run, frame, call, name, region))) return false;
  const target = literally(run.text.slice(to.start, to.end));
  const body = run.stretch(frame.fn.start, frame.fn.end);
  return !new RegExp(
    `(${target}\\s*\\[[^\\n;=]*\\]|\\*\\s*\\(\\s*${target}\\b[^;=\\n]*\\))\\s*=[^=]|str(n?cat|lcat)\\s*\\(\\s*${target}\\b`,
  ).test(body);
}
