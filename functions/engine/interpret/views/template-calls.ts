import type { CallModels } from "../../catalogue/catalogue.ts";
import { type Call, type Expression, type Span, wholeMap } from "../../ir/ir.ts";
import { templateTarget } from "../../templates/template-target.ts";
import { handOver, isSame } from "../calls/handover.ts";
import { changed } from "../calls/parts.ts";
import { argumentsAt, type Subject } from "../check.ts";
import { accessPath } from "../names.ts";
import type { Frame, Run } from "../run.ts";
import { shown } from "../texts/page-places.ts";
import { bringingNames, tainted, type Value } from "../value.ts";
import { handToViews } from "./view-variables.ts";

const namesMax = 4;
/** The path of a template that was loaded by name, and a method of it that renders or fills it. */
const loaded = /^(template:(?:escaping|plain):.+)\.(render|render_async|renderAsync|with)$/;

/** Hands what a template is rendered with over to it. @returns the paths of the templates, which may be filled or rendered later */
export function renderTemplates(
  run: Run,
  frame: Frame,
  call: Call,
  paths: readonly string[],
  subject: Subject,
): string[] {
  for (const path of paths) {
    const [, target, method] = path.startsWith("template:") ? (path.match(loaded) ?? []) : [];
    if (target) {
      const given = method === "with" ? pairAt(run, subject, 0, 1) : givenAt(run, subject, ["named", 0]);
      handOver(run, target, [], given, subject.at);
      return method === "with" ? [target] : [];
    }
    for (const model of run.knowledge.calls.find(path).templates) {
      const written = typeof model.name === "number" ? endOf(call.args[model.name]?.value) : [];
      const names = [...textsOf(argumentsAt(subject, model.name)), ...written].slice(0, namesMax);
      if (names.length === 0) continue;
      const targets = names.map((name) =>
        templateTarget(model.escapes ? "escaping" : "plain", run.language === "ruby" ? viewNamed(frame, name) : name),
      );
      const given = new Map([...assignedTo(frame, call, model.context), ...givenAt(run, subject, model.context)]);
      const handed = new Map(
        [...withData(run, subject, model.context, given)].map(([key, value]) => [key, shown(run, value)]),
      );
      for (const each of targets) handOver(run, each, [], handed, subject.at);
      return targets;
    }
  }
  return [];
}

/** Functions that PHP applications write themselves mostly include the page with their own parameter in sight, and most call it so. */
function withData(
  run: Run,
  subject: Subject,
  [place]: readonly (string | number)[],
  given: ReadonlyMap<string, Value>,
): ReadonlyMap<string, Value> {
  const [data] = run.language === "php" && place !== undefined ? argumentsAt(subject, place) : [];
  return data && !given.has("data") ? new Map([...given, ["data", data]]) : given;
}

/** Hands a value over to the templates that the function names: by returning the name, or in a call that shows it. */
export function fillTemplates(run: Run, frame: Frame, { fills: [fill] }: CallModels, subject: Subject): void {
  if (!fill) return;
  const given = pairAt(run, subject, fill.key, fill.value);
  if (given.size > 0) handToViews(run, frame, given, subject.at);
}

const action = /^((?:\w+[.:]+)*)(\w+)Controller\.(\w+)(?:\/\d+)?$/;

/** In Rails the fields that an action of a controller sets are there in the view, which is called like the action. */
export function showInView(run: Run, frame: Frame, field: string, value: Value, at: Span): void {
  const method = frame.symbol.match(action)?.[3];
  if (method === undefined || value.taint.length === 0) return;
  handOver(run, templateTarget("escaping", viewNamed(frame, method)), [], new Map([[field, value]]), at);
}

/** A view that a controller of Rails names without a folder lies in that of the controller. */
function viewNamed({ symbol }: Frame, name: string): string {
  const [, modules = "", controller] = symbol.match(action) ?? [];
  if (controller === undefined || name.includes("/")) return name;
  const folders = [...modules.split(/[.:]+/).filter((part) => part !== ""), controller].map(snakeCase);
  return [...folders, name].join("/");
}

