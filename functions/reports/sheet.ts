import PDFDocument from "pdfkit";
import type { Face, Glyph } from "./glyphs.ts";
import { GlyphSource } from "./glyphs.ts";
import { type Line, widthOf, wrapProse } from "./lines.ts";
import type { FontName, ReportFonts } from "./report-fonts.ts";

/** A4 in points, and what of it is for text. */
export const page = { width: 595.28, height: 841.89, left: 50, right: 545.28, top: 66, bottom: 780 } as const;
export const textWidth = page.right - page.left;

export const ink = {
  text: "#1f2937",
  muted: "#6b7280",
  faint: "#e5e7eb",
  paper: "#f6f8fa",
  brand: "#0f172a",
  white: "#ffffff",
  hidden: "#c2410c",
} as const;

/** How a text looks: its face, its size in points, its colour. */
export interface Style {
  readonly face: Face;
  readonly size: number;
  readonly color: string;
  /** Distance of two lines as a multiple of the size. @default 1.5 */
  readonly leading?: number;
}

export interface SheetProps {
  readonly fonts: ReportFonts;
  readonly title: string;
  readonly subject: string;
  /** BCP 47. */
  readonly language: string;
  readonly at: Date;
}

/**
 * A document that fills from top to bottom, page after page. It draws text and flat shapes from what it is given and opens nothing: no
 * image, no link, no file, no address. The same input makes the same bytes.
 */
export class Sheet {
  readonly source: GlyphSource;
  /** Where the next thing goes, from the top of the page. */
  y: number = page.top;
  readonly #pdf: PDFKit.PDFDocument;
  readonly #parts: Buffer[] = [];
  readonly #done: Promise<void>;

