import type { Marks } from "./marks.ts";

/** What became of one rule. */
export interface Outcome {
  readonly rule: string;
  readonly fixtures: number;
  readonly ruleid: number;
  readonly ok: number;
  readonly todo: number;
  /** Sentences; a rule without any has passed. */
  readonly problems: readonly string[];
}

/** One test file with its marks and the lines where the rule was found. */
export interface Tested {
  readonly name: string;
  readonly marks: Marks;
  readonly found: readonly number[];
}

/** Compares what was found with what is marked; lines without a mark must not be found. */
export function outcomeOf(rule: string, tested: readonly Tested[], more: readonly string[] = []): Outcome {
  const sum = (kind: keyof Marks) => tested.reduce((total, { marks }) => total + marks[kind].length, 0);
  const problems = tested.flatMap(({ name, marks, found }) => {
    const missed = marks.ruleid.filter((line) => !found.includes(line));
    const wrong = [...new Set(found)].filter((line) => !marks.ruleid.includes(line) && !marks.todo.includes(line));
    return [
      ...missed.map((line) => `${name}:${line} is not found`),
      ...wrong.map((line) => `${name}:${line} is found and ${marks.ok.includes(line) ? "marked ok" : "not marked"}`),
    ];
  });
  return {
    rule,
    fixtures: tested.length,
    ruleid: sum("ruleid"),
    ok: sum("ok"),
    todo: sum("todo"),
    problems: [...problems, ...more],
  };
}
