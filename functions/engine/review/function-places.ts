import type { FunctionPlace } from "../artefact.ts";

/** Longer functions do not fit into an excerpt, as a rule. */
const linesMax = 60;

/** The symbol that a statement on this line has in findings; empty at the top level. */
export const symbolAt = (functions: readonly FunctionPlace[], line: number): string =>
  around(functions, line).at(-1)?.symbol ?? "";

/**
 * The function to show of those around a line: the outermost that is not too long, because a callback tells little without what it is passed
 * to; else the innermost.
 */
export function placeAround(functions: readonly FunctionPlace[], line: number): FunctionPlace | null {
  const enclosing = around(functions, line);
  return enclosing.find(({ startLine, endLine }) => endLine - startLine < linesMax) ?? enclosing.at(-1) ?? null;
}

/** The name by which other files call a function: its symbol without the numbers of parameters. */
export const nameOf = (symbol: string): string => symbol.replace(/\/\d+(?=\.|$)/g, "");

/** From the outermost to the innermost, which is their order in an artefact. */
const around = (functions: readonly FunctionPlace[], line: number): FunctionPlace[] =>
  functions.filter(({ startLine, endLine }) => startLine <= line && endLine >= line);
