import type { Call, Expression, Loop, Span } from "../ir/ir.ts";
import { check } from "./check.ts";
import { copyOf, formatOf, overwrittenBy, scannedBuffers } from "./memory-calls.ts";
import { endText, leavesOpen, usesOpenText } from "./memory-ends.ts";
import {
  countGiven,
  forgetGrowing,
  forgetRounds,
  isGrowing,
  isLength,
  isPastEnd,
  lacksEnd,
  lastRound,
  measureOf,
  noteGrowing,
  noteRounds,
  rootOf,
} from "./memory-sizes.ts";
import { accessPath } from "./names.ts";
import type { Frame, Run } from "./run.ts";
import { allTaint, constant, nothing, type Region, tainted, type Value } from "./value.ts";

/** What languages without a collector can do wrong; rules name these as calls. */
export type MemoryFault =
  | "<overflow>"
  | "<overflow-by-input>"
  | "<overflow-by-source>"
  | "<overflow-by-parameter>"
  | "<bound-of-source>"
  | "<bound-of-pointer>"
  | "<bound-by-input>"
  | "<over-read>"
  | "<index-beyond>"
  | "<index-by-input>"
  | "<index-unbounded>"
  | "<open-text>"
  | "<left-open>"
  | "<freed-use>"
  | "<freed-twice>"
  | "<freed-wrongly>"
  | "<stack-address>"
  | "<size-product>"
  | "<bare-format>"
  | "<checked-then-used>";

const isNative = (run: Run): boolean => run.language === "c";

export function fault(run: Run, frame: Frame, kind: MemoryFault, at: Span, name: Span = at): void {
  check(run, frame, run.knowledge.calls.find(kind).checks, {
    positional: [],
    named: new Map(),
    receiver: null,
    receiverPaths: [],
    at,
    name: run.excerpt(name, 60),
  });
}

const number = (value: Value | undefined): number | null => {
  const known = value?.constants;
  return known?.length === 1 && typeof known[0] === "number" ? known[0] : null;
};

/** How many bytes fit; null where that is not known. */
export const capacityOf = ({ region }: Value): number | null =>
  region && region.count !== null && region.element !== null ? region.count * region.element : null;

/** Another activation may have freed a block that was made in the same place: only this one counts. */
const isFreed = (frame: Frame, region: Region): boolean => frame.scope.variables?.has(freedFact(region)) === true;
const freedFact = ({ id }: Region) => `@freed:${id}`;

/** Whether somebody outside decides what a value is: a source, not merely a parameter. */
export const isInput = (value: Value): boolean =>
  allTaint(value).some(({ source }) => source.parameter === null && source.outside === null);

/** Whether somebody outside decides a number: text that was read as one. */
const isNumberInput = (run: Run, value: Value): boolean =>
  allTaint(value).some(
    ({ source, clean }) =>
      source.parameter === null &&
      ((clean & run.catalogue.bitsOf(["normalised"])) !== 0 || /^(std::)?(f|s)?(scanf|cin)\b/.test(source.name)),
  );

const isParameter = (frame: Frame, value: Value): boolean =>
  allTaint(value).some(({ source }) => source.parameter?.fn === frame.fn && source.parameter !== null);

const wasAsked = (frame: Frame, what: "measured" | "bounded", e: Expression | undefined): boolean => {
  const path = e && accessPath(rootOf(e));
  return path !== null && path !== undefined && frame.scope.binding(`@${what}:${path}`) !== null;
};
/** A comparison of sizes tells that whoever wrote this thought of bounds. */
export function noteBounds(run: Run, frame: Frame, operator: string, operands: readonly Expression[]): void {
  if (!isNative(run) || !/^([<>]=?|[!=]=)$/.test(operator)) return;
  for (const [i, operand] of operands.entries()) {
    const path = accessPath(rootOf(operand));
    if (path === null) continue;
    frame.scope.set(`@bounded:${path}`, constant(true));
    // `n < 0`, `n == -1` ask whether anything was read, not whether it was too much.
    const other = operands[1 - i];
    if (other && !/^-?\s*[01]$/.test(run.text.slice(other.start, other.end)))
      frame.scope.set(`@capped:${path}`, constant(true));
  }
}

