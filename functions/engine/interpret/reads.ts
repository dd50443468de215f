import type { Expression, Field, Index, Span } from "../ir/ir.ts";
import { evaluateCall } from "./calls/calls.ts";
import { isOfProject, targetOf } from "./calls/handover.ts";
import { invoke } from "./calls/invoke.ts";
import { readForAll } from "./calls/magic-methods.ts";
import { evaluate } from "./evaluate.ts";
import { useOf, useOfOwner } from "./memory/memory.ts";
import { indexOf } from "./memory/memory-indexes.ts";
import { readUnset } from "./memory/unset.ts";
import {
  accessPath,
  basePaths,
  byName,
  elementPath,
  globalName,
  hasOpenClasses,
  isKey,
  isPackage,
  joined,
  memberPaths,
  namesQualified,
} from "./names.ts";
import { getterOf } from "./objects/accessors.ts";
import { fieldOfKin, fieldOfMade, inheritedField } from "./objects/fields-of-others.ts";
import {
  fieldTaint,
  fromOutside,
  mayHaveChanged,
  member,
  memberOfInstance,
  methodOf,
  partOfGiven,
  partOfTainted,
  receiverValue,
} from "./objects/members.ts";
import { withFieldOfClass, withSharedField, withSharedVariable } from "./objects/shared-state.ts";
import type { Frame, Run } from "./run.ts";
import { afterAsking } from "./validators/asked-names.ts";
import {
  anyElement,
  anyPart,
  arriving,
  type ClassInfo,
  constant,
  elementAt,
  join,
  joinTaint,
  named,
  nothing,
  type Taint,
  tainted,
  unset,
  type Value,
} from "./value.ts";
import { pageVariable } from "./views/includes.ts";

/** What a name means where it stands. */
export function variable(run: Run, frame: Frame, name: string, at: Span): Value {
  if (frame.self && (name === "this" || name === frame.fn?.receiver)) return receiverValue(frame.self, frame.fn);
  const scope = frame.scope.binding(name);
  if (scope) {
    const value = scope.get(name) as Value;
    // A property may be called like its class: `Filter Filter { get; set; }`.
    const property = value.type && run.language === "csharp" && frame.owner ? ownMember(run, frame, name) : null;
    if (property) return got(run, frame, property, frame.self ?? nothing, at);
    if (scope === frame.scope) return value;
    const outside = mayHaveChanged(run, fromOutside(value, name), name);
    return scope === run.file ? withSharedVariable(run, frame, name, outside, at) : outside;
  }
  if (frame.self && name === receiverOf(run, frame)) return frame.self;
  if (frame.owner && hasOpenClasses(run.language)) {
    const member = ownMember(run, frame, name) ?? outerMember(frame.owner, name);
    if (member) return run.language === "csharp" ? got(run, frame, member, frame.self ?? nothing, at) : member;
  }
  if (frame.owner && frame.owner.node.name === name) return named(name);
  const global = inherited(run, frame, name) ?? globalName(run, name);
  // Input can have a name that is there everywhere.
  const [input] = run.knowledge.reads.find(name).sources;
  if (!input && run.language === "go") return withSharedVariable(run, frame, name, global, at);
  if (!input)
    return { ...global, taint: [...pageVariable(run, frame, name, at), ...inheritedReader(run, frame, name, at)] };
  return { ...global, taint: [arriving(run.source(input.kind, at), at)] };
}

/** What the method, or the one around the function, calls the object that it was called on. */
export const receiverOf = (run: Run, { fn }: Frame): string | null =>
  fn && (fn.receiver ?? run.receivers.get(fn) ?? null);

/** What Ruby reads without having assigned it is given by a method, mostly one that the class extends or includes. */
function inheritedReader(run: Run, frame: Frame, name: string, at: Span): readonly Taint[] {
  const target = run.language === "ruby" ? targetOf(run, frame, [name]) : null;
  return target === null ? [] : [arriving(run.outside(target, at), at)];
}

/** A member of a class that this one extends and that another file has, or a library. */
function inherited(run: Run, frame: Frame, name: string): Value | null {
  if (run.language !== "java" || !frame.owner || !/^\p{Ll}/u.test(name) || isPackage(run, name)) return null;
  const bases = basePaths({ ...nothing, type: frame.owner });
  return bases.length === 0 ? null : named(...bases.slice(0, 3).map((base) => `${base}.${name}`), `?${name}`);
}

