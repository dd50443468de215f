import type { EntryPoint, PassedParameter } from "../../catalogue/catalogue.ts";
import type { PathIndex } from "../../catalogue/paths.ts";
import { calledName } from "../../ir/called-name.ts";
import type { Call, Expression, FunctionNode, Parameter } from "../../ir/ir.ts";
import { elementType } from "../assign.ts";
import { argumentsAt, holds, receiverFits, type Subject } from "../check.ts";
import { evaluate } from "../evaluate.ts";
import { through } from "../guards/guard-functions.ts";
import { byDeclaration, bySchema } from "../guards/passage.ts";
import { basePaths, byName, declaredType, givenBy, hasObjects, namesClass, typedAs } from "../names.ts";
import { heardAs } from "../objects/announced.ts";
import { instantiate } from "../objects/instances.ts";
import type { Frame, Run } from "../run.ts";
import { isOneSegment, noSlash } from "../texts/segments.ts";
import { constantsAsked, constraintsOf, placeholderCleans, validatedAs } from "../validators/constraints.ts";
import { handedRecord } from "../validators/handed-records.ts";
import { calledInRoute } from "../validators/route-variables.ts";
import {
  anyElement,
  arriving,
  byFramework,
  type ClassInfo,
  cleaned,
  nothing,
  type Taint,
  tainted,
  type Value,
} from "../value.ts";
import { givenByDecorators } from "./decorated-elsewhere.ts";
import { isOfProject, targetOf } from "./handover.ts";
import { inline } from "./invoke.ts";
import { throughPipes } from "./pipes.ts";

/** An unknown argument: it stands for whatever callers pass, and for what a framework is known to pass. */
export function parameterValue(
  run: Run,
  frame: Frame,
  fn: FunctionNode,
  index: number,
  entry: EntryPoint | null,
): Value {
  const param = fn.params[index] as Parameter;
  const symbolic = arriving(run.source("parameter", param, 1, { fn, index }), param);
  // A record for a form stands inside of its controller.
  const stated = isInstead(entry, index);
  const declared = stated ? nothing : typedAs(run, frame, declaredType(param), hasObjects);
  const isOther = entry !== null && index >= entry.parameters.length && index < entry.othersEnd;
  const isExcepted = isOther && (isMadeFor(run, frame, entry, param, declared) || isObject(run, param));
  const passed = isOther && !isExcepted ? passedKind(frame, fn, param, entry) : null;
  const decorated = passedBy(run, frame, fn, param);
  const kind = decorated ? decorated.kind : passed;
  const type = decorated?.type ?? entry?.parameters[index];
  // `create(self, validated_data)`: the object has looked at it, field by field.
  const isLookedAt = kind !== null && run.knowledge.checked.has(param.name);
  const fitted = isLookedAt ? ["nosql_injection", "mass_assignment"] : param.type === "str" ? ["nosql_injection"] : [];
  // What is declared as text has been made one, or was refused.
  const clean = run.catalogue.bitsOf(fitted);
  const validated = kind ? validatedAs(run, frame, fn, index) : null;
  const confidence = (decorated ?? entry)?.confidence ?? 1;
  const elsewhere = isOther ? typeElsewhere(run, frame, declared) : null;
  const came = kind ? [arriving(run.source(kind, param, confidence, null, validated), param, clean)] : [];
  const asked =
    kind === "http-path" && run.language === "python"
      ? calledInRoute(came, param.name)
      : decorated?.isDeclared
        ? ofClass(run, frame, declared, came)
        : came;
  const given: Taint[] = [
    symbolic,
    ...(elsewhere === null ? asked : asDeclared(asked, elsewhere)),
    ...(elsewhere === null ? [] : madeElsewhere(run, param, elsewhere)),
    ...(kind ? [] : heardAs(run, fn, index)),
    ...givenByDecorators(run, frame, fn, index),
  ];
  const fits = kind === "http-path" || (kind && run.language === "php") ? placeholderCleans(run, fn, param) : 0;
  const arrived = constantsAsked(run, frame, fn, param).reduce(
    (value, passage) => through(value, passage),
    cleaned(tainted(given), fits === 0 ? constraintsOf(run, frame, fn, param) : fits),
  );
  const { taint } = kind ? throughPipes(run, frame, param, arrived) : arrived;
  const made = decorated?.made;
  if (made)
    return { ...made, paths: [...made.paths, ...declared.paths, byName(param.name)], taint: [symbolic, ...made.taint] };
  const fallback = param.default ? evaluate(run, frame, param.default) : nothing;
  const value = {
    ...declared,
    instance: declared.instance ?? (isLookedAt ? frame.owner : fallback.instance),
    closures: fallback.closures,
    paths: [
      ...(type ? [type] : []),
      ...declared.paths,
      ...(elsewhere === null ? [] : [givenBy(`${elsewhere}.__init__`)]),
      ...modulesOf(run, fallback),
      ...(stated ? [] : [byName(param.name)]),
      ...(kind && isOneSegment(run, fn, param) ? [noSlash] : []),
    ],
    taint,
  };
  return kind ? handedRecord(run, frame, fn, index, value) : value;
}

