import type { LineIndex } from "../inventory/line-index.ts";
import type { Span } from "../ir/ir.ts";

/** Which lines of a file hold code: not blank, and more than a comment. */
export class CodeLines {
  readonly #lines: LineIndex;
  /** How many lines before a line hold code, by its number. */
  readonly #before: Uint32Array;

  /** @param comments everything that is written for readers, in any order */
  constructor(lines: LineIndex, comments: readonly Span[]) {
    this.#lines = lines;
    const silent = new Set<number>();
    for (const { start, end } of comments) {
      const first = lines.lineOf(start);
      const last = lines.lineOf(Math.max(start, end - 1));
      const alone =
        lines
          .line(first)
          .slice(0, start - lines.startOf(first))
          .trim() === "";
      for (let line = alone ? first : first + 1; line < last; line++) silent.add(line);
      const rest = lines.line(last).slice(end - lines.startOf(last));
      if ((last > first || alone) && /^[\s;,]*$/.test(rest)) silent.add(last);
    }
    this.#before = new Uint32Array(lines.count + 2);
    for (let line = 1; line <= lines.count; line++) {
      const isCode = !silent.has(line) && lines.line(line).trim() !== "";
      this.#before[line + 1] = (this.#before[line] as number) + (isCode ? 1 : 0);
    }
  }

  /** How many of these lines hold code, the last one included. */
  count(first: number, last: number): number {
    if (last < first) return 0;
    return (this.#before[last + 1] ?? 0) - (this.#before[first] ?? 0);
  }

  isCode(line: number): boolean {
    return this.count(line, line) === 1;
  }

  /** How many lines of a stretch hold code, without the lines between the first and the last one of what is cut out of it. */
  countIn({ start, end }: Span, without: readonly Span[]): number {
    const lines = this.#lines;
    const last = (at: Span) => lines.lineOf(Math.max(at.start, at.end - 1));
    const cut = without.reduce((sum, at) => sum + this.count(lines.lineOf(at.start) + 1, last(at) - 1), 0);
    return this.count(lines.lineOf(start), last({ start, end })) - cut;
  }
}
