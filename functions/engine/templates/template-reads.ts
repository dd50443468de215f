import type { Span } from "../ir/ir.ts";

/** A name that an expression shows, with what has been done to its value. */
export interface Read extends Span {
  root: string;
  path: readonly string[];
  state: "plain" | "raw" | "clean" | "json";
  /** Functions of the application that it is handed to before it is shown, one after the other, and in which place. */
  helpers?: readonly Helper[];
}
export type Reads = readonly Read[];

export interface Helper {
  name: string;
  argument: number;
}

/** More of them are no row that people write. */
const helpersMax = 4;

/** The same names, of which a function of the application makes something. */
export const handedTo = (value: Reads, name: string, argument: number): Reads =>
  value.map((read) =>
    (read.helpers?.length ?? 0) < helpersMax
      ? { ...read, helpers: [...(read.helpers ?? []), { name, argument }] }
      : read,
  );

/** More names than this are in no value that people write. */
const readsMax = 24;

/** A name as it stands. */
export const plainRead = (root: string, { start, end }: Span): Read => ({ root, path: [], state: "plain", start, end });

/** What names mean where the expression stands; undefined for names that the template is given. */
export type Lookup = (name: string, at: Span) => Reads | undefined;

/** Where pages of Java, and of EJS, look for a name, when they say so. */
const scopes = /^(requestScope|sessionScope|pageScope|model|locals)$/;

export function member(value: Reads, name: string): Reads {
  return value.map((read) => {
    if (read.path.length === 0 && scopes.test(read.root)) return { ...read, root: name };
    return read.path.length < 4 ? { ...read, path: [...read.path, name] } : read;
  });
}

/** What is HTML already stays so: engines do not escape it again. */
export const marked = (value: Reads, state: Read["state"]): Reads =>
  value.map((read) => (read.state === "plain" ? { ...read, state } : read));

/** Each name once, in its least harmless state. */
export function join(...values: readonly Reads[]): Reads {
  if (values.length === 1) return values[0] as Reads;
  const found = new Map<string, Read>();
  for (const read of values.flat()) {
    const key = `${read.root}.${read.path.join(".")}`;
    const known = found.get(key);
    if (known ? rank(read) > rank(known) : found.size < readsMax) found.set(key, read);
  }
  return [...found.values()];
}

const rank = ({ state }: Read): number => ["clean", "json", "plain", "raw"].indexOf(state);
