import { allFamilies, type CallModels, type Families, type SourceModel } from "../../catalogue/catalogue.ts";
import { type Call, type Expression, handsOut } from "../../ir/ir.ts";
import { argumentsAt, check, holds, receiverFits, type Subject, setFacts, settingPath } from "../check.ts";
import { evaluate, storeEntry } from "../evaluate.ts";
import { forgetMaking } from "../file-making.ts";
import { keptCleans } from "../guards/filters.ts";
import { isLastName } from "../guards/last-parts.ts";
import { givenBackBy, memoryCall, returnedBy } from "../memory/memory.ts";
import { handUnset } from "../memory/unset.ts";
import { askedKey, askedPath, basePaths, isClassName, namesClass } from "../names.ts";
import { announce, announceByClass, sendSignal } from "../objects/announced.ts";
import { operateContainer } from "../objects/containers.ts";
import { instantiate, keepFunctions } from "../objects/instances.ts";
import { keptValue } from "../objects/kept-values.ts";
import { fieldTaint, lookedAt } from "../objects/members.ts";
import { settleByCall, withFactsOf } from "../objects/settled-objects.ts";
import type { Frame, Run } from "../run.ts";
import { capturedCleans, capturedPart, capturedParts, searchOf } from "../texts/captured.ts";
import { notePlacedArguments } from "../texts/placed-arguments.ts";
import { replacementCleans, takenBy } from "../texts/replacements.ts";
import { splitWords } from "../texts/split-words.ts";
import { noteAskedNames } from "../validators/asked-names.ts";
import { givenRecord, readRecord } from "../validators/handed-records.ts";
import { notePassing } from "../validators/let-through.ts";
import { parsed } from "../validators/parsing.ts";
import { asChecked } from "../validators/route-schemas.ts";
import { askedInRoute } from "../validators/route-variables.ts";
import { schemaMade } from "../validators/schemas.ts";
import {
  arriving,
  cleaned,
  join,
  joinTaint,
  keysPart,
  named,
  nothing,
  stepped,
  tainted,
  type Value,
} from "../value.ts";
import { includePage } from "../views/includes.ts";
import { fillTemplates, renderTemplates } from "../views/template-calls.ts";
import { showModel } from "../views/views.ts";
import { accessed, fillBean } from "./accessor-calls.ts";
import { cleansOf, isNamedSo, promised } from "./call-cleans.ts";
import { noteGiven } from "./callbacks.ts";
import { type Called, prepare, subjectOf } from "./called.ts";
import {
  fromHeirs,
  fromMethod,
  fromOtherFile,
  keptElsewhere,
  passedThrough,
  propagated,
  soiled,
} from "./carried-taint.ts";
import { asChosen, chosenMember } from "./chosen-members.ts";
import { renderComponent } from "./components.ts";
import { calledLater, startByName } from "./deferred.ts";
import { fillArguments, fillObject } from "./filled-arguments.ts";
import { foldedCall, prefixOf } from "./folded-calls.ts";
import { enterFrameworkCalls } from "./framework-calls.ts";
import { handedTarget, handOver, methodTarget } from "./handover.ts";
import { invoke } from "./invoke.ts";
import { answersItself, isElement, isIdentified, isLookup, isQueried, isResource } from "./lookups.ts";
import { asNamed, namesFunction, withSettings } from "./named-callees.ts";
import { hasOverloads } from "./overloads.ts";
import { callBacks, settledWith } from "./passed-functions.ts";
import { promiseOf } from "./promised-functions.ts";
import { storeReceiver } from "./receivers.ts";
import { applyOutputs } from "./summaries.ts";
import { noteGivenObjects } from "./wirings.ts";
import { writeOutputs } from "./written-arguments.ts";

/** What a call gives. */
export function evaluateCall(run: Run, frame: Frame, written: Call): Value {
  const known = frame.recalls ? frame.given.get(written) : undefined;
  if (known) return known.value;
  const call = calledLater(run, frame, written);
  const required = requireOf(run, frame, call) ?? handedOut(run, frame, call);
  if (required) return required;
  const asked = frame.scope.fields && askedPath(call);
  const remembered = asked ? frame.scope.binding(asked)?.get(asked) : undefined;
  if (remembered) return remembered;
  handUnset(run, frame, call);
  const called = prepare(run, frame, call);
  const value = make(run, frame, call, called);
  frame.given.set(written, { called, value });
  return value;
}

