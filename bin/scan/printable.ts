/**
 * C0, DEL and C1 drive terminals, the marks and embeddings of bidirectional text reorder what is read, U+2028 and U+2029 break lines.
 * All of them can stand in a path or a line of the code that is scanned.
 */
const treacherous =
  /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufff9-\ufffb]/g;

const written = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;

/** One line that is safe to show: what drives a terminal or reorders text is written out as `\u001b`, lone surrogates are replaced. */
export const printable = (text: string): string => text.toWellFormed().replace(treacherous, written);

/** The same for code of several lines: line ends and tabs stay. */
export const printableLines = (text: string): string =>
  text
    .replaceAll("\r\n", "\n")
    .toWellFormed()
    .replace(treacherous, (found) => (found === "\n" || found === "\t" ? found : written(found)));

/**
 * Indented JSON that is safe to show. JSON itself escapes only C0; the rest occurs nowhere but inside strings, so escaping it there too
 * leaves the value as it is.
 */
export const printableJson = (value: unknown): string =>
  `${JSON.stringify(value, null, 2).replace(treacherous, (found) => (found === "\n" ? found : written(found)))}\n`;

/** Cells a text takes on a terminal: East Asian wide characters and emoji take two, combining marks none. */
export function cellsOf(text: string): number {
  let cells = 0;
  for (const character of text) cells += /\p{M}|\p{Cf}/u.test(character) ? 0 : wide.test(character) ? 2 : 1;
  return cells;
}

const wide =
  /\p{Script=Han}|\p{Script=Hiragana}|\p{Script=Katakana}|\p{Script=Hangul}|\p{Emoji_Presentation}|[\u3000-\u303f\uff01-\uff60\uffe0-\uffe6]/u;

/** The beginning of a text that fits into so many cells, with an ellipsis where something is missing. */
export function cutToCells(text: string, cells: number): string {
  if (cellsOf(text) <= cells) return text;
  let cut = "";
  for (const character of text) {
    if (cellsOf(cut) + cellsOf(character) > cells - 1) break;
    cut += character;
  }
  return `${cut}…`;
}

export const padToCells = (text: string, cells: number): string =>
  text + " ".repeat(Math.max(0, cells - cellsOf(text)));
