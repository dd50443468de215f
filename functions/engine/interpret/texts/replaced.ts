import type { Catalogue, Families } from "../../catalogue/catalogue.ts";
import { allFamilies } from "../../catalogue/catalogue.ts";
import { lastName } from "../../ir/called-name.ts";
import type { Call } from "../../ir/ir.ts";
import type { Passage } from "../guards/passage.ts";
import type { Frame, Run } from "../run.ts";
import type { Value } from "../value.ts";
import { byNamed } from "./constants-elsewhere.ts";
import { jsonText, takenPath } from "./page-places.ts";
import { cleanedByAbsence, cleanWithout } from "./patterns.ts";
import { type Replacement, replacementsOf } from "./replacements.ts";

/**
 * What taking out or replacing characters makes text clean for: those left in a list of harmless ones, the one that opens a tag, two dots
 * that lead upwards, or all that does so at the beginning of a path in its shortest form, which has it nowhere else.
 */
export function replacementCleans(
  run: Run,
  frame: Frame,
  call: Call,
  receiver: Value | null,
  args: readonly Value[],
): Families {
  const name = lastName(call.callee);
  if (run.language === "php" && name === "strtr" && args.length === 2) return translated(run, args);
  if (run.language === "php" && /^str_i?replace$/.test(name)) return textsTakenOut(run, frame, call, args);
  const all = replacementsOf(run, frame, call, receiver, args).filter(({ elsewhere }) => !elsewhere);
  if (all.length === 0) return 0;
  const normalised = run.catalogue.bitsOf(["normalised"]);
  if (
    receiver?.taint.every(({ clean }) => (clean & normalised) !== 0) &&
    all.some(({ pattern }) => leadsUpwards.test(pattern))
  )
    return run.catalogue.bitsOf(pathFamilies);
  return all.reduce((cleans, one) => (one.everywhere ? cleans | leftClean(run, frame.fn, one, args[1]) : cleans), 0);
}

/** What text is clean for in which something was replaced wherever it stood. */
function leftClean(run: Run, fn: Frame["fn"], replacement: Replacement, by: Value | undefined): Families {
  const { pattern, isRegex, put } = replacement;
  const { catalogue, language } = run;
  if (isRegex && keepsOnlyHarmless(pattern))
    return putsItBack.test(put ?? "") ? catalogue.bitsOf(["redos"]) : allFamilies;
  const left = isRegex && /^[\w -]*$/.test(put ?? ".") ? cleanedByAbsence(catalogue, pattern) : 0;
  const upwards = isRegex ? twoDots.test(pattern) : pattern === "..";
  // A name without folders leads no further than the folder that it is put behind.
  if ((upwards && /^[\w-]*$/.test(put ?? ".")) || (takes(replacement, "/") && /^[^/\\]*$/.test(put ?? "/")))
    return left | catalogue.bitsOf(pathFamilies) | takesOut(catalogue, replacement);
  if (language === "python" && quoteMarks.has(pattern) && put === pattern + pattern)
    return catalogue.bitsOf(["sql_injection"]);
  const isQuote = pattern.length === 1 && doubled[language]?.includes(pattern) === true;
  const doubles = language === "php" ? pattern === "'" && isDoubled(run, fn, by) : isQuote && put === pattern + pattern;
  if (doubles) return catalogue.bitsOf(["sql_injection", "escaped"]);
  if (pattern === "'" && isShellQuote.test(put ?? "")) return catalogue.bitsOf(["command_injection"]);
  // Whoever takes one kind of quotes out puts the text between those.
  const quotes = /^['"]$/.test(pattern) && !(put ?? pattern).includes(pattern);
  return left | takesOut(catalogue, replacement) | (quotes ? catalogue.bitsOf(["xpath_injection"]) : 0);
}

/** What text is clean for in which nothing is left that a regular expression matches. */
export const leftBy = (run: Run, pattern: string): Families =>
  leftClean(run, null, { pattern, isRegex: true, put: "", everywhere: true }, undefined);

/** What a call leaves of a text whose pattern is a constant of another file, and puts something harmless in its place. */
export function leftByConstants(
  run: Run,
  frame: Frame,
  call: Call,
  receiver: Value | null,
  args: readonly Value[],
): readonly Passage[] {
  const isTold = run.language === "javascript" || run.language === "ruby";
  return replacementsOf(run, frame, call, receiver, args).flatMap(({ elsewhere, isRegex, put, everywhere }) => {
    const takesOut = elsewhere && (isTold || (isRegex && everywhere)) && /^[\w -]*$/.test(put ?? ".");
    const passage = takesOut ? byNamed(run, frame, elsewhere, "left", "after") : null;
    return passage ?? [];
  });
}

/** `text.replace(/'/g, "'\\''")`: what ends a text of the shell, puts a quote behind it and begins it anew is written within quotes. */
const isShellQuote = /^'(?:\\'|"'")'$/;

