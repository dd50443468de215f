/** What the comments of a test file say about its lines. */
export interface Marks {
  readonly ruleid: number[];
  readonly ok: number[];
  /** Known gaps: lines that should be found and are not, or the other way round. */
  readonly todo: number[];
}

const mark = /\b(todo-?)?(ruleid|ok):\s*([\w.-]+(?:\s*,\s*[\w.-]+)*)/;

/** The marks about one rule. A mark speaks about the next line that has none. */
export function marksOf(source: string, ruleId: string): Marks {
  const marks: Marks = { ruleid: [], ok: [], todo: [] };
  const lines = source.split("\n");
  for (const [i, line] of lines.entries()) {
    const found = mark.exec(line);
    if (!found?.[3]?.split(/\s*,\s*/).includes(ruleId)) continue;
    let next = i + 1;
    while (mark.test(lines[next] ?? "")) next++;
    marks[found[1] ? "todo" : (found[2] as "ruleid" | "ok")].push(next + 1);
  }
  return marks;
}
