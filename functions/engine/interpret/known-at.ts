import type { Span } from "../ir/ir.ts";

/** What is known about places in a file, by what is known and by the place. */
export class KnownAt<Known> {
  readonly #known = new Map<string, Map<number, Known>>();

  at(what: string, { start, end }: Span): Known | undefined {
    return this.#known.get(what)?.get(start * startUnit + end);
  }

  set(what: string, { start, end }: Span, known: Known): Known {
    const places = this.#known.get(what) ?? new Map<number, Known>();
    this.#known.set(what, places.set(start * startUnit + end, known));
    return known;
  }
}

/** More than any file has UTF-16 units. */
const startUnit = 2 ** 26;