/** Makes a call: checks it against the models, then decides what it gives. */
function make(run: Run, frame: Frame, call: Call, called: Called): Value {
  const { paths, models, positional, receiver, target } = called;
  const subject: Subject = {
    positional,
    named: called.named,
    receiver,
    receiverPaths: called.names,
    maps: called.maps,
    at: call,
    name: call.callee,
  };
  for (const [name, value] of called.named) {
    const written = call.args.find((arg) => arg.name === name)?.value ?? call;
    storeEntry(run, frame, name, value, written);
  }
  check(
    run,
    frame,
    models.checks,
    run.language === "php" && namesFunction(call) ? withSettings(frame, call, subject) : subject,
  );
  if (call.isNew && called.callee.closures.length === 0) checkNew(run, frame, call, called, subject);
  for (const { cleans, of, when } of models.everywhere)
    if (when.every((test) => holds(frame, test, subject))) run.cleanedEverywhere[of] |= cleans;
  const memory = memoryCall(run, frame, call, paths, positional);
  if (memory) return memory;
  // Where the caller's input decides what is called, no path tells.
  // Names that are called are methods in Ruby, whatever one of them gives.
  if (run.language !== "ruby" && called.callee.taint.length > 0 && called.callee.closures.length === 0)
    check(run, frame, run.knowledge.calls.find("<value>").checks, {
      ...subject,
      positional: [asChosen(run, called.callee) ?? asNamed(frame, call.callee, called.callee)],
    });
  noteGiven(run, call, called);
  notePlacedArguments(run, frame, call, called);
  noteAskedNames(run, frame, called);
  notePassing(run, frame, call);
  renderComponent(run, frame, call, called);
  announce(run, call, called);
  sendSignal(run, call, called);
  startByName(run, call, called);
  announceByClass(run, call, called, subject);
  settleByCall(run, frame, call, models.facts, subject);
  includePage(run, frame, call);
  showModel(run, frame, call, positional);
  const entered = enterFrameworkCalls(run, frame, call, called, subject);
  const given =
    constructorOf(run, call, called) ??
    target ??
    (called.callee.closures.length === 0 ? (methodTarget(run, called) ?? handedTarget(run, called)) : null);
  noteGivenObjects(run, given, positional);
  for (const to of [given, called.open, ...called.others])
    if (to !== null)
      handOver(run, to, positional, called.named, call, { frame, settled: settledFor(run, frame, subject) });
  if (target !== null) setFacts(frame, run.knowledge.calls.find(otherFile).facts, subject);
  const loaded = renderTemplates(run, frame, call, paths, subject);
  fillTemplates(run, frame, models, subject);
  let result = cleaned(resultOf(run, frame, call, called, entered), keptCleans(run, frame, call, called));
  if (result.taint.some(({ via }) => via)) result = partLookedAt(call, result);
  if (loaded.length > 0) result = rendered(run, result, loaded);
  writeOutputs(run, frame, call, called, subject);
  fillArguments(run, frame, call, called);
  fillObject(run, frame, call, called);
  fillBean(run, frame, call, called);
  result = asSetting(models, subject, result);
  const gives = withFactsOf(call, called, returnedBy(run, frame, call, result));
  return gives.taint.length === 0 ? gives : { ...gives, taint: stepped(gives.taint, call) };
}

/** What a template has made of values is told of in the template, where that is written. */
const rendered = ({ language, catalogue }: Run, result: Value, loaded: readonly string[]): Value => ({
  ...(language === "php" ? cleaned(result, catalogue.bitsOf(["xss"])) : result),
  paths: [...loaded, ...result.paths],
});

