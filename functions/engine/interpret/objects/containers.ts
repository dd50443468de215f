import type { Model } from "../../catalogue/model-schema.ts";
import { collect } from "../collect.ts";
import { concatenate } from "../operators.ts";
import {
  allTaint,
  anyElement,
  boundSlots,
  constant,
  elementAt,
  join,
  joinTaint,
  keysPart,
  nothing,
  type Slots,
  tainted,
  type Value,
  withAny,
  withEntry,
} from "../value.ts";

type Operation = Model["containers"][number]["does"];

/** What a container method gives back, and what its receiver is afterwards (null: unchanged). */
export interface ContainerResult {
  result: Value;
  receiver: Value | null;
}

/** Runs a method of a list, map or builder on what is known about it; in a loop it may have run before. */
export function operateContainer(
  does: Operation,
  receiver: Value,
  args: readonly Value[],
  named: ReadonlyMap<string, Value>,
  inLoop: boolean,
): ContainerResult {
  switch (does) {
    case "list":
      // One collection is taken over, several values make one.
      return { result: args.length === 1 && args[0]?.slots ? args[0] : listOf(args), receiver: null };
    case "new-list":
      return { result: args[0]?.slots ? args[0] : { ...listOf([]), taint: args[0]?.taint ?? [] }, receiver: null };
    case "new-map":
      return { result: mapOf(args[0], named), receiver: null };
    case "map-of":
      return { result: collect("map", entriesOf(args)), receiver: null };
    case "second":
      // Whoever changes it on the way leaves it what it is made of, as a rule, but not what it is.
      return { result: { ...(args[1] ?? nothing), constants: null }, receiver: null };
    case "first":
    case "promise":
      return { result: args[0] ?? nothing, receiver: null };
    case "pattern":
      // Like a literal of other languages: the expression is known, but it is no text.
      return { result: { ...(args[0] ?? nothing), prefix: null }, receiver: null };
    case "same":
      return { result: receiver, receiver: null };
    case "absorb":
      return updated(receiver, named.size > 0 ? [...args, mapOf(undefined, named)] : args);
    case "new-text":
      return { result: newText(args), receiver: null };
    case "append-text":
      return appendText(receiver, args);
    case "append":
      return append(receiver, args);
    case "append-each":
      return args.reduce<ContainerResult>(({ receiver: before }, arg) => append(before ?? receiver, [arg]), {
        result: receiver,
        receiver,
      });
    case "prepend":
      return prepend(receiver, args);
    case "put":
      return put(receiver, args);
    case "get":
      return { result: get(receiver, args), receiver: null };
    case "compute":
      return { result: get(receiver, args.slice(0, 1)), receiver: null };
    case "remove":
      return remove(receiver, args);
    case "first-element":
    case "last-element":
      return { result: endOf(receiver, does), receiver: null };
    case "take-first":
    case "take-last":
      return take(receiver, does, inLoop);
    case "clear":
      return cleared(receiver);
    case "cut":
      return cut(receiver, args);
    case "slice":
      return { result: sliced(receiver, args), receiver: null };
    case "concat":
      return { result: chained([receiver, ...args]), receiver: null };
    case "sift":
      return { result: receiver, receiver: null };
    case "zip":
      return { result: zipped(args), receiver: null };
    case "enumerate":
      return { result: numbered(args[0] ?? receiver), receiver: null };
    case "pairs":
      return { result: pairsOf(args[0] ?? receiver), receiver: null };
    case "element":
      return { result: anyElement(args[0] ?? receiver), receiver: null };
    case "merge":
      return { result: merged(args), receiver: null };
    case "assign":
      return { result: assigned(args), receiver: null };
    case "names":
      return { result: namesOf(args[0] ?? receiver), receiver: null };
    case "tasks":
    case "tasks-in-turn":
    case "for-each":
      return { result: nothing, receiver: null };
    case "keys":
      return { result: tainted(keyTaint(args[0] ?? receiver)), receiver: null };
  }
}

/** The keys of what came in as a whole are the attacker's, and so are those that it was put under; those written out in the code are not. */
export const keyTaint = ({ slots, taint }: Value): Value["taint"] =>
  joinTaint(taint, slots?.entries.get(keysPart)?.taint ?? []);

/** `Map.of("name", name, "page", page)` */
const entriesOf = (args: readonly Value[]): Parameters<typeof collect>[1] =>
  args.flatMap((key, i) => (i % 2 === 0 ? [{ key, value: args[i + 1] ?? nothing, spread: false }] : []));

/** The keys of a map: of what is stored under any, the key may have come with the value. */
const namesOf = ({ slots, taint }: Value): Value =>
  tainted(slots?.shape === "map" ? joinTaint(taint, slots.rest ? allTaint(slots.rest) : []) : taint);

