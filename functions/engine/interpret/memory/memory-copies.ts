import { functionName } from "../../ir/called-name.ts";
import type { Call, Expression } from "../../ir/ir.ts";
import { evaluate } from "../evaluate.ts";
import { accessPath } from "../names.ts";
import type { Frame, Run } from "../run.ts";
import { nothing, type Value } from "../value.ts";
import { type Copy, copyOf, formatOf, scannedBuffers } from "./memory-calls.ts";
import { leavesOpen } from "./memory-ends.ts";
import {
  capacityOf,
  fault,
  isAddress,
  isHeld,
  isInput,
  isParameter,
  type MemoryFault,
  number,
  product,
  wasAsked,
  wasLengthAsked,
} from "./memory-faults.ts";
import { exceeds, lacksEnd, lengthOf, measureOf, rootOf } from "./memory-sizes.ts";
import { isBeforeBlock } from "./pointers.ts";

/** Looks at what a call copies, formats or scans into a buffer. */
export function copying(run: Run, frame: Frame, call: Call, name: string, args: Value[]): void {
  const arg = (i: number | undefined) => (i === undefined ? undefined : args[i]);
  const written = (i: number | undefined) => (i === undefined ? undefined : call.args[i]?.value);
  const format = formatOf(name, args);
  if (format?.isBare && isBareFormat(written(format.at))) fault(run, frame, "<bare-format>", call, call.callee);
  for (const { at, width } of scannedBuffers(name, args)) {
    const room = capacityOf(arg(at) ?? nothing);
    if (width !== null && room !== null && width + 1 > room) fault(run, frame, "<overflow>", call, call.callee);
    if (width !== null) continue;
    if (name !== "sscanf") fault(run, frame, "<overflow-by-input>", call, call.callee);
    else if (!fits(arg(0), room)) fault(run, frame, whoseText(arg(0)), call, call.callee);
  }
  // `cin >> name` asks how large an array is only since C++20.
  if (name === ">>")
    for (const value of args)
      if (value.region?.element === 1 && capacityOf(value) !== null && !/\b(setw|width)\s*\(/.test(run.text))
        fault(run, frame, "<overflow-by-input>", call, call.callee);
  if (format && format.to !== undefined) {
    const room = capacityOf(arg(format.to) ?? nothing);
    if (room === null) return;
    if (format.least + 1 > room) fault(run, frame, "<overflow>", call, call.callee);
    else {
      let left = room - format.least;
      for (const i of format.texts) {
        unbounded(run, frame, call, left, arg(i), written(i));
        const held = arg(i)?.constants ? null : capacityOf(arg(i) ?? nothing);
        if (held !== null) left -= held - 1;
      }
    }
    return;
  }
  const copy = copyOf(name);
  if (!copy) return;
  const to = arg(copy.to) ?? nothing;
  const room = capacityOf(to);
  const source = arg(copy.from);
  if (isBeforeBlock(to)) fault(run, frame, "<overflow>", call, call.callee);
  else if (source && isBeforeBlock(source)) fault(run, frame, "<over-read>", call, call.callee);
  if (copy.size === undefined) {
    const from = written(copy.from);
    if (to.region && from && lacksEnd(run, frame, to.region, from)) fault(run, frame, "<overflow>", call, call.callee);
    else if (room !== null && source)
      unbounded(run, frame, call, roomLeft(run, frame, call, copy, room), source, written(copy.from));
    return;
  }
  bounded(run, frame, call, { ...copy, size: copy.size }, { to, room, source, args, written });
}

interface Copied {
  to: Value;
  room: number | null;
  source: Value | undefined;
  args: readonly Value[];
  written: (i: number | undefined) => Expression | undefined;
}

/** Copies as many bytes as a number says. */
function bounded(
  run: Run,
  frame: Frame,
  call: Call,
  copy: Copy & { size: number },
  { to, room, source, written, args }: Copied,
): void {
  const at = (kind: MemoryFault) => fault(run, frame, kind, call, call.callee);
  const size = written(copy.size);
  const sizes = [copy.size, ...(copy.times === undefined ? [] : [copy.times])];
  const values = sizes.map((i) => args[i]);
  const bytes = values.reduce<number | null>((all, value) => product(all, number(value)), copy.unit ?? 1);
  const own = written(copy.to);
  if (
    own &&
    leavesOpen(run, frame, call, functionName(call), to.region, own) &&
    source &&
    mayBeLonger(frame, source, bytes)
  )
    at("<left-open>");
  if (values[0]?.paths.includes(`<sizeof ${own ? accessPath(own) : null}>`) && own && !isAddress(run, own)) {
    at("<bound-of-pointer>");
    return;
  }
  if (own && size && isFieldByWhole(run, own, size)) {
    at("<overflow>");
    return;
  }
  if (to.region && size && sizes.length === 1 && exceeds(run, frame, to.region, size, call.end)) at("<overflow>");
  else if (room !== null && bytes !== null && (bytes > room || (copy.appends && bytes >= room))) at("<overflow>");
  else if (copy.from !== undefined && isWholeCopy(call) && bytes !== null && source && isShorter(source, bytes))
    at("<over-read>");
  else if (isWholeCopy(call) && room !== null && source && isShorter(source, room) && isLengthOf(run, frame, size, own))
    at("<over-read>");
  else if (room !== null && to.region?.kind !== "heap" && size && isLengthOf(run, frame, size, written(copy.from))) {
    // What is moved lies in the same block, further on: `memmove(line, p, strlen(p) + 1)`.
    const isMoved = functionName(call) === "memmove";
    const isAsked = isMoved || wasAsked(frame, "bounded", size) || wasLengthAsked(run, frame, written(copy.from));
    if (source && (isInput(source) || isParameter(frame, source)) && !isAsked) at("<bound-of-source>");
  } else if (
    room !== null &&
    bytes === null &&
    sizes.some((i) => {
      const [value, e] = [args[i], written(i)];
      return value && isInput(value) && !(e && isHeld(run, frame, e, value));
    })
  )
    at("<bound-by-input>");
}

/** `memcpy(p->name, text, sizeof(*p))`: the field is filled with as much as the whole record holds. */
function isFieldByWhole(run: Run, to: Expression, size: Expression): boolean {
  if (to.kind !== "field" || isAddress(run, to)) return false;
  const root = accessPath(to.of);
  return (
    root !== null &&
    new RegExp(`^sizeof\\s*\\(?\\s*\\*?\\s*${root}\\s*\\)?$`).test(run.text.slice(size.start, size.end))
  );
}

const isWholeCopy = (call: Call): boolean => /^mem(cpy|move)$/.test(functionName(call));

/** Whether a text may have no end within so many bytes. */
function mayBeLonger(frame: Frame, source: Value, bytes: number | null): boolean {
  if (source.constants) return false;
  const held = capacityOf(source);
  return held === null ? isInput(source) || isParameter(frame, source) : bytes === null || held > bytes;
}

function isShorter(source: Value, bytes: number): boolean {
  const room = capacityOf(source);
  if (room !== null) return bytes > room;
  const [only] = source.constants ?? [];
  return source.constants?.length === 1 && typeof only === "string" && bytes > only.length + 1;
}

/** UTF-16 units before what is appended in which the buffer has been emptied. */
const emptiedWithin = 4_000;

/** What is known to be empty has all of its room left for what is appended; of anything else one letter is taken. */
function roomLeft(run: Run, frame: Frame, call: Call, { to, appends }: Copy, room: number): number {
  const path = call.args[to] && accessPath(call.args[to].value);
  if (!appends || !path || !/^\w+$/.test(path)) return appends ? room - 1 : room;
  const before = run.text.slice(Math.max(frame.fn?.start ?? 0, call.start - emptiedWithin), call.start);
  const emptied = new RegExp(`(\\b${path}\\s*\\[\\s*0\\s*\\]|\\*\\s*${path})\\s*=\\s*(L?'\\\\0'|0)\\s*;`, "g");
  const last = [...before.matchAll(emptied)].at(-1);
  const isEmpty = last && !new RegExp(`\\b${path}\\b`).test(before.slice(last.index + last[0].length));
  return isEmpty ? room : room - 1;
}

/** `strncpy(to, from, strlen(from))`: the bound is what it should guard against, also where a variable keeps it. */
function isLengthOf(run: Run, frame: Frame, size: Expression | undefined, from: Expression | undefined): boolean {
  const counted = size?.kind === "operation" ? size.operands[0] : size;
  if (!from || !counted) return false;
  if (counted.kind === "call" && !/^(strlen|wcslen)$/.test(functionName(counted))) return false;
  return (
    (counted.kind === "call" || counted.kind === "variable") && measureOf(run, frame, counted) === lengthOf(run, from)
  );
}

/** Copies a text of whatever length into `room` bytes. */
function unbounded(
  run: Run,
  frame: Frame,
  call: Call,
  room: number,
  source: Value | undefined,
  written: Expression | undefined,
): void {
  if (!source) return;
  const at = (kind: MemoryFault) => fault(run, frame, kind, call, call.callee);
  const texts = source.constants;
  if (texts) {
    if (texts.every((text) => typeof text === "string" && text.length + 1 > room)) at("<overflow>");
    return;
  }
  const held = capacityOf(source);
  if ((held !== null && held <= room) || wasAsked(frame, "measured", written)) return;
  if (written && isRow(run, frame, written)) return;
  if (isInput(source)) at("<overflow-by-input>");
  else if (held !== null) at("<overflow-by-source>");
  else if (isParameter(frame, source) && written && isPlain(written)) at("<overflow-by-parameter>");
}

/** `char parts[8][5]`: how long a row is, is not followed. */
const isRow = (run: Run, frame: Frame, e: Expression): boolean =>
  e.kind === "index" && e.key !== null && evaluate(run, frame, e.of).region?.element === null;

/** A variable, a field or an element, or either of two: `row[0] ? row[0] : ""`. */
const isPlain = (e: Expression): boolean =>
  e.kind === "conditional" ? isPlain(e.then) || isPlain(e.otherwise) : accessPath(e) !== null;

/** Who says what is in a text of no known length: one that came from nowhere that is known may be anybody's. */
const whoseText = (text: Value | undefined): MemoryFault =>
  text && isInput(text) ? "<overflow-by-input>" : "<overflow-by-parameter>";

const fits = (source: Value | undefined, room: number | null): boolean => {
  const held = source ? capacityOf(source) : null;
  return room === null || (held !== null && held <= room) || source?.constants !== null;
};

/** Translated and chosen texts are written by the same people. */
const isBareFormat = (format: Expression | undefined): boolean =>
  format !== undefined &&
  (format.kind === "variable" || format.kind === "index" || format.kind === "field") &&
  !/^[A-Z0-9_]+$|[fF]o?r?ma?t|[uU]sage|[hH]elp|[bB]anner/.test(accessPath(rootOf(format)) ?? "");
