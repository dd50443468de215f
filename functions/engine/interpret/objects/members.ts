import { allFamilies, type ReadModels } from "../../catalogue/catalogue.ts";
import type { LazyRegex } from "../../catalogue/expression.ts";
import { lastSegment } from "../../catalogue/paths.ts";
import { remembered } from "../../catalogue/remembered.ts";
import type { FunctionNode, Span } from "../../ir/ir.ts";
import { heldType, isCleanType, isEnumeration } from "../assign.ts";
import { isFilled } from "../calls/filled-arguments.ts";
import { anyClass, targetOf } from "../calls/handover.ts";
import { partOfThrown } from "../calls/thrown-values.ts";
import { check, receiverFits } from "../check.ts";
import { through } from "../guards/guard-functions.ts";
import { bySchema, type Passage, wholeObject } from "../guards/passage.ts";
import { accessPath, basePaths, byName, joined, memberPaths } from "../names.ts";
import type { Frame, Run } from "../run.ts";
import { asAskedField } from "../validators/asked-fields.ts";
import { askedElsewhere, checkedField, dataCleans, declaredCleans } from "../validators/checked-records.ts";
import { constrainedField } from "../validators/constraints.ts";
import { asDecorated } from "../validators/parsing.ts";
import { byRules } from "../validators/request-rules.ts";
import { asChecked } from "../validators/route-schemas.ts";
import { namedInRoute } from "../validators/route-variables.ts";
import {
  allTaint,
  anyPart,
  arriving,
  type ClassInfo,
  type ClosureValue,
  cleaned,
  elementAt,
  isOfWhole,
  join,
  joinTaint,
  named,
  nothing,
  partsMax,
  type Taint,
  tainted,
  type Value,
} from "../value.ts";
import { lengthOf } from "./containers.ts";

/**
 * Another function may have assigned since: of the constants only texts are worth trusting, they are rarely reassigned, and numbers that are
 * written like constants. A zero or a one is often a switch, whatever it is called.
 */
export function fromOutside(value: Value, name: string | null = null): Value {
  if (!value.constants || value.constants.every((c) => typeof c === "string")) return value;
  const isFixed = name !== null && isConstantName(name) && value.constants.every((c) => typeof c === "number" && c > 1);
  return isFixed ? value : { ...value, constants: null };
}

/**
 * `const config = { raw: false }; const hooks = [];` around a function: others may have set a switch or added something since. A switch that
 * the file never assigns to stays what it was made as.
 */
export function mayHaveChanged(run: Run, value: Value, name: string): Value {
  if (!value.slots || isConstantName(name)) return value;
  const known = changed.get(value);
  if (known) return known;
  const isSet = (key: string, { constants }: Value) =>
    constants?.every((c) => typeof c !== "string") === true && run.assignmentsOf(key).length > 0;
  const entries = new Map(
    [...value.slots.entries].map(([key, entry]) => [key, isSet(key, entry) ? { ...entry, constants: null } : entry]),
  );
  const loose = { ...value, slots: { ...value.slots, entries, least: 0 } };
  changed.set(value, loose);
  return loose;
}

const changed = new WeakMap<Value, Value>();

/** `SALT_ROUNDS` */
const isConstantName = (name: string): boolean => /^[A-Z][A-Z\d_]{2,}$/.test(name);

/** `&Shelf{notes: map[string]string{}}`: what a struct of Go is made with may be a list or map that its methods fill. */
const isFilledLater = ({ language }: Run, { slots, taint }: Value, own: Value): boolean =>
  language === "go" && slots !== null && slots.entries.size === 0 && taint.length === 0 && own.slots !== null;

/** What this object has in a field is called, not what any object of the class may have there. */
const isFunctionField = ({ instance }: Value, given: Value, name: string): boolean =>
  given.closures.length > 0 && instance !== null && methodOf(instance, name) === null;