const listOf = (values: readonly Value[]): Value =>
  collect(
    "list",
    values.map((value) => ({ key: null, value, spread: false })),
  );

/** `dict(other, a=1)`, `dict((name, value) for ...)` */
function mapOf(other: Value | undefined, named: ReadonlyMap<string, Value>): Value {
  if (other?.slots?.shape === "map" && named.size === 0) return other;
  const { entries, rest } = mapOfPairs(other) ?? { entries: [], rest: null };
  return { ...tainted(other?.taint ?? []), slots: { shape: "map", entries: new Map([...entries, ...named]), rest } };
}

/** What pairs of a key and a value say, or a map that they are given as. */
function mapOfPairs(other: Value | undefined): Slots | null {
  if (other?.slots?.shape !== "list") return other?.slots ?? null;
  const pairs = [...other.slots.entries.values(), ...(other.slots.rest ? [other.slots.rest] : [])];
  const entries = pairs.map((pair) => {
    const [key = null, value] = pair.slots?.shape === "list" ? ["0", "1"].map((at) => elementAt(pair, at)) : [];
    return { key, value: value ?? pair, spread: false };
  });
  return collect("map", entries).slots;
}

/** `array_merge($defaults, $given)`: later keys win; elements without a key of their own are numbered on. */
function merged(args: readonly Value[]): Value {
  if (!args.some(({ slots }) => slots))
    return tainted(args.reduce<Value["taint"]>((all, arg) => joinTaint(all, allTaint(arg)), []));
  const known = args.filter(({ slots }) => slots);
  const shape = known.every(({ slots }) => slots?.shape === "list") ? "list" : "map";
  const all = collect(
    shape,
    known.map((value) => ({ key: null, value, spread: true })),
  );
  return known.length === args.length ? all : besideGiven(args, all);
}

/** What came in as a whole may have any key, also those that were written out in front of it. */
function besideGiven(args: readonly Value[], { taint: own, slots }: Value): Value {
  const last = args.findLastIndex((arg) => !arg.slots && arg.taint.length > 0);
  const given = args.reduce<Value["taint"]>((all, arg) => (arg.slots ? all : joinTaint(all, arg.taint)), []);
  const behind = new Set(args.slice(last + 1).flatMap((arg) => [...(arg.slots?.entries.keys() ?? [])]));
  const entries = [...(slots?.entries ?? [])].map(
    ([key, entry]) => [key, behind.has(key) ? entry : join(entry, tainted(given))] as const,
  );
  return {
    ...tainted(joinTaint(own, given)),
    slots: slots && { ...slots, entries: new Map(entries) },
    paths: args[last]?.paths ?? [],
  };
}

/** `Object.assign({}, defaults, given)`, `extend(true, {}, given)`: a map of what all of them have, the later ones in front. */
function assigned(args: readonly Value[]): Value {
  const maps = args[0]?.constants ? args.slice(1) : args;
  const [target] = maps;
  const isMap = !target || (!target.instance && target.closures.length === 0 && target.slots?.shape !== "list");
  return isMap
    ? collect(
        "map",
        maps.map((value) => ({ key: null, value, spread: true })),
      )
    : tainted(maps.reduce<Value["taint"]>((all, arg) => joinTaint(all, allTaint(arg)), []));
}

/** A list of what is not known to be the same in all. */
const listOfAny = (element: Value): Value => ({
  ...nothing,
  slots: { shape: "list", entries: new Map(), rest: element },
});

/** The elements between two known positions; those of a list that is not known, or between others, may be any. */
function sliced(receiver: Value, args: readonly Value[]): Value {
  const { slots } = receiver;
  if (slots?.shape !== "list") return tainted(receiver.taint);
  const [from, to] = args.map((arg) => (arg.constants?.length === 1 ? (arg.constants[0] ?? undefined) : "?"));
  const isKnown = args.length < 3 && [from, to].every((at) => at === undefined || typeof at === "number");
  const part =
    slots.rest || !isKnown
      ? listOfAny(anyElement({ ...receiver, taint: [] }))
      : listOf([...slots.entries.values()].slice(from as number | undefined, to as number | undefined));
  return { ...part, taint: receiver.taint };
}

/** `names.concat(others, name)`: the elements of lists one after the other, and what is none as it is. */
const chained = (values: readonly Value[]): Value =>
  collect(
    "list",
    values.map((value) => ({ key: null, value, spread: value.slots?.shape === "list" })),
  );

/** Tuples of what stands at the same position; where positions are not known, of any element of each. */
function zipped(args: readonly Value[]): Value {
  // `zip(*pairs)` of no pairs that are known.
  if (args.length === 0) return listOfAny(nothing);
  const known = args.map((arg) => knownList(arg));
  if (!known.every((list) => list !== null)) return listOfAny(listOf(args.map(anyElement)));
  const length = Math.min(...known.map((list) => list.length));
  return listOf(Array.from({ length }, (_, i) => listOf(known.map((list) => list[i] ?? nothing))));
}

