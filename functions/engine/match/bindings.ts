import type { SyntaxNode } from "../parse/syntax.ts";

/** What a metavariable stands for. `node` is null for a stretch of several nodes and for the content of a text. */
export interface Binding {
  readonly start: number;
  readonly end: number;
  readonly text: string;
  readonly node: SyntaxNode | null;
}

/** Metavariables by name; never changed, so that alternatives share what they have in common. */
export type Bindings = ReadonlyMap<string, Binding>;

export const noBindings: Bindings = new Map();

/** The bindings with one more, null where the name stands for other code already. */
export function bound(bindings: Bindings, name: string, value: Binding): Bindings | null {
  if (name === "" || name === "$_" || name === "$..._") return bindings;
  const known = bindings.get(name);
  if (known) return same(known, value) ? bindings : null;
  return new Map(bindings).set(name, value);
}

/** Both together, null where they disagree. */
export function merged(a: Bindings, b: Bindings): Bindings | null {
  if (a === b || b.size === 0) return a;
  if (a.size === 0) return b;
  let all: Bindings | null = a;
  for (const [name, value] of b) {
    all = bound(all, name, value);
    if (!all) return null;
  }
  return all;
}

/** Layout does not count. */
const same = (a: Binding, b: Binding): boolean =>
  a.text === b.text || (a.text.length < 10_000 && flat(a.text) === flat(b.text));

const flat = (text: string): string => text.replace(/\s+/g, "");
