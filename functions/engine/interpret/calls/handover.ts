import type { Families } from "../../catalogue/catalogue.ts";
import { lastSegment, ownerOf } from "../../catalogue/paths.ts";
import { remembered } from "../../catalogue/remembered.ts";
import type { Parameter, Span } from "../../ir/ir.ts";
import { commonPassages, differ } from "../guards/passage.ts";
import { byName } from "../names.ts";
import { fieldOf, isResultOf } from "../objects/members.ts";
import { prefixFor } from "../operators.ts";
import type { Frame, Run } from "../run.ts";
import type { Handover } from "../summary.ts";
import { allTaint, nothing, type Taint, type Value } from "../value.ts";
import type { Called } from "./called.ts";
import { carriedTarget } from "./carried-objects.ts";
import { hasOverloads, typeOfArgument } from "./overloads.ts";
import { elementsMax, partsOf } from "./parts.ts";
import { commonConditions, isAlike, knownArguments } from "./path-conditions.ts";
import { asUploaded } from "./uploaded-files.ts";

/** More would be a file that does nothing but call others; linking it all would cost more than it tells. */
const handoversMax = 200;
/** Beyond that the first that goes to a place is kept: two hundred routes that all report to one log leave room for what the last one calls. */
const placesMax = 1_000;
/** Ways to one place that are told apart although one function gives what takes them, and the room that there is for such. */
const alikeMax = 4;
const alikeRoom = 150;

/** Who calls a function by itself, and what is settled for it before. */
export interface Calling {
  frame: Frame;
  settled: Families;
  /** The parameter that is the key under which the function was found that is called. */
  key?: number | undefined;
}

/** Keeps, for linking, what goes into functions of other files. */
export function handOver(
  run: Run,
  target: string,
  args: readonly Value[],
  named: ReadonlyMap<string, Value>,
  at: Span,
  from: Calling | null = null,
): void {
  const known = from && named.size === 0 ? knownArguments(run, from.frame, args, from.key) : undefined;
  const conditions = from && from.frame.path.length > 0 ? [...from.frame.path] : undefined;
  const settled = from?.settled ?? 0;
  const starts = run.language === "java" && args.length > 1 && namesProgram(run, listOf(args)) ? true : undefined;
  const count = hasOverloads.has(run.language) ? args.length + named.size : undefined;
  if (run.language === "java") noteMapperCall(run, target);
  for (const [argument, given] of [...args.entries(), ...named]) {
    const value = run.language === "php" && from ? asUploaded(run, from.frame, given, at) : given;
    const type = typeOfArgument(run, value);
    const behind = namesProgram(run, value) ? run.catalogue.bitsOf(["command_injection"]) : 0;
    for (const [field, part] of partsOf(run, value))
      for (const taint of part) {
        const { source, step, via } = taint;
        const begins = value.prefix === null ? "" : prefixFor(value.prefix, taint);
        // What a function puts before a text that begins as it must is not the attacker's either.
        const clean = taint.clean | settled | behind | run.catalogue.ledFamilies(begins);
        const led = begins === "" ? undefined : true;
        const same = field === undefined && isSame(run, value, taint) ? true : undefined;
        const passed = { source, clean, step, at, via, led, same };
        const asked = source.parameter?.fn === from?.frame.fn ? conditions : undefined;
        hand(run, { target, argument, field, ...passed, count, type, starts, known, conditions: asked });
      }
  }
}

/** Programs that start what they are given, or run it as a program. */
const starters =
  /(?:^|[/\\])(?:(?:ba|z|da|k|c|fi)?sh|cmd|powershell|pwsh|sudo|doas|su|env|nohup|nice|timeout|time|xargs|ssh|exec|eval|python[\d.]*|perl|ruby|node|php|lua|osascript)(?:\.exe)?$/i;

/** Languages that start programs by lists. */
const startsLists: ReadonlySet<string> = new Set(["python", "java"]);

/**
 * `run(["git", "log", branch])`: whoever runs a list runs its first word, and that is written out, or looked up by nobody outside. A function
 * of another file sees the list as one.
 */
