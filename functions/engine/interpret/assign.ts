import { lastSegment } from "../catalogue/paths.ts";
import { remembered } from "../catalogue/remembered.ts";
import { type Assign, type Expression, setterName } from "../ir/ir.ts";
import { carriedName } from "./calls/carried-objects.ts";
import { isOfProject, ofTable, targetOf } from "./calls/handover.ts";
import { invoke } from "./calls/invoke.ts";
import { storeInField } from "./calls/receivers.ts";
import { exportedFunction } from "./calls/wrapped-functions.ts";
import { check, setFacts } from "./check.ts";
import { declaredFor, declaredIn } from "./declared-types.ts";
import { destructure } from "./destructure.ts";
import { evaluate } from "./evaluate.ts";
import { hostReplaced } from "./guards/address-tests.ts";
import { hasNoPrototype } from "./guards/prototype-tests.ts";
import { keptIn, useOf } from "./memory/memory.ts";
import { indexSet } from "./memory/memory-indexes.ts";
import { accessPath, byName, hasOpenClasses, joined, memberPaths, typedAs } from "./names.ts";
import { setterOf } from "./objects/accessors.ts";
import { keepForKin, keepForOthers, keepInStruct } from "./objects/fields-of-others.ts";
import { underGivenKey } from "./objects/given-keys.ts";
import { methodOf } from "./objects/members.ts";
import { exportMethod } from "./objects/methods-of-this.ts";
import { isUnderOwnKey } from "./objects/own-keys.ts";
import { isOwnKey, listRewritten, namesWritten, noteElement, rewritten } from "./objects/rewritten-elements.ts";
import { isFactOf } from "./objects/settled-objects.ts";
import { fieldOfClass, isOfPackage, keepElements, noteShared } from "./objects/shared-state.ts";
import { noteChanged } from "./origins.ts";
import type { Frame, Run } from "./run.ts";
import {
  boundSlots,
  type ClassInfo,
  cleaned,
  join,
  keysPart,
  nothing,
  stepped,
  type Value,
  withAny,
  withEntry,
} from "./value.ts";
import { registerInTable } from "./views/helpers.ts";
import { showInView } from "./views/template-calls.ts";
import { keepForViews } from "./views/view-variables.ts";
import { keepForPage } from "./views/views.ts";

/** Stores a value: in a variable, a field, an element, or by destructuring. */
export function assign(
  run: Run,
  frame: Frame,
  to: Expression,
  value: Value,
  at: Assign | Expression,
  type: string | null = null,
): void {
  switch (to.kind) {
    case "variable": {
      const declared = declaredFor(run, frame, to.name, at, type);
      const told = isCopied(run, frame, to.name, declared) ? null : declared;
      const typed = withType(run, frame, { ...value, taint: stepped(value.taint, at) }, told);
      const declares = "declares" in at && at.declares;
      // Settings are plain names of modules and classes.
      const isSetting = !frame.fn && (run.language === "python" || (run.language === "php" && frame.owner !== null));
      // A name that nobody has declared is the page's: `location = next`.
      const isOfPage = run.language === "javascript" && !declares && !frame.scope.binding(to.name);
      bind(run, frame, to.name, typed, declares);
      if (isSetting || isOfPage) storedIn(run, frame, [to.name], nothing, value, at);
      exportName(run, frame, to.name, value);
      keepForPage(run, frame, to, typed);
      break;
    }
    case "field":
      noteChanged(frame, to.of);
      assignField(run, frame, to, value, at);
      break;
    case "index":
      noteChanged(frame, to.of);
      assignIndex(run, frame, to, value, at);
      break;
    case "collection":
      destructure(run, frame, to, withType(run, frame, value, type), at);
      break;
    case "assign":
      assign(run, frame, to.to, value, at, to.type);
      break;
    default:
      evaluate(run, frame, to);
  }
}

/**
 * `char c = text.charAt(i)` in a loop: one character does no harm, but all of them together are the text, unless somebody asks what they
 * are, as those do who escape them or leave them out.
 */
function isCopied(run: Run, { fn, loops }: Frame, name: string, type: string | null): boolean {
  if (type !== "char" || loops.length === 0 || !fn) return false;
  const text = run.stretch(fn.start, fn.end);
  const uses = (before: string): number => [...text.matchAll(new RegExp(`${before}\\b${name}\\b`, "g"))].length;
  return uses("") === uses("(?:\\bchar\\s+|\\+=?\\s*|\\]\\s*=\\s*|\\.(?:append|write|add|push|print)\\(\\s*)");
}

