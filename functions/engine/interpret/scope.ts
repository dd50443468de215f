import type { Expression } from "../ir/ir.ts";
import { underKey } from "./names.ts";
import { type ClassInfo, join, nothing, type Value } from "./value.ts";

export type Variables = Map<string, Value>;

/**
 * The variables of one function. Keys are names and access paths ("user", "user.name"), so that fields assigned in a function are known there.
 * `variables` is null while no execution reaches this point.
 */
export class Scope {
  variables: Variables | null = new Map();
  /** Functions that see its variables have been run. */
  isShared = false;
  /** The variables where the function returned: functions made in it go on to see them. */
  #left: Variables | null = null;
  readonly parent: Scope | null;
  /** Variables of functions around this one that have been assigned to here. */
  #borrowed: Set<string> | null = null;
  /** What variables were declared as: a test that one holds the outcome of, an address that one is a part of. */
  readonly origins = new Map<string, Expression>();
  /** The class whose members are visible without a receiver, where the language allows it. */
  readonly owner: ClassInfo | null;
  /** The outer variables visible here; null for all. Names without a sigil are no variables and always are. */
  readonly #sees: ReadonlySet<string> | null;

  constructor(parent: Scope | null, owner: ClassInfo | null = null, sees: ReadonlySet<string> | null = null) {
    this.parent = parent;
    this.owner = owner;
    this.#sees = sees;
    if (parent) parent.isShared = true;
  }

  get alive(): boolean {
    return this.variables !== null;
  }