/** Quotes that end no text or name of SQL where they are doubled, if that is in such. */
const doubled: Readonly<Record<string, string>> = { java: "'", go: "'\"`", csharp: "'", ruby: "'" };

/** `\\$&`: what was found, behind something. */
const putsItBack = /\$&|\$0|\\\\?0|\\g<0>/;

/**
 * Names for text that a call, and those before it, have taken characters of HTML out of: which places of a page it is safe at depends on
 * the quotes that are left.
 */
export function takenBy(
  run: Run,
  frame: Frame,
  call: Call,
  receiver: Value | null,
  args: readonly Value[],
): readonly string[] {
  if (!receiver || receiver.taint.length === 0 || args.length !== 2 || receiver.paths.includes(jsonText)) return [];
  const [replaced] = replacementsOf(run, frame, call, receiver, args);
  if (!replaced?.everywhere || replaced.elsewhere) return [];
  const put = replaced.put ?? "";
  // `\u003c` is for scripts.
  const isTaken = (character: string) =>
    receiver.paths.includes(takenPath(character)) ||
    (takes(replaced, character) && !put.includes(character) && !put.startsWith("\\"));
  return ["<", '"', "'"].filter(isTaken).map(takenPath);
}

/** Whether a pattern stands for a character, as a list of characters or one of several alternatives. */
const takes = ({ pattern, isRegex }: Replacement, character: string): boolean =>
  pattern === character ||
  (isRegex &&
    (listed(pattern)?.includes(character) === true ||
      pattern.split("|").some((one) => one === character || one === `\\${character}`)));

/** The characters of a list that is not negated. */
const listed = (pattern: string): string | undefined => pattern.match(/^\(?\[(?!\^)((?:\\.|[^\]\\])+)\]\)?[+*]?$/)?.[1];

/** What ends a text or a name of SQL, and stands for itself where it is doubled. */
const quoteMarks: ReadonlySet<string> = new Set(["'", '"', "`", "]"]);

const pathFamilies = ["path_traversal", "file_inclusion"];

/** `str_replace(["..", "/"], "", $name)`: what is taken out wherever it stands, as it is written. */
function textsTakenOut(run: Run, frame: Frame, call: Call, [search, by]: readonly Value[]): Families {
  const { catalogue } = run;
  const taken = textsIn(search);
  const put = textsIn(by);
  if (taken.length === 0 || put.length === 0) return 0;
  const isPut = (characters: RegExp) => put.some((text) => characters.test(text));
  const leadsNowhere =
    (taken.includes("/") && !isPut(/[/\\]/)) ||
    (taken.includes("..") && !isPut(/\./)) ||
    (taken.includes("../") && !isPut(/\./) && isRepeated(frame, call));
  const families = [
    ...(leadsNowhere ? pathFamilies : []),
    ...(taken.includes("<") && !isPut(/</) ? ["xss"] : []),
    ...(taken.includes("\n") && !isPut(/[\r\n]/) ? ["log_injection", "header_injection"] : []),
    ...(['"', "`"].some((quote) => taken.includes(quote) && put.includes(quote + quote))
      ? ["sql_injection", "escaped"]
      : []),
    ...(escapesQuotes(taken, put) || (taken[0] === "'" && isDoubled(run, frame.fn, by))
      ? ["sql_injection", "escaped"]
      : []),
    // A bracket is nothing that a text could be put in: it is doubled for a name.
    ...(taken.includes("]") && put.includes("]]") ? ["sql_injection"] : []),
  ];
  return catalogue.bitsOf(families);
}