function ownMember(run: Run, frame: Frame, name: string): Value | null {
  const { self } = frame;
  const key = joined("this", name);
  const assigned = frame.scope.binding(key)?.get(key);
  if (assigned || !self) return assigned ?? null;
  // What a record was made of it has for good.
  const own = self.slots?.entries.get(name) ?? memberOfInstance(self, name, run.language === "java");
  return own && self.taint.length > 0 ? partOfTainted(run, self, own, name) : own;
}

/** What a class has around it, also one that is written where an object of it is made: `pool.execute(new Runnable() { … })`. */
function outerMember({ outer }: ClassInfo, name: string): Value | null {
  let around = outer;
  for (let depth = 0; around && depth < outerMax; depth++) {
    const member = memberOfInstance(around, name, true);
    if (member) return member;
    around = around.instance?.outer ?? null;
  }
  return null;
}

/** Classes within each other; those of code that somebody has written are two or three. */
const outerMax = 4;

/** What a field holds, or what a function gives that is called by reading it. */
export function field(run: Run, frame: Frame, e: Field): Value {
  const key = accessPath(e);
  const root = key === null ? null : frame.scope.binding(key);
  const remembered = root && key !== null ? root.get(key) : undefined;
  if (remembered) {
    useOfOwner(run, frame, e.of);
    return root === frame.scope ? remembered : fromOutside(remembered);
  }
  if (run.language === "java" && key !== null && !root && namesQualified(run, key)) return named(key);
  const of = evaluate(run, frame, e.of);
  useOf(run, frame, e.of, of);
  const getter = getterOf(run, of, e);
  if (getter) return evaluateCall(run, frame, getter);
  const read = withSharedField(run, frame, memberRead(run, frame, of, e), e, e);
  const own = withFieldOfClass(run, frame, got(run, frame, read, of, e), of, e);
  const given = fieldOfMade(run, frame, of, e, own);
  const isOwn = e.of.kind === "variable" && (e.of.name === "this" || e.of.name === frame.fn?.receiver);
  const value = isOwn ? inheritedField(run, frame, e.name, given, e) : given;
  const shown = e.of.kind === "variable" && e.of.name === "this" ? ofOthers(run, frame, e) : [];
  return shown.length === 0 ? value : { ...value, constants: null, taint: joinTaint(value.taint, shown) };
}

const memberRead = (run: Run, frame: Frame, of: Value, e: Field): Value =>
  readForAll(run, frame, of, e) ?? member(run, frame, asWritten(run, of, e.of), e.name, e, run.language === "java");

/** What a field of PHP holds by what other files have done: a view is run as a part of the object that shows it. */
const ofOthers = (run: Run, frame: Frame, { name, ...at }: Field): readonly Taint[] =>
  frame.owner === null ? pageVariable(run, frame, name, at) : fieldOfKin(run, frame, name, at);

/** What is read of an object may be what a function gives that is called by reading. */
function got(run: Run, frame: Frame, value: Value, of: Value, at: Span): Value {
  const [closure] = value.closures;
  if (!closure?.fn.getter || closure.fn.params.length > 0) return value;
  return invoke(run, frame, closure.owner ? closure : { ...closure, self: of }, [], new Map(), at);
}

/** Requests of PHP frameworks come in classes of the application: what the variable is called tells what its properties are. */
function asWritten(run: Run, of: Value, written: Expression): Value {
  if (run.language !== "php" || written.kind !== "variable" || of.instance || !written.name.startsWith("$")) return of;
  const path = byName(written.name);
  return of.paths.includes(path) ? of : { ...of, paths: [...of.paths, path] };
}

