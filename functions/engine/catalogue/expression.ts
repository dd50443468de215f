import { type Matcher, RE2JS } from "re2js";

/** Texts, and UTF-16 units of each, that one expression keeps its answers for. */
const rememberedMax = 100;
const rememberedLengthMax = 60;

/** A regular expression of a rule or model. It is compiled when it is asked first: of the hundreds that a file's models have, few ever are. */
export class LazyRegex {
  readonly source: string;
  #compiled: RE2JS | null = null;
  /** What it has answered about short texts: the names of receivers are asked about again and again. */
  readonly #answers = new Map<string, boolean>();

  constructor(source: string) {
    this.source = source;
  }

  /** Whether it is found anywhere in a text. */
  test(text: string): boolean {
    if (text.length > rememberedLengthMax) return this.#regex.test(text);
    const known = this.#answers.get(text);
    if (known !== undefined) return known;
    const answer = this.#regex.test(text);
    if (this.#answers.size >= rememberedMax) this.#answers.clear();
    this.#answers.set(text, answer);
    return answer;
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
