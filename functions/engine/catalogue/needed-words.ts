/** More words than these tell less than the expression itself does, for as much time. */
const wordsMax = 80;
const lengthMin = 2;

/** Whether an expression, or a part of it, folds case. */
export const foldsCase = (source: string): boolean => /\(\?[a-zA-Z]*i/.test(source);

/**
 * Words of which a text must have one for an expression to be found in it, in lower case where it folds; null where it can do without any.
 * Most expressions are found in nothing that a worker reads first, and need not be compiled then.
 */
export function neededWords(source: string): readonly string[] | null {
  const found = new Reader(source).alternatives();
  if (!found) return null;
  const words = [...new Set(foldsCase(source) ? found.map((word) => word.toLowerCase()) : found)];
  // Who has a word has those in it.
  const all = words.filter((word) => !words.some((other) => other !== word && word.includes(other)));
  return all.length <= wordsMax ? all : null;
}

/** Whether a text has one of the words; false is certain, true is not. */
export function hasNeeded(words: readonly string[], folds: boolean, text: string): boolean {
  const looked = folds ? lowered(text) : text;
  for (const word of words) if (looked.includes(word)) return true;
  // The one letter that folds to ASCII and is not what its lower case is.
  return folds && text.includes("ſ");
}

/** The same text is asked about by one expression after another. */
let last = { text: "", lower: "" };
function lowered(text: string): string {
  if (last.text !== text) last = { text, lower: text.toLowerCase() };
  return last.lower;
}

/** Reads an expression of which every part is understood or taken for anything. */
class Reader {
  readonly #source: string;
  #at = 0;

  constructor(source: string) {
    this.#source = source;
  }

  /** One of these is in what the alternatives match; null where one of them needs none. */
  alternatives(): string[] | null {
    let all: string[] | null = [];
    for (;;) {
      const words = this.#sequence();
      all = all && words && [...all, ...words];
      if (this.#source[this.#at] !== "|") return all;
      this.#at++;
    }
  }

  /** The best of all parts that must be there. */
  #sequence(): string[] | null {
    let best: string[] | null = null;
    let run = "";
    const offer = (words: string[] | null) => {
      if (words && shortest(words) >= lengthMin && shortest(words) > shortest(best)) best = words;
    };
    const endRun = () => {
      offer([run]);
      run = "";
    };
    while (this.#at < this.#source.length && !"|)".includes(this.#source[this.#at] as string)) {
      const { character, words } = this.#part();
      const times = this.#quantifier();
      if (character !== null && times === "once") run += character;
      else {
        if (character !== null && times === "repeated") run += character;
        endRun();
        if (times !== "optional") offer(words);
      }
    }
    endRun();
    return best;
  }

  #part(): { character: string | null; words: string[] | null } {
    const character = this.#source[this.#at++] as string;
    if (character === "(") return { character: null, words: this.#group() };
    if (character === "[") this.#class();
    else if (character === "\\") return { character: this.#escaped(), words: null };
    else if (!".^$".includes(character)) return { character: this.#literal(character), words: null };
    return { character: null, words: null };
  }

  #group(): string[] | null {
    const head = /^\?(?:[:=!]|<[=!]|P?<\w+>|[a-zA-Z-]*[:)])/.exec(this.#source.slice(this.#at))?.[0] ?? "";
    this.#at += head.length;
    if (head.endsWith(")")) return null;
    const words = this.alternatives();
    this.#at++;
    return /[=!]$/.test(head) ? null : words;
  }

  #class(): void {
    if (this.#source[this.#at] === "^") this.#at++;
    // A bracket that comes first is one of the characters.
    if (this.#source[this.#at] === "]") this.#at++;
    while (this.#at < this.#source.length && this.#source[this.#at] !== "]") {
      if (this.#source.startsWith("[:", this.#at)) this.#at = this.#source.indexOf(":]", this.#at) + 1;
      else if (this.#source[this.#at] === "\\") this.#at++;
      this.#at++;
    }
    this.#at++;
  }

  #escaped(): string | null {
    const character = this.#source[this.#at++] ?? "";
    if (!/\w/.test(character)) return this.#literal(character);
    const operand = operands[character]?.exec(this.#source.slice(this.#at))?.[0] ?? "";
    this.#at += operand.length;
    return null;
  }

  #literal(character: string): string | null {
    return character > "\x7f" ? null : character;
  }

  #quantifier(): "once" | "repeated" | "optional" {
    const written = /^(?:[?*+]|\{\d+(?:,\d*)?\})[?+]?/.exec(this.#source.slice(this.#at, this.#at + 12))?.[0] ?? "";
    this.#at += written.length;
    if (written === "") return "once";
    return /^(?:[?*]|\{0)/.test(written) ? "optional" : "repeated";
  }
}

/** What belongs to an escape, by its letter. */
const operands: Record<string, RegExp> = {
  p: /^(?:\{[^}]*\}|.)/,
  P: /^(?:\{[^}]*\}|.)/,
  x: /^(?:\{[^}]*\}|..)/,
  u: /^(?:\{[^}]*\}|....)/,
  // Everything up to \E is meant as it stands: such are taken for anything.
  Q: /^.*?(?:\\E|$)/s,
};

const shortest = (words: readonly string[] | null): number =>
  words === null ? 0 : Math.min(...words.map((word) => word.length));
