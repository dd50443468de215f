import { append } from "../multimap.ts";
import { remembered } from "./remembered.ts";

/** Expands `a.{b,c}` to a.b and a.c. Empty alternatives are kept, so `x{,_async}` works; braces may stand in braces. */
export function expandBraces(pattern: string): string[] {
  const open = pattern.indexOf("{");
  let depth = 0;
  let from = open + 1;
  const options: string[] = [];
  for (let i = open; i >= 0 && i < pattern.length; i++) {
    if (pattern[i] === "{") depth++;
    const ends = pattern[i] === "}" && --depth === 0;
    if (!ends && (pattern[i] !== "," || depth > 1)) continue;
    options.push(pattern.slice(from, i));
    from = i + 1;
    if (ends) return options.flatMap((option) => expandBraces(pattern.slice(0, open) + option + pattern.slice(from)));
  }
  return [pattern];
}

/** What is asked before something is looked up, by the last segment of its path: adds what there is with that segment. */
type Ask = (segment: string) => void;

interface Pattern<T> {
  readonly segments: readonly string[];
  readonly anywhere: boolean;
  readonly entry: T;
}

/** Finds the entries whose path pattern matches a qualified path, by its last segment first, of which `*_path` and `HTTP_*` tell a part. */
export class PathIndex<T> {
  readonly #ask: Ask | null;
  readonly #exact = new Map<string, T[]>();
  readonly #byLast = new Map<string, Pattern<T>[]>();
  readonly #byEnd: { end: string; entry: T }[] = [];
  readonly #byBeginning: { beginning: string; entry: T }[] = [];
  /** What was found; the same few paths are asked for again and again. */
  readonly #found = new Map<string, readonly T[]>();

  /** @param ask without it everything is added before anything is looked up */
  constructor(ask: Ask | null = null) {
    this.#ask = ask;
  }

  /** @param pattern a path as in the models; braces are expanded here */
  add(pattern: string, entry: T): void {
    for (const path of expandBraces(pattern)) this.put(path, entry);
  }

