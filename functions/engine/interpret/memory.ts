import type { Call, Expression, Loop, Span } from "../ir/ir.ts";
import { check } from "./check.ts";
import { evaluate } from "./evaluate.ts";
import { copyOf, formatOf, overwrittenBy, scannedBuffers } from "./memory-calls.ts";
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
/** `p + 1`, `*p`, `x * 2`: what the expression is about. */
const rootOf = (e: Expression): Expression =>
  e.kind === "operation" && e.operands[0]
    ? rootOf(e.operands.find((operand) => operand.kind !== "literal") ?? e.operands[0])
    : e.kind === "index" && e.key === null
      ? rootOf(e.of)
      : e;

/** A comparison of sizes tells that whoever wrote this thought of bounds. */
export function noteBounds(run: Run, frame: Frame, operator: string, operands: readonly Expression[]): void {
  if (!isNative(run) || !/^([<>]=?|[!=]=)$/.test(operator)) return;
  for (const operand of operands) {
    const path = accessPath(rootOf(operand));
    if (path !== null) frame.scope.set(`@bounded:${path}`, constant(true));
  }
}

/** Sizes stay what was read, however they are computed. Null for what is an operation like any other. */
export function numericOf(run: Run, operator: string, values: readonly Value[]): Value | null {
  if (!isNative(run) || !/^(\*|-|<<|%)$/.test(operator) || values.every(({ constants }) => constants)) return null;
  // A remainder is as small as what divides.
  return operator === "%" ? nothing : tainted(values.flatMap((value) => allTaint(value)).slice(0, 4));
}

