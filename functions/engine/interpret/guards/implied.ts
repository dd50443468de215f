import type { Expression } from "../../ir/ir.ts";
import { accessPath } from "../names.ts";
import { truth } from "../operators.ts";
import type { Frame, Run } from "../run.ts";
import { fieldMark, isFact, isMark, type Scope, type Variables } from "../scope.ts";
import { hasEntries, join, type Taint, type Value } from "../value.ts";
import { joinedPassages } from "./passage.ts";

/** What a variable was where two sides of a test joined, and what it had been on one of them. */
interface ToldOfVariable {
  readonly name: string;
  readonly was: readonly Taint[];
  readonly now: readonly Taint[];
}

/** What a field of an object was on the side that had tested it, as long as that is the same object. */
interface ToldOfField {
  readonly name: string;
  readonly owner: string;
  /** Null for what nothing in the file declares: `params` of Rails. */
  readonly of: Value | null;
  readonly value: Value;
}

type Told = ToldOfVariable | ToldOfField;

/** What is known of others where a value turns out to be empty, or not. */
export type Implied = Readonly<Record<Outcome, readonly Told[]>>;
type Outcome = "empty" | "filled";

/** Variables that one value tells of: more tests than a form has fields, each of them looked at with every question. */
const toldMax = 40;

/** Names of what is filled where something is wrong, whatever it is filled with. */
const tellsOfTrouble = /err|fail|invalid|wrong|problem|issue|violation|warning|message|msg|reason/i;

/**
 * `if (!allowed.has(name)) errors.push("name"); if (errors.length > 0) return;`: both sides of the first test go on, and what it has told of
 * the name is known again to who asks whether there are errors. The same for flags and messages. What it was is told apart by the value
 * itself: another one tells nothing.
 */
export function noteImplied(
  run: Run,
  { scope }: Frame,
  then: Variables,
  otherwise: Variables,
  joined: Variables,
): void {
  const differing: string[] = [];
  for (const [key, value] of then) {
    const other = otherwise.get(key);
    if (other && other !== value && !isFact(key) && !isMark(key)) differing.push(key);
  }
  differing.push(...fieldsSet(then, otherwise, joined), ...fieldsSet(otherwise, then, joined));
  if (differing.length === 0) return;
  const sides = [then, otherwise].map((side) => ({ side, told: null as readonly Told[] | null }));
  for (const key of differing) {
    const value = joined.get(key);
    const outcomes = outcomesOf(
      key,
      sides.map(({ side }) => side.get(key) as Value),
    );
    if (!value || outcomes === null) continue;
    const impliedBy = (outcome: Outcome): readonly Told[] => {
      const possible = sides.filter((_, i) => outcomes[i] !== opposite[outcome]);
      const [only] = possible;
      if (!only || possible.length > 1) return [];
      only.told ??= toldBy(scope, only.side, differing, joined);
      const before = run.implied.get(only.side.get(key) as Value)?.[outcome] ?? [];
      return [...before, ...only.told].slice(-toldMax);
    };
    const own = { ...value };
    run.implied.set(own, { empty: impliedBy("empty"), filled: impliedBy("filled") });
    joined.set(key, own);
  }
}

/** `result.valid = False` on one side alone: the object has the field on the other side as well, for all that its class says. */
function fieldsSet(on: Variables, off: Variables, joined: Variables): string[] {
  if (!on.has(fieldMark)) return [];
  const set: string[] = [];
  for (const [key, value] of on) {
    if (off.has(key) || isFact(key) || outcomeOf(value) === null) continue;
    const dot = key.indexOf(".");
    const field = dot < 0 ? undefined : off.get(key.slice(0, dot))?.instance?.fields.get(key.slice(dot + 1));
    if (!field) continue;
    const other = { ...field, constants: null, slots: null };
    off.set(key, other);
    joined.set(key, join(value, other));
    set.push(key);
  }
  return set;
}

/** What one side knows that is lost where it joins the other. */
function toldBy(scope: Scope, side: Variables, differing: readonly string[], joined: Variables): readonly Told[] {
  const variables = differing.flatMap((name) => {
    const [was, now] = [joined.get(name)?.taint ?? [], side.get(name)?.taint ?? []];
    return was.length > 0 && was !== now ? { name, was, now } : [];
  });
  return [...variables, ...fieldsTold(scope, side, joined)].slice(0, toldMax);
}

/** Fields that one side alone has tested: what joined them has let go of them. */
function fieldsTold(scope: Scope, side: Variables, joined: Variables): ToldOfField[] {
  if (!scope.fields && !side.has(fieldMark)) return [];
  return [...side].flatMap(([name, value]) => {
    if (!name.includes(".") || joined.has(name) || isFact(name)) return [];
    const owner = name.slice(0, name.indexOf("."));
    return { name, owner, of: heldBy(scope, owner), value };
  });
}

const heldBy = (scope: Scope, owner: string): Value | null => scope.binding(owner)?.get(owner) ?? null;

const opposite = { empty: "filled", filled: "empty" } as const;

/** What a value is on each side, null for not known; null where it is no flag: no side knows, or both say the same. */
function outcomesOf(key: string, ways: readonly Value[]): readonly (Outcome | null)[] | null {
  const known = ways.map((way) => outcomeOf(way));
  const [left, right] = known;
  if (left === right) return null;
  // A message that somebody has made is none that was not there.
  if (known.includes("empty") && tellsOfTrouble.test(key)) return known.map((each) => each ?? "filled");
  return known;
}

function outcomeOf(value: Value): Outcome | null {
  const filled = value.slots ? hasEntries(value.slots) : truth(value);
  return filled === null ? null : filled ? "filled" : "empty";
}

/** A flag, a message or a list turns out to be empty, or not. */
export function applyImplied(run: Run, frame: Frame, flag: Expression, outcome: Outcome): void {
  const key = accessPath(flag);
  const value = key === null ? undefined : frame.scope.get(key);
  const implied = value && run.implied.get(value);
  for (const told of implied?.[outcome] ?? []) {
    if ("of" in told) {
      const isSame = heldBy(frame.scope, told.owner) === told.of;
      if (isSame && !frame.scope.get(told.name)) frame.scope.refine(told.name, told.value);
      continue;
    }
    const { name, was, now } = told;
    const current = frame.scope.get(name);
    if (!current) continue;
    const taint = current.taint.flatMap((one) => asTold(one, was, now));
    const isSame = taint.length === current.taint.length && taint.every((one, i) => one === current.taint[i]);
    if (!isSame) frame.scope.refine(name, { ...current, taint });
  }
}

/** What has come the same way is the same text, and is what it was known to be then: harmless, or clean for something. */
function asTold(one: Taint, was: readonly Taint[], now: readonly Taint[]): Taint | readonly Taint[] {
  const isSame = ({ source, step }: Taint) => source === one.source && step === one.step;
  if (!was.some(isSame)) return one;
  const known = now.find(isSame);
  if (!known) return [];
  const via = known.via && known.via !== one.via ? joinedPassages(one.via, known.via) : one.via;
  const clean = one.clean | known.clean;
  return clean === one.clean && via === one.via ? one : { ...one, clean, via };
}
