import type { Span } from "../ir/ir.ts";
import { check } from "./check.ts";
import { lengthOf } from "./containers.ts";
import { memberPaths } from "./names.ts";
import type { Frame, Run } from "./run.ts";
import { allTaint, cleaned, elementAt, firstStep, joinTaint, named, nothing, type Value } from "./value.ts";

/** Another function may have assigned since: of the constants only texts are worth trusting, they are rarely reassigned. */
export function fromOutside(value: Value): Value {
  if (!value.constants || value.constants.every((c) => typeof c === "string")) return value;
  return { ...value, constants: null };
}

/** Reads a member: of the file's classes, of a map, or a name that a model may know. */
export function member(run: Run, frame: Frame, of: Value, name: string, at: Span): Value {
  const own = memberOfInstance(of, name);
  if (own) return own;
  if (name === "length" && of.slots) return lengthOf(of);
  const slot = of.slots?.shape === "map" ? elementAt(of, name) : null;
  const paths = memberPaths(of, name);
  const read = readMatches(run, paths);
  if (read.cleans === -1) return named(...paths);
  const kept = slot ? slot.taint : of.slots ? of.taint : allTaint(of);
  const base: Value = slot ? { ...slot, paths: [...slot.paths, ...paths] } : { ...nothing, paths, taint: kept };
  const source = read.kind === null ? null : run.source(read.kind, at, read.confidence);
  const entered = source ? joinTaint(base.taint, [{ source, clean: 0, step: firstStep(at) }]) : base.taint;
  const value = { ...base, taint: entered };
  const sinks = paths.flatMap((path) => run.knowledge.reads.find(path));
  if (sinks.length > 0) {
    check(run, frame, sinks, {
      positional: [of],
      named: new Map(),
      receiver: of,
      receiverPaths: of.paths,
      at,
      name: run.excerpt(at, 60),
    });
  }
  return read.cleans === 0 ? value : cleaned(value, read.cleans);
}

function readMatches(run: Run, paths: readonly string[]): { kind: string | null; cleans: number; confidence: number } {
  let kind: string | null = null;
  let cleans = 0;
  for (const path of paths) {
    kind ??= run.knowledge.sources.read.find(path)[0]?.kind ?? null;
    for (const sanitizer of run.knowledge.sanitizers.read.find(path)) cleans |= sanitizer.cleans;
  }
  return { kind, cleans, confidence: 1 };
}

/** A method bound to its object, or what some method assigned to the field. */
export function memberOfInstance(of: Value, name: string): Value | null {
  const info = of.instance ?? of.type;
  if (!info) return null;
  const seen = new Set<unknown>();
  for (
    let here: typeof info | null = info;
    here && !seen.has(here);
    here = here.bases.find((base) => base.type)?.type ?? null
  ) {
    seen.add(here);
    const method = here.methods.get(name);
    if (method) return { ...nothing, closures: [{ ...method, self: of.instance ? of : method.self }] };
    const value = here.fields.get(name);
    if (value) return fromOutside({ ...value, paths: [...value.paths, `?this.${name}`] });
  }
  return null;
}
