import type { LineIndex as Lines } from "../inventory/line-index.ts";
import { LineIndex } from "../inventory/line-index.ts";
import type { Span } from "../ir/ir.ts";

/** Shorter values stand for other things too: hiding each "root" of a file would hide the code. */
const repeatedLengthMin = 8;

/**
 * A file as it may be shown: whatever holds a secret is unreadable. All that leaves the engine is cut out of this text and never out of
 * the file, so that no way of cutting can show what a search for the value would miss. Lengths and line breaks are those of the file:
 * places are true in both.
 */
export class ShownText {
  readonly text: string;
  readonly lines: LineIndex;

  /** What was made unreadable so far, in the order in which it was found. */
  readonly hidden: readonly Span[];

  /** @param lines those of the text, for who has them */
  constructor(text: string, lines: Lines = new LineIndex(text), hidden: readonly Span[] = []) {
    this.text = text;
    this.lines = lines;
    this.hidden = hidden;
  }

  /** The same with more made unreadable. */
  without(hidden: readonly Span[]): ShownText {
    if (hidden.length === 0) return this;
    const text = hide(this.text, hidden);
    return new ShownText(text, new LineIndex(text), [...this.hidden, ...hidden]);
  }
}

/** Every place where one of the values stands: who hides a secret once must hide it everywhere. */
export function occurrencesOf(text: string, values: Iterable<string>): Span[] {
  const found: Span[] = [];
  for (const value of new Set(values)) {
    if (value.length < repeatedLengthMin) continue;
    for (let start = text.indexOf(value); start >= 0; start = text.indexOf(value, start + value.length))
      found.push({ start, end: start + value.length });
  }
  return found;
}

function hide(text: string, hidden: readonly Span[]): string {
  const parts: string[] = [];
  let done = 0;
  for (const { start, end } of [...hidden].sort((a, b) => a.start - b.start || b.end - a.end)) {
    if (end <= done) continue;
    // Of two that overlap the second shows nothing: its beginning is the middle of the first.
    const cut = text.slice(Math.max(start, done), end);
    parts.push(text.slice(done, Math.max(start, done)), start < done ? stars(cut) : masked(cut));
    done = end;
  }
  parts.push(text.slice(done));
  return parts.join("");
}

/** Enough to recognise the secret by, too little to use it. */
const masked = (secret: string): string =>
  secret.length >= 12 ? secret.slice(0, 4) + stars(secret.slice(4)) : stars(secret);

/** Quotes and layout stay, so that a secret of several lines remains the literal that it is. */
const stars = (text: string): string => text.replace(/[^\s"'`]/g, "*");