/** Whether a parameter is what its entry point says, and nothing that it is declared as. */
export const isInstead = (entry: EntryPoint | null, index: number): boolean =>
  entry?.instead === true && index < entry.parameters.length;

/** `(name, pathApi = path)`, `(text, cleaner=CLEANER)`: what has a default of a library is that, or does the same; so `(orders = new OrderStore())`. */
function modulesOf(run: Run, { paths, taint }: Value): readonly string[] {
  const { language, knowledge } = run;
  if (language !== "javascript" && language !== "python") return [];
  const isOwn = (path: string) =>
    language === "javascript" ? isOfProject.test(path) : targetOf(run, null, [path]) !== null;
  return paths.filter((path) => (taint.length === 0 && knowledge.known.has(path)) || isOwn(path));
}

/** What PHP declares to be an object comes from a container or a table, unless an attribute says otherwise. */
const isObject = ({ language }: Run, { type, decorators }: Parameter): boolean =>
  language === "php" && decorators.length === 0 && /^\??\\?(\w+\\)*\p{Lu}\w*$/u.test(type ?? "");

/** What the framework makes itself, as the type or the name of a parameter tells. */
export function isMadeFor(run: Run, frame: Frame, entry: EntryPoint, param: Parameter, declared: Value): boolean {
  const element = elementType(param.type ?? "");
  const elements = element === null ? [] : typedAs(run, frame, element).paths;
  return isMade(entry, [...declared.paths, ...elements, byName(param.name)]);
}

const isMade = ({ except }: EntryPoint, paths: readonly string[]): boolean =>
  except.some((type) =>
    paths.some(
      (path) =>
        path === type ||
        (type.endsWith(".") && path.startsWith(type)) ||
        (type.startsWith("*") && path.endsWith(type.slice(1))),
    ),
  );

/** What the decorator of a parameter tells about its value. */
interface Passed extends Pick<PassedParameter, "kind" | "type" | "isDeclared"> {
  confidence: number;
  /** What the application's own function for it gives. */
  made?: Value;
}

const harmless: Passed = { kind: null, type: null, isDeclared: false, confidence: 1 };

function passedBy(run: Run, frame: Frame, fn: FunctionNode, param: Parameter): Passed | null {
  for (const decorator of param.decorators) {
    const callee = calleeOf(run, frame, decorator);
    const known = run.knowledge.parameterDecorators.findAll(callee.paths);
    const passed = known.find(({ point }) => standsWith(run, frame, fn, point));
    if (!passed) continue;
    const subject =
      decorator.kind === "call"
        ? subjectOfDecorator(run, frame, decorator)
        : { ...noSubject, positional: [], at: decorator };
    // A converter in the decorator leaves nothing to attack with.
    if (passed.unless.some((test) => holds(frame, test, subject))) return harmless;
    const { calls, point } = passed;
    if (calls === null) return { ...passed, confidence: point.confidence };
    const declared = typedAs(run, frame, param.type);
    const maker = argumentsAt(subject, calls)[0] ?? { ...nothing, type: declared.instance, paths: declared.paths };
    return { ...harmless, made: madeBy(run, frame, maker, point, param) };
  }
  return passedByOwn(run, frame, fn, param);
}