/** In Django a class names its template in a field, and one of its methods gives what is shown there. */
export function renderClasses(run: Run): void {
  for (const { methods, fields } of run.classes) {
    const closure = methods.get("get_context_data");
    const returns = closure && run.summaries.get(closure.fn)?.returns;
    const field = fields.get("template_name");
    if (!returns || !field) continue;
    const given = givenIn(returns);
    for (const name of textsOf([field]).slice(0, namesMax))
      handOver(run, templateTarget("escaping", name), [], given, closure.fn);
  }
}

const givenIn = (value: Value): ReadonlyMap<string, Value> =>
  value.slots?.shape === "map" ? value.slots.entries : new Map();

const snakeCase = (name: string): string => name.replace(/(?<=[a-z\d])(?=[A-Z])/g, "_").toLowerCase();

const textsOf = (values: readonly Value[]): string[] =>
  values
    .flatMap((value) => value.constants ?? [])
    .filter((name) => typeof name === "string" && name !== "") as string[];

/** Where the folder is computed, `path.join(__dirname, "views/a.ejs")`, the end of the path names the template. */
function endOf(written: Expression | undefined): string[] {
  const parts =
    written?.kind === "call"
      ? written.args.map((arg) => arg.value)
      : written?.kind === "operation" && written.operator === "+"
        ? written.operands
        : [];
  const last = parts.length > 1 ? parts.at(-1) : undefined;
  return last?.kind === "literal" && typeof last.value === "string" && /\.\w+$/.test(last.value) ? [last.value] : [];
}

/** What the function has assigned to fields of an argument before, or to the `locals` of a response that renders. */
function assignedTo(frame: Frame, call: Call, places: readonly (string | number)[]): Map<string, Value> {
  const given = new Map<string, Value>();
  const response = call.callee.kind === "field" ? accessPath(call.callee.of) : null;
  const args = places.map((place) => (typeof place === "number" ? call.args[place]?.value : undefined));
  const owners = [response && `${response}.locals`, ...args.map((arg) => arg && accessPath(arg))];
  for (const owner of owners)
    for (const [key, value] of owner ? (frame.scope.variables ?? []) : []) {
      const name = key.startsWith(`${owner}.`) ? key.slice(`${owner}.`.length) : "";
      if (/^\w+$/.test(name)) given.set(name, value);
    }
  return given;
}

/** What has a name of its own is the input itself; what a function has made of it has the keys that it was given there. */
const isWhole = ({ paths, slots }: Value): boolean =>
  slots?.shape !== "list" &&
  paths.some((path) => !path.startsWith("?") && !path.includes("()")) &&
  !paths.some((path) => path.endsWith("()"));

/** A name and its value, or a map of such. */
function pairAt(run: Run, subject: Subject, key: string | number, at: string | number): Map<string, Value> {
  const [value] = argumentsAt(subject, at);
  const [name] = textsOf(argumentsAt(subject, key));
  return value && name !== undefined ? new Map([[name, value]]) : givenAt(run, subject, [key]);
}

/** The values that a template gets, by their names in it. */
function givenAt(run: Run, subject: Subject, places: readonly (string | number)[]): Map<string, Value> {
  const given = new Map<string, Value>();
  const isPhp = run.language === "php";
  const addAll = (value: Value | undefined) => {
    if (value?.slots?.shape === "map")
      for (const [key, entry] of value.slots.entries)
        given.set(key, isPhp ? { ...entry, taint: changed(value, entry.taint) } : entry);
    // Whoever hands on all of the input fills every name with it.
    // In JavaScript maps are spread into each other; elsewhere what has no known key was stored under a computed one.
    const spread = run.language === "javascript" && value?.slots?.shape === "map" ? value.slots.rest : null;
    const whole = spread ?? (value && isWhole(value) ? value : null);
    const naming = spread ? bringingNames(spread.taint) : (whole?.taint ?? []);
    // A map that a function of PHP was given has the names that its caller has written.
    const came = isPhp && value ? value.taint.filter((taint) => isSame(run, value, taint)) : [];
    if (came.length > 0) given.set(wholeMap, { ...tainted(came), paths: value?.paths ?? [] });
    else if (naming.length > 0) given.set(wholeMap, tainted(naming));
  };
  for (const place of places) {
    if (place === "named") {
      addAll(subject.maps);
      for (const [key, value] of subject.named) if (key !== wholeMap) given.set(key, value);
    } else for (const value of argumentsAt(subject, place)) addAll(value);
  }
  return given;
}