function namesProgram({ language }: Run, { slots, taint }: Value): boolean {
  if (!startsLists.has(language) || slots?.shape !== "list" || taint.length > 0) return false;
  const program = slots.entries.get("0");
  if (!program || allTaint(program).length > 0) return false;
  // What is not known may be a shell where the next word has it run a text.
  const words = program.constants ?? slots.entries.get("1")?.constants ?? ["-"];
  const isStarter = program.constants === null ? runsText : starters;
  return words.length > 0 && words.every((word) => typeof word === "string" && word !== "" && !isStarter.test(word));
}

const runsText = /^([-/]c|-e|--command)$/i;

const listOf = (args: readonly Value[]): Value => ({
  ...nothing,
  slots: { shape: "list", entries: new Map(args.slice(0, elementsMax).map((arg, i) => [String(i), arg])), rest: null },
});

/** Languages whose objects are told apart by their fields where they are handed on as they are. */
const keepsFields: ReadonlySet<string> = new Set(["php", "javascript", "python"]);

/** Whether fields of a parameter are where they were: it is that itself or, in PHP, a map that has been made of it. */
export const isSame = (
  { language }: Run,
  { paths, slots }: Value,
  { source: { parameter, outside } }: Taint,
): boolean => {
  const param = parameter?.fn.params[parameter.index];
  if (language === "go") return isSameStruct(paths, param, outside);
  if (outside !== null) return keepsFields.has(language) && isMade.test(outside) && isResultOf({ paths }, outside);
  if (!param || parameter?.field !== undefined || !keepsFields.has(language)) return false;
  // An object is no map of what it has been made of.
  return (language === "php" && slots?.shape === "map") || paths.includes(byName(param.name));
};

/** What a class of another file has made. */
const isMade = /\.(?:constructor|__init__)$/;

/** A struct of Go goes by its type, or by the function that has given it, and what is made of it by neither. */
function isSameStruct(paths: readonly string[], param: Parameter | undefined, outside: string | null): boolean {
  const given = outside?.split(fieldOf, 1)[0];
  if (given !== undefined) return paths.includes(`${given}()`);
  const type = param?.type ? lastSegment(param.type) : "";
  return (
    /^\p{L}\w*$/u.test(type) &&
    type !== "string" &&
    paths.some((path) => path === type || path.endsWith(`.${type}`) || path === `~${type}`)
  );
}

/** Statements in files of their own are known by the methods of mappers: whoever calls these, whatever with, is their user. */
function noteMapperCall(run: Run, target: string): void {
  const method = methodOfMapper(target);
  if (method !== null && run.mapperCalls.size < mapperCallsMax) run.mapperCalls.add(method);
}

const methodOfMapper = remembered(
  (target) => /(?:^|\.)(\p{Lu}\w*(?:Mapper|Dao|DAO|Repository)\.\w+)$/u.exec(target)?.[1] ?? null,
);
const mapperCallsMax = 500;

/** Attacker input is kept as it is; a parameter's way is part of what its function does. */
export function hand(run: Run, handover: Handover): void {
  const { source, target, argument, at } = handover;
  if (source.parameter) {
    const passes = run.summaries.get(source.parameter.fn)?.passes;
    if (!passes || passes.length >= handoversMax) return;
    const known = passes.find(
      (p) =>
        p.source === source &&
        p.target === target &&
        p.argument === argument &&
        p.field === handover.field &&
        p.count === handover.count &&
        isAlike(p.known, handover.known),
    );
    if (known) soil(known, handover);
    else passes.push({ ...handover });
    return;
  }
  const arrived = source.outside ?? `${source.start}|${at.start}`;
  const key = keyAmong(run, `${target}|${argument}|${handover.field}|${source.kind}|${arrived}`, source.start);
  const first = run.handovers.get(key);
  // A second way stands beside the first; of further ones the second stands for all.
  const own = first && differ(first, handover) ? `${key}|way` : key;
  const known = run.handovers.get(own);
  if (known) soil(known, handover);
  else if (hasRoom(run, handover)) run.handovers.set(own, handover);
}

