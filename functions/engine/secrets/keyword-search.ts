/** Keywords are ASCII; everything else ends a match. */
const alphabet = 128;

/** Whether a word, in lower case, may stand in a text, whatever its case there; false is certain. */
export type MayHave = (word: string) => boolean;

/** Finds all of many words in one pass over a text, whatever their case (Aho and Corasick, 1975). States are built when a text reaches them. */
export class KeywordSearch {
  /** By state and character, the next state plus one; 0 while it is not known. */
  readonly #next: Int32Array;
  /** By state, the one before it and the character that leads from there. */
  readonly #before: Int32Array;
  readonly #by: Uint8Array;
  /** By state, plus one: the state of the longest proper suffix that is the beginning of a word; 0 while it is not known. */
  readonly #fallback: Int32Array;
  /** By state, the words that are spelt exactly by the way to it, as indices. */
  readonly #own: number[][] = [[]];
  /** By state, all words that end there, shorter ones included; undefined while they are not known. */
  readonly #ends: (readonly number[] | undefined)[] = [[]];

  /** @param words in lower case */
  constructor(words: readonly string[]) {
    const statesMax = words.reduce((sum, word) => sum + word.length, 1);
    this.#next = new Int32Array(statesMax * alphabet);
    this.#before = new Int32Array(statesMax);
    this.#by = new Uint8Array(statesMax);
    this.#fallback = new Int32Array(statesMax);
    for (const [index, word] of words.entries()) this.#add(word, index);
  }

  #add(word: string, index: number): void {
    let state = 0;
    for (let i = 0; i < word.length; i++) {
      const code = word.charCodeAt(i);
      const edge = state * alphabet + code;
      if (this.#next[edge] === 0) {
        const made = this.#own.push([]) - 1;
        this.#before[made] = state;
        this.#by[made] = code;
        this.#next[edge] = made + 1;
      }
      state = (this.#next[edge] as number) - 1;
    }
    (this.#own[state] as number[]).push(index);
  }

  #after(state: number, code: number): number {
    const edge = state * alphabet + code;
    const known = this.#next[edge] as number;
    if (known !== 0) return known - 1;
    const next = this.#looked(state, code);
    this.#next[edge] = next + 1;
    return next;
  }

  #looked(state: number, code: number): number {
    if (code >= 65 && code <= 90) return this.#after(state, code + 32);
    return state === 0 ? 0 : this.#after(this.#fallbackOf(state), code);
  }

  #fallbackOf(state: number): number {
    const known = this.#fallback[state] as number;
    if (known !== 0) return known - 1;
    const before = this.#before[state] as number;
    const fallback = before === 0 ? 0 : this.#after(this.#fallbackOf(before), this.#by[state] as number);
    this.#fallback[state] = fallback + 1;
    return fallback;
  }

  #endsOf(state: number): readonly number[] {
    const ends = this.#ends[state] ?? [...(this.#own[state] as number[]), ...this.#endsOf(this.#fallbackOf(state))];
    this.#ends[state] = ends;
    return ends;
  }

  /** Calls `found` with the index of a word and the place after its end, in the order of the text. */
  search(text: string, found: (word: number, end: number) => void): void {
    const next = this.#next;
    let state = 0;
    for (let i = 0; i < text.length; i++) {
      const code = text.charCodeAt(i);
      if (code >= alphabet) {
        state = 0;
        continue;
      }
      const known = next[state * alphabet + code] as number;
      state = known === 0 ? this.#after(state, code) : known - 1;
      if (state === 0) continue;
      const ends = this.#ends[state] ?? this.#endsOf(state);
      for (let e = 0; e < ends.length; e++) found(ends[e] as number, i + 1);
    }
  }
}
