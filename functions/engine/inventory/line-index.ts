import type { LocalPlace } from "../artefact.ts";

/** Turns offsets into lines and columns, both from 1, columns in UTF-16 units. */
export class LineIndex {
  readonly #text: string;
  readonly #starts: number[] = [0];

  constructor(text: string) {
    this.#text = text;
    for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) this.#starts.push(at + 1);
  }

  /** A last line without characters does not count: a file of n line breaks has n lines. */
  get count(): number {
    return this.#starts.at(-1) === this.#text.length ? this.#starts.length - 1 : this.#starts.length;
  }

  /** The line, from 1, that holds an offset. */
  lineOf(offset: number): number {
    let low = 0;
    let high = this.#starts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((this.#starts[middle] as number) <= offset) low = middle;
      else high = middle - 1;
    }
    return low + 1;
  }

  place(start: number, end: number): LocalPlace {
    const startLine = this.lineOf(start);
    const endLine = this.lineOf(end);
    return {
      startLine,
      startColumn: start - (this.#starts[startLine - 1] as number) + 1,
      endLine,
      endColumn: end - (this.#starts[endLine - 1] as number) + 1,
    };
  }

  /** The text of a line without its line break. */
  line(number: number): string {
    const start = this.#starts[number - 1];
    if (start === undefined) return "";
    const end = (this.#starts[number] ?? this.#text.length + 1) - 1;
    return this.#text.slice(start, this.#text[end - 1] === "\r" ? Math.max(start, end - 1) : end);
  }

  startOf(number: number): number {
    return this.#starts[number - 1] ?? this.#text.length;
  }
}
