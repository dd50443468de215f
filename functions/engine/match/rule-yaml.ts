import { isMap, isScalar, type Node, type Pair, type YAMLMap } from "yaml";

/** A rule cannot be used as it is written; `at` is where to look, `key` what it stands under. */
export class Refused extends Error {
  readonly at: Node | Pair | null;
  readonly key: string | null;

  constructor(at: Node | Pair | null, key: string | null, reason: string) {
    super(reason);
    this.at = at;
    this.key = key;
  }
}

/** @returns where a node or pair begins in the text */
export function startOf(node: unknown): number {
  const at = node as { range?: [number, number, number] | null; key?: { range?: [number, number, number] } };
  return at.range?.[0] ?? at.key?.range?.[0] ?? 0;
}

export const keyOf = (pair: Pair): string => String(isScalar(pair.key) ? pair.key.value : pair.key);

export const pairOf = (map: YAMLMap, key: string): Pair | null =>
  (map.items as Pair[]).find((pair) => keyOf(pair) === key) ?? null;

/** The value of a pair that must be text; numbers are taken as they are written. */
export function textOf(pair: Pair, key: string): string {
  const value = isScalar(pair.value) ? pair.value.value : null;
  if (value === null || value === "" || (typeof value !== "string" && typeof value !== "number"))
    throw new Refused(pair, key, `${key} must be text`);
  return String(value);
}

export function asMap(node: unknown, key: string): YAMLMap {
  if (!isMap(node)) throw new Refused(node as Node, key, "expected a map");
  return node;
}

/** The text under a key that a map must have. */
export function requiredText(map: YAMLMap, key: string): string {
  const pair = pairOf(map, key);
  if (!pair) throw new Refused(map, key, `${key} is missing`);
  return textOf(pair, key);
}

/** A key that means nothing to us could be what makes a rule right: nothing is passed over. */
export function onlyKnown(map: YAMLMap, known: ReadonlySet<string>): void {
  for (const pair of map.items as Pair[]) {
    const key = keyOf(pair);
    if (!known.has(key)) throw new Refused(pair, key, `the key ${key} is not supported`);
  }
}