/** What a decorator of the application's own gives, which the framework calls on what comes in; what a constructor is handed does not come in. */
function passedByOwn(run: Run, frame: Frame, { name }: FunctionNode, param: Parameter): Passed | null {
  const [own] = run.knowledge.parameterDecorators.find("<own>");
  if (!own || name === "constructor") return null;
  for (const decorator of param.decorators) {
    if (decorator.kind !== "call") continue;
    const maker = calleeOf(run, frame, decorator);
    if (maker.closures.length === 0 && targetOf(run, frame, maker.paths) === null) continue;
    return { ...harmless, made: madeBy(run, frame, maker, own.point, param) };
  }
  return null;
}

/** What a framework passes, where it is known to be the one that calls. */
export function passedValue(run: Run, frame: Frame, fn: FunctionNode, index: number, entry: EntryPoint): Value {
  const value = parameterValue(run, frame, fn, index, entry);
  return { ...value, taint: value.taint.filter(({ source }) => !source.parameter) };
}

/** What a function or a class of the application gives that a framework calls on what comes in, to pass the result on. */
function madeBy(run: Run, frame: Frame, maker: Value, point: EntryPoint, at: Parameter): Value {
  const [closure] = maker.closures;
  const callee = closure ?? maker.type?.methods.get("__init__");
  if (!callee) {
    const target = targetOf(run, frame, maker.paths);
    if (target === null) return nothing;
    if (run.language === "python" && namesClass(target)) return objectOf(run, target, at);
    const given = tainted([arriving(run.outside(target, at, byFramework), at)]);
    // What has no class is known by what has made it.
    return typedAs(run, frame, at.type).paths.some((path) => !isBuiltIn.test(path))
      ? given
      : { ...given, paths: [givenBy(target)] };
  }
  const { fn } = callee;
  // One that asks for itself is never made.
  if (run.active.has(fn)) return nothing;
  run.active.add(fn);
  const args = fn.params.map((_, i) => passedValue(run, frame, fn, i, point));
  run.active.delete(fn);
  if (!closure) return instantiate(run, frame, maker, args, new Map(), at);
  const given = inline(run, frame, closure, args, new Map(), at);
  // A generator hands out one value and cleans up afterwards.
  return given.slots?.shape === "list" && given.slots.rest ? anyElement(given) : given;
}

/** The name that a type of Python goes by in another file, which may be a class, a choice of names or what that file makes of what comes in. */
const typeElsewhere = (run: Run, frame: Frame, declared: Value): string | null =>
  run.language === "python" && !declared.instance ? targetOf(run, frame, declared.paths) : null;

/** What comes in for a type of another file, which may leave nothing of it. */
const asDeclared = (taint: readonly Taint[], target: string): readonly Taint[] =>
  through(tainted(taint), { target, argument: bySchema, check: "result", trusted: false }).taint;

/** An object of a class that the parameter declares, of this file or another: an application may let such have no other fields. */
function ofClass(run: Run, frame: Frame, { instance, paths }: Value, came: readonly Taint[]): readonly Taint[] {
  const target = instance?.node.name ?? targetOf(run, frame, paths);
  if (target === null) return came;
  return through(tainted(came), { target, argument: byDeclaration, check: "result", trusted: false }).taint;
}

/** `tenant: TenantDep`: another file has named the text, or the object, that it makes of what comes in. */
function madeElsewhere(run: Run, param: Parameter, target: string): Taint[] {
  const makers = namesClass(target) ? [target, `${target}.__init__`] : [target];
  return makers.map((maker) => arriving(run.outside(maker, param, byFramework), param));
}

const isBuiltIn = /^(dict|list|tuple|str)$/;

/** An object of a class of another file, which that may fill with what comes in. */
function objectOf(run: Run, type: string, at: Parameter): Value {
  const maker = `${type}.__init__`;
  return { ...tainted([arriving(run.outside(maker, at, byFramework), at)]), paths: [type, givenBy(maker)] };
}

const noSubject = { named: new Map(), receiver: null, receiverPaths: [], name: "" };

export const calleeOf = (run: Run, frame: Frame, decorator: Expression): Value =>
  evaluate(run, frame, decorator.kind === "call" ? decorator.callee : decorator);

/** What the object is known as whose method decorates: its paths, and the name it is written with. */
export function receiverOf(run: Run, frame: Frame, decorator: Expression): readonly string[] {
  const callee = decorator.kind === "call" ? decorator.callee : decorator;
  if (callee.kind !== "field") return [];
  const { of } = callee;
  const written = of.kind === "variable" || of.kind === "field" ? [byName(of.name)] : [];
  return [...evaluate(run, frame, of).paths, ...written];
}

