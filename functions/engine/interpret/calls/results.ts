import { allFamilies, type CallModels, type Families, type SourceModel } from "../../catalogue/catalogue.ts";
import type { Call, Expression } from "../../ir/ir.ts";
import { holds, receiverFits } from "../check.ts";
import { forgetMaking } from "../file-making.ts";
import { underOwnKeys } from "../guards/filters.ts";
import { through } from "../guards/guard-functions.ts";
import { isLastName } from "../guards/last-parts.ts";
import { namesOfHeld } from "../held-objects.ts";
import { givenBackBy } from "../memory/memory.ts";
import { basePaths, isClassName, namesClass } from "../names.ts";
import { operateContainer } from "../objects/containers.ts";
import { keepInStruct } from "../objects/fields-of-others.ts";
import { instantiate, keepFunctions } from "../objects/instances.ts";
import { keptValue } from "../objects/kept-values.ts";
import { fieldTaint } from "../objects/members.ts";
import type { Frame, Run } from "../run.ts";
import { capturedByConstant, capturedCleans, capturedPart, capturedParts, searchOf } from "../texts/captured.ts";
import { leftByConstants, replacementCleans, takenBy } from "../texts/replaced.ts";
import { splitWords } from "../texts/split-words.ts";
import { givenRecord, readRecord } from "../validators/handed-records.ts";
import { parsed } from "../validators/parsing.ts";
import { byRules } from "../validators/request-rules.ts";
import { asChecked } from "../validators/route-schemas.ts";
import { askedInRoute } from "../validators/route-variables.ts";
import { schemaMade } from "../validators/schemas.ts";
import {
  allTaint,
  anyElement,
  arriving,
  cleaned,
  join,
  joinTaint,
  keysPart,
  nothing,
  type Taint,
  tainted,
  type Value,
} from "../value.ts";
import { accessed } from "./accessor-calls.ts";
import { cleansOf, isNamedSo, promised } from "./call-cleans.ts";
import { type Called, subjectOf } from "./called.ts";
import {
  fromHeirs,
  fromMethod,
  fromOtherFile,
  keptElsewhere,
  passedThrough,
  propagated,
  soiled,
} from "./carried-taint.ts";
import { chosenMember } from "./chosen-members.ts";
import { foldedCall, prefixOf } from "./folded-calls.ts";
import { methodTarget } from "./handover.ts";
import { invoke } from "./invoke.ts";
import { answersItself, isElement, isIdentified, isLookup, isQueried, isResource } from "./lookups.ts";
import { hasOverloads } from "./overloads.ts";
import { callBacks, settledWith } from "./passed-functions.ts";
import { promiseOf } from "./promised-functions.ts";
import { storeReceiver } from "./receivers.ts";
import { applyOutputs } from "./summaries.ts";

/** What a call gives: of a class or a function of this file that itself, of others what models and their names say. */
export const resultOf = (run: Run, frame: Frame, call: Call, called: Called, entered: boolean): Value =>
  ofThisFile(run, frame, call, called, entered) ?? ofOthers(run, frame, call, called, entered);

function ofThisFile(run: Run, frame: Frame, call: Call, called: Called, entered: boolean): Value | null {
  const { callee, positional } = called;
  const set = initialised(run, call, called);
  if (set.length > 0) {
    const others = new Map([...called.named].filter((entry) => !set.some(([name]) => name === entry[0])));
    const made = resultOf(run, frame, call, { ...called, named: others }, entered);
    return { ...made, slots: { shape: "map", entries: new Map(set), rest: null } };
  }
  if (run.language === "go" && (call.isNew || callee.type)) return made(run, call, called);
  // `..others` gives all fields that are not written.
  if (run.language === "rust" && call.isNew) return made(run, call, called, positional[0]);
  if (callee.type) return instantiate(run, frame, callee, positional, called.named, call);
  return callee.closures.length > 0 ? ofFunctions(run, frame, call, called) : null;
}

function ofFunctions(run: Run, frame: Frame, call: Call, called: Called): Value {
  const { callee, positional } = called;
  const given = callee.closures
    .map((closure) => invoke(run, frame, closure, positional, called.named, call))
    .reduce((a, b) => join(a, b));
  for (const closure of callee.closures) applyOutputs(run, frame, call, closure, positional);
  const [only, ...others] = callee.closures;
  if (only && others.length === 0) givenBackBy(run, frame, call, only, positional);
  return called.open === null ? given : { ...given, taint: joinTaint(given.taint, fromHeirs(run, call, called)) };
}

