import type { Catalogue, Families } from "../../catalogue/catalogue.ts";
import { allFamilies } from "../../catalogue/catalogue.ts";
import { lastName } from "../../ir/called-name.ts";
import type { Call, Expression } from "../../ir/ir.ts";
import type { Frame, Run } from "../run.ts";
import type { Value } from "../value.ts";
import { jsonText, takenPath } from "./page-places.ts";
import { cleanWithout } from "./patterns.ts";

/** Methods that replace; whether all occurrences by their name alone. */
const everywhere: Record<string, boolean> = {
  replaceAll: true,
  sub: true,
  gsub: true,
  preg_replace: true,
  replace: false,
};

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
  if (run.language === "php" && name === "strtr") return translated(run, args);
  if (run.language === "php" && /^str_i?replace$/.test(name)) return textsTakenOut(run, frame, call, args);
  const written = patternOf(name, args);
  if (written === null) return 0;
  const normalised = run.catalogue.bitsOf(["normalised"]);
  if (receiver?.taint.every(({ clean }) => (clean & normalised) !== 0) && leadsUpwards.test(written))
    return run.catalogue.bitsOf(pathFamilies);
  const replaced = replacedEverywhere(run, frame, call, args);
  if (!replaced) return 0;
  const { pattern, isRegex } = replaced;
  if (isRegex && keepsOnlyHarmless(pattern)) return allFamilies;
  const upwards = isRegex ? twoDots.test(pattern) : pattern === "..";
  if (upwards && /^[\w-]*$/.test(String(args[1]?.constants?.[0] ?? "."))) return run.catalogue.bitsOf(pathFamilies);
  // A name without folders leads no further than the folder that it is put behind.
  if (pattern === "/" && /^[^/\\]*$/.test(String(args[1]?.constants?.[0] ?? "/")))
    return run.catalogue.bitsOf(pathFamilies);
  if (run.language === "python" && quoteMarks.has(pattern) && args[1]?.constants?.[0] === pattern + pattern)
    return run.catalogue.bitsOf(["sql_injection"]);
  if (run.language === "php" && pattern === "'" && isDoubled(run, frame, args[1]))
    return run.catalogue.bitsOf(["sql_injection", "escaped"]);
  const quotes = pattern === "'" && !String(args[1]?.constants?.[0] ?? "'").includes("'");
  return takesOut(run.catalogue, pattern, isRegex) | (quotes ? run.catalogue.bitsOf(["xpath_injection"]) : 0);
}

/** The pattern of a method that replaces, where it is written out. */
function patternOf(name: string, [first]: readonly Value[]): string | null {
  const written = Object.hasOwn(everywhere, name) && first?.constants?.length === 1 ? first.constants[0] : null;
  if (typeof written !== "string") return null;
  return name === "preg_replace" ? undelimited(written) : written;
}

/** What a call replaces, if it replaces all of it. */
function replacedEverywhere(
  run: Run,
  frame: Frame,
  { callee, args: [first] }: Call,
  args: readonly Value[],
): { pattern: string; isRegex: boolean } | null {
  const name = lastName(callee);
  const pattern = patternOf(name, args);
  if (!first || pattern === null) return null;
  const isRegex = (args[0]?.prefix ?? null) === null || (run.language !== "javascript" && name !== "replace");
  const all =
    everywhere[name] || run.language !== "javascript" || /[a-z]*g[a-z]*$/.test(flagsOf(run, frame, first.value));
  return all ? { pattern, isRegex } : null;
}

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
  const replaced = replacedEverywhere(run, frame, call, args);
  if (!replaced) return [];
  const put = String(args[1]?.constants?.[0] ?? "");
  // `\u003c` is for scripts.
  const isTaken = (character: string) =>
    receiver.paths.includes(takenPath(character)) ||
    (takes(replaced, character) && !put.includes(character) && !put.startsWith("\\"));
  return ["<", '"', "'"].filter(isTaken).map(takenPath);
}

/** Whether a pattern stands for a character, as a list of characters or one of several alternatives. */
const takes = ({ pattern, isRegex }: { pattern: string; isRegex: boolean }, character: string): boolean =>
  pattern === character ||
  (isRegex && (listed(pattern)?.includes(character) === true || pattern.split("|").includes(character)));

/** The characters of a list that is not negated. */
const listed = (pattern: string): string | undefined => pattern.match(/^\(?\[(?!\^)((?:\\.|[^\]\\])+)\]\)?[+*]?$/)?.[1];

/** PHP keeps patterns with their delimiters and flags; what is written at the call may have lost them already. */
export const undelimited = (pattern: string): string => pattern.match(/^([/#~!@%|])(.*)\1[a-zA-Z]*$/s)?.[2] ?? pattern;

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
    ...(escapesQuotes(taken, put) || (taken[0] === "'" && isDoubled(run, frame, by))
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
function isDoubled({ text }: Run, { fn }: Frame, by: Value | undefined): boolean {
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

/** `text.match(/\d+/g)` gives all matches, and no groups. */
export const isGlobal = (run: Run, frame: Frame, { args: [pattern] }: Call): boolean =>
  run.language === "javascript" && pattern !== undefined && /^[a-z]*g[a-z]*$/.test(flagsOf(run, frame, pattern.value));

/** Behind the literal, also where it has a name. */
const flagsOf = (run: Run, frame: Frame, pattern: Expression): string => {
  const made = pattern.kind === "variable" ? frame.scope.binding(pattern.name)?.origins.get(pattern.name) : undefined;
  const at = made?.kind === "call" || made?.kind === "literal" ? made : pattern;
  const text = run.text.slice(at.start, at.end);
  return text.slice(text.lastIndexOf("/") + 1);
};

/** `[^\w.-]`: of what is left nothing means anything to a shell, a query, a page or a path. */
export function keepsOnlyHarmless(pattern: string): boolean {
  const kept = pattern.match(/^\(?\[\^((?:\\.|[^\]\\])+)\]\)?[+*]?$/)?.[1];
  if (kept === undefined) return /^\\[WD]\+?$/.test(pattern);
  return /^(\\[wds_.:,@+ -]|[a-zA-Z0-9]-[a-zA-Z0-9]|[a-zA-Z0-9_ .:,@+-]|\\p\{(L|N|Lu|Ll|Nd)\})+$/.test(kept);
}

function takesOut(catalogue: Catalogue, pattern: string, isRegex: boolean): Families {
  const characters = isRegex ? listed(pattern) : undefined;
  const has = (character: string) => pattern === character || characters?.includes(character) === true;
  const takesLines = /\\[rn]/.test(pattern) || has("\n");
  return cleanWithout(catalogue, (character) => !(/[\r\n]/.test(character) ? takesLines : has(character)));
}