/** Tuples of a number, which nobody chooses, and an element. */
function numbered(list: Value): Value {
  const known = knownList(list);
  return known
    ? listOf(known.map((value) => listOf([nothing, value])))
    : listOfAny(listOf([nothing, anyElement(list)]));
}

/** Tuples of a key and what is stored under it. Keys written in the code are no input, those of input are. */
function pairsOf(map: Value): Value {
  if (map.slots?.shape !== "map") return tainted(allTaint(map));
  const { entries, rest } = map.slots;
  const known = [...entries].flatMap(([key, value]) => (key === keysPart ? [] : [listOf([constant(key), value])]));
  const any = listOf([tainted(keyTaint(map)), rest ?? nothing]);
  if (rest === null && map.taint.length === 0) return listOf(known);
  return listOfAny(known.reduce(join, { ...any, taint: map.taint }));
}

function knownList({ slots, taint }: Value): readonly Value[] | null {
  return slots?.shape === "list" && !slots.rest && taint.length === 0 ? [...slots.entries.values()] : null;
}

/** Builders: what goes in taints the whole. */
function absorb(receiver: Value, args: readonly Value[]): ContainerResult {
  const taint = args.reduce((all, arg) => joinTaint(all, allTaint(arg)), receiver.taint);
  const changed: Value = { ...receiver, taint, constants: null, prefix: null };
  return { result: changed, receiver: changed };
}

/** `settings.update({"a": 1}, b=2)`: keys that are known stay so; what is not known may have taken the place of any. */
function updated(receiver: Value, args: readonly Value[]): ContainerResult {
  const { slots } = receiver;
  const [given] = args;
  if (slots?.shape === "list" && receiver.taint.length === 0 && given && args.length === 1)
    return extended(receiver, given);
  if (slots?.shape !== "map" || args.length === 0) return absorb(receiver, args);
  const isKnown = ({ slots: given, taint }: Value) => given?.shape === "map" && !given.rest && taint.length === 0;
  const { result } = absorb(receiver, args);
  // What is put into it leaves it what it goes by.
  const changed: Value = args.every(isKnown)
    ? { ...merged([receiver, ...args]), paths: receiver.paths, instance: receiver.instance, constants: null }
    : { ...result, slots: { ...slots, entries: replaceable(slots, tainted(result.taint)) } };
  return { result: changed, receiver: changed };
}

/** `command.extend(options)`: what is added stands behind what was there. */
function extended(receiver: Value, given: Value): ContainerResult {
  const all = [receiver, given].map((value) => ({ key: null, value, spread: true }));
  const { slots } = collect("list", all);
  return slots ? stored(receiver, slots) : absorb(receiver, [given]);
}

/** The values of a map, any of which may be another one now. */
const replaceable = ({ entries }: Slots, other: Value): Slots["entries"] =>
  new Map([...entries].map(([key, value]) => [key, join(value, other)]));

/** A builder of text, empty or with what it begins with; a number is its size. */
function newText([first]: readonly Value[]): Value {
  if (!first || typeof first.constants?.[0] === "number") return { ...nothing, prefix: "" };
  return { ...first, prefix: concatenate([first]).prefix };
}

/** What a builder begins with is known until something of the attacker's comes, and stays so. */
function appendText(receiver: Value, args: readonly Value[]): ContainerResult {
  const { result } = absorb(receiver, args);
  const { prefix, taint } = receiver;
  const begun = { ...receiver, constants: null };
  const changed: Value = {
    ...result,
    prefix: prefix === null || taint.length > 0 ? prefix : concatenate([begun, ...args]).prefix,
  };
  return { result: changed, receiver: changed };
}

function append(receiver: Value, args: readonly Value[]): ContainerResult {
  const slots = receiver.slots;
  const value = args.at(-1) ?? nothing;
  if (slots?.shape !== "list") return absorb(receiver, args);
  // An insertion at a position moves what follows; the order is lost, not the elements.
  if (args.length === 1 && slots.rest && slots.behind)
    return stored(receiver, { ...slots, rest: join(slots.rest, value) });
  if (args.length > 1 || slots.rest) {
    const rest = join(anyElement(receiver), value);
    return stored(receiver, { shape: "list", entries: new Map(), rest });
  }
  return stored(receiver, withEntry(slots, String(slots.entries.size), value));
}

/** Puts before all others. */
function prepend(receiver: Value, args: readonly Value[]): ContainerResult {
  const known = knownList(receiver);
  if (known) return stored(receiver, slotsOf([...args, ...known]));
  const { slots } = receiver;
  return append(slots ? { ...receiver, slots: { ...slots, behind: false } } : receiver, args);
}

