import type { Span } from "../ir/ir.ts";

/** Where some words stand in a text, found in one pass: files can have as many variables as lines. */
export class WordIndex {
  readonly #starts = new Map<string, number[]>();

  /** @param dollars whether `$name` and `${name}` are the variable, as in PHP, and not the name */
  constructor(text: string, words: ReadonlySet<string>, dollars: boolean) {
    const token = dollars ? /\$\{?[\p{L}_][\p{L}\p{N}_]*/gu : /[\p{L}_$][\p{L}\p{N}_$]*/gu;
    for (const { 0: found, index } of text.matchAll(token)) {
      const word = dollars ? found.replace(/^\$\{?/, "") : found;
      // A member of that name is another thing; `...name` is not a member. PHP joins texts with the dot.
      const isMember = !dollars && text[index - 1] === "." && text[index - 2] !== ".";
      if (!words.has(word) || isMember) continue;
      const starts = this.#starts.get(word);
      if (starts) starts.push(index);
      else this.#starts.set(word, [index]);
    }
  }

  /** Whether a word stands in a stretch of the text exactly once. */
  isOnceIn({ start, end }: Span, word: string): boolean {
    const starts = this.#starts.get(word) ?? [];
    const first = firstFrom(starts, start);
    return (starts[first] ?? end) < end && (starts[first + 1] ?? end) >= end;
  }
}

/** The index of the first number that is not below a limit, in ascending numbers. */
export function firstFrom(numbers: readonly number[], limit: number): number {
  let low = 0;
  let high = numbers.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((numbers[middle] as number) < limit) low = middle + 1;
    else high = middle;
  }
  return low;
}