/** Whether one more is kept; every place in another file that something goes to is to be heard of. */
function hasRoom({ language, handovers, places }: Run, { target, argument, field, source }: Handover): boolean {
  const place = `${target}|${argument}|${field}|${source.kind}`;
  const isFirst = places.size < placesMax && !places.has(place);
  if (isFirst) places.add(place);
  return isFirst || handovers.size < handoversMax + (language === "php" ? alikeRoom : 0);
}

/** Pages of PHP get all their input from one function: what its first calls give is input of its own, what others give counts as one. */
function keyAmong({ language, handovers }: Run, key: string, start: number): string {
  if (language !== "php") return key;
  for (let i = 0; i < alikeMax; i++) {
    const known = handovers.get(`${key}|${i}`);
    if (known ? known.source.start === start : handovers.size < alikeRoom) return `${key}|${i}`;
  }
  return `${key}|0`;
}

/** One of several ways stands for all: clean only for what every way cleans. */
function soil(known: Handover, other: Handover): void {
  known.clean &= other.clean;
  known.via = commonPassages(known.via, other.via);
  known.led = known.led === true && other.led === true;
  known.same = known.same === true && other.same === true;
  known.conditions = commonConditions(known.conditions, other.conditions);
  if (known.type !== other.type) known.type = undefined;
  known.starts = known.starts === true && other.starts === true ? true : undefined;
  if (!isAlike(known.known, other.known)) known.known = undefined;
}

/**
 * The path that can name something in another file of the project; what models know is a library. What Ruby calls without a receiver is a
 * method of the class, or of what it extends and includes.
 */
export function targetOf(run: Run, frame: Frame | null, paths: readonly string[]): string | null {
  if (run.language === "go") return targetInPackage(run, paths);
  if (run.language === "php") return globalTarget(run, paths);
  const isFirst = run.language === "python" ? notOfLibrary(run) : declaredFirst[run.language];
  const first = isFirst && paths.length > 1 ? paths.filter(isFirst) : [];
  for (const path of first.length === 0 ? paths : [...first, ...paths]) {
    if (path.startsWith("?") || (run.language === "javascript" && givenByPackage.test(path))) continue;
    if (run.language === "python" && isOfRequest(path)) continue;
    const plain = run.language === "python" ? plainOfPython(path) : plainOf(path);
    const carried = run.language === "python" ? carriedTarget(run, plain) : null;
    if (carried !== null) return carried;
    if (run.language === "ruby" && frame?.owner && /^[a-z_]\w*[!?]?$/.test(plain) && !run.knowledge.known.has(plain))
      return `${frame.owner.node.name}.${plain}`;
    if (plain.includes("[") && !(run.language === "javascript" && isChosen(plain))) continue;
    if (!plain.includes(".") && !(run.language === "javascript" && isOfFolder(plain))) continue;
    if (
      run.language === "javascript"
        ? !isOfProject.test(plain) || run.knowledge.known.has(ownerOf(plain))
        : /^(java|javax|jakarta)\./.test(plain) ||
          // Only constants of Ruby are seen in other files.
          (run.language === "ruby" && !/^\p{Lu}/u.test(plain)) ||
          (run.knowledge.known.has(ownerOf(plain)) && !(run.language === "python" && isOfPlainFile(plain)))
    )
      continue;
    return plain;
  }
  return null;
}

/** `models.find(name)`: names that models know as those of packages or types, and that files of projects have as often. */
const isOfPlainFile = remembered((path) => /^(agents|code|commands|docker|git|models|mongo|request)\.\w+$/.test(path));

/** `self.request.POST.get(key)`, where the class has its request from one that it extends: none of these classes says what `get` does. */
const isOfRequest = remembered((path) => /(^|\.)[A-Z]\w*\.request\./.test(path));

