import type { Call, Field, Span } from "../../ir/ir.ts";
import { targetOf } from "../calls/handover.ts";
import { hasOverloads } from "../calls/overloads.ts";
import { constructorOf } from "../calls/results.ts";
import type { Frame, Run } from "../run.ts";
import { arriving, type ClassInfo, joinTaint, stepped, type Taint, type Value } from "../value.ts";
import { fieldOf, lineageOf } from "./members.ts";
import { inClasses, readsInherited } from "./shared-state.ts";

/** Statements that show or run what an object holds, by how they begin. */
const showing = /(?:\b(?:echo|print|printf|die|exit|query|exec|execute|prepare|eval)\b|<\?=)[^;]{0,600}/g;
const held = /\$this->(\w+)(?!\w|\s*(?:->|\(|\[))/g;
const storesMax = 100;

/**
 * A class of PHP shows what those that extend it have collected in a field, and their files are others. Only fields that stand in a
 * statement that shows or runs something are asked for: a field of each object that is read anywhere would be too many.
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

/** `self.query`, where the class itself has nothing of that name: what it extends in another file may have put it there. */
export function inheritedField(run: Run, { owner }: Frame, name: string, value: Value, at: Span): Value {
  if (!readsInherited.has(run.language) || !owner || !isUnknown(value) || !extendsOther(run, owner)) return value;
  const field = `#${inClasses}${owner.node.name}.${name}`;
  if (run.inherited.size >= inheritedMax && !run.inherited.has(field)) return value;
  run.inherited.add(field);
  return { ...value, taint: [arriving(run.outside(field, at), at)] };
}

const isUnknown = ({ taint, constants, slots, closures, instance, type }: Value): boolean =>
  taint.length + closures.length === 0 && constants === null && !slots && !instance && !type;

/** `new Page(request).column`: the class of another file of Java, Kotlin or C# may have put input of its own into the field. */
export function fieldOfMade(run: Run, frame: Frame, of: Value, { of: written, name }: Field, value: Value): Value {
  if (!hasOverloads.has(run.language) || of.instance || of.type || !isUnknown({ ...value, taint: [] })) return value;
  const made = written.kind === "variable" ? frame.scope.binding(written.name)?.origins.get(written.name) : written;
  const called = made?.kind === "call" && made.isNew ? frame.given.get(made)?.called : undefined;
  const maker = called ? constructorOf(run, made as Call, called) : null;
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
  const field = `${inClasses}${node.name}.${name}`;
  for (const taint of stepped(value.taint, at)) {
    const { source } = taint;
    const key = `${field}|${source.start}|${source.outside}`;
    if (source.parameter || source.outside?.startsWith("#") || run.stores.has(key) || run.stores.size >= storesMax)
      continue;
    run.stores.set(key, { field, within: "", taint, at });
  }
}
