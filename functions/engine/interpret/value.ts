import { allFamilies, type Families } from "../catalogue/catalogue.ts";
import type { ClassStatement, Constant, FunctionNode, Span } from "../ir/ir.ts";
import type { ToldArguments } from "./calls/path-conditions.ts";
import { commonPassages, differ, type Passage } from "./guards/passage.ts";
import type { Scope } from "./scope.ts";

/** Where untrusted data enters. A source with a function stands for whatever that function's callers pass. */
export interface Source extends Span {
  kind: string;
  /** The source text that names it, for rules to judge by; findings cut it out of what may be shown. */
  name: string;
  confidence: number;
  parameter: { fn: FunctionNode; index: number; field?: string } | null;
  /** What linking has to ask for: a function of another file whose result this is, or a field that other files may fill. */
  outside: string | null;
  /** With how many arguments that function is called, where those that are missing have defaults. */
  count: number | null;
  /** Which of those arguments are constants. */
  told?: ToldArguments | undefined;
  /** The class of the object that it is, whose constraints a framework has looked at; see constraints.ts. */
  validated: string | null;
}

/** One station on the way; the newest first. */
export interface Step extends Span {
  parent: Step | null;
  length: number;
}

/** A source that reaches a value, the families it is clean for, and how it came here. */
export interface Taint {
  source: Source;
  clean: Families;
  step: Step;
  /** Functions of other files that the value has to get through. */
  via: readonly Passage[] | undefined;
}

export interface ClosureValue {
  fn: FunctionNode;
  scope: Scope;
  self: Value | null;
  owner: ClassInfo | null;
}

/** A class of the file. Fields join what any method assigns. */
export interface ClassInfo {
  node: ClassStatement;
  symbol: string;
  methods: Map<string, ClosureValue>;
  fields: Map<string, Value>;
  bases: Value[];
  /** What making an object settles for all of its methods: a field that is initialised with a hardened parser. */
  facts: Set<string>;
  /** What may come in for its fields, where their decorators say so; see schemas.ts. */
  schemas: ReadonlyMap<string, Value> | null;
  /** What the constraints of its fields clean, where the object is validated; see constraints.ts. */
  constrained: ReadonlyMap<string, Families>;
  /** What else is asked, by a field, or by "" where the class is an annotation: annotations of the project, and methods of validators. */
  constrainedBy: ReadonlyMap<string, readonly string[]>;
  /** The object of the class around it, whose members a class of Java has by their names. */
  outer: Value | null;
}

export interface Slots {
  readonly shape: "list" | "map";
  readonly entries: ReadonlyMap<string, Value>;
  /** What is stored under keys that are not known. Null: nothing, so the entries are all there is. */
  readonly rest: Value | null;
  /** What is not known hides nothing that is: it stands behind that in a list, as in `["git", *others]`, and in front of it in a map. */
  readonly behind?: boolean;
  /** How many of the entries are there in any case, where two ways have left others; else all of them are. */
  readonly least?: number;
}

/** A stretch of memory that a pointer of C leads to. */
export interface Region {
  /** The place that made it. */
  readonly id: string;
  readonly kind: "stack" | "heap" | "new" | "kept";
  /** How many elements it has and the bytes of each, where that is known. */
  readonly count: number | null;
  readonly element: number | null;
  /** The function whose activation it belongs to. */
  readonly owner: FunctionNode | null;
  /** How its size was written, see `measureOf`; null where that tells nothing. */
  readonly measure: string | null;
}

/** What may be known about a value; immutable. All have all fields in this order: reading objects of one shape is several times faster. */
export interface Value {
  readonly taint: readonly Taint[];
  /** All values it can have, or null when not known. */
  readonly constants: readonly Constant[] | null;
  readonly slots: Slots | null;
  /** Qualified names it may go by, most specific first. */
  readonly paths: readonly string[];
  readonly closures: readonly ClosureValue[];
  readonly instance: ClassInfo | null;
  readonly type: ClassInfo | null;
  /** The text it is known to begin with. */
  readonly prefix: string | null;
  readonly region: Region | null;
  /** What this very object has in fields that do not change; see own-fields.ts. */
  readonly own: ReadonlyMap<string, Value> | null;
}

/** Under this a map of PHP has what came in as its keys; it is asked for by that alone, and nothing can be called like it. */
export const keysPart = "<keys>";

/** What is read or written under a key that is not known. */
export const anyPart = "<any>";

/** Arrays within arrays whose fields are told apart. */
export const partsMax = 3;

const constantsMax = 8;
const pathsMax = 6;
export const slotsMax = 64;
const taintsMax = 12;
export const stepsMax = 40;

