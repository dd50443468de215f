import type { Span } from "../ir/ir.ts";

/** The first line of a stretch of text, shortened. */
export function excerptOf(text: string, at: Span, max: number): string {
  const cut = text.slice(at.start, Math.min(at.end, at.start + max * 4));
  const lineEnd = cut.indexOf("\n");
  const flat = (lineEnd < 0 ? cut : cut.slice(0, lineEnd)).trim();
  return flat.length > max ? `${flat.slice(0, max - 1)}…`.toWellFormed() : flat.toWellFormed();
}
