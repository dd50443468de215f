/** Long enough for real names, short enough for every header and URL limit on the way: percent-encoded it triples, inside a presigned URL again. */
const nameBytesMax = 200;

/**
 * The Content-Disposition that makes a browser save a download under this name (RFC 6266, RFC 8187): always an attachment, never shown
 * in the page. Old clients take the ASCII fallback, all others the exact name. The name may come from anywhere: nothing in it can end the
 * header, add a parameter, choose a folder or reverse how its extension is displayed.
 * @param fallback name for when nothing of the given one is fit for use; ASCII letters, digits, "-", "_" and "." only
 */
export function contentDisposition(name: string, fallback: string): string {
  const safe = safeName(name) || fallback;
  return `attachment; filename="${asciiName(safe, fallback)}"; filename*=UTF-8''${extendedValue(safe)}`;
}

/** Without control and direction characters, path separators and edges that file systems drop; at most 200 bytes, extension kept. */
function safeName(name: string): string {
  const clean = name
    .toWellFormed()
    .replace(/[\p{Cc}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/gu, "")
    .replace(/[\\/]/g, "_");
  const trimmed = trimEnd(clean.replace(/^[\s.]+/u, ""));
  const extension = /\.[a-z0-9]{1,10}$/i.exec(trimmed)?.[0] ?? "";
  const stem = cut(trimmed.slice(0, trimmed.length - extension.length), nameBytesMax - extension.length);
  return extension ? stem + extension : trimEnd(stem);
}

const trimEnd = (text: string): string => text.replace(/[\s.]+$/u, "");

/** The longest start of a text that fits, without cutting a character in two. */
function cut(text: string, bytesMax: number): string {
  let bytes = 0;
  let end = 0;
  for (const character of text) {
    bytes += Buffer.byteLength(character);
    if (bytes > bytesMax) break;
    end += character.length;
  }
  return text.slice(0, end);
}

/** Quotes and backslashes would need escapes that clients read differently, and some decode %-sequences here (RFC 6266, appendix D). */
function asciiName(name: string, fallback: string): string {
  const ascii = name.replace(/[^\x20-\x7e]+|["\\%]/g, "_");
  return /[a-z0-9]/i.test(ascii.replace(/\.[a-z0-9]+$/i, "")) ? ascii : fallback;
}

/** RFC 8187 percent-encoding; encodeURIComponent leaves !'()* as they are, of which '()* are no attr-char. */
const extendedValue = (name: string): string =>
  encodeURIComponent(name).replace(/[!'()*]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`);
