import { type Finding, severities } from "../finding.ts";
import { byCodeUnits } from "../link/order.ts";
import { cleanText, modelFinding, namesAdvisory, writtenText } from "./model-finding.ts";
import { isInLanguage } from "./output-language.ts";
import { askedFindingsMax } from "./prompt.ts";
import { QuoteGate, type QuoteProblem } from "./quote-gate.ts";
import type { ReadIssue, ReadReply } from "./read-reply.ts";
import type { ReplyVerdict } from "./reply-schema.ts";
import type { ReviewInstructions, ReviewOutcome, ReviewUnit, Verdict } from "./review.ts";
import { visible } from "./visible.ts";

/** A file with more problems than this is not helped by a longer list, and a model that repeats itself must not fill the report. */
const findingsMax = 50;
const reasonMax = 500;

export type Reviewed = Extract<ReviewOutcome, { status: "reviewed" }>;

/** Lets through what the code bears out, and counts the rest by reason. Fingerprints are still to come. */
export function gateReply(unit: ReviewUnit, instructions: ReviewInstructions, reply: ReadReply): Reviewed {
  const drops = new Drops();
  drops.add("unreadable", reply.unreadable);
  drops.add("unknown_value", reply.unknownValues);
  const gate = new QuoteGate(unit);
  const excerpts = unit.excerpts.map((excerpt) => new QuoteGate(excerpt));
  const findings: Finding[] = [];
  for (const issue of reply.issues) {
    const finding = gateIssue(unit, instructions, gate, issue, drops);
    if (finding) findings.push(finding);
  }
  const verdicts = reply.verdicts.flatMap((verdict): Verdict[] => {
    const checked = gateVerdict(unit, instructions, [gate, ...excerpts], verdict);
    if (typeof checked === "string") drops.add(checked);
    return typeof checked === "string" ? [] : [checked];
  });
  return {
    status: "reviewed",
    findings: capped(merged(findings, drops), drops),
    verdicts: [...new Map(verdicts.reverse().map((verdict) => [verdict.fingerprint, verdict])).values()].reverse(),
    dropped: drops.counts(),
  };
}

function gateIssue(
  unit: ReviewUnit,
  instructions: ReviewInstructions,
  gate: QuoteGate,
  issue: ReadIssue,
  drops: Drops,
): Finding | null {
  if (issue.statedPath !== null && !isPathOf(unit, issue.statedPath)) return drops.one("unknown_file");
  const security = issue.type === "security" || issue.vulnerability_type !== "other";
  const place = gate.find(issue.code_snippet, issue.line, issue.column, security);
  if (typeof place === "string") return drops.one(place);
  if (place.relocated) drops.add("relocated");
  if (namesAdvisory(issue)) drops.add("advisory_id");
  if (!isInLanguage(writtenText(issue), instructions.outputLanguage)) drops.add("wrong_language");
  return modelFinding(unit, instructions, gate.lines, issue, place);
}

/** What decides about a finding may stand anywhere in the unit or its excerpts, several times even. A comment that says "this is safe" decides nothing. */
function gateVerdict(
  unit: ReviewUnit,
  { outputLanguage }: ReviewInstructions,
  gates: readonly QuoteGate[],
  { finding, verdict, quote, reason }: ReplyVerdict,
): Verdict | string {
  const number = /^F?(\d{1,3})$/i.exec(finding.trim())?.[1];
  const asked = number === undefined ? undefined : unit.findings.slice(0, askedFindingsMax)[Number(number) - 1];
  if (!asked) return "verdict_unknown_finding";
  const problems = gates.map((gate) => gate.occurrences(quote, true)).filter((found) => typeof found === "string");
  if (problems.length === gates.length) return `verdict_${problems.find(isComment) ?? problems[0]}`;
  const words = isInLanguage(reason, outputLanguage) ? cleanText(reason).slice(0, reasonMax) : "";
  return { fingerprint: asked.fingerprint, verdict, reason: words };
}

const isComment = (problem: QuoteProblem): boolean => problem === "quote_is_comment";

/** Nobody asks for a path, but who names another file speaks about that one. */
function isPathOf(unit: ReviewUnit, stated: string): boolean {
  const path = stated
    .trim()
    .replaceAll("\\", "/")
    .replace(/^(\.?\/)+/, "");
  const own = visible(unit.path);
  return own === path || own.endsWith(`/${path}`);
}

/** One finding per class and line: the worst severity leads, then what was said first. */
function merged(findings: readonly Finding[], drops: Drops): Finding[] {
  const best = new Map<string, Finding>();
  for (const finding of findings) {
    const key = `${finding.family}\0${finding.startLine}`;
    const known = best.get(key);
    if (known) drops.add("duplicate");
    if (!known || rank(finding) < rank(known)) best.set(key, finding);
  }
  return [...best.values()];
}

const rank = (finding: Finding) => severities.indexOf(finding.severity);

function capped(findings: Finding[], drops: Drops): Finding[] {
  const sorted = findings.sort(
    (a, b) => rank(a) - rank(b) || a.startLine - b.startLine || a.startColumn - b.startColumn,
  );
  drops.add("over_limit", Math.max(0, sorted.length - findingsMax));
  return sorted.slice(0, findingsMax);
}

/** Counts what was left out or changed, by reason. */
class Drops {
  readonly #counts = new Map<string, number>();

  add(reason: string, count = 1): void {
    if (count > 0) this.#counts.set(reason, (this.#counts.get(reason) ?? 0) + count);
  }

  one(reason: string): null {
    this.add(reason);
    return null;
  }

  counts(): Record<string, number> {
    return Object.fromEntries([...this.#counts].sort(([a], [b]) => byCodeUnits(a, b)));
  }
}