export const nothing: Value = {
  taint: [],
  constants: null,
  slots: null,
  paths: [],
  closures: [],
  instance: null,
  type: null,
  prefix: null,
  region: null,
  own: null,
};

/** What a variable of C holds that nobody has given a value: this very object, until it is joined with anything else. */
export const unset: Value = { ...nothing, paths: ["<unset>"] };

export const constant = (value: Constant): Value => ({
  ...nothing,
  constants: [value],
  prefix: typeof value === "string" ? value : null,
});

export const named = (...paths: string[]): Value => ({ ...nothing, paths });

export const tainted = (taint: readonly Taint[]): Value => (taint.length === 0 ? nothing : { ...nothing, taint });

/** Whether two values tell the same; of what is in them and of what made them only that it is the very same. */
export const tellsSame = (a: Value, b: Value): boolean =>
  a === b ||
  (a.slots === b.slots &&
    a.instance === b.instance &&
    a.type === b.type &&
    a.prefix === b.prefix &&
    a.region === b.region &&
    a.own === b.own &&
    areSame(a.constants ?? [], b.constants ?? []) &&
    (a.constants === null) === (b.constants === null) &&
    areSame(a.paths, b.paths) &&
    areSame(a.closures, b.closures) &&
    a.taint.length === b.taint.length &&
    a.taint.every(({ source, clean, via }, i) => {
      const other = b.taint[i];
      return source === other?.source && clean === other.clean && via === other.via;
    }));

export const areSame = <T>(a: readonly T[], b: readonly T[]): boolean =>
  a === b || (a.length === b.length && a.every((each, i) => each === b[i]));

/** Joins what two paths of execution, or two parts, may give. */
export function join(a: Value, b: Value): Value {
  if (a === b) return a;
  if (b === nothing || a === nothing) {
    const known = b === nothing ? a : b;
    return { ...known, constants: null, prefix: joinPrefix(a, b), region: null };
  }
  return {
    taint: joinTaint(a.taint, b.taint),
    constants: joinConstants(a.constants, b.constants),
    slots: joinSlots(besideInput(a, b), besideInput(b, a)),
    paths: union(a.paths, b.paths, pathsMax),
    closures: union(a.closures, b.closures, 4),
    instance: a.instance ?? b.instance,
    type: a.type ?? b.type,
    prefix: joinPrefix(a, b),
    region: joinRegion(a, b),
    own: joinOwn(a, b),
  };
}

/** One of two objects has what either of them has; of another class, or none, it has not the fields of the first. */
function joinOwn({ own: a, instance: ofA }: Value, { own: b, instance: ofB }: Value): Value["own"] {
  if (a === b) return a;
  const isOther = ofA !== ofB;
  if (!a || !b) return isOther ? (a ?? b) : null;
  const either = [...a].flatMap(([name, value]) => {
    const other = b.get(name);
    return other || isOther ? [[name, other ? join(value, other) : value] as const] : [];
  });
  const onlyB = isOther ? [...b].filter(([name]) => !a.has(name)) : [];
  return new Map([...either, ...onlyB]);
}

/** A pointer that is null on one side leads, where it leads anywhere, to what it is on the other. */
function joinRegion(a: Value, b: Value): Region | null {
  if (a.region?.id === b.region?.id) return a.region ?? null;
  const isNull = (value: Value) => value.constants?.length === 1 && !value.constants[0];
  return isNull(b) ? (a.region ?? null) : isNull(a) ? (b.region ?? null) : null;
}

export const joinAll = (values: readonly Value[]): Value =>
  values.length === 0 ? nothing : values.reduce((left, right) => join(left, right));

/** The same source by two ways is clean only for what both ways clean. */
export function joinTaint(a: readonly Taint[], b: readonly Taint[]): readonly Taint[] {
  if (a.length === 0 || a === b) return b;
  if (b.length === 0) return a;
  const joined = [...a];
  for (const taint of b) {
    const at = wayOf(joined, taint);
    const known = joined[at];
    if (!known) {
      if (joined.length < taintsMax) joined.push(taint);
    } else if (known.clean !== (known.clean & taint.clean) || (known.via && known.via !== taint.via)) {
      // The dirtier way is the one to show.
      const via = commonPassages(known.via, taint.via);
      joined[at] = { source: known.source, clean: known.clean & taint.clean, step: taint.step, via };
    }
  }
  return joined;
}

/** More sources than this leave no room for second ways. */
const taintsWithWays = taintsMax / 2;

/** The way of the same source that another one is joined with, or -1; ways that differ stand side by side, two of one source at most. */
function wayOf(joined: readonly Taint[], taint: Taint): number {
  const first = joined.findIndex(({ source }) => source === taint.source);
  const known = joined[first];
  if (!known || !differ(known, taint)) return first;
  const second = joined.findIndex(({ source }, i) => i > first && source === taint.source);
  if (second < 0) return joined.length < taintsWithWays ? -1 : first;
  return joined[second]?.clean === taint.clean ? second : first;
}