/** The constructor of a class of another file; one of the same package needs no import, so its name says no more. */
function constructorOf(
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

/** Constructors have any name; what they are called, and where they come from, takes the place of a receiver's names. */
function checkNew(run: Run, frame: Frame, { callee }: Call, { paths }: Called, subject: Subject): void {
  const matches = run.knowledge.calls.find("<new>").checks;
  if (matches.length === 0 || (callee.kind !== "variable" && callee.kind !== "field")) return;
  const names = [...paths.map((path) => path.replaceAll(".", "/")), callee.name];
  check(run, frame, matches, { ...subject, receiverPaths: names });
}

/** What is looked up in a file of settings is its default at least; linking knows what the file says. */
function asSetting({ settings: [setting] }: CallModels, subject: Subject, result: Value): Value {
  // What the program itself has put under a key is no setting of a file.
  if (!setting || result.constants || result.taint.length > 0) return result;
  const [key] = argumentsAt(subject, setting.key)[0]?.constants ?? [];
  if (typeof key !== "string") return result;
  const otherwise = argumentsAt(subject, setting.otherwise)[0];
  return { ...result, paths: [settingPath(key), ...result.paths], constants: otherwise?.constants ?? null };
}

/** `require("x")` and `import("x")` are imports. */
function requireOf(run: Run, frame: Frame, call: Call): Value | null {
  if (
    call.callee.kind !== "variable" ||
    (call.callee.name !== "require" && call.callee.name !== "import") ||
    run.language !== "javascript"
  )
    return null;
  const argument = call.args[0]?.value;
  if (!argument || frame.scope.binding(call.callee.name)) return null;
  const module = evaluate(run, frame, argument).constants?.[0];
  if (typeof module !== "string") return null;
  const path = module.replace(/^node:/, "").replace(/\/index(\.\w+)?$/, "");
  return named(path, ...run.knowledge.calls.find(path).returns);
}

/** `form.get("name")` is that field of what a function of another file has looked at. */
function partLookedAt(call: Call, result: Value): Value {
  const asked = askedPath(call);
  const name = asked === null ? "" : askedKey(asked.slice(asked.lastIndexOf(".") + 1));
  return name === "" ? result : { ...result, taint: result.taint.map((t) => lookedAt(t, name)) };
}

/** A generator gives all that it hands out; one that manages a context gives that itself. */
function handedOut(run: Run, frame: Frame, { callee, args }: Call): Value | null {
  if (callee.kind !== "variable" || callee.name !== handsOut) return null;
  const [given] = args;
  if (!given) return nothing;
  const value = evaluate(run, frame, given.value);
  const manages = frame.fn?.decorators.some(
    (d) => (d.kind === "variable" || d.kind === "field") && /contextmanager$/.test(d.name),
  );
  const all: Value = { ...nothing, slots: { shape: "list", entries: new Map(), rest: value } };
  const handed = manages || given.spread ? value : all;
  frame.returned = frame.returned ? join(frame.returned, handed) : handed;
  // What was waited for like this comes back.
  return run.language === "javascript" ? value : nothing;
}

/** What models call a function of another file: what is handed to it may be settled there. */
const otherFile = "<other-file>";

/** What is settled before, such as what kind of answer this is, is settled there as well. */
const settledFor = (run: Run, frame: Frame, subject: Subject): Families =>
  run.knowledge.calls
    .find(otherFile)
    .sanitizers.reduce<Families>(
      (all, { when, cleans }) => (when.every((test) => holds(frame, test, subject)) ? all | cleans : all),
      0,
    );

/** `new Options { Folder = path }`: the properties of a class of another file that are set where it is made. */
const initialised = (run: Run, call: Call, called: Called): [string, Value][] =>
  run.language === "csharp" && constructorOf(run, call, called) !== null
    ? [...called.named].filter(([name]) => /^\p{Lu}/u.test(name))
    : [];

function resultOf(run: Run, frame: Frame, call: Call, called: Called, entered: boolean): Value {
  const { callee, positional, receiver, target } = called;
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
  if (callee.closures.length > 0) {
    const given = callee.closures
      .map((closure) => invoke(run, frame, closure, positional, called.named, call))
      .reduce((a, b) => join(a, b));
    for (const closure of callee.closures) applyOutputs(run, frame, call, closure, positional);
    const [only, ...others] = callee.closures;
    if (only && others.length === 0) givenBackBy(run, frame, call, only, positional);
    return called.open === null ? given : { ...given, taint: joinTaint(given.taint, fromHeirs(run, call, called)) };
  }
  // A rule of a user says itself what is input: elsewhere what is called hands on what it is asked of.
  const source = run.marks ? undefined : sourceOf(frame, called, call);
  const kept = (source ? null : keptValue(run, call, called)) ?? accessed(run, frame, call, receiver);
  if (kept) return kept;
  const group = capturedPart(call, called);
  if (group) return group;
  const schema = schemaMade(run, frame, call, called) ?? parsed(run, frame, call, called);
  if (schema) return schema;
  const paths = resultPaths(run, frame, call, called);
  if (source) {
    const at = run.source(source.kind, call);
    const given: Value = { ...nothing, paths, taint: askedInRoute([arriving(at, call, source.cleans)], positional) };
    const part = positional[0]?.constants?.[0];
    if (run.language === "python") return readRecord(run, frame, call, called, given);
    return typeof part === "string" ? asChecked(run, frame, part, given, call) : given;
  }
  const settled = call.isNew ? settledWith(run, frame, called) : null;
  if (settled) return settled;
  const back = entered ? nothing : callBacks(run, frame, call, called);
  // What a map gives is known to have been put into it. Actions that a registry gives by their names fetch and store records, mostly.
  const isKept =
    called.models.containers.length === 0 &&
    (called.isGiven ||
      isLookup(run, call, called) ||
      isQueried(run, call, called) ||
      // `session.getProvider(Resolver.class, kind)`: nothing of an object that is handed out by its class is made of what chooses it.
      (run.language === "java" && call.args.length > 1 && namedClass(call, called, run.language).length > 0));
  const isOwn = called.models.sanitizers.length > 0;
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
  if (cleans === allFamilies) return { ...nothing, paths, constants: foldedCall(call, called) };
  // `new File(name).getName()` is how a name is rid of its folders.
  if (receiver && call.callee.kind === "field" && call.callee.name === "getName" && isNew(call.callee.of))
    forgetMaking(run, receiver);
  const container = containerOf(run, call, called);
  if (container === "promise") return promiseOf(call, positional[0] ?? nothing);
  if (container === "keys" && run.language === "php") return keysOf(run, positional[0] ?? nothing);
  if (container) {
    const { result, receiver: changed } = operateContainer(
      container,
      receiver ?? nothing,
      positional,
      called.named,
      frame.loops.length > 0,
    );
    if (changed && call.callee.kind === "field")
      storeReceiver(run, frame, call.callee.of, cleaned(changed, cleansOf(run, frame, called, call)));
    if (container === "assign") storeAssigned(run, frame, call, positional, result);
    // `cache.fetch(key) { compute }`, `cache.computeIfAbsent(key, this::compute)`: what the function gives where nothing is kept under the key.
    const found = container === "first" ? chosenMember(run, call, result, positional[1]) : result;
    const given = container === "get" && back !== nothing ? join(found, back) : found;
    return cleaned(
      { ...given, paths: given.paths.length > 0 && !isFluent(run, container, receiver) ? given.paths : paths },
      cleans,
    );
  }
  const words = splitWords(run, call, receiver, positional[0]);
  if (words) return { ...nothing, paths, slots: words };
  const folded = foldedCall(call, called);
  const method =
    target === null && (run.language === "php" || run.language === "ruby") ? methodTarget(run, called) : null;
  const maker = run.language === "php" ? null : constructorOf(run, call, called);
  const given = isMapping(call, positional)
    ? []
    : target !== null
      ? isKept
        ? keptElsewhere(run, call, called, target)
        : fromOtherFile(
            run,
            call,
            called,
            target,
            maker ?? target,
            promises !== 0 || isNamedSo(run, called) || isElement(run, call, called),
          )
      : method !== null
        ? fromMethod(run, call, called, method)
        : maker !== null && !isOfLanguage(called)
          ? passedThrough(run, call, called, maker, false).reduce(joinTaint, [])
          : propagated(run, call, called);
  const taint = folded ? [] : soiled(called.models, joinTaint(given, back.taint));
  const parts = capturedParts(run, frame, call, search, taint);
  if (parts) return cleaned({ ...nothing, paths, slots: parts }, cleans);
  return cleaned(
    {
      ...nothing,
      paths: [...takenBy(run, frame, call, receiver, positional), ...paths],
      taint,
      constants: folded,
      prefix: prefixOf(folded, call, called),
      slots: back.slots,
      instance: taint.length > 0 ? givenRecord(run, call, receiver) : null,
    },
    cleans,
  );
}

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
  { models, receiver }: Called,
): CallModels["containers"][number] | undefined =>
  models.containers.find((does) =>
    does === "same"
      ? // `StringUtils.trim(name)` is made of the name, `name.trim()` of what it is asked of.
        !isAskedOfClass(call)
      : does === "slice" && language === "javascript"
        ? // Texts have a method of that name, too.
          receiver?.slots?.shape === "list"
        : // `table.insert()` with nothing to insert is no list's method.
          call.args.length > 0 || (does !== "append" && does !== "absorb"),
  );

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
  if (callee.kind !== "field") return [];
  if (language === "java") {
    const place = keepsObjects.test(callee.name) ? args.findIndex(({ value }) => isClassName(value)) : -1;
    return positional[place]?.paths.filter((path) => !path.startsWith("?")) ?? [];
  }
  const written = positional[0]?.constants?.[0];
  return typeof written === "string" && /^(load_?|get_?)?(model|service|repository)$/i.test(callee.name)
    ? [written.replace(/^.*[/\\.]/, "")]
    : [];
}

const keepsObjects =
  /^(get(Bean|Provider|Service|Instance|Manager|Component|Extension|Dao|Mapper)?|lookup|adaptTo|unwrap)$/;

function sourceOf(frame: Frame, called: Called, at: Call): SourceModel | undefined {
  const { sources } = called.models;
  if (sources.length === 0) return undefined;
  const subject = subjectOf(called, at);
  return sources.find(
    ({ receiver, when, unless }) =>
      (!receiver || receiverFits(receiver, called.names)) &&
      when.every((test) => holds(frame, test, subject)) &&
      !unless.some((test) => holds(frame, test, subject)),
  );
}

/** `list.map(f)` has what f gives and nothing else of the list; other languages call it otherwise, and have it for a single value. */
const isMapping = ({ callee }: Call, [first]: readonly Value[]): boolean =>
  callee.kind === "field" && (first?.closures.length ?? 0) > 0 && mappings.test(callee.name);

const mappings =
  /^(map|flatMap|flat_map|filter_map|and_then|mapNotNull|let|then((Apply|Compose)(Async)?)?|Select|SelectMany)$/;
