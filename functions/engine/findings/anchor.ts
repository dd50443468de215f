/** Statements longer than this are anchored by their beginning: callbacks inside change without the sink being another one. */
const anchorTokensMax = 120;

const token =
  /\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$)|#[^\n]*|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\[\s\S])*`|[\p{L}\p{N}_$@]+|[^\s\p{L}\p{N}_$@]/gu;

/**
 * The tokens of a statement without comments and layout. Quote style, semicolons and trailing commas do not count,
 * so a formatter can pass over the file and the finding stays the same.
 */
export function anchorOf(statement: string, hashComments: boolean): string {
  const tokens: string[] = [];
  for (const [found] of statement.slice(0, 8_000).matchAll(token)) {
    if (found.startsWith("//") && !hashComments) continue;
    if (found.startsWith("/*") && found.length > 2) continue;
    if (found.startsWith("#") && hashComments) continue;
    if (found === ";") continue;
    if (/^[)\]}]$/.test(found) && tokens.at(-1) === ",") tokens.pop();
    tokens.push(/^["'`]/.test(found) && found.length > 1 ? `"${found.slice(1, -1)}"` : found);
    if (tokens.length >= anchorTokensMax) break;
  }
  return tokens.join(" ");
}

/** The anchor of whole lines, also where they hold nothing but a comment: its words are then what identifies it. */
export const lineAnchor = (lines: string, hashComments: boolean): string =>
  anchorOf(lines, hashComments) || lines.replace(/\s+/g, " ").trim().slice(0, 1_000);