/** `str_replace(["\\", "'"], ["\\\\", "\\'"], $text)`: in this order, or what was put in front of the quote would be doubled with the rest. */
const escapesQuotes = (taken: readonly string[], put: readonly string[]): boolean => {
  const [slash, quote] = [taken.indexOf("\\"), taken.indexOf("'")];
  return slash >= 0 && slash < quote && put[slash] === "\\\\" && (put[quote] === "\\'" || put[quote] === "''");
};

/**
 * Some databases take a backslash for the beginning of a quote. A function that asks others to escape, each in its own way, doubles quotes for
 * one that does not.
 */
function isDoubled({ text }: Run, fn: Frame["fn"], by: Value | undefined): boolean {
  const others = fn && fn.end - fn.start <= escaperMax ? text.slice(fn.start, fn.end) : "";
  return by?.constants?.length === 1 && by.constants[0] === "''" && /\b(mysqli?|pg)_(real_)?escape_/.test(others);
}

/** UTF-16 units of a function that escapes for several databases. */
const escaperMax = 4_000;

/** `strtr($text, ["<" => "&lt;", …])`, also with the map that the language has for it. */
function translated({ catalogue }: Run, [, by]: readonly Value[]): Families {
  const [opening] = by?.slots?.shape === "map" ? (by.slots.entries.get("<")?.constants ?? ["<"]) : ["<"];
  const escapes = by?.paths.some((path) => path === "get_html_translation_table()") || !String(opening).includes("<");
  return escapes ? catalogue.bitsOf(["xss"]) : 0;
}

/** A text, or the texts of a list. */
function textsIn(value: Value | undefined): string[] {
  const all = value?.slots?.shape === "list" && !value.slots.rest ? [...value.slots.entries.values()] : [value];
  return all.flatMap((text) => (text?.constants?.length === 1 ? [String(text.constants[0])] : []));
}

/** `do { $path = str_replace("../", "", $path, $count); } while ($count > 0);` leaves nothing that comes together again. */
function isRepeated(frame: Frame, { args: [, , , count] }: Call): boolean {
  const test = frame.loops.at(-1)?.node?.test;
  const counted = count?.value.kind === "variable" ? count.value.name : null;
  if (!test || counted === null) return false;
  const asked = test.kind === "operation" ? test.operands : [test];
  return asked.some((operand) => operand.kind === "variable" && operand.name === counted);
}

/** `..` as a regular expression. Where it is gone, two dots never come together again, as they do where `../` is taken out. */
const twoDots = /^\(?(\\\.|\[\.\])(\\\.|\[\.\]|\{2,?\})\+?\)?$/;

/** `^(\.\.(\/|\\|$))+` in its many ways of writing. */
const leadsUpwards = /^\^\((\?:)?(\\\.\\\.|\\\.\{2\}|(\[\.\]){2})\(?(\?:)?\[?[\\/|$\]]+\)?\)[+*]$/;

/** `[^\w.-]`: of what is left nothing means anything to a shell, a query, a page or a path. */
export function keepsOnlyHarmless(pattern: string): boolean {
  const kept = pattern.match(/^\(?\[\^((?:\\.|[^\]\\])+)\]\)?[+*]?$/)?.[1];
  if (kept === undefined) return /^\\[WD]\+?$/.test(pattern);
  return /^(\\[wds_.:,@+ -]|[a-zA-Z0-9]-[a-zA-Z0-9]|[a-zA-Z0-9_ .:,@+-]|\\p\{(L|N|Lu|Ll|Nd)\})+$/.test(kept);
}

function takesOut(catalogue: Catalogue, replacement: Replacement): Families {
  const { pattern, isRegex, put } = replacement;
  const characters = isRegex ? listed(pattern) : undefined;
  const has = (character: string) =>
    (pattern === character || characters?.includes(character) === true) && put?.includes(character) !== true;
  const takesLines = (/\\[rn]/.test(pattern) || has("\n")) && !/[\r\n]/.test(put ?? "");
  return cleanWithout(catalogue, (character) => !(/[\r\n]/.test(character) ? takesLines : has(character)));
}