function ofOthers(run: Run, frame: Frame, call: Call, called: Called, entered: boolean): Value {
  // A rule of a user says itself what is input: elsewhere what is called hands on what it is asked of.
  const source = run.marks ? undefined : sourceOf(run, frame, called, call);
  const known =
    (source ? null : keptValue(run, call, called)) ??
    accessed(run, frame, call, called.receiver) ??
    capturedPart(call, called) ??
    schemaMade(run, frame, call, called) ??
    parsed(run, frame, call, called);
  if (known) return known;
  const paths = resultPaths(run, frame, call, called);
  if (source) return ofSource(run, frame, call, called, source, paths);
  const settled = call.isNew ? settledWith(run, frame, called) : null;
  if (settled) return settled;
  const back = entered ? nothing : callBacks(run, frame, call, called);
  const about = aboutResult(run, frame, call, called, paths, back);
  if (about.cleans === allFamilies) return { ...nothing, paths, constants: foldedCall(call, called) };
  // `new File(name).getName()` is how a name is rid of its folders.
  const isNameOfFile = call.callee.kind === "field" && call.callee.name === "getName" && isNew(call.callee.of);
  if (called.receiver && isNameOfFile) forgetMaking(run, called.receiver);
  return ofContainer(run, frame, call, called, about) ?? madeOfAll(run, frame, call, called, about);
}

function ofSource(
  run: Run,
  frame: Frame,
  call: Call,
  called: Called,
  source: SourceModel,
  paths: readonly string[],
): Value {
  const { positional } = called;
  const at = run.source(source.kind, call);
  const given: Value = { ...nothing, paths, taint: askedInRoute([arriving(at, call, source.cleans)], positional) };
  const part = positional[0]?.constants?.[0];
  if (run.language === "python") return readRecord(run, frame, call, called, given);
  if (typeof part === "string") return byRules(run, called.receiver, asChecked(run, frame, part, given, call), part);
  return byRules(run, called.receiver, given);
}

/** What is known of a result before it is looked at what it is made of. */
interface AboutResult {
  /** What it goes by. */
  readonly paths: readonly string[];
  /** What the functions that the call passes give back. */
  readonly back: Value;
  /** What was kept somewhere is given, and nothing that was made of what it is asked with. */
  readonly isKept: boolean;
  /** What the names of the call promise. */
  readonly promises: Families;
  readonly search: ReturnType<typeof searchOf>;
  readonly cleans: Families;
}

function aboutResult(
  run: Run,
  frame: Frame,
  call: Call,
  called: Called,
  paths: readonly string[],
  back: Value,
): AboutResult {
  const { receiver, positional, target, models } = called;
  const isKept = isKeptBy(run, call, called);
  const isOwn = models.sanitizers.length > 0;
  const promises = isKept || isIdentified(run, call, called) ? allFamilies : isOwn ? 0 : promised(call);
  const search = searchOf(run, frame, call);
  const cleans =
    cleansOf(run, frame, called, call) |
    (target === null ? promises : 0) |
    (isLastName(frame, call) ? run.catalogue.bitsOf(["path_traversal"]) : 0) |
    (answersItself(run, call) ? run.catalogue.bitsOf(["xss"]) : 0) |
    (isResource(run, call) ? allFamilies & ~run.catalogue.bitsOf(["path_traversal", "file_inclusion"]) : 0) |
    replacementCleans(run, frame, call, receiver, positional) |
    capturedCleans(run, frame, call, search);
  return { paths, back, isKept, promises, search, cleans };
}

/** What a map gives is known to have been put into it. Actions that a registry gives by their names fetch and store records, mostly. */
const isKeptBy = (run: Run, call: Call, called: Called): boolean =>
  called.models.containers.length === 0 &&
  (called.isGiven ||
    isLookup(run, call, called) ||
    isQueried(run, call, called) ||
    // `session.getProvider(Resolver.class, kind)`: nothing of an object that is handed out by its class is made of what chooses it.
    (run.language === "java" && call.args.length > 1 && namedClass(call, called, run.language).length > 0));

