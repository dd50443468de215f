import { LineIndex } from "../inventory/line-index.ts";
import type { Span } from "../ir/ir.ts";
import { withoutComments } from "./comments.ts";
import type { Excerpt } from "./review.ts";
import { visible } from "./visible.ts";

/** Shorter quotes stand somewhere in every file by chance. */
const quoteCharactersMin = 8;
/** Models count lines badly; a quote this near to the stated line is meant there. */
const nearLines = 3;

/** Why a statement of a model is not believed; the keys under which drops are counted. */
export type QuoteProblem = "quote_too_short" | "quote_not_found" | "quote_is_comment";

/** Where a quote stands in the text shown, in offsets of its text. */
export interface QuotePlace extends Span {
  /** It was found in another place than the statement said. */
  relocated: boolean;
}

/** Compares what a model quotes with the code it was shown. Made once per unit and excerpt: the index is linear in its text. */
export class QuoteGate {
  readonly lines: LineIndex;
  readonly #shown: Excerpt;
  readonly #code: Collapsed;
  #bare: string | null = null;

  /** @param shown a unit, or an excerpt that is shown with it */
  constructor(shown: Excerpt) {
    this.#shown = shown;
    this.lines = new LineIndex(shown.text);
    this.#code = collapse(shown.text);
  }

  /**
   * Finds a quote: within three lines of the stated line, else where it stands if that is one place only.
   * @param line as the model said, in numbers of the file; `column` decides between several in reach
   * @param codeOnly for statements that a comment cannot bear out
   */
  find(quote: string, line: number, column: number | null, codeOnly: boolean): QuotePlace | QuoteProblem {
    const found = this.occurrences(quote, codeOnly);
    if (typeof found === "string") return found;
    const distance = (place: Span) => Math.abs(this.lineOf(place) - line);
    const aside = (place: Span) => (column === null ? 0 : Math.abs(this.#columnOf(place) - column));
    const near = found
      .filter((place) => distance(place) <= nearLines)
      .sort((a, b) => distance(a) - distance(b) || aside(a) - aside(b) || a.start - b.start)[0];
    if (near) return { ...near, relocated: false };
    const [only] = found;
    return found.length === 1 && only ? { ...only, relocated: true } : "quote_not_found";
  }

  /** All places where a quote stands, at least one. */
  occurrences(quote: string, codeOnly: boolean): Span[] | QuoteProblem {
    const plain = quote.replace(/\r\n?/g, "\n");
    const wanted = [plain, withoutNumbers(plain)].map((text) => collapse(text).text.trim());
    const told = wanted.filter(tellsSomething);
    if (told.length === 0) return "quote_too_short";
    const found = told.map((text) => this.#code.find(text)).find((places) => places.length > 0);
    if (!found) return "quote_not_found";
    const kept = codeOnly ? found.filter((place) => !this.#isComment(place)) : found;
    return kept.length > 0 ? kept : "quote_is_comment";
  }

  /** Whether nothing of what is quoted is code. What only a comment says proves nothing about the program. */
  #isComment({ start, end }: Span): boolean {
    this.#bare ??= withoutComments(this.#shown.text, this.#shown.language);
    return !identifier.test(this.#bare.slice(start, end));
  }

  /** The line in the file, from 1, on which a place begins. */
  lineOf(place: Span): number {
    return this.lines.lineOf(place.start) + this.#shown.startLine - 1;
  }

  #columnOf(place: Span): number {
    return this.lines.place(place.start, place.end).startColumn;
  }
}

const identifier = /[\p{L}_$][\p{L}\p{N}_$]*/u;

const tellsSomething = (quote: string): boolean =>
  quote.replace(/ /g, "").length >= quoteCharactersMin && identifier.test(quote);

/** Takes off the `12| ` or `X1:12| ` that we put before each line. */
const withoutNumbers = (quote: string): string => quote.replace(/^[ \t]*(?:X\d+:)?\d+\|/gm, "");

/** Text with every run of white space as one space and invisible characters spelt out, as the model saw them. */
class Collapsed {
  readonly text: string;
  /** For each character of `text` the offset in the original. */
  readonly #offsets: Uint32Array;
  readonly #end: number;

  constructor(text: string, offsets: Uint32Array, end: number) {
    this.text = text;
    this.#offsets = offsets;
    this.#end = end;
  }

  /** Every occurrence, overlapping ones left out. */
  find(wanted: string): Span[] {
    const found: Span[] = [];
    for (let at = this.text.indexOf(wanted); at >= 0; at = this.text.indexOf(wanted, at + wanted.length)) {
      const start = this.#offsets[at] as number;
      const last = at + wanted.length;
      // Behind the last character that was matched, not before the next one: white space between them belongs to neither.
      const end = Math.min((this.#offsets[last - 1] as number) + 1, this.#end);
      found.push({ start, end: Math.max(end, start + 1) });
    }
    return found;
  }
}

function collapse(text: string): Collapsed {
  const parts: string[] = [];
  const offsets: number[] = [];
  let blank = false;
  for (let at = 0; at < text.length; ) {
    const character = String.fromCodePoint(text.codePointAt(at) as number);
    const shown = visible(character);
    if (shown === character && /\s/.test(character)) {
      if (!blank) {
        parts.push(" ");
        offsets.push(at);
      }
      blank = true;
    } else {
      parts.push(shown);
      for (let i = 0; i < shown.length; i++) offsets.push(at + Math.min(i, character.length - 1));
      blank = false;
    }
    at += character.length;
  }
  return new Collapsed(parts.join(""), Uint32Array.from(offsets), text.length);
}
