import type { Catalogue, Families } from "../catalogue/catalogue.ts";
import { allFamilies } from "../catalogue/catalogue.ts";
import type { Call } from "../ir/ir.ts";
import type { Run } from "./run.ts";
import type { Value } from "./value.ts";

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
export function replacementCleans(run: Run, call: Call, receiver: Value | null, args: readonly Value[]): Families {
  const { callee } = call;
  const name = callee.kind === "field" || callee.kind === "variable" ? callee.name : "";
  if (!Object.hasOwn(everywhere, name)) return 0;
  const first = call.args[0];
  const pattern = args[0]?.constants?.length === 1 ? args[0].constants[0] : null;
  if (!first || typeof pattern !== "string") return 0;
  const normalised = run.catalogue.bitsOf(["normalised"]);
  if (receiver?.taint.every(({ clean }) => (clean & normalised) !== 0) && leadsUpwards.test(pattern))
    return run.catalogue.bitsOf(["path_traversal"]);
  const isRegex = (args[0]?.prefix ?? null) === null || (run.language !== "javascript" && name !== "replace");
  const all = everywhere[name] || run.language !== "javascript" || /[a-z]*g[a-z]*$/.test(flagsOf(run, first.value));
  if (!all) return 0;
  if (isRegex && keepsOnlyHarmless(pattern)) return allFamilies;
  const upwards = isRegex ? twoDots.test(pattern) : pattern === "..";
  if (upwards && /^[\w-]*$/.test(String(args[1]?.constants?.[0] ?? ".")))
    return run.catalogue.bitsOf(["path_traversal"]);
  return takesOut(run.catalogue, pattern, isRegex);
}

/** `..` as a regular expression. Where it is gone, two dots never come together again, as they do where `../` is taken out. */
const twoDots = /^\(?(\\\.|\[\.\])(\\\.|\[\.\]|\{2,?\})\+?\)?$/;

/** `^(\.\.(\/|\\|$))+` in its many ways of writing. */
const leadsUpwards = /^\^\((\?:)?(\\\.\\\.|\\\.\{2\}|(\[\.\]){2})\(?(\?:)?\[?[\\/|$\]]+\)?\)[+*]$/;

const flagsOf = (run: Run, at: { start: number; end: number }): string => {
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
  const characters = isRegex ? pattern.match(/^\(?\[(?!\^)((?:\\.|[^\]\\])+)\]\)?[+*]?$/)?.[1] : undefined;
  const has = (character: string) => pattern === character || characters?.includes(character) === true;
  const families = [
    ...(has("<") ? ["xss"] : []),
    // What has no slashes is the name of one thing.
    ...(characters !== undefined && has("/") && has("\\") ? ["path_traversal"] : []),
    ...(characters !== undefined && has("*") && has("+") && has("(") ? ["redos"] : []),
    ...(/\\[rn]/.test(pattern) || has("\n") ? ["log_injection", "header_injection"] : []),
  ];
  return catalogue.bitsOf(families);
}
