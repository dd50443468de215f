import type { FontName, ReportFonts } from "./report-fonts.ts";

/** In what a text is set. Code is `mono`; what a face lacks comes from the fonts behind it. */
export type Face = "regular" | "bold" | "mono";

const fallbacks: Readonly<Record<Face, readonly FontName[]>> = {
  regular: ["regular", "mono"],
  bold: ["bold", "mono"],
  mono: ["mono", "regular"],
};

/** One character as readers count them, ready to be set. */
export interface Glyph {
  readonly text: string;
  readonly font: FontName;
  /** Advance at size 1. */
  readonly width: number;
  /** `hidden`: stands for a character that nobody would see. `missing`: for one that no font has. */
  readonly kind: "plain" | "hidden" | "missing";
}

/**
 * Different characters that a report draws, letters of English aside. Each brings its shape into the file, some 250 bytes, so these take
 * 3 MB of it at most. Newspapers get by with 3,500 in either weight; who writes more wants the report to burst.
 */
const shapesMax = 12_000;

/** Stands for a character of a script that we have no font for, and for those beyond the limit. */
const missingSign = "□";

/**
 * What shows nothing, or moves what follows: controls, marks of direction, zero-width characters, tags, private and unassigned ones,
 * fillers that are letters to Unicode, and variation selectors.
 */
const hidden =
  /^(?:[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Co}\p{Cn}]|\u034f|[\u115f\u1160\u3164\uffa0]|\u17b4|\u17b5|\p{Variation_Selector})$/u;
const pictograph = /\p{Extended_Pictographic}|\p{Regional_Indicator}|\u20e3/u;
/** Real writing needs two marks over a letter; towers of them would cover the lines above. */
const marksMax = 2;

const segmenter = new Intl.Segmenter("und", { granularity: "grapheme" });

/**
 * Turns text into glyphs of our fonts, and nothing else: what is invisible or steers the direction of text is spelled out, so a page shows
 * what a file holds and not what it wants to look like. No shaping takes place but that of emoji.
 */
export class GlyphSource {
  readonly #fonts: ReportFonts;
  readonly #known: Readonly<Record<Face, Map<string, readonly Glyph[]>>> = {
    regular: new Map(),
    bold: new Map(),
    mono: new Map(),
  };
  #shapes = 0;
  /** What the texts so far had that a reader may need explained. */
  readonly seen = { hidden: false, missing: false };

  constructor(fonts: ReportFonts) {
    this.#fonts = fonts;
  }

  /** The glyphs of one line of text, which has no line ends in it. */
  glyphs(line: string, face: Face): Glyph[] {
    const glyphs: Glyph[] = [];
    for (const character of graphemes(line)) {
      for (const glyph of this.#ofGrapheme(character, face)) {
        if (glyph.kind !== "plain") this.seen[glyph.kind] = true;
        glyphs.push(glyph);
      }
    }
    return glyphs;
  }

  #ofGrapheme(grapheme: string, face: Face): readonly Glyph[] {
    const known = this.#known[face].get(grapheme);
    if (known) return known;
    const made = this.#make(grapheme, face);
    this.#known[face].set(grapheme, made);
    return made;
  }

  #make(grapheme: string, face: Face): Glyph[] {
    const emoji = pictograph.test(grapheme) ? this.#emoji(grapheme, face) : null;
    if (emoji) return [emoji];
    let marks = 0;
    return [...grapheme].map((character) => {
      const isMark = /^\p{M}$/u.test(character);
      if (isMark) marks += 1;
      return hidden.test(character) || (isMark && marks > marksMax)
        ? this.#spelledOut(character, face)
        : this.#plain(character, face);
    });
  }

  #plain(character: string, face: Face): Glyph {
    const text = /^\p{Zs}$/u.test(character) && character !== "\u3000" ? " " : character;
    const font = fallbacks[face].find((name) => this.#fonts[name].hasGlyphForCodePoint(text.codePointAt(0) as number));
    if (font && (text <= "~" || this.#shapes++ < shapesMax))
      return { text, font, width: this.#width(text, font), kind: "plain" };
    const other = fallbacks[face].find((name) => this.#fonts[name].hasGlyphForCodePoint(0x25a1)) as FontName;
    return { text: missingSign, font: other, width: this.#width(missingSign, other), kind: "missing" };
  }

  /** A whole emoji, joined ones too; null when the face itself has it, as it has © and digits, or when no font does. */
  #emoji(grapheme: string, face: Face): Glyph | null {
    const points = [...grapheme].map((character) => character.codePointAt(0) as number);
    if (
      points.length === 1 &&
      fallbacks[face].some((name) => this.#fonts[name].hasGlyphForCodePoint(points[0] as number))
    )
      return null;
    const font = this.#fonts.emoji;
    if (!points.every((point) => font.hasGlyphForCodePoint(point))) return null;
    return {
      text: grapheme,
      font: "emoji",
      width: font.layout(grapheme).advanceWidth / font.unitsPerEm,
      kind: "plain",
    };
  }

  #spelledOut(character: string, face: Face): Glyph {
    const text = `[U+${(character.codePointAt(0) as number).toString(16).toUpperCase().padStart(4, "0")}]`;
    const [font] = fallbacks[face] as [FontName];
    const width = [...text].reduce((sum, letter) => sum + this.#width(letter, font), 0);
    return { text, font, width, kind: "hidden" };
  }

  #width(character: string, font: FontName): number {
    const { unitsPerEm } = this.#fonts[font];
    return this.#fonts[font].glyphForCodePoint(character.codePointAt(0) as number).advanceWidth / unitsPerEm;
  }
}

/** Most of what is set is ASCII or Chinese, where each character is one and no table needs to be asked. */
function graphemes(line: string): Iterable<string> {
  return /^[\x20-\x7e\u3000-\u3029\u4e00-\u9fff\uff01-\uff5e]*$/.test(line)
    ? line
    : Array.from(segmenter.segment(line), ({ segment }) => segment);
}