  /** @param path a pattern without braces */
  put(path: string, entry: T): void {
    if (!path.includes("*")) append(this.#exact, path, entry);
    else if (isEnd(path)) this.#byEnd.push({ end: path.slice(1), entry });
    else if (isBeginning(path)) this.#byBeginning.push({ beginning: path.slice(0, -1), entry });
    else {
      const segments = splitPath(path);
      const anywhere = segments[0] === "*";
      if (anywhere) segments.shift();
      append(this.#byLast, segments.at(-1) ?? "", { segments, anywhere, entry });
    }
  }

  /** The entries that match, exact ones first, in the order they were added, each once. */
  find(path: string): readonly T[] {
    const known = this.#found.get(path);
    if (known) return known;
    const found = this.search(path);
    if (this.#found.size >= rememberedMax) this.#found.clear();
    this.#found.set(path, found);
    return found;
  }

  /** The entries that match one of several paths, each once. */
  findAll(paths: readonly string[]): readonly T[] {
    let all: readonly T[] = none;
    for (const path of paths) all = union(all, this.find(path));
    return all;
  }

  /** The same for who keeps the answers. */
  search(path: string): readonly T[] {
    const last = lastSegment(path);
    this.#ask?.(anySegment);
    this.#ask?.(last);
    const exact = this.#exact.get(path) ?? none;
    const parts = [
      ...this.#byEnd.filter(({ end }) => path.endsWith(end)),
      ...this.#byBeginning.filter(({ beginning }) => path.startsWith(beginning)),
    ];
    const named = this.#byLast.get(last) ?? none;
    const any = this.#byLast.get(anySegment) ?? none;
    const loose = named.length + any.length === 0 ? none : matching(path, named, any);
    if (exact.length + parts.length + loose.length === 0) return none;
    return [...new Set([...exact, ...[...parts, ...loose].map(({ entry }) => entry)])];
  }
}

/** What was found under a path, by kind. */
export type Found<Kinds> = { readonly [Kind in keyof Kinds]: readonly Kinds[Kind][] };

/** Entries of several kinds that are all asked for by the same paths: most paths have none of any kind, and one look tells so. */
export class PathTable<Kinds extends object> {
  readonly #nothing: Found<Kinds>;
  readonly #index: PathIndex<{ kind: keyof Kinds; entry: Kinds[keyof Kinds] }>;
  readonly #found = new Map<string, Found<Kinds>>();

  /** @param nothing what is found where nothing is: all kinds, and none of each */
  constructor(nothing: Found<Kinds>, ask: Ask | null = null) {
    this.#nothing = nothing;
    this.#index = new PathIndex(ask);
  }

  /** @param path a pattern without braces */
  put<Kind extends keyof Kinds>(kind: Kind, path: string, entry: Kinds[Kind]): void {
    this.#index.put(path, { kind, entry });
  }

  /** The entries that match, of each kind the exact ones first, in the order they were added, each once. */
  find(path: string): Found<Kinds> {
    const known = this.#found.get(path);
    if (known) return known;
    const found = this.#search(path);
    if (this.#found.size >= rememberedMax) this.#found.clear();
    this.#found.set(path, found);
    return found;
  }

  has(path: string): boolean {
    return this.find(path) !== this.#nothing;
  }

  /** The entries that match one of several paths, each once. */
  findAll(paths: readonly string[]): Found<Kinds> {
    let all = this.#nothing;
    for (const path of paths) {
      const found = this.find(path);
      if (found !== this.#nothing) all = all === this.#nothing ? found : this.#joined(all, found);
    }
    return all;
  }

  #search(path: string): Found<Kinds> {
    const entries = this.#index.search(path);
    if (entries.length === 0) return this.#nothing;
    const found: Record<keyof Kinds, readonly Kinds[keyof Kinds][]> = { ...this.#nothing };
    for (const { kind, entry } of entries) found[kind] = union(found[kind], [entry]);
    return found as Found<Kinds>;
  }

  #joined(all: Found<Kinds>, others: Found<Kinds>): Found<Kinds> {
    const joined: { [Kind in keyof Kinds]: readonly Kinds[Kind][] } = { ...all };
    for (const kind in others) joined[kind] = union(all[kind], others[kind]);
    return joined;
  }
}

function union<T>(all: readonly T[], others: readonly T[]): readonly T[] {
  if (others.length === 0 || all === others) return all;
  return all.length === 0 ? others : [...new Set([...all, ...others])];
}

/** Paths that one index keeps the answer for. */
export const rememberedMax = 8_000;
const none: readonly never[] = [];

/** Those of two lists that match. Most ask for another package, which the beginning of the path tells. */
function matching<T>(path: string, named: readonly Pattern<T>[], any: readonly Pattern<T>[]): readonly Pattern<T>[] {
  const begins = ({ anywhere, segments: [first] }: Pattern<T>) =>
    anywhere || first === "*" || path.startsWith(first as string);
  const likely = [...named.filter(begins), ...any.filter(begins)];
  if (likely.length === 0) return none;
  const segments = splitPath(path);
  return likely.filter((pattern) => matches(pattern, segments));
}

function matches(pattern: Pattern<unknown>, path: readonly string[]): boolean {
  const offset = path.length - pattern.segments.length;
  // "*.x" asks for a receiver: a bare x is another thing.
  if (pattern.anywhere ? offset < 1 : offset !== 0) return false;
  return pattern.segments.every((segment, i) => segment === "*" || segment === path[offset + i]);
}

/** What stands for any last segment. */
const anySegment = "*";

/** `*_path`: any last segment that ends so. */
const isEnd = (pattern: string): boolean => /^\*[^.*]+$/.test(pattern);

/** `$_SERVER.HTTP_*`: any last segment that begins so. */
const isBeginning = (pattern: string): boolean => /^[^*]*[^.*]\*$/.test(pattern);

/** The last segment under which a pattern without braces is looked for. */
export const segmentOf = (pattern: string): string =>
  isEnd(pattern) || isBeginning(pattern) ? anySegment : lastSegment(pattern);

/** Splits at dots, but keeps relative modules ("./a.b", "..pkg") in one piece at the front. */
function splitPath(path: string): string[] {
  return path.split(".");
}

/** What a path is a member of; "" for a path of one segment. */
export const ownerOf = remembered((path: string): string => path.slice(0, Math.max(path.lastIndexOf("."), 0)));

export const lastSegment = remembered((path: string): string => path.slice(path.lastIndexOf(".") + 1));
