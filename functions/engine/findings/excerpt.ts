import type { Span } from "../ir/ir.ts";

/** The first line of a stretch of text, shortened. */
export function excerptOf(text: string, at: Span, max: number): string {
  const line = text.slice(at.start, Math.min(at.end, at.start + max * 4)).split("\n", 1)[0] as string;
  const flat = line.trim();
  return flat.length > max ? `${flat.slice(0, max - 1)}…`.toWellFormed() : flat.toWellFormed();
}
