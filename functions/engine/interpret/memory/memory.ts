import type { Call, Expression, ExpressionStatement, Span } from "../../ir/ir.ts";
import { accessPath } from "../names.ts";
import type { Frame, Run } from "../run.ts";
import { allTaint, type ClosureValue, constant, nothing, type Region, tainted, type Value } from "../value.ts";
import { noteGivenBack } from "./held.ts";
import { growStack } from "./input-numbers.ts";
import { overwrittenBy } from "./memory-calls.ts";
import { copying } from "./memory-copies.ts";
import { usesOpenText } from "./memory-ends.ts";
import {
  capacityOf,
  fault,
  isAddress,
  isInput,
  isMeasured,
  isNative,
  isNumberInput,
  number,
  product,
  wasAsked,
} from "./memory-faults.ts";
import { countGiven, elementsOf, isLength, measureOf } from "./memory-sizes.ts";
import { returnShown } from "./object-ends.ts";
import { releasedBy } from "./releases.ts";
import { follow, followArguments } from "./unchecked.ts";

/** Another activation may have freed a block that was made in the same place: only this one counts. */
const isFreed = (frame: Frame, region: Region): boolean => frame.scope.variables?.has(freedFact(region)) === true;
const freedFact = ({ id }: Region) => `@freed:${id}`;
const perhapsFreedFact = ({ id }: Region) => `@?freed:${id}`;

/** UTF-16 units around a place in which a loop that it is in begins and ends. */
const setWithin = 10_000;

/** A loop comes round again, and whoever was given the address of the pointer may have set it since: `next(&key)`. */
function isSetAround(run: Run, { fn }: Frame, { id }: Region, path: string, start: number): boolean {
  // A block that nobody is seen to make begins where it is freed.
  if (!fn || start > Number(id) || !/^\w+$/.test(path)) return false;
  const around = run.text.slice(Math.max(fn.start, start - setWithin), Math.min(fn.end, start + setWithin));
  return new RegExp(`(?<!&\\s*)&\\s*${path}\\b`).test(around);
}

/** A block is made, or was told of: it counts as whole from here on. */
function forgetFreed({ scope: { variables } }: Frame, region: Region): void {
  variables?.delete(freedFact(region));
  variables?.delete(perhapsFreedFact(region));
}

/** What a round of a loop has made before in the same place is another block: who still has that has none that is known. */
function forgetOlder({ scope: { variables } }: Frame, { id }: Region): void {
  for (const [name, value] of variables ?? [])
    if (value.region?.id === id) variables?.set(name, { ...value, region: null });
}

/** Freed where a test held, and given back again where none is asked, though nobody has set the pointer or asked the same again. */
function isPerhapsFreed(run: Run, frame: Frame, region: Region, path: string, end: number): boolean {
  const told = frame.under.length === 0 ? frame.scope.variables?.get(perhapsFreedFact(region)) : undefined;
  const [start, test] = told?.constants ?? [];
  if (typeof start !== "number" || typeof test !== "string") return false;
  const since = run.text.slice(start, end);
  return !since.includes(test) && !new RegExp(`\\b${path}\\s*=(?!=)|&\\s*${path}\\b`).test(since);
}