/** Reads a member: of the file's classes, of a map, or a name that a model may know. */
export function member(run: Run, frame: Frame, of: Value, name: string, at: Span, isField = false): Value {
  const found = readMember(run, frame, of, name, at, isField);
  return run.language === "python" && name === "__dict__" ? asMap(of, found) : found;
}

/** `vars(order)`, `order.__dict__`: all that an object has, by its names. */
function asMap(of: Value, found: Value): Value {
  const { instance, taint } = of;
  const names = new Set(instance ? lineageOf(instance).flatMap(({ fields }) => [...fields.keys()]) : []);
  const entries = new Map([...names].map((name) => [name, memberOfInstance(of, name, true) ?? nothing] as const));
  return { ...found, taint, slots: instance ? { shape: "map", entries, rest: null } : of.slots };
}

function readMember(run: Run, frame: Frame, of: Value, name: string, at: Span, isField: boolean): Value {
  const own = memberOfInstance(of, name, isField);
  const given = own ? (of.slots?.entries.get(name) ?? promoted(run, of, name)) : undefined;
  if (given && (own?.closures.length === 0 || isFunctionField(of, given, name)))
    return own && isFilledLater(run, given, own) ? join(given, own) : given;
  if (own) return of.taint.length > 0 ? partOfTainted(run, of, own, name) : own;
  const embedded = run.language === "go" && !own && !of.slots?.entries.has(name) ? promoted(run, of, name) : undefined;
  if (embedded) return embedded;
  if (name === "length" && of.slots) return lengthOf(of);
  const slot = of.slots?.shape === "map" ? elementAt(of, name) : null;
  const reached = memberPaths(of, name);
  const direct = run.knowledge.reads.findAll(reached);
  const paths = direct.holds.length === 0 ? reached : [...direct.holds, ...reached];
  const models = direct.holds.length === 0 ? direct : run.knowledge.reads.findAll(paths);
  const read = readMatches(frame, of, models);
  if (read.cleans === -1) return named(...paths);
  const isOfWhole = !of.slots || (!of.slots.rest && !of.slots.entries.has(name));
  const kept = slot && !isOfWhole ? slot.taint : fieldTaint(run, of, of.slots ? of.taint : allTaint(of), name);
  const base: Value = slot
    ? { ...slot, paths: [...slot.paths, ...paths], taint: kept }
    : { ...nothing, paths, taint: kept };
  const carried = read.kind === null && !slot ? paths.find((path) => run.isCarried(path)) : undefined;
  const source =
    read.kind !== null
      ? run.source(read.kind, at, read.confidence)
      : carried === undefined
        ? null
        : run.outside(`#${carried}`, at);
  // A field that is asked for says more than the object it is in.
  const narrowed =
    carried === undefined ? base.taint : base.taint.filter(({ source: s }) => !isPartOf(s.outside, carried));
  const entered = source ? joinTaint(narrowed, [arriving(source, at)]) : narrowed;
  const taint = asDeclared(run, frame, of, name, reached, entered, at);
  // What an object has looked at is under the names that its class declares.
  const instance = taint.length > 0 && of.instance && run.knowledge.checked.has(name) ? of.instance : base.instance;
  const value = { ...base, instance, taint };
  if (models.checks.length > 0) {
    check(run, frame, models.checks, {
      positional: [of],
      named: new Map(),
      receiver: of,
      receiverPaths: of.paths,
      at,
      name: at,
    });
  }
  if (read.kind === null) return read.cleans === 0 ? value : cleaned(value, read.cleans);
  const isLookedAt = run.knowledge.checked.has(name);
  const asked = isLookedAt ? askedElsewhere(run, value) : value;
  const checked = byRules(run, of, asChecked(run, frame, name, asked, at), name.replace("$", ""));
  return cleaned(checked, read.cleans | (isLookedAt ? dataCleans(run, frame, of) : 0));
}