/**
 * How imports of JavaScript begin that mean another file; a scope may be that of the packages of one repository. Folders below which a project
 * looks for its own files, and packages of it without a scope, have names that libraries do not have.
 */
export const isOfProject =
  /^(\.|[@~]\/|#|@[a-z\d][\w-]*\/|(src|core|common|shared|utils?|libs?|app|api|server|backend|database|db|models?|services?|controllers?|helpers?|middlewares?|repositor(y|ies)|modules|features|domain|config)\/|(core|common|shared|backend|server|database|domain)\.)/;

/** `import ListJob from "@/list-job"`: what a file exports by default goes by the file alone. A package with a scope is a library, mostly. */
const isOfFolder = remembered((path) => isOfProject.test(path) && !/^@[a-z\d]/.test(path));

/** Stands behind a table of another file of JavaScript, and means whatever lies in it. */
export const chosenMember = ".[]";

/** `commands[type]`, `formats[kind].write`: one of a table, and what that has. */
const isChosen = remembered((path) => path.indexOf("[") === path.lastIndexOf("[") && /\.\[\](\.\w+)?$/.test(path));

/** What a function of a package has given is the package's own, wherever that is. */
const givenByPackage = /^@[^/]+\/.*\(\)/;

type Told = (path: string) => boolean;

/**
 * A type that is declared names its file; of what a factory gives, only the factory's is known, and of the property of another class
 * (`private IStore store = Settings.Store;`) only the property.
 */
const declaredFirst: Readonly<Record<string, Told | undefined>> = {
  java: (path) => !path.includes("()"),
  csharp: remembered((path) => /^\w+\.\w+$/.test(path)),
};

/** More entries of a table are variants of one another. */
const othersMax = 3;

/** `handlers = {"csv": read_csv, "xml": read_xml}`, `handlers[kind](text)`: what is chosen at run time may be any of several. */
export function otherTargetsOf(run: Run, paths: readonly string[], target: string): readonly string[] {
  if ((run.language !== "python" && run.language !== "javascript") || paths.length < 2) return [];
  const isOwn = run.language === "python" ? notOfLibrary(run) : (path: string) => isOfProject.test(path);
  const others = paths.filter((path) => path.includes(".") && !/^\?|\[/.test(path) && isOwn(path)).map(plainOf);
  return [...new Set(others)].filter((other) => other !== target).slice(0, othersMax);
}

/** `class Orders(LoginRequiredMixin, FilterMixin)`: what a class has of its own project is in none of the libraries that it extends as well. */
const notOfLibrary =
  ({ knowledge }: Run): Told =>
  (path) =>
    path.startsWith(".") || !knowledge.known.has(path.split(".", 1)[0] ?? "");

/** A path without telling what is called on the way. */
const plainOf = remembered((path) => path.replaceAll("()", ""));

/** Stands behind the name of a table, and means any of what is in it. */
export const ofTable = ".get";

const plainOfPython = remembered((path) =>
  plainOf(path).replace(
    /(^|\.)([A-Z][A-Z\d_]*)\.\[\](?=\.|$)/,
    (_, before: string, table: string) => `${before}${table}${ofTable}`,
  ),
);

/** Stands before the name of an object of which nothing else is known, in place of its class. */
export const anyClass = "*";

/** Stands behind a method that is called by way of `super`: no class that overrides it is meant. */
export const ofBase = "^";

/** Stands before a method of Python that its class leaves open, and means those of the classes of other files that extend it. */
export const ofHeirs = "~";

/** Functions and classes have one name in all files; what models know belongs to a library or to the language. */
function globalTarget(run: Run, paths: readonly string[]): string | null {
  const { known } = run.knowledge;
  for (const path of paths) {
    const plain = plainOf(path);
    if (/^[?$<]|\[|^this\b/.test(plain) || known.has(plain)) continue;
    // A class that has no namespace may be the project's own, also where a library has one of that name: `Html::tag(...)`.
    if (plain.indexOf("\\") < 0 || !known.has(ownerOf(plain))) return plain;
  }
  return null;
}

/** A method of an object of which only the name is known: linking knows what is called like it, or whether only one class has such a method. */
export function methodTarget(run: Run, { paths, names }: Pick<Called, "paths" | "names">): string | null {
  if (run.language === "javascript" || run.language === "python") return layerTarget(paths, names);
  if (run.language !== "php" && run.language !== "ruby") return null;
  for (const path of paths) {
    const [, of, method] = /^(?:\?|\$|this\.|(?=this\.\w+$))(?:[\w$.?()]*\.)?([\w$?()]*)\.(\w+)$/.exec(path) ?? [];
    // Short names are those of operators and of elements in Ruby; translators of PHP have them: `$l->g(12)`.
    if (method !== undefined && (run.language === "php" || method.length > 2)) return `${anyClass}${of}.${method}`;
    const relation = run.language === "ruby" ? ofRelation.exec(path) : null;
    if (relation) return `${anyClass}${relation[1]}.${relation[2]}`;
  }
  return null;
}

/** `current_user.tickets.search`: what belongs to an object goes by names in the plural. */
const ofRelation = /^[a-z_][\w.()]*\.([a-z]\w*s\(\))\.([a-z]\w{2,})$/;

/** The layers of an application are handed from one to the next and called what they are: `constructor({ orderService })`. */
function layerTarget(paths: readonly string[], names: readonly string[]): string | null {
  const layer = names.map(layerOf).find((name) => name !== null);
  const method = layer === undefined ? undefined : methodOf(paths);
  return method === undefined ? null : `${anyClass}${layer}.${method}`;
}

/** The name of the method that a call is known by. */
const methodOf = (paths: readonly string[]): string | undefined =>
  paths.map(lastSegment).find((segment) => /^\w{2,}$/.test(segment));

/** A method of an object of JavaScript of which only the name is known, and that may be among those that some file hands on. */
export function handedTarget(
  { language }: Run,
  { paths, names }: Pick<Called, "paths" | "names">,
  registered: string | null,
): string | null {
  if (language !== "javascript") return null;
  const name = names.find((path) => path.startsWith("?") || path.startsWith("this."));
  const of = registered ?? (name === undefined ? "" : lastSegment(name).replace(/^\?/, ""));
  if (!/^[A-Za-z_$]\w+$/.test(of) || ofFramework.test(of)) return null;
  const method = methodOf(paths);
  return method === undefined || ofLanguage.test(method) ? null : `${anyClass}${of}.${method}`;
}

/** What lists, texts, promises, logs and emitters of events have: objects of the project are asked for something else. */
const ofLanguage =
  /^(push|unshift|splice|slice|concat|map|filter|forEach|reduce|some|every|includes|indexOf|join|split|replace|replaceAll|match|test|startsWith|endsWith|then|catch|finally|on|once|emit|log|info|warn|error|debug|call|apply|bind|append|setHeader)$/;

/** What a framework hands to every handler is none of the project's. */
const ofFramework =
  /^(req|request|res|resp|response|reply|ctx|context|next|app|router|this|console|socket|err|error|e)$/;

const layerOf = remembered((path) => {
  const name = lastSegment(path).replace(/^\?/, "");
  return layerName.test(name) ? name : null;
});

/** Names that say what an object is for. */
export const layerName =
  /^\w*(service|svc|repository|repo|dao|model|store|storage|manager|db|database|gateway|controller|usecase|crud|backend|adapter|provider|client|engine)s?$/i;

/** Every file of a folder sees the names of the others, and what is imported is a folder: `~Store.Find`, `example.org/shop/store.Find`. */
function targetInPackage(run: Run, paths: readonly string[]): string | null {
  for (const path of paths) {
    const plain = plainOf(path);
    if (plain.startsWith("?") || plain.includes("[")) continue;
    if (plain.startsWith("~")) return plain;
    const folder = plain.slice(0, plain.indexOf(".", plain.lastIndexOf("/") + 1));
    if (plain.includes("/") && folder.length > 0 && !run.knowledge.known.has(folder)) return plain;
  }
  return null;
}