/** An element of a list or a map. */
export function index(run: Run, frame: Frame, e: Index): Value {
  const key = e.key && evaluate(run, frame, e.key);
  const known = key?.constants?.length === 1 ? key.constants[0] : null;
  if (isKey(known)) {
    const literal = { ...e, kind: "literal" as const, value: known };
    const field = accessPath({ ...e, key: literal });
    const remembered = field === null ? undefined : frame.scope.binding(field)?.get(field);
    if (remembered) {
      useOfOwner(run, frame, e.of);
      return remembered;
    }
  }
  const asked = frame.scope.fields && elementPath(e);
  const told = asked ? frame.scope.get(asked) : undefined;
  if (told) return told;
  // Of global input the element that is read is what a reader wants to be told; the rules of users mark the whole.
  const of = e.of.kind === "variable" && !run.marks ? variable(run, frame, e.of.name, e) : evaluate(run, frame, e.of);
  if (of === unset && e.of.kind === "variable") readUnset(run, frame, e.of.name, e.of);
  indexOf(run, frame, e, of, key, e.key ?? e);
  useOf(run, frame, e.of, of);
  const own = run.language === "python" && of.instance ? methodOf(of.instance, "__getitem__") : null;
  if (own) return invoke(run, frame, { ...own, self: of }, [key ?? nothing], new Map(), e);
  const each = run.language === "php" && !e.key && of.instance ? methodOf(of.instance, "getIterator") : null;
  if (each) return anyElement(invoke(run, frame, { ...each, self: of }, [], new Map(), e));
  if (known === null || known === undefined) {
    const keys = e.asKey && of.slots?.shape === "map" && !of.slots.rest ? [...of.slots.entries.keys()] : null;
    if (keys) return { ...tainted(of.taint), constants: keys.length > 0 && keys.length <= keysMax ? keys : null };
    const any = partOfGiven(run, of, anyElement(of), anyPart);
    // A map may lack the key: a set written as a map of true answers both ways.
    const constants = of.slots?.shape === "map" && any.constants?.every((c) => c === true) ? null : any.constants;
    const own = of.slots ? any.paths.filter((path) => isOwnPath(run, path)) : [];
    const paths = [...memberPaths(of, "[]"), ...own];
    // What is handed out one by one may be input: the messages of a connection.
    const [input] = e.key ? [] : run.knowledge.reads.findAll(paths).sources;
    const messages: readonly Taint[] = input ? [arriving(run.source(input.kind, e), e)] : [];
    return { ...any, taint: joinTaint(any.taint, messages), constants, paths };
  }
  const text = of.constants?.length === 1 ? of.constants[0] : null;
  if (typeof text === "string" && typeof known === "number") return constant(text.at(known) ?? "");
  const held = elementAt(of, normalisedIndex(of, known)) ?? fieldAt(of, known);
  const slot = held && partOfGiven(run, of, held, String(known));
  if (slot) return run.language === "php" && !of.slots?.entries.has(String(known)) ? orStill(of, slot) : slot;
  if (of.slots && !of.slots.rest) return tainted(fieldTaint(run, of, of.taint, String(known)));
  return afterAsking(run, frame, e, String(known), member(run, frame, of, String(known), e));
}

/** What a table has of other files is still that when it is taken out, whichever it is. */
const isOwnPath = ({ language }: Run, path: string): boolean =>
  language === "python" ? !constantName.test(path) : language === "javascript" && isOfProject.test(path);

/** Keys of one map that are told apart. */
const keysMax = 8;

/** A function or an object that is taken out of a table of Python is asked for what it is; of constants only one is meant. */
const constantName = /(^|\.)[A-Z][A-Z\d_]*$/;

/** What has been written under keys that are not known may be another element than this one, which is input then, as it was. */
function orStill(of: Value, written: Value): Value {
  const input = of.taint.filter(({ source }) => source.outside === null && !source.parameter);
  return input.length === 0 ? written : join(written, tainted(input));
}

/** A tuple whose elements have names has them in their order. */
function fieldAt({ instance, slots }: Value, key: string | number | boolean): Value | null {
  const isField = instance !== null && slots?.shape === "map" && typeof key === "number";
  return isField ? ([...slots.entries.values()].at(key) ?? null) : null;
}

/** Python counts negative indexes from the end, which is where what is not known stands. */
function normalisedIndex(of: Value, key: string | number | boolean): string {
  if (typeof key === "number" && key < 0 && of.slots?.shape === "list" && !of.slots.rest)
    return String(of.slots.entries.size + key);
  return String(key);
}
