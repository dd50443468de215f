import type { Call, Expression, Field, Span } from "../../ir/ir.ts";
import { isOfProject, targetOf } from "../calls/handover.ts";
import { hasOverloads } from "../calls/overloads.ts";
import { constructorOf } from "../calls/results.ts";
import { isClassName } from "../names.ts";
import type { Frame, Run } from "../run.ts";
import { arriving, type ClassInfo, joinTaint, stepped, type Taint, type Value } from "../value.ts";
import { fieldOf, lineageOf } from "./members.ts";
import { inClasses, readsInherited } from "./shared-state.ts";

/** Statements that show or run what an object holds, by how they begin. */
const showing =
  /(?:\b(?:echo|print|printf|die|exit|query|(?:shell_)?exec|system|passthru|execute|prepare|eval)\b|<\?=|=\s*["'])[^;]{0,600}/g;
const held = /\$this->(\w+)(?!\w|\s*(?:->|\(|\[))/g;
const storesMax = 100;

/**
 * A class of PHP shows what those that extend it have collected in a field, and their files are others. Only fields that stand in a
 * statement that shows or runs something, or makes a text, are asked for: a field of each object that is read anywhere would be too many.
 */
export function fieldOfKin(run: Run, { owner }: Frame, name: string, at: Span): readonly Taint[] {
  if (run.language !== "php" || !owner || !shownFields(run).has(name)) return [];
  return [arriving(run.outside(`#${inClasses}${owner.node.name}.${name}`, at), at)];
}

const shown = new WeakMap<Run, ReadonlySet<string>>();

function shownFields(run: Run): ReadonlySet<string> {
  const known = shown.get(run);
  if (known) return known;
  const statements = run.text.includes("$this->") ? Array.from(run.text.matchAll(showing), ([text]) => text) : [];
  const names = new Set(statements.flatMap((text) => Array.from(text.matchAll(held), ([, name]) => `$${name}`)));
  shown.set(run, names);
  return names;
}

/** Fields that a file asks others for: most of what is inherited is a framework's, and nothing is kept there. */
const inheritedMax = 60;

/**
 * `self.query`, where the class itself has nothing of that name: what it extends in another file may have put it there, or whoever has
 * objects of it.
 */
export function inheritedField(run: Run, { owner }: Frame, name: string, value: Value, at: Span): Value {
  if (!readsInherited.has(run.language) || !owner) return value;
  if (!isFilledByOthers(run, owner, name, value) && !(isUnknown(value) && extendsOther(run, owner))) return value;
  const field = `#${inClasses}${owner.node.name}.${name}`;
  if (run.inherited.size >= inheritedMax && !run.inherited.has(field)) return value;
  run.inherited.add(field);
  return { ...value, constants: null, taint: [arriving(run.outside(field, at), at)] };
}

/** `class Job { run() { exec(this.name); } }`: nothing in the file gives objects of the class that field, and no library that it extends does. */
function isFilledByOthers(run: Run, { bases }: ClassInfo, name: string, { constants, ...value }: Value): boolean {
  if (!isUnknown({ ...value, constants: null }) || constants?.some(Boolean) || bases.some(({ type }) => !type))
    return false;
  return run.assignmentsOf(name).every((place) => run.text[place - 1] !== ".");
}

const isUnknown = ({ taint, constants, slots, closures, instance, type }: Value): boolean =>
  taint.length + closures.length === 0 && constants === null && !slots && !instance && !type;

/** `new Page(request).column`: the class of another file of Java, Kotlin or C# may have put input of its own into the field. */
export function fieldOfMade(run: Run, frame: Frame, of: Value, { of: written, name }: Field, value: Value): Value {
  if (!hasOverloads.has(run.language) || of.instance || of.type || !isUnknown({ ...value, taint: [] })) return value;
  const made = madeAs(frame, written);
  const called = made && frame.given.get(made)?.called;
  const maker = made && called ? constructorOf(run, made, called) : null;
  if (maker === null) return value;
  return {
    ...value,
    taint: joinTaint(value.taint, [arriving(run.outside(`${maker}${fieldOf}${name}`, written), written)]),
  };
}

/** Whether a class extends one of another file of the project, for all that the names tell. */
function extendsOther(run: Run, info: ClassInfo): boolean {
  const known = extending.get(info);
  if (known !== undefined) return known;
  const members = (paths: readonly string[]) => paths.map((path) => `${path}.${anyMember}`);
  const found = lineageOf(info).some(({ bases }) =>
    bases.some(({ type, paths }) => !type && targetOf(run, null, members(paths)) !== null),
  );
  extending.set(info, found);
  return found;
}

/** Other files are asked for members of what they declare. */
const anyMember = "x";

const extending = new WeakMap<ClassInfo, boolean>();

/** What a class stores in its fields is there for the class of another file that it extends, and in some languages for those that extend it. */
export function keepForKin(run: Run, { node, bases }: ClassInfo, name: string, value: Value, at: Span): void {
  if (value.taint.length === 0) return;
  if (!readsInherited.has(run.language) && (run.language !== "php" || !bases.some(({ type }) => !type))) return;
  keepInField(run, `${inClasses}${node.name}.${name}`, value, at);
}

function keepInField(run: Run, field: string, value: Value, at: Span): void {
  for (const taint of stepped(value.taint, at)) {
    const { source } = taint;
    const key = `${field}|${source.start}|${source.outside}`;
    if (source.parameter || source.outside?.startsWith("#") || run.stores.has(key) || run.stores.size >= storesMax)
      continue;
    run.stores.set(key, { field, within: "", taint, at });
  }
}

/** `job.name = request.args["name"]`: what an object of another file's class is filled with, the methods of that find in it. */
export function keepForOthers(run: Run, frame: Frame, of: Value, { of: written, name }: Field, value: Value, at: Span) {
  if (value.taint.length === 0 || !fillsObjects.has(run.language)) return;
  const type = classOfOther(run, frame, of, written);
  if (type !== null) keepInField(run, `${inClasses}${type}.${name}`, value, at);
}

/** `job.Name = name`, `&jobs.Job{Name: name}`: what a struct of another package of Go is filled with, its methods find in it. */
export function keepInStruct(run: Run, type: string, name: string, value: Value, at: Span): void {
  if (value.taint.length > 0 && ofOtherPackage.test(type)) keepInField(run, `${type}.${name}`, value, at);
}

/** The packages of a project have no path in the standard library, which has methods of its own. */
const ofOtherPackage =
  /^(?!(?:net|os|text|html|encoding|database|crypto|log|io|go|mime)\/)[^~?]*\/[\w.-]+\.\p{Lu}\w*$/u;

/** Languages whose objects have fields that anybody may fill. */
const fillsObjects: ReadonlySet<string> = new Set(["javascript", "python", "php"]);

/** The class of an object, as its own file calls it: what a file of JavaScript exports by default goes by the name that it is mostly given. */
function classOfOther(run: Run, frame: Frame, { paths }: Value, written: Expression): string | null {
  const own = run.language === "php" ? qualifiedClass : namedClass;
  for (const path of paths) {
    const [, name] = own.exec(path) ?? [];
    if (name !== undefined && targetOf(run, null, [`${path}.${anyMember}`]) !== null) return name;
  }
  const made = run.language === "javascript" ? madeAs(frame, written) : undefined;
  const { callee } = made ?? {};
  return callee?.kind === "variable" && isClassName(callee) && paths.some((path) => isOfProject.test(path))
    ? callee.name
    : null;
}

const namedClass = /(?:^|\.)(\p{Lu}\w*)(?:\(\))?$/u;
const qualifiedClass = /^((?:\w+\\)*\p{Lu}\w*)$/u;

/** The call that has made what a variable holds. */
function madeAs({ scope }: Frame, written: Expression): Call | undefined {
  const made = written.kind === "variable" ? scope.binding(written.name)?.origins.get(written.name) : written;
  return made?.kind === "call" && made.isNew ? made : undefined;
}
