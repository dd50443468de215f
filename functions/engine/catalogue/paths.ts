/** Expands `a.{b,c}` to a.b and a.c. Braces do not nest; empty alternatives are kept, so `x{,_async}` works. */
export function expandBraces(pattern: string): string[] {
  const open = pattern.indexOf("{");
  const close = pattern.indexOf("}", open);
  if (open < 0 || close < 0) return [pattern];
  const before = pattern.slice(0, open);
  const after = expandBraces(pattern.slice(close + 1));
  return pattern
    .slice(open + 1, close)
    .split(",")
    .flatMap((option) => after.map((rest) => before + option + rest));
}

/** Finds the entries whose path pattern matches a qualified path, by its last segment first; `*_path` is any last segment that ends so. */
export class PathIndex<T> {
  readonly #exact = new Map<string, T[]>();
  readonly #byLast = new Map<string, { segments: string[]; anywhere: boolean; entry: T }[]>();
  readonly #byEnd: { end: string; entry: T }[] = [];

  /** How many patterns it holds. */
  get size(): number {
    return this.#exact.size + this.#byLast.size + this.#byEnd.length;
  }

  /** @param pattern a path as in the models; braces are expanded here */
  add(pattern: string, entry: T): void {
    for (const path of expandBraces(pattern)) {
      if (!path.includes("*")) {
        append(this.#exact, path, entry);
        continue;
      }
      if (/^\*[^.*]+$/.test(path)) {
        this.#byEnd.push({ end: path.slice(1), entry });
        continue;
      }
      const segments = splitPath(path);
      const anywhere = segments[0] === "*";
      if (anywhere) segments.shift();
      append(this.#byLast, segments.at(-1) ?? "", { segments, anywhere, entry });
    }
  }

  /** The entries that match, exact ones first, in the order they were added. */
  find(path: string): T[] {
    const ends = this.#byEnd.filter(({ end }) => path.endsWith(end)).map(({ entry }) => entry);
    const exact = [...(this.#exact.get(path) ?? []), ...ends];
    const named = this.#byLast.get(lastSegment(path));
    const any = this.#byLast.get("*");
    const loose = named && any ? [...named, ...any] : (named ?? any);
    if (!loose) return exact;
    const segments = splitPath(path);
    const found = loose.filter((candidate) => matches(candidate, segments)).map((candidate) => candidate.entry);
    return exact.length === 0 ? found : [...exact, ...found];
  }
}

function matches(pattern: { segments: string[]; anywhere: boolean }, path: string[]): boolean {
  const offset = path.length - pattern.segments.length;
  // "*.x" asks for a receiver: a bare x is another thing.
  if (pattern.anywhere ? offset < 1 : offset !== 0) return false;
  return pattern.segments.every((segment, i) => segment === "*" || segment === path[offset + i]);
}

/** Splits at dots, but keeps relative modules ("./a.b", "..pkg") in one piece at the front. */
export function splitPath(path: string): string[] {
  return path.split(".");
}

export function lastSegment(path: string): string {
  return path.slice(path.lastIndexOf(".") + 1);
}

function append<T>(map: Map<string, T[]>, key: string, entry: T): void {
  const list = map.get(key);
  if (list) list.push(entry);
  else map.set(key, [entry]);
}