/** `job.Name`, where a struct of Go has embedded one that has the field. */
function promoted(run: Run, { instance, slots }: Value, name: string, depth = 0): Value | undefined {
  if (run.language !== "go" || !slots || depth > embeddedMax) return undefined;
  for (const { type } of instance?.bases ?? []) {
    const embedded = type ? slots.entries.get(type.node.name) : undefined;
    const found = embedded && (embedded.slots?.entries.get(name) ?? promoted(run, embedded, name, depth + 1));
    if (found) return found;
  }
  // Of a type of another file nothing is known but that what is embedded goes by the name of its type.
  const isEmbedded = (key: string, { paths }: Value) => paths.some((path) => /(?:^~|\.)(\w+)$/.exec(path)?.[1] === key);
  for (const [key, value] of instance ? [] : slots.entries)
    if (isEmbedded(key, value) && value.slots?.entries.has(name)) return value.slots.entries.get(name);
  return undefined;
}

/** Structs that are embedded in each other. */
const embeddedMax = 4;

/** A field of something whose class another file declares: linking knows whether it is a number, or text and nothing else. */
function asDeclared(
  run: Run,
  frame: Frame,
  of: Value,
  name: string,
  paths: readonly string[],
  taint: readonly Taint[],
  at: Span,
): readonly Taint[] {
  if (taint.length === 0) return taint;
  if (run.language === "javascript") return asDecorated(run, frame, of, name, taint, at);
  const asked =
    run.language === "java" ||
    (/^(csharp|php)$/.test(run.language) && taint.some(({ source, via }) => source.parameter || via))
      ? paths
      : run.language === "python"
        ? declaredNames(run, frame, of, name)
        : [];
  const target = asked.length > 0 ? targetOf(run, frame, asked) : null;
  if (target === null) return taint;
  return ofObject(taint, target);
}

/** A field by the class that declares it: that of a value with a declared type, or of what has looked at the value. */
function declaredNames(run: Run, frame: Frame, of: Value, name: string): readonly string[] {
  const type = of.paths.find((path) => /\.[A-Z]\w*$/.test(path));
  const field = type === undefined ? checkedField(run, frame, of, name) : `${type}.${name}`;
  return field === null ? [] : [field];
}

/** What is asked of an object that is tainted as a whole; linking knows its class. */
export const ofObject = (taint: readonly Taint[], target: string): readonly Taint[] =>
  taint.flatMap((t) => {
    const { validated } = t.source;
    const passage = { target, argument: wholeObject, check: "result" as const, trusted: false };
    return through(tainted([t]), validated === null ? passage : { ...passage, validated }).taint;
  });
