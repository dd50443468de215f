import type { Run } from "./run.ts";
import type { Value } from "./value.ts";

const makesFile = /^((new\s+)?(java\.io\.)?File|(java\.nio\.file\.)?(Paths\.get|Path\.of))\s*\(/;

/** `new File(base, name)` and `Path.of(base, name)` open nothing: where the file is looked at before it is used, making it was no problem. */
export function forgetMaking(run: Run, { taint }: Value): void {
  for (const { source, step: last } of taint) {
    for (let step = last; step; step = step.parent as typeof last) {
      if (!makesFile.test(run.text.slice(step.start, step.start + 26))) continue;
      const { start, end } = step;
      const isMaking = ({ match, at }: { match: { rule: { family: string } }; at: { start: number; end: number } }) =>
        at.start === start && at.end === end && match.rule.family === "path_traversal";
      for (const [key, hit] of run.hits) if (isMaking(hit)) run.hits.delete(key);
      const summary = source.parameter && run.summaries.get(source.parameter.fn);
      if (summary) summary.flows = summary.flows.filter((flow) => !isMaking(flow));
    }
  }
}
