import type { Candidate } from "../artefact.ts";
import type { Catalogue } from "../catalogue/catalogue.ts";

/** A rule on quality that fires more often in one file has said enough: what else is there must stay visible. */
const perRuleMax = 10;

/** Lists the first of what each rule on quality has found; the last of them says how many more there are. Silenced ones do not count. */
export function cappedByRule(catalogue: Catalogue, candidates: readonly Candidate[]): Candidate[] {
  const dropped = new Set<Candidate>();
  const more = new Map<Candidate, number>();
  for (const [ruleId, all] of Map.groupBy(candidates, ({ ruleId }) => ruleId)) {
    if (catalogue.rules.get(ruleId)?.code === undefined) continue;
    const counted = all.filter(({ suppressed }) => !suppressed).sort(inSourceOrder);
    const rest = counted.slice(perRuleMax);
    for (const candidate of rest) dropped.add(candidate);
    if (rest.length > 0) more.set(counted[perRuleMax - 1] as Candidate, rest.length);
  }
  return candidates
    .filter((candidate) => !dropped.has(candidate))
    .map((candidate) => {
      const rest = more.get(candidate);
      return rest === undefined ? candidate : { ...candidate, more: rest };
    });
}

const inSourceOrder = (a: Candidate, b: Candidate): number =>
  a.startLine - b.startLine || a.startColumn - b.startColumn || a.endLine - b.endLine || a.endColumn - b.endColumn;
