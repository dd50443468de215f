import type { Span } from "../../ir/ir.ts";
import type { Frame, Run } from "../run.ts";
import { arriving, type ClassInfo, stepped, type Taint, type Value } from "../value.ts";
import { inClasses } from "./shared-state.ts";

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

/** What a class of PHP stores in its fields is there for the class of another file that it extends. */
export function keepForKin(run: Run, { node, bases }: ClassInfo, name: string, value: Value, at: Span): void {
  if (run.language !== "php" || value.taint.length === 0 || !bases.some(({ type }) => !type)) return;
  const field = `${inClasses}${node.name}.${name}`;
  for (const taint of stepped(value.taint, at)) {
    const { source } = taint;
    const key = `${field}|${source.start}|${source.outside}`;
    if (source.parameter || source.outside?.startsWith("#") || run.stores.has(key) || run.stores.size >= storesMax)
      continue;
    run.stores.set(key, { field, within: "", taint, at });
  }
}