  /** The scope that binds a name, this one or one around it. */
  binding(name: string): Scope | null {
    for (let scope: Scope | null = this; scope; scope = scope.parent) {
      if (scope.known?.has(name)) return scope;
      if (scope.#sees && isVariable(name) && !scope.#sees.has(name.split(".", 1)[0] as string)) return null;
    }
    return null;
  }

  get(key: string): Value | undefined {
    return this.known?.get(key);
  }

  /** The scope around this one that binds a name. */
  outer(name: string): Scope | null {
    return this.parent?.binding(name) ?? null;
  }

  /** Whether a variable that has a value here is one of a function around this one. */
  borrows(name: string): boolean {
    return this.#borrowed?.has(name) === true;
  }

  /** Gives a variable of a function around this one a value that holds here. */
  borrow(name: string, value: Value): void {
    this.#borrowed ??= new Set();
    this.#borrowed.add(name);
    this.set(name, value);
  }

  /** What is known here, or was where the function returned. */
  get known(): Variables | null {
    return this.variables ?? this.#left;
  }

  /** Nothing goes on from here, but for the functions that have been made. */
  leave(): void {
    this.#left = joinStates(this.#left, this.variables);
    this.variables = null;
  }

  /** Assigns; what was known about fields of the old value goes. */
  set(key: string, value: Value): void {
    if (!this.variables) return;
    // Objects have hundreds of fields, of which few have fields that are known.
    if (this.variables.has(key.includes(".") ? partMark : fieldMark)) {
      const prefix = `${key}.`;
      for (const other of this.variables.keys()) if (other.startsWith(prefix)) this.variables.delete(other);
    }
    this.refine(key, value);
  }

  /** Assigns from a function that was made here, which may run after this one has returned. */
  store(key: string, value: Value): void {
    if (this.variables) this.set(key, value);
    else this.#left?.set(key, value);
  }

  /** A variable gets another value: the elements that it was the key of are others now. */
  forgetElements(key: string): void {
    if (!this.variables?.has(fieldMark)) return;
    const under = underKey(key);
    for (const other of this.variables.keys()) if (other.endsWith(under)) this.variables.delete(other);
  }

  /** The state, where something in it is known about a field; null where nothing is. */
  get fields(): Variables | null {
    return this.known?.has(fieldMark) ? this.known : null;
  }

  noteOrigin(name: string, from: Expression): void {
    if (tellsOrigin.has(from.kind) || (from.kind === "literal" && from.regex)) this.origins.set(name, from);
    else this.origins.delete(name);
  }

  /** Replaces what is known about a value that stays what it is: its fields keep what is known about them. */
  refine(key: string, value: Value): void {
    if (!this.variables) return;
    this.variables.set(key, value);
    if (isFact(key)) this.variables.set(factMark, nothing);
    else if (key.includes(".")) {
      this.variables.set(fieldMark, nothing);
      if (key.includes(".", key.indexOf(".") + 1)) this.variables.set(partMark, nothing);
    }
  }

  /** The facts that hold here. */
  get facts(): [string, Value][] {
    return this.variables?.has(factMark) ? [...this.variables].filter(([key]) => isFact(key)) : [];
  }

  /**
   * Joins two states of this scope. A variable of a function around it that one side only has tested, or tested and then assigned to, is
   * on the other side what it is out there.
   */
  join(a: Variables | null, b: Variables | null): Variables | null {
    const joined = joinStates(a, b);
    if (!a || !b || !joined || !this.parent || (joined.size === a.size && joined.size === b.size)) return joined;
    for (const [key, value] of joined) {
      if (key.includes(".") || isFact(key) || isMark(key) || (a.has(key) && b.has(key))) continue;
      const around = this.outer(key)?.get(key);
      if (around && around !== value) joined.set(key, join(around, value));
    }
    return joined;
  }

  /** A copy of the state, to go on with in one branch. */
  copy(): Variables | null {
    return this.variables && copyOf(this.variables);
  }
}

const tellsOrigin: ReadonlySet<Expression["kind"]> = new Set([
  "call",
  "collection",
  "conditional",
  "operation",
  "sequence",
  "field",
  "index",
  "template",
]);

const isVariable = (name: string): boolean => name.startsWith("$") || name.startsWith("this.");

/** Present when some key is an access path, one of more than two names, or a fact; spares the scan for such in the usual case. */
export const fieldMark = "<fields>";
const partMark = "<parts>";
const factMark = "<facts>";

/** Whether a key only tells what other keys there are. */
export const isMark = (key: string): boolean => key === fieldMark || key === partMark || key === factMark;

/** What has been settled, such as the type of the answer, is kept among the variables: it holds where they do. */
export const isFact = (key: string): boolean => key.startsWith("@");

/** What may have happened: it holds where it holds on either way to there. */
const isPossible = (key: string): boolean => key.startsWith("@?");

/** Facts that hold here hold in another state too. */
export function passFacts(from: Scope, to: Variables | null): void {
  for (const [fact, value] of from.facts) to?.set(fact, value).set(factMark, nothing);
}

/** The constructor of a map makes a pair of each entry of another one, which takes half as long again. */
export function copyOf(state: Variables): Variables {
  const copy: Variables = new Map();
  for (const key of state.keys()) copy.set(key, state.get(key) as Value);
  return copy;
}

/** Joins two states. A name bound on one side only keeps its value; a dead side adds nothing. */
export function joinStates(a: Variables | null, b: Variables | null): Variables | null {
  if (!a || !b) return a ?? b;
  return a === b ? a : joinInto(copyOf(a), b);
}

/** The same where nobody else has the first state: it becomes what both are together. */
export function joinInto(joined: Variables, other: Variables): Variables {
  const { size } = joined;
  let common = 0;
  for (const [key, value] of other) {
    const known = joined.get(key);
    if (known) common++;
    // A fact counts only where it holds on both sides.
    if (known === value || (isFact(key) && !isPossible(key))) continue;
    if (known) joined.set(key, join(known, value));
    else if (!isTold(key, value)) joined.set(key, value);
  }
  if (common === size) return joined;
  for (const [key, value] of joined)
    if (!other.has(key) && (isFact(key) ? !isPossible(key) : isTold(key, value))) joined.delete(key);
  return joined;
}

/**
 * A field that one side has tested or set to something harmless: on the other side it still is what its object makes it. So is input of PHP,
 * and what a call gives that one side has tested.
 */
const isTold = (key: string, { taint, constants, paths, instance, closures, slots }: Value): boolean =>
  (key.includes(".") || /^\$_[A-RT-Z]/.test(key)) &&
  taint.every(({ clean }) => clean !== 0) &&
  (constants !== null ||
    key.endsWith(")") ||
    (!instance && !slots && closures.length === 0 && !paths.some((path) => path.endsWith("()"))));
