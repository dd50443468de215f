import type { Finding, Origin } from "../finding.ts";
import { findingOrder } from "../link/link.ts";
import { byCodeUnits } from "../link/order.ts";
import { identify, sourceOrder } from "./identity.ts";
import type { ReviewOutcome, Verdict } from "./review.ts";

/** What is left of the confidence in a finding that a model refutes, with a quote that was found. */
const refutedFactor = 0.5;

/** A model that is not sure of itself cannot make a sure one unsure, and one that refutes must not be contradicted. */
const weight = { refuted: 0, unsure: 1, confirmed: 2 };

/**
 * Joins what rules and models found, sorted as `link` sorts and the same whatever order the outcomes came in. Rule findings all stay:
 * verdicts annotate them, and a model that reports one again becomes its second origin.
 * @param options.categoriesOff OWASP 2021 categories that are switched off, "A01" to "A10": models do not report in them either
 */
export function mergeReview(
  findings: readonly Finding[],
  outcomes: readonly ReviewOutcome[],
  options: { readonly categoriesOff?: readonly string[] } = {},
): Finding[] {
  const reviewed = outcomes.filter((outcome) => outcome.status === "reviewed");
  const verdicts = strongest(reviewed.flatMap((outcome) => outcome.verdicts));
  const own = findings.map((finding) => annotate(finding, verdicts.get(finding.fingerprint)));
  const off = new Set(options.categoriesOff ?? []);
  const byPath = Map.groupBy(own.keys(), (i) => (own[i] as Finding).path);
  const added: Finding[] = [];
  for (const finding of once(reviewed.flatMap((outcome) => outcome.findings))) {
    if (off.has(finding.owasp2021 ?? "")) continue;
    const same = (byPath.get(finding.path) ?? []).filter((i) => isSame(own[i] as Finding, finding));
    for (const i of same) own[i] = alsoFoundBy(own[i] as Finding, finding);
    if (same.length === 0) added.push(finding);
  }
  // Only those that stay are numbered: what a rule has found too must not push the others' numbers.
  const taken = new Set(findings.map((finding) => finding.fingerprint));
  return [...own, ...identify(added, taken)].sort(findingOrder);
}

/** One finding per class and line, also when a unit was reviewed twice. */
function once(findings: readonly Finding[]): Finding[] {
  const first = new Map<string, Finding>();
  for (const finding of [...findings].sort(sourceOrder)) {
    const key = `${finding.path}\0${finding.family}\0${finding.startLine}`;
    if (!first.has(key)) first.set(key, finding);
  }
  return [...first.values()];
}

function strongest(verdicts: readonly Verdict[]): Map<string, Verdict> {
  const best = new Map<string, Verdict>();
  for (const verdict of verdicts) {
    const known = best.get(verdict.fingerprint);
    const stronger = known ? weight[verdict.verdict] - weight[known.verdict] : 1;
    if (!known || stronger > 0 || (stronger === 0 && byCodeUnits(verdict.reason, known.reason) < 0))
      best.set(verdict.fingerprint, verdict);
  }
  return best;
}

function annotate(finding: Finding, found: Verdict | undefined): Finding {
  if (!found) return finding;
  const { verdict, reason } = found;
  const confidence = verdict === "refuted" ? finding.confidence * refutedFactor : finding.confidence;
  return { ...finding, confidence: Math.round(confidence * 100) / 100, adjudication: { verdict, reason } };
}

/** One kind of problem on the same lines, or on the way of the value that the rule has followed. */
function isSame(rule: Finding, model: Finding): boolean {
  if (rule.family !== model.family && (rule.type !== model.type || rule.type === "other")) return false;
  const overlaps = (at: { startLine: number; endLine: number }) =>
    at.startLine <= model.endLine && at.endLine >= model.startLine;
  return overlaps(rule) || rule.trace.some((step) => step.path === model.path && overlaps(step));
}

function alsoFoundBy(rule: Finding, model: Finding): Finding {
  const origins: Origin[] = rule.origins.includes("model") ? rule.origins : [...rule.origins, "model"];
  return { ...rule, origins, explanation: rule.explanation ?? model.explanation };
}