/** Adds what the declared type tells: what the value can be called, and that numbers carry no attack. */
export function withType(run: Run, frame: Frame, value: Value, type: string | null): Value {
  if (!type) return value;
  // What a database is asked by carries nothing either, and is still what it is.
  if (isCleanType(run, type)) return cleaned(type.includes(".") ? typed(run, frame, value, type) : value, -1);
  return typed(run, frame, value, type);
}

function typed(run: Run, frame: Frame, value: Value, type: string): Value {
  const declared = typedAs(run, frame, type);
  // One of the names that an enumeration of this file has.
  if (declared.paths.some(isEnumeration)) return cleaned(value, -1);
  if (declared === nothing) return value;
  // A class of the file that extends such a type: an enumeration has the values that it lists.
  if (declared.instance && declared.paths.some((path) => run.knowledge.cleanTypes.has(path))) return cleaned(value, -1);
  const known = declared.paths.filter((path) => !value.paths.includes(path));
  return {
    ...value,
    paths: [...value.paths.filter((path) => !path.startsWith("?") || isFactOf(path)), ...known],
    instance: value.instance ?? declared.instance,
  };
}

/** Numbers and the like, and collections of nothing else. An array of bytes is any text. */
export const isCleanType = (run: Run, type: string): boolean => run.knowledge.cleanTypes.has(heldType(type));

/** What every enumeration extends, as its language or its lowering calls it. */
export const isEnumeration = (path: string): boolean =>
  path === "java.lang.Enum" || path === "System.Enum" || path === "<names>";

/** The type that decides what a value of a type can hold. */
export const heldType = remembered(
  (type) =>
    elementType(type) ?? type.match(/^([iI]nt(?:eger)?|[lL]ong|UUID)(?:\[\]|\.{3})$/)?.[1] ?? type.replace(/<.*$/s, ""),
);

/** What a collection is declared to be of: `List<File>`. */
export const elementType = (type: string): string | null =>
  type.match(/(?:List|Set|Collection|Iterable|Optional|Queue|Stream)<\s*(?:\?\s*extends\s+)?([\w.]+)\s*>$/)?.[1] ??
  null;

function bind(run: Run, frame: Frame, name: string, given: Value, declares: boolean): void {
  if (run.language === "php") frame.scope.forgetElements(name);
  // A value that goes by no name goes by the variable's: models may ask what a receiver is called.
  const value = given.paths.length === 0 && given.constants === null ? { ...given, paths: [byName(name)] } : given;
  const owner = frame.scope.binding(name);
  const isField = !declares && !owner && hasOpenClasses(run.language);
  if (isField && frame.owner?.fields.has(name)) {
    frame.scope.set(`this.${name}`, value);
    run.storeField(frame.owner, name, value);
  } else if (owner && !declares && (owner !== frame.scope || owner.borrows(name))) storeAround(run, frame, name, value);
  else if (!declares && !owner && isOfPackage(run, frame, name)) run.storeAround(run.file, name, value);
  else frame.scope.set(name, value);
}

/** Assigns to a variable of a function around this one, which has the new value from here on; out there both are possible. */
function storeAround(run: Run, { scope }: Frame, name: string, value: Value): void {
  for (let around = scope.binding(name); around; around = around.borrows(name) ? around.outer(name) : null)
    if (around !== scope) run.storeAround(around, name, value);
  scope.borrow(name, value);
}

