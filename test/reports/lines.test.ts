import * as fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { GlyphSource } from "../../functions/reports/glyphs.ts";
import { codeLines, type Line, widthOf, wrapCode, wrapProse } from "../../functions/reports/lines.ts";
import type { ReportFonts } from "../../functions/reports/report-fonts.ts";
import { bundledFonts } from "../support/report-fonts.ts";

let fonts: ReportFonts;
beforeAll(async () => {
  fonts = await bundledFonts();
});

const textOf = (line: Line) => line.map(({ text }) => text).join("");
const prose = (text: string, width: number) => wrapProse(text, "regular", width, new GlyphSource(fonts)).map(textOf);
const glyphs = (text: string) => new GlyphSource(fonts).glyphs(text, "regular").map((glyph) => glyph.text);

describe("prose", () => {
  it("breaks Chinese between characters, and never before punctuation that must not begin a line", () => {
    const lines = prose("用户输入，未经校验。就拼接进语句", 4);
    expect(lines).toEqual(["用户输", "入，未经", "校验。就", "拼接进语", "句"]);
  });

  it("breaks English between words, and within a word that no line could hold", () => {
    expect(prose("put it into the statement", 6)).toEqual(["put it into", "the", "statement"]);
    expect(prose(`a ${"x".repeat(20)}`, 3).join("")).toBe(`a${"x".repeat(20)}`);
  });

  it("keeps the lines of its author", () => {
    expect(prose("one\r\ntwo\n\nthree", 30)).toEqual(["one", "two", "", "three"]);
  });

  it("fits every line and loses nothing but spaces at line ends, whatever the text", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", maxLength: 200 }), fc.integer({ min: 6, max: 40 }), (text, width) => {
        const source = new GlyphSource(fonts);
        const lines = wrapProse(text, "regular", width, source);
        for (const line of lines) expect(line.length === 1 || widthOf(line) <= width + 1e-9).toBe(true);
        const shown = lines.map(textOf).join("").replaceAll(" ", "");
        const whole = text.split(/\r\n|\n|\r/).flatMap((part) => source.glyphs(part, "regular"));
        expect(shown.length).toBe(textOf(whole).replaceAll(" ", "").length);
      }),
      { numRuns: 300 },
    );
  });
});

describe("code", () => {
  it("breaks where a line is full, spaces and all", () => {
    const source = new GlyphSource(fonts);
    expect(wrapCode("a  b  c", 1.9, source).map(textOf)).toEqual(["a  ", "b  ", "c"]);
  });

  it("has tabs as far as they go", () => {
    expect(codeLines("\tif\tx:\n  \ty")).toEqual(["    if  x:", "    y"]);
  });
});

describe("characters", () => {
  it("are spelled out where a reader would not see them or read them in another order", () => {
    expect(glyphs("a\u202eb\u200b\u0007\ud800\u{e0041}")).toEqual([
      "a",
      "[U+202E]",
      "b",
      "[U+200B]",
      "[U+0007]",
      "[U+D800]",
      "[U+E0041]",
    ]);
  });

  it("that no font has are squares, and not letters of another script", () => {
    const source = new GlyphSource(fonts);
    expect(source.glyphs("한ع", "mono").map(({ text, kind }) => [text, kind])).toEqual([
      ["□", "missing"],
      ["□", "missing"],
    ]);
    expect(source.seen).toEqual({ hidden: false, missing: true });
  });

  it("of an emoji stay together, joined ones too", () => {
    expect(glyphs("x😀👩‍👩‍👧❤️©")).toEqual(["x", "😀", "👩‍👩‍👧", "❤️", "©"]);
  });

  it("cannot pile up marks over the lines above", () => {
    const tower = `a${"\u0301".repeat(50)}`;
    const spelled = new GlyphSource(fonts).glyphs(tower, "mono").filter(({ kind }) => kind === "hidden");
    expect(spelled.length).toBe(48);
  });
});
