import { compareNumbers } from "./decimal.ts";

/** A value as it travels: exactly one member. B holds base64, N plain notation. */
export interface AttributeValue {
  readonly S?: string;
  readonly N?: string;
  readonly B?: string;
  readonly BOOL?: boolean;
  readonly NULL?: boolean;
  readonly SS?: readonly string[];
  readonly NS?: readonly string[];
  readonly BS?: readonly string[];
  readonly L?: readonly AttributeValue[];
  readonly M?: Item;
}

export type Item = Readonly<Record<string, AttributeValue>>;

/** A document path: names and list indexes. */
export type Path = readonly (string | number)[];

export type SetType = "SS" | "NS" | "BS";

export const typeOf = (value: AttributeValue): keyof AttributeValue => Object.keys(value)[0] as keyof AttributeValue;

export const setTypeOf = (value: AttributeValue): SetType | null =>
  value.SS ? "SS" : value.NS ? "NS" : value.BS ? "BS" : null;

/** An attribute may be called "constructor"; what objects inherit is no attribute. */
export const attribute = (item: Item, name: string): AttributeValue | undefined =>
  Object.hasOwn(item, name) ? item[name] : undefined;

/** What stands at a path, or undefined. */
export function valueAt(item: Item, path: Path): AttributeValue | undefined {
  let value: AttributeValue | undefined = { M: item };
  for (const step of path) value = value && childOf(value, step);
  return value;
}

const childOf = (value: AttributeValue, step: string | number): AttributeValue | undefined =>
  typeof step === "number" ? value.L?.[step] : value.M && attribute(value.M, step);

/** The attributes that a projection names, nested as they were. */
export function project(item: Item, paths: readonly Path[]): Item {
  return projectValue({ M: item }, paths)?.M ?? {};
}

function projectValue(value: AttributeValue, paths: readonly Path[]): AttributeValue | undefined {
  if (paths.some((path) => path.length === 0)) return value;
  const chosen = [...Map.groupBy(paths, (path) => path[0]!)].flatMap(([step, below]) => {
    const child = childOf(value, step);
    const rest = below.map((path) => path.slice(1));
    const kept = child && projectValue(child, rest);
    return kept ? [[step, kept] as const] : [];
  });
  if (chosen.length === 0) return undefined;
  if (value.M) return { M: Object.fromEntries(chosen) };
  return { L: chosen.sort(([a], [b]) => Number(a) - Number(b)).map(([, kept]) => kept) };
}

/** Equality of documents: sets without order, everything else member by member. */
export function equal(a: AttributeValue, b: AttributeValue): boolean {
  const type = typeOf(a);
  if (type !== typeOf(b)) return false;
  const set = setTypeOf(a);
  if (set) return a[set]!.length === b[set]!.length && a[set]!.every((member) => b[set]!.includes(member));
  if (a.L) return a.L.length === b.L!.length && a.L.every((member, index) => equal(member, b.L![index]!));
  if (!a.M) return a[type] === b[type];
  const names = Object.keys(a.M);
  return (
    names.length === Object.keys(b.M!).length &&
    names.every((name) => {
      const other = attribute(b.M!, name);
      return other !== undefined && equal(a.M![name]!, other);
    })
  );
}

/** Order of two strings, numbers or binaries; null when the types differ or have no order. */
export function compare(a: AttributeValue, b: AttributeValue): number | null {
  if (a.N !== undefined && b.N !== undefined) return compareNumbers(a.N, b.N);
  if (a.S !== undefined && b.S !== undefined) return Buffer.compare(Buffer.from(a.S), Buffer.from(b.S));
  if (a.B !== undefined && b.B !== undefined) return Buffer.compare(bytesOf(a.B), bytesOf(b.B));
  return null;
}

export const bytesOf = (base64: string): Buffer => Buffer.from(base64, "base64");

/** Bytes that count towards the 400 KB of an item: names and values. */
export const itemBytes = (item: Item): number =>
  Object.entries(item).reduce((sum, [name, value]) => sum + Buffer.byteLength(name) + valueBytes(value), 0);

function valueBytes(value: AttributeValue): number {
  if (value.S !== undefined) return Buffer.byteLength(value.S);
  if (value.N !== undefined) return numberBytes(value.N);
  if (value.B !== undefined) return bytesOf(value.B).length;
  if (value.SS) return sum(value.SS, (member) => Buffer.byteLength(member));
  if (value.NS) return sum(value.NS, numberBytes);
  if (value.BS) return sum(value.BS, (member) => bytesOf(member).length);
  // Three bytes for a list or map, one for each member.
  if (value.L) return 3 + sum(value.L, (member) => 1 + valueBytes(member));
  if (value.M) return 3 + Object.keys(value.M).length + itemBytes(value.M);
  return 1;
}

/** One byte, one for two significant digits on each side of the point, one for a minus sign. */
function numberBytes(digits: string): number {
  if (digits === "0") return 1;
  const [whole = "", fraction = ""] = digits.replace("-", "").split(".");
  const left = whole.replace(/^0+/, "");
  const significant = fraction ? [left, left ? fraction : fraction.replace(/^0+/, "")] : [left.replace(/0+$/, ""), ""];
  return 1 + sum(significant, (part) => Math.ceil(part.length / 2)) + (digits.startsWith("-") ? 1 : 0);
}

const sum = <T>(list: readonly T[], weigh: (member: T) => number) => list.reduce((all, one) => all + weigh(one), 0);

/** Levels of nesting; a scalar attribute is level 1. */
export function depthOf(value: AttributeValue): number {
  const members = value.L ?? (value.M ? Object.values(value.M) : []);
  return 1 + members.reduce((deepest, member) => Math.max(deepest, depthOf(member)), 0);
}