function assignField(
  run: Run,
  frame: Frame,
  to: Extract<Expression, { kind: "field" }>,
  value: Value,
  at: Expression,
): void {
  const of = evaluate(run, frame, to.of);
  useOf(run, frame, to.of, of);
  const method = of.instance ? methodOf(of.instance, setterName(to.name)) : null;
  if (method) {
    invoke(run, frame, { ...method, self: of }, [value], new Map(), at);
    return;
  }
  const setter = setterOf(run, of, to, at);
  if (setter) evaluate(run, frame, setter);
  const key = accessPath(to);
  const paths = memberPaths(of, to.name);
  storedIn(run, frame, paths.length > 0 ? paths : [joined("?", to.name)], of, value, at);
  hostReplaced(run, frame, to, of, value);
  exportValue(run, frame, of, to, value, at);
  exportMethod(run, frame, to, of, value);
  keep(run, paths, value, at);
  keepObject(run, paths, value);
  const shared = of.instance || of.type ? null : fieldOfClass(run, frame, to);
  if (shared !== null) keepUnder(run, shared, value, at);
  keepForViews(run, frame, to, value);
  keepForPage(run, frame, to, value);
  if (run.language === "ruby" && of === frame.self) showInView(run, frame, to.name, value, at);
  if (key !== null)
    frame.scope.set(key, {
      ...value,
      taint: stepped(value.taint, at),
      paths: value.paths.length > 0 ? value.paths : paths,
    });
  // What a class has itself, `self::$current = $name`, all that know the class have.
  const info = of.instance ?? (of === frame.self ? frame.owner : of.type);
  if (info) {
    const declared = run.language === "java" ? declaredIn(info.node, to.name) : null;
    run.storeField(info, to.name, keptIn(withType(run, frame, value, declared)));
    keepForKin(run, info, to.name, value, at);
  } else if (run.language === "go") {
    noteShared(run, paths, value);
    for (const type of of.paths) keepInStruct(run, type, to.name, value, at);
  } else {
    keepForOthers(run, frame, of, to, value, at);
    // Objects of JavaScript are maps, and go on to others as a whole.
    if (run.language === "javascript" && of.slots?.shape === "map") putInto(run, frame, to.of, of, to.name, value, at);
  }
}

/** `module.exports = …`, `exports.x = …`: what other files can call. */
function exportValue(
  run: Run,
  frame: Frame,
  of: Value,
  to: Extract<Expression, { kind: "field" }>,
  value: Value,
  at: Expression,
): void {
  if (run.language === "java" || run.language === "python") return;
  const path = of.paths[0];
  const name =
    path === "module" && to.name === "exports"
      ? "default"
      : path === "exports" || path === "module.exports"
        ? to.name
        : null;
  if (name === null) return;
  const closure = exportedFunction(run, frame, name, value, at.kind === "assign" ? at.from : at);
  exportAs(run, name, closure ? { ...value, closures: [closure] } : value);
  // What is the whole module goes by the name of that.
  exportMembers(run, name === "default" ? "" : `${name}.`, value, 2);
  if (run.language === "javascript") exportSpread(run, frame, name, at.kind === "assign" ? at.from : at);
}

/** `module.exports = { ...require("./lists"), ...rest }`, `Object.assign({}, lists)`: what lies in another module is handed on as well. */
function exportSpread(run: Run, frame: Frame, name: string, written: Expression): void {
  const made = written.kind === "variable" ? (frame.scope.origins.get(written.name) ?? written) : written;
  const parts =
    made.kind === "collection" && made.shape === "map"
      ? made.entries.flatMap(({ spread, value }) => (spread ? [value] : []))
      : made.kind === "call" && accessPath(made.callee) === "Object.assign"
        ? made.args.map(({ value }) => value)
        : [];
  for (const part of parts.slice(0, entriesMax)) {
    const target = part.kind === "collection" ? null : outsideOf(run, evaluate(run, frame, part).paths);
    if (target && run.aliases.size < aliasesMax) run.alias(name, target);
  }
}

/** `export const orders = { find(id) {} }`: others call `orders.find`, or `shop.orders.find` of an object in an object. */
function exportMembers(run: Run, within: string, { slots }: Value, depth: number): void {
  if (!slots || depth === 0) return;
  // A list of functions goes by its places.
  for (const [key, member] of slots.shape === "map" ? slots.entries : [...slots.entries].slice(0, entriesMax)) {
    exportAs(run, `${within}${key}`, member);
    exportMembers(run, `${within}${key}.`, member, depth - 1);
  }
}

/** What a module of Python binds is what other files import from it: an object that it has made, a name that it has imported itself. */
export function exportName(run: Run, frame: Frame, name: string, value: Value): void {
  if (run.language !== "python" || frame.fn || frame.owner) return;
  exportAs(run, name, value);
  if (value.slots?.shape === "map" && isTable.test(name)) exportEntries(run, name, value.slots);
}

/** `EXPORTERS = {"csv": CsvExporter(), "pdf": export_pdf}`: what other files take out of a table is any of these. */
function exportEntries(run: Run, name: string, { entries }: NonNullable<Value["slots"]>): void {
  for (const { closures, instance, type, paths } of [...entries.values()].slice(0, entriesMax)) {
    const target = closures[0]?.fn.name ?? instance?.node.name ?? type?.node.name ?? outsideOf(run, paths);
    if (target && run.aliases.size < aliasesMax) run.alias(`${name}${ofTable}`, target.replaceAll("()", ""));
  }
}

