import LineBreaker from "linebreak";
import type { Face, Glyph, GlyphSource } from "./glyphs.ts";

/** One line of a page. */
export type Line = readonly Glyph[];

export const widthOf = (line: Line): number => line.reduce((sum, { width }) => sum + width, 0);

/** Sets prose: lines end where the writing allows it, and within a word only when it alone is wider than the line. `width` is in ems. */
export function wrapProse(text: string, face: Face, width: number, source: GlyphSource): Line[] {
  return paragraphs(text).flatMap((paragraph) => {
    const lines: Glyph[][] = [[]];
    let used = 0;
    for (const word of words(paragraph)) {
      const glyphs = source.glyphs(word, face);
      // A space at the end of a line may hang over the edge: nobody sees it.
      const needed = widthOf(trimmed(glyphs));
      if (used > 0 && used + needed > width) {
        lines.push([]);
        used = 0;
      }
      for (const glyph of glyphs) {
        if (used > 0 && used + glyph.width > width && glyph.text !== " ") {
          lines.push([]);
          used = 0;
        }
        lines.at(-1)?.push(glyph);
        used += glyph.width;
      }
    }
    return lines.map(trimmed);
  });
}

/** Sets one line of code: every character counts, so it breaks wherever the line is full. `width` is in ems. */
export function wrapCode(text: string, width: number, source: GlyphSource): Line[] {
  const lines: Glyph[][] = [[]];
  let used = 0;
  for (const glyph of source.glyphs(text, "mono")) {
    if (used > 0 && used + glyph.width > width) {
      lines.push([]);
      used = 0;
    }
    lines.at(-1)?.push(glyph);
    used += glyph.width;
  }
  return lines;
}

const tabWidth = 4;

/** The lines of a piece of code, tabs as far as they go. */
export const codeLines = (code: string): string[] =>
  paragraphs(code).map((line) => {
    let column = 0;
    return line.replace(/\t|[^\t]+/g, (part) => {
      const shown = part === "\t" ? " ".repeat(tabWidth - (column % tabWidth)) : part;
      column += shown.length;
      return shown;
    });
  });

const paragraphs = (text: string): string[] => text.toWellFormed().split(/\r\n|\n|\r/);

function* words(paragraph: string): Iterable<string> {
  const breaker = new LineBreaker(paragraph);
  let from = 0;
  for (let next = breaker.nextBreak(); next; next = breaker.nextBreak()) {
    yield paragraph.slice(from, next.position);
    from = next.position;
  }
}

function trimmed(line: Line): Line {
  let end = line.length;
  while (end > 0 && line[end - 1]?.text === " ") end -= 1;
  return line.slice(0, end);
}