/** What is read off a parameter, or off what another file gives, is that field of it, as long as nothing else was made of it. */
export function fieldTaint(run: Run, of: Value, given: readonly Taint[], name: string): readonly Taint[] {
  const asked = namedInRoute(of, given, name);
  const taint = run.language === "go" ? asAskedField(asked, name) : asked;
  if (!taint.some(({ source, via }) => source.parameter || source.outside !== null || via)) return taint;
  return taint.map((given) => {
    const t = lookedAt(given, name);
    const thrown = partOfThrown(run, t, name);
    if (thrown) return thrown;
    const { parameter, outside } = t.source;
    const passed = t.via?.at(-1);
    const isFirst = run.language === "go" && passed?.part === firstResult;
    if (passed && passed.check === "result" && (passed.part === undefined || isFirst) && isResultOf(of, passed.target))
      return {
        ...t,
        via: [...(t.via ?? []).slice(0, -1), { ...passed, part: isFirst ? `${firstResult}${fieldOf}${name}` : name }],
      };
    if (
      passed?.argument === bySchema &&
      passed.part !== undefined &&
      of.paths.includes(`${passed.target}().${passed.part}`)
    )
      return { ...t, via: [...(t.via ?? []).slice(0, -1), { ...passed, part: `${passed.part}.${name}` }] };
    const filled = t.via?.findLast(({ check }) => check === "result");
    if (filled && isFilled(filled.part)) {
      const part = `${filled.part}${fieldOf}${name}`;
      return { ...t, via: t.via?.map((passage) => (passage === filled ? { ...filled, part } : passage)) };
    }
    if (of.paths.includes(givenTo(outside ?? `${passed?.target}${fieldOf}${passed?.part}`)))
      return outside === null
        ? {
            ...t,
            via: [...(t.via ?? []).slice(0, -1), { ...passed, part: `${passed?.part}${fieldOf}${name}` } as Passage],
          }
        : { ...t, source: run.outside(`${outside}${fieldOf}${name}`, t.source, t.source.count, t.source.told) };
    if (outside !== null) {
      const whole = run.language === "go" ? outside.replace(ofFirst, "") : outside;
      return isResultOf(of, whole) ||
        isPartOfResult(of, outside) ||
        isLeftBehind(run, outside, t) ||
        isGivenWhole(outside, t)
        ? { ...t, source: run.outside(`${outside}${fieldOf}${name}`, t.source, t.source.count, t.source.told) }
        : t;
    }
    const param = parameter?.fn.params[parameter.index];
    if (!parameter || !param || (param.rest && run.language !== "python")) return t;
    if (parameter.field !== undefined) {
      const field = partWithin(run, of, param.name, parameter.field, name);
      return field === null
        ? t
        : { ...t, source: run.source("parameter", param, t.source.confidence, { ...parameter, field }) };
    }
    if (t.step.parent && !of.paths.includes(byName(param.name))) return t;
    return { ...t, source: run.source("parameter", param, t.source.confidence, { ...parameter, field: name }) };
  });
}

/** What a function of another file has found out of all of an object, it has found out of this field. */
export function lookedAt(taint: Taint, name: string): Taint {
  const isWhole = ({ check, field, part }: Passage) => outcomes.has(check) && field === undefined && part === undefined;
  if (!taint.via?.some(isWhole)) return taint;
  return { ...taint, via: taint.via.map((passage) => (isWhole(passage) ? { ...passage, field: name } : passage)) };
}

const outcomes: ReadonlySet<Passage["check"]> = new Set(["true", "false", "after", "good", "bad"]);

/**
 * `unset($columns["note"])`, `$labels["title"] ??= ""`: a map of PHP that a function has changed may still be the one that came in, and
 * what lies under a key is then that part of it, see besideInput.
 */
export function partOfGiven(run: Run, of: Value, element: Value, name: string): Value {
  if (of.taint.length === 0 || run.language !== "php") return element;
  const given = element.taint.filter((t) => of.taint.some((whole) => isOfWhole(t, whole)));
  if (given.length === 0) return element;
  const own = element.taint.filter((t) => !given.includes(t));
  // An array without elements that it is joined with tells nothing about what lies in it.
  const slots = element.slots?.entries.size === 0 ? null : element.slots;
  return { ...element, slots, taint: joinTaint(own, fieldTaint(run, of, given, name)) };
}

/** A variable that a file of PHP has left behind, as it was. */
const isLeftBehind = ({ language }: Run, outside: string, { step }: Taint): boolean =>
  language === "php" && !step.parent && outside.split(fieldOf).length === 2;

/** What a function of another file has put into an argument, what was announced, or what a base keeps in a field, as it was. */
const isGivenWhole = (outside: string, { step }: Taint): boolean =>
  !step.parent &&
  (/^#(event:|@)[^!]*$/.test(outside) ||
    (outside.includes("(>") && isFilled(outside.slice(outside.indexOf(fieldOf) + 1))));

/** By what a parameter goes that a function of another file calls back with a value: that it is this, as it was. */
export const givenTo = (outside: string): string => `?${outside}()`;