/** Tables that are not changed any more. */
const isTable = /^[A-Z][A-Z\d_]*$/;
/** More entries of a table are variants of one another. */
const entriesMax = 8;

function exportAs(run: Run, name: string, value: Value): void {
  const [closure] = value.closures;
  const target = value.instance?.node.name ?? value.type?.node.name ?? outsideOf(run, value.paths);
  if (closure) run.exports.set(name, closure);
  else if (target && target !== name && run.aliases.size < aliasesMax) {
    const isGiven = run.language === "javascript" && givenByFunction.test(target);
    run.alias(name, `${target.replaceAll("()", "")}${isGiven ? "()" : ""}`);
  }
}

/** What a function has given may be one itself: `const find = makeFind(orders)`. */
const givenByFunction = /\.\p{Ll}\w*\(\)$/u;

/** In JavaScript a path of the project shows by how it begins; in Python it is one that no model knows. */
const outsideOf = (run: Run, paths: readonly string[]): string | null | undefined =>
  run.language === "python"
    ? targetOf(run, null, paths)
    : paths.find((path) => /^[.@~#]/.test(path) || isOfProject.test(path));

const aliasesMax = 500;
const storesMax = 100;

/** `g.mailer = Mailer()`: what others find there is an object whose methods they call. */
function keepObject(run: Run, paths: readonly string[], value: Value): void {
  if (run.language !== "python" || value.closures.length > 0) return;
  const name = carriedName(run, paths);
  if (name !== null) exportAs(run, name, value);
}

/** Notes what is kept in fields of the request and its like, where other files find it. */
function keep(run: Run, paths: readonly string[], value: Value, at: Expression, depth = 2, within = ""): void {
  const field = paths.find((path) => run.isCarried(path));
  if (field === undefined || run.stores.size >= storesMax) return;
  keepUnder(run, field, value, at, within);
  if (depth > 0)
    for (const [key, entry] of value.slots?.entries ?? [])
      keep(run, [`${field}.${key}`], entry, at, depth - 1, within || field);
}

function keepUnder(run: Run, field: string, value: Value, at: Expression, within = ""): void {
  if (run.stores.size >= storesMax || isInputItself(run, field)) return;
  // What is stored in itself is not stored.
  for (const taint of value.taint)
    if (taint.source.outside !== `#${field}` && !taint.source.parameter)
      run.stores.set(`${field}|${taint.source.start}|${taint.source.outside}`, { field, within, taint, at });
}

/** `req.body = checked`: what is in the body of a request is input to all who read it, and those who check it put it back. */
const isInputItself = ({ knowledge }: Run, field: string): boolean =>
  field.split(".").some((_, i, names) => knowledge.reads.find(names.slice(0, i + 1).join(".")).sources.length > 0);

function assignIndex(
  run: Run,
  frame: Frame,
  to: Extract<Expression, { kind: "index" }>,
  value: Value,
  at: Expression,
): void {
  const of = evaluate(run, frame, to.of);
  const key = to.key && evaluate(run, frame, to.key);
  const known = key?.constants?.length === 1 ? String(key.constants[0]) : null;
  indexSet(run, frame, to, of, key, to.key ?? to);
  useOf(run, frame, to.of, of);
  if (known !== null) {
    const paths = memberPaths(of, known);
    storedIn(run, frame, paths.length > 0 ? paths : [joined("?", known)], of, value, at);
    keep(run, paths, value, at);
    keepObject(run, paths, value);
    keepForViews(run, frame, to, value);
    registerInTable(run, frame, of, known, value);
  } else if (key) storedIn(run, frame, memberPaths(of, "[]"), of, join(key, value), at, [key]);
  const outer = to.of.kind === "index" && to.of.key ? evaluate(run, frame, to.of.key) : null;
  if (
    to.of.kind === "index" &&
    outer &&
    outer.taint.length > 0 &&
    key &&
    !isUnderOwnKey(run, frame, to.of) &&
    !hasNoPrototype(evaluate(run, frame, to.of.of))
  )
    storedIn(run, frame, ["?.nested-key"], of, outer, at);
  const list = listRewritten(frame, to) ?? (isOwnKey(run, frame, of, key) ? to.of : null);
  const stored = { ...value, taint: stepped(value.taint, at) };
  if (list) replace(run, frame, list, rewritten(list === to.of ? of : evaluate(run, frame, list), stored));
  else if (known !== null) putInto(run, frame, to.of, of, known, value, at);
  else putUnderUnknown(run, frame, to, of, key, underGivenKey(run, of.slots?.shape === "map", key, value), at);
  if (!list && known === null) noteElement(frame, to, stored);
  const filled = to.key === null || known !== null ? accessPath(to.of) : null;
  if (filled !== null) storeInField(run, frame, filled, frame.scope.binding(filled)?.get(filled) ?? nothing);
  if (!to.key && of.instance) fillFields(run, of.instance, stored);
}

/** `$this->$name = $value`, in PHP: any field that nothing is known of may be meant. */
function fillFields(run: Run, info: ClassInfo, value: Value): void {
  if (run.language !== "php" || value.taint.length === 0) return;
  const isOpen = ({ constants, closures, instance, type, paths, slots }: Value) =>
    constants === null &&
    closures.length === 0 &&
    !instance &&
    !type &&
    !slots &&
    paths.every((path) => path.startsWith("?"));
  const open = [...info.fields].slice(0, fieldsFilledMax).filter(([, field]) => isOpen(field));
  for (const [name] of open) run.storeField(info, name, value);
}

/** Fields of what stands for a row or a form. */
const fieldsFilledMax = 40;

/** In a loop over names each of them is written, and of a few names that the code says any may be; anywhere else it may be any element. */
function putUnderUnknown(
  run: Run,
  frame: Frame,
  to: Extract<Expression, { kind: "index" }>,
  of: Value,
  key: Value | null,
  value: Value,
  at: Expression,
): void {
  const names = namesWritten(frame, to);
  const chosen =
    names.length === 0 && of.slots?.shape === "map" && key?.taint.length === 0 ? (key.constants ?? []) : [];
  if (names.length + chosen.length === 0) putInto(run, frame, to.of, of, null, value, at);
  for (const name of names) putInto(run, frame, to.of, evaluate(run, frame, to.of), name, value, at);
  for (const name of chosen.map(String)) {
    const held = evaluate(run, frame, to.of);
    const before = held.slots?.entries.get(name);
    putInto(run, frame, to.of, held, name, before ? join(before, value) : value, at);
  }
  if (run.language === "php" && key && key.taint.length > 0)
    putInto(run, frame, to.of, evaluate(run, frame, to.of), keysPart, key, at);
}

/** Puts a value into a list or map that has a name: under a key, or where any may be meant. */
function putInto(
  run: Run,
  frame: Frame,
  into: Expression,
  of: Value,
  key: string | null,
  value: Value,
  at: Expression,
): void {
  const stored = { ...value, taint: stepped(value.taint, at) };
  const slots = of.slots ?? { shape: "map" as const, entries: new Map<string, Value>(), rest: null };
  const changed =
    key !== null
      ? withEntry({ ...slots, shape: isPosition(key) ? slots.shape : "map" }, key, stored)
      : withAny(slots, stored);
  replace(run, frame, into, { ...of, constants: null, slots: boundSlots(changed) });
}

/** An array of PHP that was made without any elements is a map as soon as one has a name. */
const isPosition = (key: string): boolean => /^-?\d+$/.test(key);

function replace(run: Run, frame: Frame, into: Expression, next: Value): void {
  const whole = accessPath(into);
  if (whole === null) return;
  const owner = frame.scope.binding(whole);
  if (owner && owner !== frame.scope) run.storeAround(owner, whole, next);
  else if (!owner && isOfPackage(run, frame, whole)) run.storeAround(run.file, whole, next);
  else frame.scope.set(whole, next);
  keepElements(run, frame, into, next);
}

/** Sinks that are assignments: innerHTML, location, a setting. Where a key that is not known decides what is assigned, it comes second. */
function storedIn(
  run: Run,
  frame: Frame,
  paths: readonly string[],
  of: Value,
  value: Value,
  at: Expression,
  key: readonly Value[] = [],
): void {
  const matches = run.knowledge.assigns.findAll(paths);
  const facts = run.knowledge.assignedFacts.findAll(paths);
  if (matches.length === 0 && facts.length === 0) return;
  const name = lastSegment(paths[0] as string);
  const subject = {
    positional: [value, ...key],
    named: new Map(),
    receiver: of,
    receiverPaths: of.paths,
    at,
    name,
  };
  setFacts(frame, facts, subject);
  if (matches.length > 0) check(run, frame, matches, subject);
}