/** What a list, a map or a text gives, or words that were put together; null for other calls. */
function ofContainer(
  run: Run,
  frame: Frame,
  call: Call,
  called: Called,
  { paths, back, cleans }: AboutResult,
): Value | null {
  const { receiver, positional } = called;
  const container = containerOf(run, call, called);
  if (container === "promise") return promiseOf(call, positional[0] ?? nothing);
  if (container === "keys" && run.language === "php") return keysOf(run, positional[0] ?? nothing);
  if (!container) {
    const words = splitWords(run, call, receiver, positional[0]);
    return words && { ...nothing, paths, slots: words };
  }
  const of = container === "sift" && !asksWhetherAny(positional[0]) ? inAnyOrder(receiver) : (receiver ?? nothing);
  const done = operateContainer(container, of, positional, called.named, frame.loops.length > 0);
  if (done.receiver && call.callee.kind === "field")
    storeReceiver(run, frame, call.callee.of, cleaned(done.receiver, cleansOf(run, frame, called, call)));
  if (container === "assign") storeAssigned(run, frame, call, positional, done.result);
  // `cache.fetch(key) { compute }`, `cache.computeIfAbsent(key, this::compute)`: what the function gives where nothing is kept under the key.
  const found =
    container === "first"
      ? chosenMember(run, call, underOwnKeys(run, frame, call, done.result), positional[1])
      : container === "get" || container === "remove"
        ? underKey(run, of, done.result, positional)
        : done.result;
  const computes = container === "compute";
  const given = (container === "get" || computes) && back !== nothing ? join(found, back) : found;
  if (computes && allTaint(given).length > 0) storeComputed(run, frame, call, of, [positional[0] ?? nothing, given]);
  // What held objects gives one of them.
  const isHolding = namesOfHeld(given.paths).length > 0;
  const keepsPaths = given.paths.length > 0 && !isHolding && !isFluent(run, container, receiver);
  return cleaned({ ...given, paths: keepsPaths ? given.paths : paths }, cleans);
}

/** Languages in which a key of a map is asked for by calling. */
const asksByKey: ReadonlySet<string> = new Set(["python", "java"]);

/** `options.get("name")` of a parameter, or of what another file gives, is that part of it. */
function underKey(run: Run, of: Value, found: Value, [key]: readonly Value[]): Value {
  const [name] = key?.constants?.length === 1 ? key.constants : [];
  if (!asksByKey.has(run.language) || of.slots || (typeof name !== "string" && typeof name !== "number")) return found;
  const others = found.taint.filter((taint) => !of.taint.includes(taint));
  return { ...found, taint: joinTaint(fieldTaint(run, of, of.taint, String(name)), others) };
}

/** `totals.compute(key, …)`: what the function gives is under the key from now on. */
function storeComputed(run: Run, frame: Frame, { callee }: Call, map: Value, entry: readonly Value[]): void {
  const { receiver } = operateContainer("put", map, entry, new Map(), false);
  if (receiver && callee.kind === "field") storeReceiver(run, frame, callee.of, receiver);
}

/** A value that is made of all that the call has to do with. */
function madeOfAll(run: Run, frame: Frame, call: Call, called: Called, about: AboutResult): Value {
  const { positional, receiver } = called;
  const { paths, back } = about;
  const folded = foldedCall(call, called);
  const given = isMapping(call, positional) ? [] : carried(run, call, called, about);
  const taint = folded ? [] : soiled(called.models, joinTaint(given, back.taint));
  const parts = capturedParts(run, frame, call, about.search, taint);
  if (parts) return cleaned({ ...nothing, paths, slots: parts }, about.cleans);
  const seen =
    taint.length === 0
      ? []
      : [...leftByConstants(run, frame, call, receiver, positional), ...capturedByConstant(run, frame, call)];
  const value = cleaned(
    {
      ...nothing,
      paths: [...takenBy(run, frame, call, receiver, positional), ...paths],
      taint,
      constants: folded,
      prefix: prefixOf(folded, call, called),
      slots: back.slots,
      instance: taint.length > 0 ? givenRecord(run, call, receiver) : null,
    },
    about.cleans,
  );
  return seen.reduce((of, passage) => through(of, passage), value);
}