/** Calls that make, free, measure, copy or format memory. Null for what is a call like any other. */
export function memoryCall(run: Run, frame: Frame, call: Call, paths: readonly string[], args: Value[]): Value | null {
  if (!isNative(run)) return null;
  const name = paths[0]?.replace(/^.*\./, "") ?? "";
  const made = makes(frame, call, name, args);
  if (made) {
    if (made.region) frame.scope.variables?.delete(freedFact(made.region));
    if (isSizeProduct(run, frame, call, args)) fault(run, frame, "<size-product>", call, call.callee);
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
  if (/^(w?strn?len|wcsn?len|_tcslen|wcslen)$/.test(name) && first) {
    const path = accessPath(first);
    if (path !== null) frame.scope.set(`@measured:${path}`, constant(true));
    const texts = args[0]?.constants;
    return texts?.length === 1 && typeof texts[0] === "string" ? constant(texts[0].length) : null;
  }
  checkThenUse(run, frame, call, name);
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
const product = (a: number | null, b: number | null): number | null => (a === null || b === null ? null : a * b);

function makes(frame: Frame, call: Call, name: string, args: Value[]): Value | null {
  if (name === "<array>") {
    const [count, element, kept, initial] = args;
    const id = `${call.start}`;
    const kind = kept?.constants?.[0] === true ? "kept" : "stack";
    return {
      ...(initial ?? nothing),
      slots: null,
      region: { id, kind, count: number(count), element: number(element), owner: frame.fn },
    };
  }
  const bytes = Object.hasOwn(allocates, name) ? allocates[name] : undefined;
  if (!bytes) return null;
  const kind = name === "alloca" ? "stack" : name === "<new-array>" ? "new" : "heap";
  const region: Region = { id: `${call.start}`, kind, count: bytes(args), element: 1, owner: frame.fn };
  const copied = name.endsWith("dup") || name === "realloc" ? (args[0] ?? nothing) : nothing;
  return { ...nothing, taint: copied.taint, region };
}

/** `malloc(n * size)` with an n that nobody has looked at can come out small. */
function isSizeProduct(run: Run, frame: Frame, call: Call, args: Value[]): boolean {
  return call.args.some(
    ({ value }, i) =>
      value.kind === "operation" &&
      /^(\*|<<|\+)$/.test(value.operator) &&
      isNumberInput(run, args[i] ?? nothing) &&
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
  const freed: Region = region ?? { id: `${call.start}`, kind: "heap", count: null, element: null, owner: frame.fn };
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
  if (format && format.to !== undefined) {
    const room = capacityOf(arg(format.to) ?? nothing);
    if (room === null) return;
    if (format.least + 1 > room) fault(run, frame, "<overflow>", call, call.callee);
    else for (const i of format.texts) unbounded(run, frame, call, room - format.least, arg(i), written(i));
    return;
  }
  const copy = copyOf(name);
  if (!copy) return;
  const to = arg(copy.to) ?? nothing;
  const room = capacityOf(to);
  const source = arg(copy.from);
  if (copy.size === undefined) {
    if (room !== null && source)
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
    values.some((v) => v && isNumberInput(run, v)) &&
    !wasAsked(frame, "bounded", size)
  )
    at("<bound-by-input>");
}

const isWholeCopy = ({ callee }: Call): boolean => callee.kind === "variable" && /^mem(cpy|move)$/.test(callee.name);

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
  else if (isParameter(frame, source) && written && accessPath(written) !== null) at("<overflow-by-parameter>");
}

const fits = (source: Value | undefined, room: number | null): boolean => {
  const held = source ? capacityOf(source) : null;
  return room === null || (held !== null && held <= room) || source?.constants !== null;
};

/** Translated and chosen texts are written by the same people. */
const isBareFormat = (format: Expression | undefined): boolean =>
  format !== undefined &&
  (format.kind === "variable" || format.kind === "index" || format.kind === "field") &&
  !/^[A-Z0-9_]+$|[fF]o?r?ma?t|[uU]sage|[hH]elp|[bB]anner/.test(accessPath(rootOf(format)) ?? "");

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
  const { count } = of.region;
  if (count === null) return;
  const known = number(key);
  // Less than zero is what variables begin with that stand for nothing yet.
  // Variables begin below zero where they stand for nothing yet.
  const spelled = written.kind === "literal" || (written.kind === "operation" && written.operands.length === 1);
  const counted = known !== null && known < 0 && !spelled ? null : (known ?? lastRound(frame, written));
  if (counted !== null && of.region.kind !== "heap" && (counted >= count || counted < 0)) {
    // One past the end may be meant as an address.
    if (counted === count && /^\s*&\s*$/.test(run.text.slice(at.start - 2, at.start).slice(-1))) return;
    fault(run, frame, "<index-beyond>", at);
  } else if (known === null && isNumberInput(run, key) && !wasAsked(frame, "bounded", written))
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

/** What a loop counts up to, noted while its body runs. */
const roundsPrefix = "@rounds:";

/** `for (i = 0; i <= 10; i++)`: the last round is known where nothing leaves the loop before. */
export function noteRounds(run: Run, frame: Frame, s: Loop): void {
  if (!isNative(run) || s.test?.kind !== "operation" || !s.update) return;
  const [left, right] = s.test.operands;
  const body = s.body[0];
  if (left?.kind !== "variable" || !right || !body || !/^<=?$/.test(s.test.operator)) return;
  const inside = run.text.slice(body.start, s.body.at(-1)?.end ?? body.end);
  const tested = new RegExp(`\\b(break|return|goto)\\b|\\b${left.name}\\s*[-+<>=!%]|[<>=!]\\s*${left.name}\\b`);
  const bound = number(evaluate(run, frame, right));
  if (bound !== null && !tested.test(inside.replace(/\]\s*=/g, "]")))
    frame.scope.set(`${roundsPrefix}${left.name}`, constant(s.test.operator === "<" ? bound - 1 : bound));
}

export function forgetRounds(run: Run, frame: Frame, s: Loop): void {
  if (isNative(run) && s.test?.kind === "operation" && s.test.operands[0]?.kind === "variable")
    frame.scope.variables?.delete(`${roundsPrefix}${s.test.operands[0].name}`);
}

const lastRound = (frame: Frame, key: Expression): number | null =>
  key.kind === "variable" ? number(frame.scope.variables?.get(`${roundsPrefix}${key.name}`)) : null;

/** The function's own memory is gone when it has returned. */
export function returnedRegion(run: Run, frame: Frame, returned: Expression, value: Value): void {
  if (!isNative(run)) return;
  if (value.region) useOf(run, frame, returned, value);
  const own = value.region?.kind === "stack" && value.region.owner === frame.fn && frame.fn !== null;
  if (own && accessPath(returned) !== null && /\*$/.test(frame.fn?.result ?? ""))
    fault(run, frame, "<stack-address>", returned);
}

/** What a function of the file returns is another block each time it is called. */
export function blockOf(run: Run, frame: Frame, call: Call, value: Value): Value {
  if (!isNative(run) || !value.region || (value.region.kind !== "heap" && value.region.kind !== "new")) return value;
  const region: Region = { ...value.region, id: `${call.start}` };
  frame.scope.variables?.delete(freedFact(region));
  return { ...value, region };
}

/** What is kept in a field of every instance is no block of one of them. */
export const keptIn = (value: Value): Value =>
  value.region && value.region.kind !== "kept" && value.region.kind !== "stack" ? { ...value, region: null } : value;