/** What a decorator goes by: its paths, and its name, as one of this file has no path. */
function decoratorNames(run: Run, frame: Frame, decorator: Expression): readonly string[] {
  const callee = decorator.kind === "call" ? decorator.callee : decorator;
  const { paths } = evaluate(run, frame, callee);
  return callee.kind === "variable" ? [...paths, byName(callee.name)] : paths;
}

/** Whether what an entry point asks of the function's decorators, its class and its result is so. */
function contextOfEntryFits(run: Run, frame: Frame, fn: FunctionNode, entry: EntryPoint): boolean {
  if (entry.result && !entry.result.test((fn.result ?? "").replace(/\s/g, ""))) return false;
  if (entry.when.length + entry.unless.length > 0) {
    const subjects = decoratingCalls(run, frame, fn).map((decorator) => subjectOfDecorator(run, frame, decorator));
    if (!entry.when.every((test) => subjects.some((subject) => holds(frame, test, subject)))) return false;
    if (entry.unless.some((test) => subjects.some((subject) => holds(frame, test, subject)))) return false;
  }
  return standsWith(run, frame, fn, entry);
}

/** Whether a function and its class have the decorator that an entry point asks for, and not the one that it excludes. */
function standsWith(run: Run, frame: Frame, fn: FunctionNode, entry: EntryPoint): boolean {
  if (!entry.with && !entry.without) return true;
  const decorators = [...fn.decorators, ...(frame.owner?.node.decorators ?? [])];
  const paths = decorators.flatMap((d) => decoratorNames(run, frame, d));
  const has = (wanted: PathIndex<true>) => paths.some((path) => wanted.find(path).length > 0);
  return (!entry.with || has(entry.with)) && (!entry.without || !has(entry.without));
}

/** The decorators of a function, and those of its class that it has none of its own for: what a class of resources produces. */
function decoratingCalls({ language }: Run, { owner }: Frame, fn: FunctionNode): Call[] {
  const own = fn.decorators.filter((decorator) => decorator.kind === "call");
  if (language !== "java" || !owner) return own;
  const names = new Set(own.map(calledName));
  const others = owner.node.decorators.filter(
    (decorator) => decorator.kind === "call" && !names.has(calledName(decorator)),
  );
  return [...own, ...(others as Call[])];
}

export function subjectOfDecorator(run: Run, frame: Frame, decorator: Call): Subject {
  const named = new Map<string, Value>();
  const positional: Value[] = [];
  for (const { name, value } of decorator.args) {
    if (name === null) positional.push(evaluate(run, frame, value));
    else named.set(name, evaluate(run, frame, value));
  }
  return { ...noSubject, positional, named, at: decorator };
}

/** The framework that calls a function, known by its decorators or by what its parameters are called. */
export function entryOf(run: Run, frame: Frame, fn: FunctionNode): EntryPoint | null {
  for (const decorator of fn.decorators) {
    const callee = calleeOf(run, frame, decorator);
    const found = run.knowledge.entryDecorators.findAll(callee.paths);
    const fits = found.find(
      (entry) =>
        (!entry.receiver || receiverFits(entry.receiver, receiverOf(run, frame, decorator))) &&
        contextOfEntryFits(run, frame, fn, entry),
    );
    if (fits) return fits;
  }
  const named = ({ names, file }: EntryPoint) => areNamed(fn, names) && (!file || run.says(file));
  const exported = run.knowledge.hasEntryExports ? entryOfExport(run, fn) : null;
  if (exported) return exported;
  const { owner } = frame;
  const [begins] = fn.name.match(firstWord) ?? [];
  const methods = [fn.name, ...(begins === undefined ? [] : [`${begins}*`]), ...(fn.exported ? [anyMethod] : [])];
  const method =
    owner &&
    methods
      .flatMap((name) => run.knowledge.entryMethods.get(name) ?? [])
      .find((e) => named(e) && extendsFramework(owner, e) && contextOfEntryFits(run, frame, fn, e));
  const byNames = run.knowledge.entryNames.find((e) => named(e) && contextOfEntryFits(run, frame, fn, e));
  return method ?? byNames ?? null;
}

