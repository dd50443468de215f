/** Keywords are ASCII; everything else ends a match. */
const alphabet = 128;

/** Finds all of many words in one pass over a text, whatever their case (Aho and Corasick, 1975). */
export class KeywordSearch {
  /** The state after a state and a character. */
  readonly #next: Int32Array;
  /** The words that end in a state, as their indices. */
  readonly #ends: readonly (readonly number[])[];

  /** @param words in lower case */
  constructor(words: readonly string[]) {
    const statesMax = words.reduce((sum, word) => sum + word.length, 1);
    const next = new Int32Array(statesMax * alphabet).fill(-1);
    const ends: number[][] = [[]];
    for (const [index, word] of words.entries()) {
      let state = 0;
      for (let i = 0; i < word.length; i++) {
        const edge = state * alphabet + word.charCodeAt(i);
        if (next[edge] === -1) next[edge] = ends.push([]) - 1;
        state = next[edge] as number;
      }
      (ends[state] as number[]).push(index);
    }
    this.#next = next.slice(0, ends.length * alphabet);
    this.#ends = ends;
    this.#link(ends);
  }

  /** Fills the edges that fall back to the longest end of what was read that begins a word, nearest states first. */
  #link(ends: number[][]): void {
    const fallback = new Int32Array(ends.length);
    const queue: number[] = [0];
    for (let at = 0; at < queue.length; at++) {
      const state = queue[at] as number;
      for (let c = 0; c < alphabet; c++) {
        const edge = state * alphabet + c;
        const to = this.#next[edge] as number;
        const other = state === 0 ? 0 : (this.#next[(fallback[state] as number) * alphabet + c] as number);
        if (to === -1) this.#next[edge] = other;
        else {
          fallback[to] = other;
          (ends[to] as number[]).push(...(ends[other] as number[]));
          queue.push(to);
        }
      }
    }
  }

  /** Calls `found` with the index of a word and the place after its end, in the order of the text. */
  search(text: string, found: (word: number, end: number) => void): void {
    let state = 0;
    for (let i = 0; i < text.length; i++) {
      const code = text.charCodeAt(i);
      if (code >= alphabet) {
        state = 0;
        continue;
      }
      state = this.#next[state * alphabet + (code >= 65 && code <= 90 ? code + 32 : code)] as number;
      const ends = this.#ends[state] as readonly number[];
      for (let e = 0; e < ends.length; e++) found(ends[e] as number, i + 1);
    }
  }
}