  constructor({ fonts, title, subject, language, at }: SheetProps) {
    this.source = new GlyphSource(fonts);
    this.#pdf = new PDFDocument({
      size: "A4",
      margin: 0,
      bufferPages: true,
      pdfVersion: "1.7",
      lang: language,
      displayTitle: true,
      // Without this it would open a standard font, whose metrics are a file of its package.
      font: "",
      info: {
        Title: title,
        Author: "Sluice",
        Subject: subject,
        Creator: "Sluice",
        Producer: "Sluice",
        CreationDate: at,
        ModDate: at,
      },
    });
    this.#done = new Promise((resolve, reject) => this.#pdf.on("end", resolve).on("error", reject));
    this.#pdf.on("data", (part: Buffer) => this.#parts.push(part));
    // It takes an open font as well, which its types do not know; parsing ten megabytes once per process is enough.
    for (const name of Object.keys(fonts) as FontName[]) this.#pdf.registerFont(name, fonts[name] as never);
  }

  get pages(): number {
    return this.#pdf.bufferedPageRange().count;
  }

  nextPage(): void {
    this.#pdf.addPage();
    this.y = page.top;
  }

  /** Goes on with the next page unless so much is left of this one. */
  ensure(height: number): void {
    if (this.y + height > page.bottom) this.nextPage();
  }

  skip(height: number): void {
    this.y += height;
  }

  wrap(text: string, style: Style, width: number): Line[] {
    return wrapProse(text, style.face, width / style.size, this.source);
  }

  /** Puts a text in lines below each other, over as many pages as it takes. */
  prose(text: string, style: Style, place: { x?: number; width?: number } = {}): void {
    const { x = page.left, width = page.right - x } = place;
    for (const line of this.wrap(text, style, width)) {
      this.ensure(heightOf(style));
      this.line(line, style, x, this.y);
      this.y += heightOf(style);
    }
  }

  /** One line with its upper edge at `y`. @returns its width in points */
  line(line: Line, style: Style, x: number, y: number): number {
    const baseline = y + heightOf(style) / 2 + style.size * 0.35;
    let at = x;
    for (const run of runs(line)) {
      const [first] = run as [Glyph];
      this.#pdf
        .font(first.font)
        .fontSize(style.size)
        .fillColor(first.kind === "hidden" ? ink.hidden : style.color)
        .text(run.map(({ text }) => text).join(""), at, baseline, { lineBreak: false, baseline: "alphabetic" });
      at += widthOf(run) * style.size;
    }
    return at - x;
  }

  /** A text that is one line, cut with an ellipsis where it is too long. @returns its width in points */
  label(
    text: string,
    style: Style,
    x: number,
    y: number,
    options: { width?: number; align?: "left" | "right" | "center" } = {},
  ): number {
    const { width = page.right - x, align = "left" } = options;
    const line = this.#cut(this.source.glyphs(text.replace(/\s+/g, " "), style.face), style, width);
    const free = width - widthOf(line) * style.size;
    const shift = align === "left" ? 0 : align === "right" ? free : free / 2;
    return this.line(line, style, x + shift, y);
  }

  #cut(glyphs: Line, { face, size }: Style, width: number): Line {
    if (widthOf(glyphs) * size <= width) return glyphs;
    const ellipsis = this.source.glyphs("…", face);
    let used = widthOf(ellipsis);
    let end = 0;
    for (; end < glyphs.length; end++) {
      used += (glyphs[end] as Glyph).width;
      if (used * size > width) break;
    }
    return [...glyphs.slice(0, end), ...ellipsis];
  }

  box(x: number, y: number, width: number, height: number, color: string, radius = 0): void {
    if (radius > 0) this.#pdf.roundedRect(x, y, width, height, radius).fill(color);
    else this.#pdf.rect(x, y, width, height).fill(color);
  }

  frame(x: number, y: number, width: number, height: number, color: string, radius = 0): void {
    this.#pdf.lineWidth(0.75).roundedRect(x, y, width, height, radius).stroke(color);
  }

  rule(y: number, color: string = ink.faint, x: number = page.left, right: number = page.right): void {
    this.#pdf.lineWidth(0.75).moveTo(x, y).lineTo(right, y).stroke(color);
  }

  /** A part of a ring that begins at the top; `share` 1 is all of it. */
  ring(x: number, y: number, radius: number, share: number, color: string): void {
    if (share <= 0) return;
    const pdf = this.#pdf.lineWidth(9).lineCap("butt");
    if (share >= 1) pdf.circle(x, y, radius).stroke(color);
    else {
      const angle = share * 2 * Math.PI;
      const [toX, toY] = [x + radius * Math.sin(angle), y - radius * Math.cos(angle)];
      const from = `M ${x} ${y - radius}`;
      pdf.path(`${from} A ${radius} ${radius} 0 ${share > 0.5 ? 1 : 0} 1 ${toX} ${toY}`).stroke(color);
    }
  }

  /** Adds a bookmark to the place that is written now. @returns where bookmarks below it go */
  bookmark(text: string, below?: PDFKit.PDFOutline): PDFKit.PDFOutline {
    return (below ?? this.#pdf.outline).addItem(visible(text));
  }

  /** Draws on every page that there is, once all are full. */
  onEachPage(draw: (number: number, count: number) => void): void {
    const { start, count } = this.#pdf.bufferedPageRange();
    for (let index = start; index < start + count; index++) {
      this.#pdf.switchToPage(index);
      draw(index - start + 1, count);
    }
  }

  async bytes(): Promise<Buffer> {
    this.#pdf.end();
    await this.#done;
    return Buffer.concat(this.#parts);
  }
}

export const heightOf = ({ size, leading = 1.5 }: Style): number => size * leading;

/** Neighbours that are set in one go. */
function runs(line: Line): Glyph[][] {
  const found: Glyph[][] = [];
  for (const glyph of line) {
    const [last] = found.at(-1) ?? [];
    if (last?.font === glyph.font && last.kind === glyph.kind) found.at(-1)?.push(glyph);
    else found.push([glyph]);
  }
  return found;
}

/** Bookmarks and properties are shown by the reader's own program, which has no need for characters that nobody sees. */
export const visible = (text: string): string =>
  text
    .toWellFormed()
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cn}]/gu, "\ufffd")
    .slice(0, 200)
    .toWellFormed();