/** Whether it is known to be input here, and not only where functions of other files should turn out to give some. */
const isTheirs = ({ source }: Taint): boolean => source.outside === null;

/** What a prefix says matters only for the attacker's text, so a side without any does not spoil it; of two, what both begin with is known. */
function joinPrefix(a: Value, b: Value): string | null {
  if (a.prefix === b.prefix) return a.prefix;
  const [mayA, mayB] = [a, b].map(({ taint }) => taint.some(isTheirs));
  if (!mayA && mayB) return b.prefix;
  if (!mayB && mayA) return a.prefix;
  // What is still being put together has begun alike, unless one has not begun.
  const [begunA, begunB] = [begun(a), begun(b)];
  return begunA && begunB && !a.constants && !b.constants ? commonPrefix(begunA, begunB) : null;
}

/** What comes from elsewhere has begun with that: `url += "&page=" + page` leaves a loop as it went in, or longer. */
const begun = ({ prefix, taint }: Value): string | null => prefix ?? (taint.every(isElsewhere) ? perhapsTheirs : null);

/** Where both go on behind it, what follows is not the attacker's in any case. */
function commonPrefix(a: string, b: string): string | null {
  const start = sharedStart(a, b);
  if (start === "") return isWritten(a) && isWritten(b) ? eitherText : null;
  return start === a || start === b ? start : `${start}${notTheirs}`;
}

/** Stands in a prefix for text that is not known, but that the attacker did not choose. */
export const notTheirs = "\0";

/** Stands for what another file or a caller gives: only there it is known whether it is theirs. */
export const perhapsTheirs = "\x01";

/** Stands for one of several texts that are written out and begin differently: where they lead, nobody knows. */
export const eitherText = "\x02";

export const isWritten = (prefix: string): boolean => /^[^\0\x01]/.test(prefix);

/** What another file or a caller gives, or another file has made of what it was given. */
export const isElsewhere = ({ source, via }: Taint): boolean =>
  source.outside !== null || source.parameter !== null || (via?.length ?? 0) > 0;

/** What both texts begin with. */
export function sharedStart(a: string, b: string): string {
  let same = 0;
  while (same < a.length && a[same] === b[same]) same++;
  return a.slice(0, same);
}

function joinConstants(a: Value["constants"], b: Value["constants"]): Value["constants"] {
  if (!a || !b) return null;
  const all = [...new Set([...a, ...b])];
  return all.length <= constantsMax ? all : null;
}

/** Where the other value is input of unknown shape, each element may be a part of it. */
function besideInput({ slots }: Value, { slots: others, taint }: Value): Slots | null {
  if (!slots || others || taint.length === 0) return slots;
  const input = tainted(taint);
  const entries = new Map([...slots.entries].map(([key, entry]) => [key, join(entry, input)] as const));
  return { ...slots, entries, rest: slots.rest ? join(slots.rest, input) : input };
}

/** Whether besideInput has put a part into a map that came in as a whole, which may have been handed on since. */
export function isOfWhole(part: Taint, whole: Taint): boolean {
  if (part.source !== whole.source || part.via !== whole.via) return false;
  let step: Step | null = whole.step;
  while (step && step.length > part.step.length) step = step.parent;
  return step?.start === part.step.start && step.end === part.step.end;
}

function joinSlots(a: Slots | null, b: Slots | null): Slots | null {
  if (!a || !b || a === b) return a ?? b;
  const entries = new Map(a.entries);
  for (const [key, value] of b.entries)
    entries.set(key, entries.has(key) ? join(entries.get(key) as Value, value) : value);
  const rest = a.rest && b.rest ? join(a.rest, b.rest) : (a.rest ?? b.rest);
  const least = Math.min(leastOf(a), leastOf(b));
  const some = least === entries.size ? null : { least };
  return boundSlots({ shape: a.shape, entries, rest, behind: isBehind(a, entries) && isBehind(b, entries), ...some });
}

const leastOf = ({ entries, least }: Slots): number => least ?? entries.size;

/** Whether there is anything in a collection; null where that is not known. */
export const hasEntries = (slots: Slots): boolean | null =>
  leastOf(slots) > 0 ? true : slots.entries.size === 0 && !slots.rest ? false : null;

/** The same with one more entry. */
export const withEntry = (slots: Slots, key: string, value: Value): Slots => ({
  ...slots,
  entries: new Map(slots.entries).set(key, value),
  ...(slots.least !== undefined && { least: slots.least + (slots.entries.has(key) ? 0 : 1) }),
});