/** What a call hands on of what it was given, as far as it is known who is called. */
function carried(run: Run, call: Call, called: Called, { isKept, promises }: AboutResult): readonly Taint[] {
  const { target } = called;
  const giver = constructorOf(run, call, called);
  const maker = run.language === "php" ? null : giver;
  if (target !== null) {
    if (isKept) return keptElsewhere(run, call, called, target);
    const isMeant = promises !== 0 || isNamedSo(run, called) || isElement(run, call, called);
    return fromOtherFile(run, call, called, target, maker ?? target, isMeant, giver ?? target);
  }
  if (called.open !== null) return fromOtherFile(run, call, called, called.open, called.open, false);
  const method = run.language === "php" || run.language === "ruby" ? methodTarget(run, called) : null;
  if (method !== null) return fromMethod(run, call, called, method);
  return maker !== null && !isOfLanguage(called)
    ? passedThrough(run, call, called, maker, false).reduce(joinTaint, [])
    : propagated(run, call, called);
}

/** The constructor of a class of another file; one of the same package needs no import, so its name says no more. */
export function constructorOf(
  { language, knowledge }: Run,
  { isNew, callee }: Call,
  { target, callee: made }: Called,
): string | null {
  if (made.type || isNew !== (language !== "python")) return null;
  // Python makes objects by calling their class.
  if (language === "python") return target !== null && namesClass(target) ? `${target}.__init__` : null;
  if (language === "javascript" || language === "php") return target === null ? null : `${target}.constructor`;
  if (!hasOverloads.has(language) || (callee.kind !== "variable" && target === null)) return null;
  const written = callee.kind === "variable" ? callee.name : "";
  const name = target ?? (/^\p{Lu}/u.test(written) && !knowledge.known.has(written) ? written : null);
  return name === null ? null : `${name}.constructor`;
}

/** What is imported has a path of its own, and what the language has everywhere, none. */
const isOfLanguage = ({ callee: { paths } }: Called): boolean =>
  paths.some(
    (path) =>
      path.includes(".") || /^\??(String\w*|Object|Thread|Boolean|Integer|Long|\w*(Exception|Error))$/.test(path),
  );

/** `new Options { Folder = path }`: the properties of a class of another file that are set where it is made. */
const initialised = (run: Run, call: Call, called: Called): [string, Value][] =>
  run.language === "csharp" && constructorOf(run, call, called) !== null
    ? [...called.named].filter(([name]) => /^\p{Lu}/u.test(name))
    : [];

/** The keys of what came in as a whole are the attacker's, those written out in the code are not; those of a parameter are for callers to tell. */
const keysOf = (run: Run, of: Value): Value => tainted(fieldTaint(run, of, of.taint, keysPart));

/** `Object.assign(options, given)` changes the options, where they are a map that is written here. */
function storeAssigned(run: Run, frame: Frame, { args }: Call, [target]: readonly Value[], result: Value): void {
  const to = args[0]?.value;
  const isMap = target?.slots?.shape === "map" && !target.instance;
  if (to?.kind === "variable" && isMap) storeReceiver(run, frame, to, { ...target, ...result, paths: target.paths });
}

const isAskedOfClass = ({ callee, args }: Call): boolean =>
  args.length > 0 && callee.kind === "field" && isClassName(callee.of);

/** What a call does with the list, map or text that it is asked of. */
const containerOf = (
  { language }: Run,
  call: Call,
  { models, receiver, positional }: Called,
): CallModels["containers"][number] | undefined =>
  models.containers.find((does) =>
    does === "same"
      ? // `StringUtils.trim(name)` is made of the name, `name.trim()` of what it is asked of.
        !isAskedOfClass(call)
      : does === "concat" || does === "sift" || (does === "slice" && language === "javascript")
        ? // Texts have methods of these names, too.
          receiver?.slots?.shape === "list" &&
          (does !== "sift" || asksWhetherAny(positional[0]) || hasRecords(receiver))
        : // `table.insert()` with nothing to insert is no list's method.
          call.args.length > 0 || (does !== "append" && does !== "append-each" && does !== "absorb"),
  );

/** Where elements are records, what is in one of their fields is in no other, whichever of them are kept. */
const hasRecords = (list: Value): boolean => anyElement(list).slots?.shape === "map";

const inAnyOrder = (list: Value | null): Value =>
  list ? { ...list, slots: { shape: "list", entries: new Map(), rest: anyElement(list) } } : nothing;

/** `args.filter(Boolean)`, `args.filter((arg) => arg)`: only what is empty goes. */
function asksWhetherAny(test: Value | undefined): boolean {
  if (test?.paths.includes("Boolean")) return true;
  const fn = test?.closures.length === 1 ? test.closures[0]?.fn : undefined;
  const [only] = fn?.body ?? [];
  const value = fn?.body.length === 1 && only?.kind === "return" ? only.value : null;
  return value?.kind === "variable" && value.name === fn?.params[0]?.name;
}

