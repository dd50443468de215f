import type { Span } from "../ir/ir.ts";

const header = /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/g;
const anyMark = /-----(?:BEGIN|END) [A-Z0-9 ]{1,60}-----/g;
/** A key of 16,384 bits has 12,700 characters, and quotes and line breaks around them. */
const bodyMax = 20_000;
/** A line of a key, after what may stand between two lines: white space, quotes, escapes, a plus, a header like Proc-Type up to its end. */
const line =
  /(?:[\s"'`+,.()\\>|#*-]|\\[nrt]|[A-Z][A-Za-z-]{3,12}: [^\n\\]{1,80}(?=[\n\\]|$)){0,200}[A-Za-z0-9+/=]{16,}/y;

/** The bodies of private keys. A rule finds a key by its first line; who hides one must hide all of it, also where its end is missing. */
export function privateKeys(text: string): Span[] {
  const found: Span[] = [];
  for (const { index, 0: mark } of text.matchAll(header)) {
    const start = index + mark.length;
    anyMark.lastIndex = start;
    const next = anyMark.exec(text);
    const closed = next?.[0].startsWith("-----END") && next.index - start <= bodyMax;
    const end = closed ? (next?.index ?? start) : endOfLines(text, start);
    if (end > start) found.push({ start, end });
  }
  return found;
}

function endOfLines(text: string, start: number): number {
  let end = start;
  for (;;) {
    line.lastIndex = end;
    if (!line.test(text) || line.lastIndex - start > bodyMax) return end;
    end = line.lastIndex;
  }
}