const slotsOf = (values: readonly Value[]): Slots => ({
  shape: "list",
  entries: new Map(values.map((value, i) => [String(i), value])),
  rest: null,
});

/** What stands at one end, and is not known where the order is not. */
function endOf(receiver: Value, does: Operation): Value {
  const known = knownList(receiver);
  const at = does === "first-element" || does === "take-first" ? known?.[0] : known?.at(-1);
  return known ? (at ?? nothing) : anyElement(receiver);
}

/** Takes what stands at one end. How often a loop has done so is not known, and all are still there for what it leaves. */
function take(receiver: Value, does: Operation, inLoop: boolean): ContainerResult {
  const known = knownList(receiver);
  if (inLoop || !known) return { result: anyElement(receiver), receiver: null };
  const left = does === "take-first" ? known.slice(1) : known.slice(0, -1);
  return { result: endOf(receiver, does), receiver: { ...receiver, slots: slotsOf(left) } };
}

/** Nothing is left in it. */
function cleared(receiver: Value): ContainerResult {
  const { slots, prefix } = receiver;
  const begun = prefix === null && !slots ? null : "";
  const changed = {
    ...receiver,
    taint: [],
    constants: null,
    slots: slots && { shape: slots.shape, entries: new Map(), rest: null },
  };
  return { result: nothing, receiver: { ...changed, prefix: slots ? null : begun } };
}

/** `text.setLength(0)` and `text.delete(0, text.length())` leave nothing of a builder, other numbers some of it. */
function cut(receiver: Value, [from, to]: readonly Value[]): ContainerResult {
  const isAll = from?.constants?.[0] === 0 && (!to || to.paths.some((path) => path.endsWith(".length()")));
  if (isAll)
    return { ...cleared({ ...receiver, prefix: "" }), result: { ...receiver, taint: [], constants: null, prefix: "" } };
  const changed = { ...receiver, constants: null, prefix: null };
  return { result: changed, receiver: changed };
}

function put(receiver: Value, args: readonly Value[]): ContainerResult {
  if (args.length < 2) return absorb(receiver, args);
  const slots: Slots = receiver.slots ?? { shape: "map", entries: new Map(), rest: null };
  const key = keyOf(args[0]);
  const value = valuePut(slots, key, args.slice(1));
  if (key === null) return stored(receiver, withKey(withAny(slots, value), args[0]?.taint ?? []));
  return stored(receiver, withEntry(slots, key, value));
}

/** Keys are told apart from what lies under them. */
function withKey(slots: Slots, taint: Value["taint"]): Slots {
  if (taint.length === 0 || slots.shape === "list") return slots;
  const known = slots.entries.get(keysPart)?.taint ?? [];
  return withEntry(slots, keysPart, tainted(joinTaint(known, taint)));
}

/** Section and option of a configuration are keys of a map in a map; of anything else that follows the key one is the value. */
function valuePut(slots: Slots, section: string | null, [first = nothing, ...others]: readonly Value[]): Value {
  if (others.length !== 1 || section === null || keyOf(first) === null) return others.reduce(join, first);
  return put(slots.entries.get(section) ?? nothing, [first, ...others]).result;
}

function get(receiver: Value, args: readonly Value[]): Value {
  const key = keyOf(args[0]);
  const found = key === null ? null : elementAt(receiver, key);
  const fallback = args[1];
  const option = keyOf(fallback);
  if (found) return (option !== null && found.slots?.shape === "map" && elementAt(found, option)) || found;
  const any = receiver.slots && key !== null ? nothing : anyElement(receiver);
  return fallback ? join(any, fallback) : any;
}

function remove(receiver: Value, args: readonly Value[]): ContainerResult {
  const slots = receiver.slots;
  if (!slots) return { result: tainted(receiver.taint), receiver: null };
  const key = args.length > 0 ? keyOf(args[0]) : String(slots.entries.size - 1);
  if (key === null || slots.rest) return { result: anyElement(receiver), receiver: null };
  const removed = slots.entries.get(key) ?? nothing;
  const left = [...slots.entries].filter(([k]) => k !== key);
  const renumbered = slots.shape === "list" ? left.map(([, value], i) => [String(i), value] as const) : left;
  return { result: removed, receiver: { ...receiver, slots: { ...slots, entries: new Map(renumbered) } } };
}

const stored = (receiver: Value, slots: Slots): ContainerResult => {
  const changed: Value = { ...receiver, constants: null, slots: boundSlots(slots) };
  return { result: changed, receiver: changed };
};

const keyOf = (arg: Value | undefined): string | null =>
  arg?.constants?.length === 1 ? String(arg.constants[0]) : null;

export const lengthOf = ({ slots, taint }: Value): Value =>
  slots && !slots.rest && slots.least === undefined && taint.length === 0 ? constant(slots.entries.size) : nothing;
