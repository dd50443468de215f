import { dialectOf, type TemplateFormat } from "./template-format.ts";
import { blank, piecesOf } from "./template-pieces.ts";

const opening = /<script\b((?:[^<>"']|"[^"]{0,300}"|'[^']{0,300}'){0,60})>/gi;
const isCode = (attributes: string): boolean => {
  const type = attributes.match(/\btype\s*=\s*["']?([^"'\s>]*)/i)?.[1] ?? "";
  return /^$|^module$|javascript|babel|jsx|ecmascript|typescript/i.test(type);
};

/**
 * The scripts of a page and nothing else of it: all that is no script has become spaces, and what a template engine fills in a name, so
 * that every place is the place in the page. Null where there is none.
 */
export function scriptsOf(format: TemplateFormat, text: string): { grammar: string; text: string } | null {
  const found: { start: number; end: number }[] = [];
  let typed = false;
  opening.lastIndex = 0;
  for (let tag = opening.exec(text); tag; tag = opening.exec(text)) {
    const [all, attributes = ""] = tag;
    const start = tag.index + all.length;
    const close = text.slice(start).search(/<\/script\b/i);
    const end = close < 0 ? text.length : start + close;
    opening.lastIndex = end;
    if (!isCode(attributes) || text.slice(start, end).trim() === "") continue;
    typed ||= /\b(lang|type)\s*=\s*["']?[^"']*\b(ts|tsx|typescript)\b/i.test(attributes);
    found.push({ start, end });
  }
  if (found.length === 0) return null;
  const filled = withoutHoles(format, text);
  let at = 0;
  const parts: string[] = [];
  for (const { start, end } of found) {
    parts.push(markup(format, filled.slice(at, start)), filled.slice(start, end));
    at = end;
  }
  parts.push(markup(format, filled.slice(at)));
  return { grammar: typed ? "typescript" : "javascript", text: parts.join("") };
}

/** Where components show HTML as it is, or make a link, with the expression for it. */
const liveMarkup: Partial<Record<TemplateFormat, { pattern: RegExp; sink: string }[]>> = {
  vue: [
    { pattern: /(?:\bv-html|(?<=\s|\bv-bind):innerHTML)="([^"\n]{1,300})"/g, sink: "ℍ" },
    { pattern: /(?<=\s|\bv-bind):href="([^"\n]{1,300})"/g, sink: "ℎ" },
    { pattern: /<(?:iframe|embed)\s(?:[^<>]{0,200}\s)?(?:v-bind)?:src="([^"\n]{1,300})"/g, sink: "ℎ" },
  ],
  svelte: [
    { pattern: /\{@html\s([^{}\n]{1,300})\}/g, sink: "ℍ" },
    { pattern: /\shref=\{([^{}\n]{1,300})\}/g, sink: "ℎ" },
  ],
};

/**
 * What is between scripts: nothing, but for live markup, which becomes calls of ℍ and ℎ in functions that run when all scripts have. The
 * expressions stay where they are, so all ways of writing leave at least the seven characters that this takes.
 */
function markup(format: TemplateFormat, text: string): string {
  const live = (liveMarkup[format] ?? [])
    .flatMap(({ pattern, sink }) =>
      [...text.matchAll(pattern)].map((found) => ({ end: found.index + found[0].length, shown: found[1] ?? "", sink })),
    )
    .sort((a, b) => a.end - b.end);
  let at = 0;
  const parts: string[] = [];
  for (const { end, shown, sink } of live) {
    const start = end - shown.length - 1;
    parts.push(blank(text.slice(at, start - 7)), `;()=>${sink}(`, shown, ")");
    at = end;
  }
  // The script before need not end in a semicolon.
  return parts.length === 0 ? blank(text) : [...parts, blank(text.slice(at))].join("");
}

function withoutHoles(format: TemplateFormat, text: string): string {
  const dialect = dialectOf(format, text);
  if (dialect === null) return text;
  return piecesOf(text, dialect)
    .map(({ kind, start, end }) => {
      const piece = text.slice(start, end);
      if (kind === "text") return piece;
      return kind === "raw" || kind === "escaped" ? piece.replace(/[^\n\r]/g, "_") : blank(piece);
    })
    .join("");
}
