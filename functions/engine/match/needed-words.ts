import type { CompiledPatterns } from "./evaluate-formula.ts";
import type { Formula } from "./own-rule.ts";

/** Groups of names: a file without a name of each group cannot have a match. */
export type NeededWords = readonly (readonly string[])[];

/** What a formula cannot do without. Negations need nothing, and a regular expression is not looked into. */
export function neededWords(formula: Formula, patterns: CompiledPatterns): NeededWords {
  switch (formula.kind) {
    case "pattern":
      return (patterns.get(formula.source)?.words ?? []).map((word) => [word]);
    case "regex":
      return [];
    case "all":
      return [...formula.matches, ...formula.inside].flatMap((one) => neededWords(one, patterns));
    case "either": {
      const longest = formula.of.map((one) =>
        neededWords(one, patterns).reduce<readonly string[] | null>(
          (best, group) => (best && length(best) >= length(group) ? best : group),
          null,
        ),
      );
      return longest.every((group) => group !== null) ? [longest.flat()] : [];
    }
  }
}

/** The rarest group is likely the one with the longest names. */
const length = (group: readonly string[]): number => Math.min(...group.map((word) => word.length));

export const hasWords = (words: ReadonlySet<string>, needed: NeededWords): boolean =>
  needed.every((group) => group.some((word) => words.has(word)));
