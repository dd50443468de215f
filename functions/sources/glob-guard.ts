import { createContext, Script } from "node:vm";
import { SluiceError } from "../platform/errors.ts";

export const globLimits = {
  patterns: 50,
  characters: 256,
  wildcardRunsPerSegment: 4,
  globstars: 4,
  alternatives: 16,
  /** For one pattern on one block of paths. Ordinary patterns need about 2 ms. */
  blockMilliseconds: 200,
  blockPaths: 2_000,
  /** For all patterns of one request. Just below the block limit, fifty patterns on a large tree would hold a function for minutes. */
  totalMilliseconds: 5_000,
} as const;

/**
 * Brings the patterns of a request into the one form that is matched: `/` between segments, `[^` for `[!` (micromatch takes `!` literally),
 * no blanks around, no empty ones.
 * @throws glob_too_many, glob_too_long, glob_syntax, glob_wildcards, glob_braces
 */
export function guardPatterns(given: readonly string[]): string[] {
  if (given.length > globLimits.patterns)
    throw new SluiceError("glob_too_many", { count: given.length, limit: globLimits.patterns });
  const patterns = given.map((pattern) => pattern.trim().replaceAll("\\", "/")).filter((pattern) => pattern !== "");
  for (const pattern of patterns) guard(pattern);
  return patterns.map((pattern) => pattern.replaceAll("[!", "[^"));
}

/**
 * Parentheses, `|` and a `+` behind a bracket or brace reach the regular expression untouched and nest repetitions there; named classes and
 * a leading `!` mean something else than people expect.
 */
const unsupported = /[()|]|^!|\[\[?[:.=]|[\]}]\+|[\u0000-\u001f\u007f-\u009f]/;

function guard(pattern: string): void {
  if (pattern.length > globLimits.characters)
    throw new SluiceError("glob_too_long", { pattern, limit: globLimits.characters });
  if (unsupported.test(pattern)) throw new SluiceError("glob_syntax", { pattern });
  const runs = pattern.split("/").map((segment) => segment.match(/\*+/g) ?? []);
  const globstars = runs.flat().filter((run) => run.length > 1).length;
  if (
    globstars > globLimits.globstars ||
    runs.some((inSegment) => inSegment.length > globLimits.wildcardRunsPerSegment)
  )
    throw new SluiceError("glob_wildcards", {
      pattern,
      perSegment: globLimits.wildcardRunsPerSegment,
      globstars: globLimits.globstars,
    });
  guardBraces(pattern);
}

function guardBraces(pattern: string): void {
  const groups = pattern.match(/\{[^{}]*\}/g) ?? [];
  const outside = pattern.replace(/\{[^{}]*\}/g, "");
  const alternatives = groups.reduce((sum, group) => sum + group.split(",").length, 0);
  // A group without a comma is literal text to micromatch, and `{1..9}` a range that it gets wrong past one digit.
  if (/[{}]/.test(outside) || alternatives > globLimits.alternatives || groups.some((group) => group.includes("..")))
    throw new SluiceError("glob_braces", { pattern, limit: globLimits.alternatives });
}

/** The sandbox of `node:vm` is used as a timer, not as a boundary: its timeout interrupts a running regular expression, nothing else does. */
const timer: { work: () => void } = { work: () => undefined };
const runWork = new Script("work()");
let context: object | undefined;

/**
 * Runs `work` to its end, or stops it in the middle.
 * @returns whether it came to its end; what it wrote before being stopped is to be thrown away
 */
export function finishesWithin(milliseconds: number, work: () => void): boolean {
  context ??= createContext(timer);
  timer.work = work;
  try {
    runWork.runInContext(context, { timeout: Math.ceil(milliseconds) });
    return true;
  } catch (error) {
    // Made inside the sandbox's realm, so it is no instance of our Error.
    if ((error as NodeJS.ErrnoException | undefined)?.code === "ERR_SCRIPT_EXECUTION_TIMEOUT") return false;
    throw error;
  } finally {
    timer.work = () => undefined;
  }
}