/** The same with something under a key that is not known: it may be one of those that are. */
export const withAny = (slots: Slots, value: Value): Slots => ({
  ...slots,
  behind: false,
  rest: slots.rest ? join(slots.rest, value) : value,
});

/** Whether what is not known hides none of these either. */
const isBehind = ({ rest, behind, entries }: Slots, all: Slots["entries"]): boolean =>
  !rest || (behind === true && entries.size === all.size);

/** Collections beyond the limit lose their keys, but neither their taint nor what each of their elements is made of. */
export function boundSlots(slots: Slots): Slots {
  if (slots.entries.size <= slotsMax) return slots;
  const all = joinAll([...slots.entries.values(), ...(slots.rest ? [slots.rest] : [])]);
  return { shape: slots.shape, entries: new Map(), rest: { ...nothing, taint: all.taint, slots: all.slots } };
}

function union<T>(a: readonly T[], b: readonly T[], max: number): readonly T[] {
  if (b.length === 0 || a === b) return a;
  if (a.length === 0) return b;
  return [...new Set([...a, ...b])].slice(0, max);
}

/** The taint of a value and of everything in it, three levels deep. */
export function allTaint(value: Value, depth = 3): readonly Taint[] {
  if (!value.slots || depth === 0) return value.taint;
  let taint = value.taint;
  for (const [key, entry] of value.slots.entries)
    if (key !== keysPart) taint = joinTaint(taint, allTaint(entry, depth - 1));
  return value.slots.rest ? joinTaint(taint, allTaint(value.slots.rest, depth - 1)) : taint;
}

/** The same value, clean for more families. Clean for all means that no attack can ride on it. */
export function cleaned(value: Value, families: Families): Value {
  if (families === allFamilies) return { ...value, taint: [], slots: null };
  if (families === 0 || (value.taint.length === 0 && !value.slots)) return value;
  const slots = value.slots && {
    ...value.slots,
    entries: new Map([...value.slots.entries].map(([key, entry]) => [key, cleaned(entry, families)] as const)),
    rest: value.slots.rest && cleaned(value.slots.rest, families),
  };
  return { ...value, slots, taint: value.taint.map((taint) => ({ ...taint, clean: taint.clean | families })) };
}

/** Records that the taint passed this place. */
export function stepped(taint: readonly Taint[], at: Span): readonly Taint[] {
  return taint.length === 0 ? taint : taint.map((t) => ({ ...t, step: extend(t.step, at) }));
}

export function extend(step: Step, at: Span): Step {
  if ((step.start === at.start && step.end === at.end) || step.length >= stepsMax) return step;
  return { start: at.start, end: at.end, parent: step, length: step.length + 1 };
}

/** What a source brings where it enters. */
export const arriving = (source: Source, at: Span, clean: Families = 0): Taint => ({
  source,
  clean,
  step: firstStep(at),
  via: undefined,
});

/** What stands for the number of arguments where a framework calls a function and fills all that it asks for. */
export const byFramework = -1;

export const firstStep = (at: Span): Step => ({ start: at.start, end: at.end, parent: null, length: 1 });

/** The taint that comes with one field of an argument; without a field, with the argument as a whole. */
export function taintOfPart(value: Value, field: string | undefined): readonly Taint[] {
  if (field === undefined || value.slots?.shape !== "map") return allTaint(value);
  const part = elementAt(value, field);
  return part ? joinTaint(value.taint, allTaint(part)) : value.taint;
}

/** Any element of a collection; of anything else, what taints the whole. */
export function anyElement(value: Value): Value {
  if (!value.slots) return value.taint.length === 0 ? nothing : tainted(value.taint);
  const { entries, rest } = value.slots;
  const named = entries.has(keysPart)
    ? [...entries].flatMap(([key, each]) => (key === keysPart ? [] : [each]))
    : entries.values();
  const element = joinAll([...named, ...(rest ? [rest] : [])]);
  return value.taint.length === 0 ? element : { ...element, taint: joinTaint(element.taint, value.taint) };
}

/** What may bring names of its own where it is spread: a variable of a path is a text, and what is fetched by it has the names of what is kept. */
export const bringingNames = (taint: readonly Taint[]): readonly Taint[] =>
  taint.filter(({ source }) => source.kind !== "http-path" && source.kind !== "route-variable");

/** The element under a constant key; what may hide behind unknown keys joins in. */
export function elementAt(value: Value, key: string): Value | null {
  if (!value.slots) return null;
  if (key === keysPart) return value.slots.entries.get(key) ?? nothing;
  const found = value.slots.entries.get(key);
  if (found && value.slots.rest && !value.slots.behind) return join(found, value.slots.rest);
  return found ?? value.slots.rest ?? (value.taint.length > 0 ? tainted(value.taint) : null);
}