/** Handed to a function or followed after that: a test asks for the address alone, and so may who returns it. */
function isUsedPerhapsFreed(run: Run, frame: Frame, region: Region, path: string, { start, end }: Expression): boolean {
  if (!isPerhapsFreed(run, frame, region, path, start)) return false;
  const before = run.text.slice(Math.max(0, start - 16), start);
  const isHanded = /\w\s*\(\s*$|,\s*$/.test(before) && !/\b(if|while|switch|return|assert)\s*\(\s*$/.test(before);
  return (
    (isHanded && /^\s*[,)]/.test(run.text.slice(end, end + 8))) || /^\s*(\[|->)/.test(run.text.slice(end, end + 8))
  );
}

/** Sizes stay what was read, however they are computed. Null for what is an operation like any other. */
export function numericOf(run: Run, operator: string, values: readonly Value[]): Value | null {
  if (!isNative(run) || !/^(\*|-|<<|%|\|)$/.test(operator) || values.every(({ constants }) => constants)) return null;
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
    if (made.region) {
      forgetOlder(frame, made.region);
      forgetFreed(frame, made.region);
    }
    if (!name.endsWith("dup") && isSizeProduct(run, frame, call, args))
      fault(run, frame, "<size-product>", call, call.callee);
    return made;
  }
  noteGivenBack(frame, call, name);
  const first = call.args[0]?.value;
  if (name === "<number>") return nothing;
  if (name === "<sizeof>") return sized(args[0]);
  if (name === "<sizeof-pointer>") return { ...constant(8), paths: [`<sizeof ${first ? accessPath(first) : ""}>`] };
  if (frees.has(name)) {
    freeing(run, frame, call, name, args[0] ?? nothing);
    return nothing;
  }
  for (const [i, { value }] of call.args.entries()) {
    const { region } = args[i] ?? nothing;
    if (isAddress(run, value)) {
      handedOut(frame, value);
      // The place of a pointer is not the block it points to.
      if (region?.kind === "heap" && value.kind === "variable") args[i] = { ...(args[i] ?? nothing), region: null };
    } else if (region && isMacro.test(name)) forgetFreed(frame, region);
    else if (i === 0 || !comparesAddresses.test(name)) wasFreed(run, frame, value, args[i] ?? nothing);
  }
  followArguments(run, frame, call, name);
  if (isLength(name) && first) {
    const path = accessPath(first);
    // `line[strlen(line) - 1] = 0` cuts the end off and asks nothing about room.
    const isIndex = /\[\s*$/.test(run.text.slice(Math.max(0, call.start - 4), call.start));
    if (path !== null && !isIndex) frame.scope.set(`@measured:${path}`, constant(true));
    const texts = args[0]?.constants;
    return texts?.length === 1 && typeof texts[0] === "string" ? constant(texts[0].length) : null;
  }
  checkThenUse(run, frame, call, name);
  keepRights(run, frame, call, name, args);
  if (usesOpenText(run, frame, call, name, args)) fault(run, frame, "<open-text>", call, call.callee);
  copying(run, frame, call, name, args);
  replaceFields(frame, call, name);
  // What is written from the beginning replaces what was there.
  const to = overwrittenBy(name);
  const path = to === null ? null : accessPath(call.args[to]?.value ?? call);
  if (to !== null && args[to] && path !== null) {
    args[to] = { ...args[to], taint: [], constants: null };
    if (frame.scope.variables?.has(path)) frame.scope.refine(path, args[to]);
  }
  return null;
}

/** What looks like a call and may set what it is handed: `HASH_FIND_INT(users, &id, user)`. */
const isMacro = /^[A-Z][A-Z0-9_]+$/;
/** Of what they look for in a list they read the address alone. */
const comparesAddresses = /^g_(s?list|queue|(ptr_)?array)_(remove|find|index)(_all|_fast|_link)?$/;
const frees = new Set(["free", "cfree", "xfree", "kfree", "g_free", "<delete>", "<delete-array>"]);
/** What gives a block back, by what has made it. */
const givesBack: Record<Region["kind"], RegExp> = {
  heap: /^[^<]/,
  new: /^<delete-array>$/,
  stack: /^$/,
  kept: /^$/,
};
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

function makes(run: Run, frame: Frame, call: Call, name: string, args: Value[]): Value | null {
  if (name === "<array>") {
    const [count, element, kept, initial] = args;
    const id = `${call.start}`;
    const kind = kept?.constants?.[0] === true ? "kept" : "stack";
    if (kind === "stack") growStack(run, frame, call, count);
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
  if (name === "alloca") growStack(run, frame, call, args[0]);
  const measured = name.endsWith("dup") ? null : sizeOf(run, frame, call, sizesAt[name] ?? [0]);
  const [count, element] = elementsOf(run, frame, call, args) ?? [bytes(args), 1];
  const region: Region = {
    id: `${call.start}`,
    kind,
    count,
    element,
    owner: frame.fn,
    measure: measured,
  };
  const copied = name.endsWith("dup") || name === "realloc" ? (args[0] ?? nothing) : nothing;
  return { ...nothing, taint: copied.taint, region };
}

/** `malloc(n * size)` with an n that nobody has looked at can come out small; `n > 0` does not ask how large it is. */
function isSizeProduct(run: Run, frame: Frame, call: Call, args: Value[]): boolean {
  return call.args.some(
    ({ value }, i) =>
      value.kind === "operation" &&
      /^(\*|<<|\+)$/.test(value.operator) &&
      // `snprintf(NULL, 0, "%s", line) + 1`: what measures a text gives no more than there is.
      !(value.operator === "+" && value.operands.some(({ kind }) => kind === "call")) &&
      isInput(args[i] ?? nothing) &&
      !wasAsked(frame, isNumberInput(run, args[i] ?? nothing) ? "capped" : "bounded", value),
  );
}

const sized = (of: Value | undefined): Value => {
  const bytes = of && of.region?.kind !== "heap" ? capacityOf(of) : null;
  return bytes === null ? nothing : constant(bytes);
};

function freeing(run: Run, frame: Frame, call: Call, name: string, value: Value): void {
  const operand = call.args[0]?.value;
  const path = operand && accessPath(operand);
  // Members and globals change hands in ways that cannot be seen here.
  if (!operand || !path || frame.scope.binding(path.split(".", 1)[0] as string) !== frame.scope) return;
  const { region } = value;
  if (region && region.kind !== "heap" && region.kind !== "new") {
    // Of a pointer the test that tells the two apart may have been missed.
    const declared = /^\w*/.exec(run.text.slice(Number(region.id), Number(region.id) + path.length + 1));
    if (declared?.[0] === path) fault(run, frame, "<freed-wrongly>", call, operand);
    return;
  }
  if (region && isSetAround(run, frame, region, path, call.start)) forgetFreed(frame, region);
  if (region && (isFreed(frame, region) || isPerhapsFreed(run, frame, region, path, call.start))) {
    fault(run, frame, isFreed(frame, region) ? "<freed-twice>" : "<freed-perhaps>", call, operand);
    return;
  }
  if ((region && !givesBack[region.kind].test(name)) || isMoved(run, frame, path, call.start)) {
    fault(run, frame, "<freed-wrongly>", call, operand);
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
  const test = frame.under.at(-1);
  if (test && /^\w+$/.test(path))
    frame.scope.set(perhapsFreedFact(freed), {
      ...nothing,
      constants: [call.end, run.text.slice(test.start, test.end)],
    });
}

/** A function of the file gives back what it is handed: from here on that is freed, as if it had been by name. */
export function givenBackBy(run: Run, frame: Frame, call: Call, closure: ClosureValue, args: readonly Value[]): void {
  if (!isNative(run)) return;
  for (const i of releasedBy(run, closure)) {
    const value = args[i];
    const path = call.args[i] && accessPath(call.args[i].value);
    if (!value || !path || (value.region && (value.region.kind !== "heap" || isFreed(frame, value.region)))) continue;
    // Who takes an element out of a list sets what its neighbours point to.
    if (path.includes(".") || isMoved(run, frame, path, call.start)) continue;
    freeing(run, frame, { ...call, args: call.args.slice(i, i + 1) }, "free", value);
  }
}

/** Whether a pointer was moved on from where its block begins, and never set or moved back. */
function isMoved(run: Run, { fn }: Frame, path: string, end: number): boolean {
  if (!/^\w+$/.test(path) || !fn) return false;
  const before = run.text.slice(fn.body[0]?.start ?? end, end);
  const made = new RegExp(`\\b${path}\\s*=\\s*(?:\\([\\w\\s*]{1,40}\\)\\s*)?(?:[mc]alloc|strn?dup)\\s*\\(`, "g");
  const since = before.slice([...before.matchAll(made)].at(-1)?.index ?? end).replace(/^[^;]*;/, "");
  const moves = new RegExp(`(?:^|[^.>\\w])(?:\\+\\+\\s*${path}\\b(?!\\s*(?:\\.|->|\\[))|${path}\\s*(?:\\+\\+|\\+=))`);
  const returns = new RegExp(`\\b${path}\\s*(?:-=|--|=(?!=))|--\\s*${path}\\b|&\\s*${path}\\b`);
  return moves.test(since) && !returns.test(since);
}

/** Reading, passing or following a pointer after it was freed. Each freed block is told of once. */
export function useOf(run: Run, frame: Frame, e: Expression, value: Value): void {
  // What is asked again is not read again.
  if (!isNative(run) || frame.recalls) return;
  follow(run, frame, e);
  wasFreed(run, frame, e, value);
}

function wasFreed(run: Run, frame: Frame, e: Expression, value: Value): void {
  const { region } = value;
  const path = region ? accessPath(e) : null;
  if (!region || path === null || isMeasured(run, e)) return;
  const isGone = isFreed(frame, region);
  if (!isGone && !isUsedPerhapsFreed(run, frame, region, path, e)) return;
  if (!isSetAround(run, frame, region, path, e.start)) fault(run, frame, isGone ? "<freed-use>" : "<freed-perhaps>", e);
  forgetFreed(frame, region);
}

/** The same where a part of it is remembered and the pointer itself is not evaluated. */
export function useOfOwner(run: Run, frame: Frame, of: Expression): void {
  const path = isNative(run) ? accessPath(of) : null;
  const value = path === null ? undefined : frame.scope.get(path);
  if (value) useOf(run, frame, of, value);
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

const givesUpRights = /^(set(res)?[ug]id|setgroups|initgroups)$/;

const isStatement = (at: Span): at is ExpressionStatement => "kind" in at && at.kind === "expression";

/** A program that goes on without having looked may still be root; one that becomes root again loses nothing. */
function keepRights(run: Run, frame: Frame, call: Call, name: string, args: readonly Value[]): void {
  const { statement } = frame;
  const isIgnored = isStatement(statement) && statement.value === call;
  if (!isIgnored || !givesUpRights.test(name) || args.some((value) => number(value) === 0)) return;
  if (!/\(\s*void\s*\)\s*$/.test(run.text.slice(Math.max(0, call.start - 10), call.start)))
    fault(run, frame, "<rights-kept>", call, call.callee);
}

const opens = new Set(["open", "fopen", "chmod", "chown"]);

/** No link is followed, or what was opened is looked at again. */
const isOpenedItself = (run: Run, { fn }: Frame, call: Call): boolean =>
  /\bO_(NOFOLLOW|EXCL)\b/.test(run.text.slice(call.start, call.end)) ||
  /\bfstat(64)?\s*\(/.test(run.text.slice(call.end, fn?.end));

/** Between asking about a file and using it the file can become another one. */
function checkThenUse(run: Run, frame: Frame, call: Call, name: string): void {
  const first = call.args[0]?.value;
  const path = first && accessPath(first);
  if (!path) return;
  if (asks.has(name)) frame.scope.set(`@accessed:${path}`, constant(true));
  else if (name === "lstat") frame.scope.set(`@looked-at:${path}`, constant(true));
  else if (uses.has(name) && frame.scope.binding(`@accessed:${path}`))
    fault(run, frame, "<checked-then-used>", call, call.callee);
  else if (opens.has(name) && frame.scope.binding(`@looked-at:${path}`) && !isOpenedItself(run, frame, call))
    fault(run, frame, "<looked-then-opened>", call, call.callee);
}

/** `memcpy(copy, record, sizeof(*copy))`: the pointers in it are others now. */
function replaceFields(frame: Frame, { args: [to] }: Call, name: string): void {
  const path = to && /^mem(cpy|move|set)$/.test(name) ? accessPath(to.value) : null;
  if (path === null || !frame.scope.fields) return;
  for (const [key, { region }] of frame.scope.fields)
    if (region && key.startsWith(`${path}.`)) forgetFreed(frame, region);
}

/** Who is given the address of a variable may store something else in it. */
function handedOut(frame: Frame, e: Expression): void {
  const path = accessPath(e);
  const known = path === null ? undefined : frame.scope.get(path);
  if (!path || !known) return;
  const own = known.region?.kind === "stack" || known.region?.kind === "kept" ? known.region : null;
  frame.scope.refine(path, { ...known, constants: null, region: own });
}

/** The function's own memory is gone when it has returned. */
export function returnedRegion(run: Run, frame: Frame, returned: Expression, value: Value): void {
  if (!isNative(run)) return;
  if (value.region) wasFreed(run, frame, returned, value);
  returnShown(run, frame, returned);
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
  forgetFreed(frame, region);
  return { ...value, region };
}

/** What is kept in a field of every instance is no block of one of them. */
export const keptIn = (value: Value): Value =>
  value.region && value.region.kind !== "kept" && value.region.kind !== "stack" ? { ...value, region: null } : value;