/** Sizes stay what was read, however they are computed. Null for what is an operation like any other. */
export function numericOf(run: Run, operator: string, values: readonly Value[]): Value | null {
  if (!isNative(run) || !/^(\*|-|<<|%)$/.test(operator) || values.every(({ constants }) => constants)) return null;
  // A remainder is as small as what divides, and the distance of two places in a text no larger than the text.
  const [left, right] = values;
  const isDistance = operator === "-" && left && right && isInput(left) && isInput(right);
  return operator === "%" || isDistance ? nothing : tainted(values.flatMap((value) => allTaint(value)).slice(0, 4));
}

/** Calls that make, free, measure, copy or format memory. Null for what is a call like any other. */
export function memoryCall(run: Run, frame: Frame, call: Call, paths: readonly string[], args: Value[]): Value | null {
  if (!isNative(run)) return null;
  const name = paths[0]?.replace(/^.*\./, "") ?? "";
  const made = makes(run, frame, call, name, args);
  if (made) {
    if (made.region) frame.scope.variables?.delete(freedFact(made.region));
    if (isSizeProduct(frame, call, args)) fault(run, frame, "<size-product>", call, call.callee);
    return made;
  }
  const first = call.args[0]?.value;
  if (name === "<number>") return nothing;
  if (name === "<sizeof>") return sized(args[0]);
  if (name === "<sizeof-pointer>") return { ...constant(8), paths: [`<sizeof ${first ? accessPath(first) : ""}>`] };
  if (frees.has(name)) {
    freeing(run, frame, call, args[0] ?? nothing);
    return nothing;
  }
  for (const [i, { value }] of call.args.entries())
    if (isAddress(run, value)) handedOut(frame, value);
    else useOf(run, frame, value, args[i] ?? nothing);
  if (isLength(name) && first) {
    const path = accessPath(first);
    // `line[strlen(line) - 1] = 0` cuts the end off and asks nothing about room.
    const isIndex = /\[\s*$/.test(run.text.slice(0, call.start).slice(-4));
    if (path !== null && !isIndex) frame.scope.set(`@measured:${path}`, constant(true));
    const texts = args[0]?.constants;
    return texts?.length === 1 && typeof texts[0] === "string" ? constant(texts[0].length) : null;
  }
  checkThenUse(run, frame, call, name);
  if (usesOpenText(run, frame, call, name, args)) fault(run, frame, "<open-text>", call, call.callee);
  copying(run, frame, call, name, args);
  // What is written from the beginning replaces what was there.
  const to = overwrittenBy(name);
  const path = to === null ? null : accessPath(call.args[to]?.value ?? call);
  if (to !== null && args[to] && path !== null) {
    args[to] = { ...args[to], taint: [], constants: null };
    if (frame.scope.variables?.has(path)) frame.scope.refine(path, args[to]);
  }
  return null;
}

const frees = new Set(["free", "cfree", "xfree", "kfree", "g_free", "<delete>"]);
const allocates: Record<string, (args: Value[]) => number | null> = {
  malloc: ([size]) => number(size),
  xmalloc: ([size]) => number(size),
  kmalloc: ([size]) => number(size),
  g_malloc: ([size]) => number(size),
  alloca: ([size]) => number(size),
  calloc: ([count, size]) => product(number(count), number(size)),
  realloc: ([, size]) => number(size),
  "<new-array>": ([count, element]) => product(number(count), number(element)),
  strdup: () => null,
  strndup: () => null,
};
/** Where a function is told how much to allocate, where that is not the first argument. */
const sizesAt: Record<string, readonly number[]> = { calloc: [0, 1], realloc: [1] };

/** How the size of a block is written; of two factors the one that is not the size of an element. */
function sizeOf(run: Run, frame: Frame, call: Call, at: readonly number[]): string | null {
  const sizes = at.flatMap((i) => call.args[i]?.value ?? []);
  const isUnit = (e: Expression) => /^(\(?sizeof|1$)/.test(run.text.slice(e.start, e.end));
  const size = sizes.length > 1 ? sizes.find((e) => !isUnit(e)) : sizes[0];
  return size && (size.kind !== "literal" || size.value !== null) ? measureOf(run, frame, size) : null;
}

const product = (a: number | null, b: number | null): number | null => (a === null || b === null ? null : a * b);

function makes(run: Run, frame: Frame, call: Call, name: string, args: Value[]): Value | null {
  if (name === "<array>") {
    const [count, element, kept, initial] = args;
    const id = `${call.start}`;
    const kind = kept?.constants?.[0] === true ? "kept" : "stack";
    return {
      ...(initial ?? nothing),
      slots: null,
      region: {
        id,
        kind,
        count: number(count),
        element: number(element),
        owner: frame.fn,
        measure: sizeOf(run, frame, call, [0]),
      },
    };
  }
  const bytes = Object.hasOwn(allocates, name) ? allocates[name] : undefined;
  if (!bytes) return null;
  const kind = name === "alloca" ? "stack" : name === "<new-array>" ? "new" : "heap";
  const measured = name.endsWith("dup") ? null : sizeOf(run, frame, call, sizesAt[name] ?? [0]);
  const region: Region = {
    id: `${call.start}`,
    kind,
    count: bytes(args),
    element: 1,
    owner: frame.fn,
    measure: measured,
  };
  const copied = name.endsWith("dup") || name === "realloc" ? (args[0] ?? nothing) : nothing;
  return { ...nothing, taint: copied.taint, region };
}

/** `malloc(n * size)` with an n that nobody has looked at can come out small. */
function isSizeProduct(frame: Frame, call: Call, args: Value[]): boolean {
  return call.args.some(
    ({ value }, i) =>
      value.kind === "operation" &&
      /^(\*|<<|\+)$/.test(value.operator) &&
      isInput(args[i] ?? nothing) &&
      !wasAsked(frame, "bounded", value),
  );
}

const sized = (of: Value | undefined): Value => {
  const bytes = of && of.region?.kind !== "heap" ? capacityOf(of) : null;
  return bytes === null ? nothing : constant(bytes);
};

function freeing(run: Run, frame: Frame, call: Call, value: Value): void {
  const operand = call.args[0]?.value;
  const path = operand && accessPath(operand);
  // Members and globals change hands in ways that cannot be seen here.
  if (!operand || !path || frame.scope.binding(path.split(".", 1)[0] as string) !== frame.scope) return;
  const { region } = value;
  if (region && region.kind !== "heap" && region.kind !== "new") {
    // Of a pointer the test that tells the two apart may have been missed.
    const declared = run.text.slice(Number(region.id), Number(region.id) + path.length) === path;
    if (declared) fault(run, frame, "<freed-wrongly>", call, operand);
    return;
  }
  if (region && isFreed(frame, region)) {
    fault(run, frame, "<freed-twice>", call, operand);
    return;
  }
  const freed: Region = region ?? {
    id: `${call.start}`,
    kind: "heap",
    count: null,
    element: null,
    owner: frame.fn,
    measure: null,
  };
  if (!region) frame.scope.refine(path, { ...value, constants: null, region: freed });
  frame.scope.set(freedFact(freed), constant(true));
}

/** Reading, passing or following a pointer after it was freed. Each freed block is told of once. */
export function useOf(run: Run, frame: Frame, e: Expression, value: Value): void {
  if (!isNative(run) || !value.region || accessPath(e) === null || !isFreed(frame, value.region)) return;
  fault(run, frame, "<freed-use>", e);
  frame.scope.variables?.delete(freedFact(value.region));
}

const asks = new Set(["access", "_access", "euidaccess", "faccessat"]);
const uses = new Set([
  "fopen",
  "open",
  "unlink",
  "remove",
  "chmod",
  "chown",
  "rename",
  "execl",
  "execv",
  "system",
  "creat",
]);

/** Between asking about a file and using it the file can become another one. */
function checkThenUse(run: Run, frame: Frame, call: Call, name: string): void {
  const first = call.args[0]?.value;
  const path = first && accessPath(first);
  if (!path) return;
  if (asks.has(name)) frame.scope.set(`@accessed:${path}`, constant(true));
  else if (uses.has(name) && frame.scope.binding(`@accessed:${path}`))
    fault(run, frame, "<checked-then-used>", call, call.callee);
}

function copying(run: Run, frame: Frame, call: Call, name: string, args: Value[]): void {
  const arg = (i: number | undefined) => (i === undefined ? undefined : args[i]);
  const written = (i: number | undefined) => (i === undefined ? undefined : call.args[i]?.value);
  const format = formatOf(name, args);
  if (format?.isBare && isBareFormat(written(format.at))) fault(run, frame, "<bare-format>", call, call.callee);
  for (const { at, width } of scannedBuffers(name, args)) {
    const room = capacityOf(arg(at) ?? nothing);
    if (width === null ? name !== "sscanf" || !fits(arg(0), room) : room !== null && width + 1 > room)
      fault(run, frame, width === null ? "<overflow-by-input>" : "<overflow>", call, call.callee);
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
  if (copy.size === undefined) {
    const from = written(copy.from);
    if (to.region && from && lacksEnd(run, frame, to.region, from)) fault(run, frame, "<overflow>", call, call.callee);
    else if (room !== null && source)
      unbounded(run, frame, call, copy.appends ? room - 1 : room, source, written(copy.from));
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
  copy: { to: number; from?: number; size: number; times?: number; appends?: boolean },
  { to, room, source, written, args }: Copied,
): void {
  const at = (kind: MemoryFault) => fault(run, frame, kind, call, call.callee);
  const size = written(copy.size);
  const values = [args[copy.size], ...(copy.times === undefined ? [] : [args[copy.times]])];
  const bytes = values.reduce<number | null>((all, value) => product(all, number(value)), 1);
  const own = written(copy.to);
  if (own && leavesOpen(run, frame, call, nameOf(call), to.region, own) && source && mayBeLonger(frame, source, bytes))
    at("<left-open>");
  if (values[0]?.paths.includes(`<sizeof ${own ? accessPath(own) : null}>`) && own && !isAddress(run, own)) {
    at("<bound-of-pointer>");
    return;
  }
  if (room !== null && bytes !== null && (bytes > room || (copy.appends && bytes >= room))) at("<overflow>");
  else if (copy.from !== undefined && isWholeCopy(call) && bytes !== null && source && isShorter(source, bytes))
    at("<over-read>");
  else if (room !== null && to.region?.kind !== "heap" && size && isLengthOf(run, size, written(copy.from))) {
    if (source && (isInput(source) || isParameter(frame, source)) && !wasAsked(frame, "bounded", size))
      at("<bound-of-source>");
  } else if (
    room !== null &&
    bytes === null &&
    values.some((v) => v && isInput(v)) &&
    !wasAsked(frame, "bounded", size)
  )
    at("<bound-by-input>");
}

const nameOf = ({ callee }: Call): string => (callee.kind === "variable" ? callee.name : "");
const isWholeCopy = (call: Call): boolean => /^mem(cpy|move)$/.test(nameOf(call));

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

/** `strncpy(to, from, strlen(from))`: the bound is what it should guard against. */
function isLengthOf(run: Run, size: Expression, from: Expression | undefined): boolean {
  const call = size.kind === "operation" ? size.operands[0] : size;
  if (call?.kind !== "call" || call.callee.kind !== "variable" || !/^(strlen|wcslen)$/.test(call.callee.name))
    return false;
  const measured = call.args[0]?.value;
  const textOf = (e: Expression) => run.text.slice(e.start, e.end);
  return from !== undefined && measured !== undefined && textOf(measured) === textOf(from);
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
  if (isInput(source)) at("<overflow-by-input>");
  else if (held !== null) at("<overflow-by-source>");
  else if (isParameter(frame, source) && written && isPlain(written)) at("<overflow-by-parameter>");
}

/** A variable, a field or an element, or either of two: `row[0] ? row[0] : ""`. */
const isPlain = (e: Expression): boolean =>
  e.kind === "conditional" ? isPlain(e.then) || isPlain(e.otherwise) : accessPath(e) !== null;

const fits = (source: Value | undefined, room: number | null): boolean => {
  const held = source ? capacityOf(source) : null;
  return room === null || (held !== null && held <= room) || source?.constants !== null;
};

/** Translated and chosen texts are written by the same people. */
const isBareFormat = (format: Expression | undefined): boolean =>
  format !== undefined &&
  (format.kind === "variable" || format.kind === "index" || format.kind === "field") &&
  !/^[A-Z0-9_]+$|[fF]o?r?ma?t|[uU]sage|[hH]elp|[bB]anner/.test(accessPath(rootOf(format)) ?? "");

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
  if (!isNative(run) || !of.region || !key) return;
  const isAddressOf = run.text
    .slice(at.start - 2, at.start)
    .trimEnd()
    .endsWith("&");
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
  // Variables begin below zero where they stand for nothing yet.
  const spelled = written.kind === "literal" || (written.kind === "operation" && written.operands.length === 1);
  const counted = known !== null && known < 0 && !spelled ? null : (known ?? lastRound(frame, written));
  if (counted !== null && of.region.kind !== "heap" && (counted >= count || counted < 0)) {
    // One past the end may be meant as an address.
    if (counted === count && isAddressOf) return;
    fault(run, frame, "<index-beyond>", at);
  } else if (known === null && !wasAsked(frame, "bounded", written))
    if (isNumberInput(run, key) || (written.kind === "field" && isInput(key)))
      // A letter of a text is an index into tables that have an element for each.
      fault(run, frame, "<index-by-input>", at);
}

const isAddress = (run: Run, e: Expression): boolean =>
  /&\s*\(?$/.test(run.text.slice(Math.max(0, e.start - 3), e.start));

/** Who is given the address of a variable may store something else in it. */
function handedOut(frame: Frame, e: Expression): void {
  const path = accessPath(e);
  const known = path === null ? undefined : frame.scope.get(path);
  if (!path || !known) return;
  const own = known.region?.kind === "stack" || known.region?.kind === "kept" ? known.region : null;
  frame.scope.refine(path, { ...known, constants: null, region: own });
}

/** What a loop tells of the indexes in its body. */
export function beginRound(run: Run, frame: Frame, loop: Loop): void {
  if (!isNative(run)) return;
  noteRounds(run, frame, loop);
  noteGrowing(run, frame, loop);
}

export function endRound(run: Run, frame: Frame, loop: Loop): void {
  if (!isNative(run)) return;
  forgetRounds(frame, loop);
  forgetGrowing(frame);
}

/** The function's own memory is gone when it has returned. */
export function returnedRegion(run: Run, frame: Frame, returned: Expression, value: Value): void {
  if (!isNative(run)) return;
  if (value.region) useOf(run, frame, returned, value);
  const own = value.region?.kind === "stack" && value.region.owner === frame.fn && frame.fn !== null;
  if (own && accessPath(returned) !== null && /\*$/.test(frame.fn?.result ?? ""))
    fault(run, frame, "<stack-address>", returned);
}

/** What a function of the file returns is another block each time it is called; what one of the library returns may be a length. */
export function returnedBy(run: Run, frame: Frame, call: Call, value: Value): Value {
  if (!isNative(run)) return value;
  const count = countGiven(run, frame, call);
  if (count !== null) return { ...value, paths: [count, ...value.paths] };
  if (!value.region || (value.region.kind !== "heap" && value.region.kind !== "new")) return value;
  const region: Region = { ...value.region, id: `${call.start}`, measure: null };
  frame.scope.variables?.delete(freedFact(region));
  return { ...value, region };
}

/** What is kept in a field of every instance is no block of one of them. */
export const keptIn = (value: Value): Value =>
  value.region && value.region.kind !== "kept" && value.region.kind !== "stack" ? { ...value, region: null } : value;