/** Whether a value is what a function of another file gives, and not made of that. Of an object that nobody knows the method tells. */
export function isResultOf({ paths }: Pick<Value, "paths">, target: string): boolean {
  const method = target.startsWith(anyClass) ? target.slice(target.lastIndexOf(".")) : null;
  const made = classMade(target);
  return paths.some((path) => {
    if (made !== undefined) return path.replace(/\(\)$/, "") === made;
    if (!path.endsWith("()")) return false;
    const plain = path.replaceAll("()", "");
    return method === null ? plain === target : plain.endsWith(method);
  });
}

/** An object goes by the name of its class, in Python by what calling that gives. */
const classMade = remembered((target) => target.match(/^(.+)\.(?:constructor|__init__)$/)?.[1]);

/** `load(req).filter`, of which a field is read: a part of what a function of another file gives, as it is. */
function isPartOfResult({ paths }: Value, outside: string): boolean {
  const [target, ...parts] = outside.split(fieldOf) as [string, ...string[]];
  if (parts.length === 0 || parts.length >= partsMax) return false;
  const made = classMade(target);
  const ends = `.${parts.join(".")}`;
  const whole = made === undefined ? [`${target}()`] : [made, `${made}()`];
  return paths.some((path) => path.endsWith(ends) && whole.includes(path.slice(0, -ends.length)));
}

/** Stands between a function of another file and the field of what it returns. */
export const fieldOf = "!";

/** `query, err := parse(r)`: the first of several results of Go goes by the names of the call, and is what has fields. */
const firstResult = "0";
const ofFirst = new RegExp(`${fieldOf}${firstResult}$`);

/** The field of a field of a parameter, where an array of PHP is read that came in within another. */
function partWithin({ language }: Run, { paths }: Value, param: string, field: string, name: string): string | null {
  const parts = field.split(fieldOf);
  const path = [byName(param), ...parts.map((part) => (part === anyPart ? "[]" : part))].join(".");
  return language === "php" && parts.length < partsMax && paths.includes(path) ? `${field}${fieldOf}${name}` : null;
}

const isPartOf = (outside: string | null, field: string): boolean =>
  outside?.startsWith("#") === true && `#${field}`.startsWith(`${outside}.`);

/** A parameter may be anything, and what calls pass it is followed; a field of one is read off a request, as a rule. */
const isOfRequest = ({ source }: Taint): boolean =>
  source.outside === null && (!source.parameter || source.parameter.field !== undefined);

function readMatches(
  frame: Frame,
  of: Value,
  { sources, sanitizers }: ReadModels,
): { kind: string | null; cleans: number; confidence: number } {
  const found = sources.find(
    (s) =>
      (!s.receiver || receiverFits(s.receiver, of.paths)) &&
      (!s.ofInput || of.taint.some(isOfRequest)) &&
      (!s.unlessFact || !frame.scope.binding(`@${s.unlessFact}`)) &&
      (!s.ofClass || isCalled(frame.owner, s.ofClass)),
  );
  const cleans = sanitizers.reduce(
    (all, sanitizer) =>
      sanitizer.notReceiver && receiverFits(sanitizer.notReceiver, of.paths) ? all : all | sanitizer.cleans,
    found?.cleans ?? 0,
  );
  return { kind: found?.kind ?? null, cleans, confidence: 1 };
}

/** Whether a class, or one that it extends, is called like this. */
const isCalled = (owner: ClassInfo | null, wanted: LazyRegex): boolean =>
  owner !== null &&
  [owner.node.name, ...basePaths({ ...nothing, type: owner }).map(lastSegment)].some((name) => wanted.test(name));

