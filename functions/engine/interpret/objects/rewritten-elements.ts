import type { Assign, Expression, Index, Loop } from "../../ir/ir.ts";
import { walk } from "../../ir/walk.ts";
import { evaluate } from "../evaluate.ts";
import { accessPath, elementPath } from "../names.ts";
import type { Frame, Run } from "../run.ts";
import type { Variables } from "../scope.ts";
import { partsMax, type Value } from "../value.ts";

/** A list that a loop goes through and whose elements it writes anew: `foreach ($all as $key => $value) $all[$key] = clean($value)`. */
export interface Rewritten {
  /** The access path of the list. */
  path: string;
  key: string;
}

/** What a loop writes anew; known to the state before it, so that the one after it can tell the difference. */
export function rewrittenBy(run: Run, frame: Frame, loop: Loop): Rewritten | null {
  const bound = run.language === "php" && loop.bind ? keyAndList(loop.bind) : null;
  const path = bound && accessPath(bound.of);
  if (!bound || path === null || !writes(loop, path, bound.key)) return rewrittenAround(frame, loop);
  if (!frame.scope.binding(path)) frame.scope.set(path, evaluate(run, frame, bound.of));
  return { path, key: bound.key };
}

/** A loop within that writes what is in the element: where it does not run, there is nothing in it. */
const rewrittenAround = ({ loops }: Frame, loop: Loop): Rewritten | null =>
  loops.find(({ rewritten }) => rewritten && writes(loop, rewritten.path, rewritten.key))?.rewritten ?? null;

/** A loop that does not run has nothing to go through. */
export function withoutElements(state: Variables | null, { path }: Rewritten): void {
  const value = state?.get(path);
  if (value) state?.set(path, { ...value, constants: null, taint: [], slots: null });
}

/** The list of which an assignment writes the element that a loop is at, or what is in that: `$all[$key][$inner] = clean($text)`. */
export function listRewritten({ loops }: Frame, to: Index): Expression | null {
  for (const { rewritten } of loops) {
    const element = rewritten && elementIn(to, rewritten);
    if (element) return element.of;
  }
  return null;
}

/** Whether a loop writes the list under a key that is one of its own: `foreach (array_keys($_POST) as $key)`, `list($key) = each($_POST)`. */
export const isOwnKey = (run: Run, { loops }: Frame, of: Value, key: Value | null): boolean =>
  run.language === "php" &&
  loops.length > 0 &&
  key?.constants?.length !== 1 &&
  key?.taint.some(({ source }) => of.taint.some((own) => own.source.name === source.name)) === true;

/** The list once this element and all like it have been written. */
export const rewritten = (of: Value, element: Value): Value => ({
  ...of,
  constants: null,
  taint: [],
  slots: { shape: "map", entries: new Map(), rest: element },
});

/** The names that a loop goes through: `foreach (["id", "page"] as $name)`, where they are all there is to go through. */
export interface GoneThrough {
  variable: string;
  names: readonly string[];
}

/** What a loop over a list of names calls each of them; null where it goes through anything else. */
export function goneThrough(run: Run, frame: Frame, { bind }: Loop): GoneThrough | null {
  if (run.language !== "php" || !bind) return null;
  for (const part of bind.kind === "sequence" ? bind.parts : [bind]) {
    if (part.kind !== "assign" || part.to.kind !== "variable") continue;
    const { from, to } = part;
    const keyed = argumentOf(from, "key");
    const of = keyed ?? (from.kind === "index" && !from.key ? from.of : null);
    const names = of && isStill.has(of.kind) ? namesIn(evaluate(run, frame, of), keyed !== null) : [];
    if (names.length > 0) return { variable: to.name, names };
  }
  return null;
}

/** What can be evaluated again without running anything again. */
const isStill: ReadonlySet<Expression["kind"]> = new Set(["variable", "field", "collection"]);

function namesIn({ slots }: Value, areKeys: boolean): string[] {
  if (!slots || slots.rest || (areKeys && slots.shape !== "map")) return [];
  if (areKeys) return [...slots.entries.keys()];
  const names = [...slots.entries.values()].map(({ constants }) => (constants?.length === 1 ? constants[0] : null));
  return names.every((name) => typeof name === "string") ? names : [];
}

/** The elements that an assignment in such a loop writes, one in each round. */
export const namesWritten = (frame: Frame, { key }: Index): readonly string[] =>
  (key?.kind === "variable" && frame.loops.find(({ through }) => through?.variable === key.name)?.through?.names) || [];

function keyAndList(bind: Expression): { key: string; of: Expression } | null {
  const parts = bind.kind === "sequence" ? bind.parts : [bind];
  for (const part of parts) {
    if (part.kind !== "assign" || part.to.kind !== "variable") continue;
    const { from, to } = part;
    const of = argumentOf(from, "key") ?? (from.kind === "index" && !from.key && argumentOf(from.of, "array_keys"));
    if (of) return { key: to.name, of };
  }
  return null;
}

/** What has been written under a variable is what is there as long as the variable stays what it is. */
export function noteElement({ scope }: Frame, to: Index, value: Value): void {
  const path = elementPath(to);
  if (path !== null) scope.refine(path, value);
}

/** What a call of the function is about. */
const argumentOf = (call: Expression, name: string): Expression | null =>
  call.kind === "call" && call.callee.kind === "variable" && call.callee.name === name
    ? (call.args[0]?.value ?? null)
    : null;

function writes(loop: Loop, path: string, key: string): boolean {
  let found = false;
  walk(loop.body, (node) => {
    found ||= "kind" in node && node.kind === "assign" && elementIn((node as Assign).to, { path, key }) !== null;
  });
  return found;
}

/** The element that is written, or all that is in it under one variable after the other. */
function elementIn(to: Expression, { path, key }: Rewritten): Index | null {
  let at = to;
  for (let depth = 0; depth < partsMax && at.kind === "index" && at.key?.kind === "variable"; depth++, at = at.of)
    if (at.key.name === key && accessPath(at.of) === path) return at;
  return null;
}
