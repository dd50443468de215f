/**
 * Characters that are not seen, or that change the order in which others are seen: what a person reads is then not what a model reads.
 * Controls, format characters (bidirectional and zero-width ones among them), line separators, and what fonts leave out.
 */
const invisible = /(?![\t\n])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;

/** Writes invisible characters as `\\u{202e}`; tabs and line feeds stay. */
export const visible = (text: string): string =>
  text.replace(invisible, (character) => `\\u{${(character.codePointAt(0) as number).toString(16)}}`);