/** The framework that calls a function which is handed to something unknown: two names at least, as one alone may mean anything there. */
export const entryOfCallBack = (run: Run, fn: FunctionNode): EntryPoint | undefined =>
  run.knowledge.entryNames.find(({ names }) => names.length > 1 && areNamed(fn, names));

function entryOfExport(run: Run, fn: FunctionNode): EntryPoint | null {
  for (const [name, closure] of run.exports) {
    if (closure.fn !== fn) continue;
    const entries = [...(run.knowledge.entryExports.get(name) ?? []), ...(run.knowledge.entryExports.get("*") ?? [])];
    const found = entries.find((entry) => areNamed(fn, entry.names) && (!entry.file || run.says(entry.file)));
    if (found) return found;
  }
  return null;
}

/** Whether the first parameters are called like those of an entry point. One that is taken apart may be called anything, but not all may. */
function areNamed({ params }: FunctionNode, names: EntryPoint["names"]): boolean {
  const fits = names.map((options, i) => {
    const param = params[i];
    return (
      param !== undefined &&
      options.some((option) => option === anyName || option === param.name || hasPart(param, option))
    );
  });
  // What may have any name says nothing about the others.
  const isTold = fits.some((fit, i) => fit && !names[i]?.includes(anyName));
  return fits.every((fit, i) => fit || (params[i]?.pattern && isTold));
}

/** What models call a parameter that stands in front of the known ones, whatever its name. */
const anyName = "*";

/** `{q}` stands for a parameter like `{ q, page }`. */
const hasPart = ({ pattern }: Parameter, option: string): boolean =>
  option.startsWith("{") &&
  pattern?.kind === "collection" &&
  pattern.shape === "map" &&
  pattern.entries.some(({ key }) => key?.kind === "literal" && `{${key.value}}` === option);

/** Models name methods by their first word as well: `set*` are the setters of a class that a framework fills. */
const firstWord = /^\p{Ll}+(?=\p{Lu})/u;
/** What models call all methods of a class that others may call. */
const anyMethod = "*";

const extendsFramework = (owner: ClassInfo, { of }: EntryPoint): boolean =>
  of === null || basePaths({ ...nothing, type: owner }).some((path) => of.find(path).length > 0);

/** Converters of placeholders, which stand in front of the name (`<int:id>`) or behind it (`<id:int>`), that leave nothing to attack with. */
const numbers: ReadonlySet<string | undefined> = new Set(["int", "float", "number", "uuid", "any", "ymd", "slug"]);
/** An application's own converters are called after what they let through: `<uuid_str:id>`, `<iso_date:day>`. */
const ownNumbers = /(^|_)(uuid|int|number|date|hex)(_|$)/i;

const leavesNothing = (converter: string | undefined): boolean =>
  numbers.has(converter) || ownNumbers.test(converter ?? "");

const routesIn = (decorators: readonly Expression[]): Expression[] =>
  decorators.flatMap((d) => (d.kind === "call" && d.args[0]?.name === null ? [d.args[0].value] : []));

/** The placeholders of routes that are called like a parameter. */
const holesFor = ({ name }: Parameter, routes: readonly Expression[]): RegExpExecArray[] =>
  routes
    .flatMap((route) => [
      ...String(route.kind === "literal" ? route.value : "").matchAll(/<(?:(\w+)(?:\([^)]*\))?:)?(\w+)>/g),
    ])
    .filter((hole) => hole.slice(1).includes(name));

/** What a framework passes in a parameter. From the path of a route come its placeholders only, and converted ones are harmless. */
function passedKind(
  { owner }: Frame,
  { decorators }: FunctionNode,
  param: Parameter,
  entry: EntryPoint,
): string | null {
  if (entry.others !== "http-path") return entry.others;
  // A class of methods has its route in front of itself; what else its methods are given, decorators of their own hand to them.
  const ofClass = routesIn(owner?.node.decorators ?? []);
  const routes = holesFor(param, ofClass).length > 0 ? ofClass : routesIn(decorators);
  if (routes.length === 0 || routes.some((route) => route.kind !== "literal")) return entry.others;
  const [[, ...parts] = []] = holesFor(param, routes);
  return parts.length > 0 && !parts.some((part) => part !== param.name && leavesNothing(part)) ? entry.others : null;
}