/** What fills an object as a whole fills its fields, except those whose type cannot carry an attack. */
export function partOfTainted(run: Run, of: Value, field: Value, name: string): Value {
  if (field.closures.length > 0) return field;
  const declared = (of.instance?.node.body ?? []).find(
    (s) => s.kind === "expression" && s.value.kind === "assign" && accessPath(s.value.to) === name,
  );
  const type = declared?.kind === "expression" && declared.value.kind === "assign" ? declared.value.type : null;
  const byCall = declaredCleans(run, of.instance, name, field);
  if (byCall === allFamilies || (type !== null && holdsNoAttack(run, type))) return field;
  const byType = type === "str" ? run.catalogue.bitsOf(["nosql_injection"]) : 0;
  const given = cleaned(of, byCall | byType);
  const taint = of.instance ? constrainedField(of.instance, name, given.taint) : given.taint;
  return { ...field, constants: null, taint: joinTaint(field.taint, fieldTaint(run, of, taint, name)) };
}

/** Numbers and the like, and what an enumeration of the file lists. */
function holdsNoAttack(run: Run, type: string): boolean {
  if (isCleanType(run, type)) return true;
  const extended = run.classes.find(({ node }) => node.name === heldType(type))?.bases ?? [];
  return extended.some(({ paths }) => paths.some((path) => isEnumeration(path) || run.knowledge.cleanTypes.has(path)));
}

/** A method of a class, or of what it extends. */
export function methodOf(info: ClassInfo, name: string): ClosureValue | null {
  const lineage = new Set([info]);
  for (const here of lineage) {
    const method = here.methods.get(name);
    if (method) return method;
    for (const base of here.bases) if (base.type) lineage.add(base.type);
  }
  return null;
}

/** A class and what it extends. */
export function lineageOf(info: ClassInfo): ClassInfo[] {
  const lineage = new Set([info]);
  for (const here of lineage) for (const base of here.bases) if (base.type) lineage.add(base.type);
  return [...lineage];
}

/** What makes objects ready, whatever the language calls it. */
export const initialiserOf = (info: ClassInfo): ClosureValue | null =>
  methodOf(info, "constructor") ?? methodOf(info, "__init__");

/** What a method that is asked of a class is called with: an inherited one makes objects of the class that it is asked of. */
const selfOf = ({ self }: ClosureValue, info: ClassInfo): Value | null =>
  self?.instance && self.instance !== info ? { ...self, instance: info } : self;

/** What a method of a class itself is called, where its objects have one of the same name: `def self.call` beside `def call`. */
const ofClass = (name: string): string => `self.${name}`;

/**
 * A method bound to its object, or what some method assigned to the field.
 * @param isField in Java fields have names of their own, and what is no call means one: `String name() { return name; }`
 */
export function memberOfInstance(of: Value, name: string, isField = false): Value | null {
  const info = of.instance ?? of.type;
  if (!info) return null;
  // Bases in the order they are written: where there are several, they add to each other.
  const lineage = new Set([info]);
  for (const here of lineage) {
    const method = (of.instance ? undefined : here.methods.get(ofClass(name))) ?? here.methods.get(name);
    if (method && !(isField && of.instance && hasField(of, here, name)))
      return { ...nothing, closures: [{ ...method, self: of.instance ? of : selfOf(method, info) }] };
    const value = of.own?.get(name) ?? here.fields.get(name);
    if (value) return fromOutside({ ...value, paths: [...value.paths, joined("?this", name)] });
    for (const base of here.bases) {
      if (base.type) lineage.add(base.type);
      const mixedIn = base.slots?.entries.get(name);
      if (mixedIn) return { ...mixedIn, closures: mixedIn.closures.map((closure) => ({ ...closure, self: of })) };
    }
  }
  return null;
}

const hasField = ({ own }: Value, { fields }: ClassInfo, name: string): boolean =>
  own?.has(name) === true || fields.has(name);

/** The object of a method; a method of a class of Python has the class, and makes objects of it by calling it. */
export function receiverValue(self: Value, fn: FunctionNode | null): Value {
  const isOfClass = self.instance && fn?.decorators.some((d) => d.kind === "variable" && d.name === "classmethod");
  return isOfClass ? { ...self, type: self.instance, instance: null } : self;
}