/** No list of Python gives itself: `table.insert(row)` that gives anything makes a statement, which goes by what has made it. */
const isFluent = ({ language }: Run, container: string, receiver: Value | null): boolean =>
  language === "python" && container === "append" && receiver?.slots?.shape !== "list";

const isNew = (of: Expression): boolean => of.kind === "call" && of.isNew;

/** A struct has the fields it is written with; a conversion gives the same value another type. */
function made(
  run: Run,
  call: Call,
  { callee, paths: names, positional, named: fields }: Called,
  rest: Value | null = null,
): Value {
  const paths = [...new Set([...names, ...(callee.type ? basePaths(callee) : [])])];
  if (!call.isNew) return { ...(positional[0] ?? nothing), paths, instance: callee.type };
  if (callee.type) keepFunctions(run, callee.type, fields);
  else for (const [name, value] of fields) for (const type of paths) keepInStruct(run, type, name, value, call);
  return { ...nothing, paths, instance: callee.type, slots: { shape: "map", entries: fields, rest } };
}

function resultPaths({ language }: Run, frame: Frame, call: Call, called: Called): readonly string[] {
  const { makes, returns } = called.models;
  const named = namedClass(call, called, language);
  const own = named.length === 0 ? called.gives : [...named, ...called.gives];
  if (makes.length + returns.length === 0 && own.length < 2) return own;
  const subject = subjectOf(called, call);
  const made = makes.filter(({ when }) => when.every((test) => holds(frame, test, subject))).map(({ gives }) => gives);
  return [...new Set([...made, ...returns, ...own])].slice(0, 6);
}

/** `$this->model("Post")`, as base controllers of PHP have it, `context.getBean(Posts.class)`: an object of the class that is named. */
function namedClass({ callee, args }: Call, { positional }: Called, language: Run["language"]): readonly string[] {
  if (callee.kind !== "field" && (language !== "php" || callee.kind !== "variable")) return [];
  if (language === "java") {
    const place = keepsObjects.test(callee.name) ? args.findIndex(({ value }) => isClassName(value)) : -1;
    return positional[place]?.paths.filter((path) => !path.startsWith("?")) ?? [];
  }
  const written = positional[0]?.constants?.[0];
  if (typeof written !== "string") return [];
  if (language === "php" && containers.test(callee.name) && qualifiedClass.test(written)) return [written];
  return callee.kind === "field" && /^(load_?|get_?)?(model|service|repository)$/i.test(callee.name)
    ? [written.replace(/^.*[/\\.]/, "")]
    : [];
}

/** How containers of PHP are asked for the object of a class, `$container->get(Orders::class)`, `app(Orders::class)`. */
const containers = /^(get|make|resolve|app|create|getService|getByType|singleton)$/;
const qualifiedClass = /^(?:\w+\\)+\p{Lu}\w*$/u;

const keepsObjects =
  /^(get(Bean|Provider|Service|Instance|Manager|Component|Extension|Dao|Mapper)?|lookup|adaptTo|unwrap)$/;

function sourceOf(run: Run, frame: Frame, called: Called, at: Call): SourceModel | undefined {
  const { sources } = called.models;
  if (sources.length === 0) return undefined;
  const subject = subjectOf(called, at);
  return sources.find(
    ({ receiver, when, unless, notBefore }) =>
      (!receiver || receiverFits(receiver, called.names)) &&
      when.every((test) => holds(frame, test, subject)) &&
      !unless.some((test) => holds(frame, test, subject)) &&
      !notBefore?.test(run.stretch(at.end, Math.min(frame.fn?.end ?? run.text.length, at.end + followingMax))),
  );
}

/** Functions that deal with one thing are seldom longer. */
const followingMax = 4000;

/** `list.map(f)` has what f gives and nothing else of the list; other languages call it otherwise, and have it for a single value. */
const isMapping = ({ callee }: Call, [first]: readonly Value[]): boolean =>
  callee.kind === "field" && (first?.closures.length ?? 0) > 0 && mappings.test(callee.name);

const mappings =
  /^(map|flatMap|flat_map|filter_map|and_then|mapNotNull|let|then((Apply|Compose)(Async)?)?|Select|SelectMany)$/;
