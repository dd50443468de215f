import { type Matcher, RE2JS } from "re2js";
import { foldsCase, hasNeeded } from "./needed-words.ts";

/** Texts, and UTF-16 units of each, that one expression keeps its answers for. */
const rememberedMax = 500;
const rememberedLengthMax = 60;

/** A regular expression of a rule or model. It is compiled when it is asked first: of the hundreds that a file's models have, few ever are. */
export class LazyRegex {
  readonly source: string;
  #compiled: RE2JS | null = null;
  #mayBeIn: ((text: string) => boolean) | null = null;
  /** What it has answered about short texts: the names of receivers are asked about again and again. */
  readonly #answers = new Map<string, boolean>();

  constructor(source: string) {
    this.source = source;
  }

  /** Whether it is found anywhere in a text. */
  test(text: string): boolean {
    if (text.length > rememberedLengthMax) return this.#isIn(text);
    const known = this.#answers.get(text);
    if (known !== undefined) return known;
    const answer = this.#isIn(text);
    if (this.#answers.size >= rememberedMax) this.#answers.clear();
    this.#answers.set(text, answer);
    return answer;
  }

  #isIn(text: string): boolean {
    this.#mayBeIn ??= wordTester(this.source);
    return this.#mayBeIn(text) && this.#regex.test(text);
  }

  matcher(text: string): Matcher {
    return this.#regex.matcher(text);
  }

  get #regex(): RE2JS {
    this.#compiled ??= RE2JS.compile(this.source);
    return this.#compiled;
  }
}

/** Rules and models are compiled for every set of imports that files have, and say the same each time. */
const known = new Map<string, LazyRegex>();

/**
 * The regular expression of a rule or model, one for all who ask: what it has learned of one text serves the next.
 * All of these run in linear time, also ours: one engine, one syntax. Users' expressions do not belong here, they would never be forgotten.
 */
export function expression(source: string): LazyRegex {
  const regex = known.get(source) ?? new LazyRegex(source);
  known.set(source, regex);
  return regex;
}

/** The words that expressions need, by their sources, as they were found when the assets were written. */
export type NeededBySource = Readonly<Record<string, readonly string[]>>;

const needed = new Map<string, readonly string[]>();

/** Expressions that are not among these are always run. */
export function learnNeeded(words: NeededBySource): void {
  for (const [source, its] of Object.entries(words)) needed.set(source, its);
}

/** Asks whether a text has the words of an expression, if any are known; false is certain, true is not. */
export function wordTester(source: string): (text: string) => boolean {
  const words = needed.get(source);
  if (!words) return () => true;
  const folds = foldsCase(source);
  return (text) => hasNeeded(words, folds, text);
}
