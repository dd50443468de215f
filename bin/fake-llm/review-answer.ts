import { type LinePattern, linePatterns, nestedLoops, scriptedIssue } from "./line-patterns.ts";
import type { ShownCode, ShownLine } from "./shown-code.ts";

export interface AnsweredIssue {
  type: string;
  severity: string;
  title: string;
  description: string;
  suggestion: string;
  line: number;
  column: number;
  code_snippet: string;
  vulnerability_type: string;
  cwe: number | null;
  rule_code: string | null;
  xai: { what: string; why: string; how: string };
}

export interface AnsweredVerdict {
  finding: string;
  verdict: string;
  quote: string;
  reason: string;
}

/** The answer that a review asks for. */
export interface ReviewAnswer {
  issues: AnsweredIssue[];
  verdicts: AnsweredVerdict[];
  quality_score: number;
  summary: Record<string, number>;
  metrics: Record<string, number>;
}

/** So many issues fit into the 4,096 tokens that a user's configuration allows by default. */
const issuesMax = 12;
/** Further into a line nothing is looked for: minified code would cost more than all the rest. */
const searchedMax = 1_000;
/** A quote must say something: the review takes none with fewer characters than this, white space apart. */
const quoteMin = 8;

const weights: Readonly<Record<string, number>> = { critical: 10, high: 5, medium: 2, low: 1 };

/** The perfect answer: every quote is in the code, every line is right, every rule finding has a verdict. */
export function reviewAnswer(shown: ShownCode): ReviewAnswer {
  return answerWith(issuesOf(shown), shown.findings.length === 0 ? [] : verdictsOf(shown));
}

/** Completes issues and verdicts with the figures that follow from them. */
export function answerWith(issues: AnsweredIssue[], verdicts: AnsweredVerdict[]): ReviewAnswer {
  const loss = issues.reduce((sum, { severity }) => sum + (weights[severity] ?? 0), 0);
  const score = (of: number) => Math.max(0, 100 - of);
  const count = (severity: string) => issues.filter((issue) => issue.severity === severity).length;
  return {
    issues,
    verdicts,
    quality_score: score(loss),
    summary: {
      total_issues: issues.length,
      critical_issues: count("critical"),
      high_issues: count("high"),
      medium_issues: count("medium"),
      low_issues: count("low"),
    },
    metrics: {
      complexity: score(2 * issues.filter(({ type }) => type === "maintainability").length),
      maintainability: score(issues.length),
      security: score(5 * issues.filter(({ type }) => type === "security").length),
      performance: score(2 * issues.filter(({ type }) => type === "performance").length),
    },
  };
}

function issuesOf({ lines, language }: ShownCode): AnsweredIssue[] {
  const issues: AnsweredIssue[] = [];
  let loop: { readonly number: number; readonly indent: number } | null = null;
  for (const [index, line] of lines.entries()) {
    if (issues.length === issuesMax) break;
    for (const { pattern, column } of noticed(line.text)) {
      const issue = issueAt(lines, index, column, pattern, language);
      if (issue !== null) issues.push(issue);
    }
    const indent = loopIndent(line.text);
    if (indent === null) continue;
    const nested = loop !== null && indent > loop.indent && line.number - loop.number <= 3;
    const issue = nested ? issueAt(lines, index, indent, nestedLoops, language) : null;
    if (issue !== null) issues.push(issue);
    loop = { number: line.number, indent };
  }
  return issues.slice(0, issuesMax);
}

/** One look that most lines fail, before each pattern has its own. */
const worthLooking =
  /eval|exec|os\.|innerHTML|select|insert|update|delete|passw|secret|api_?key|md5|pickle|TODO|FIXME|scripted-issue/i;
const comment = /^\s*(?:\/\/|#|\*|\/\*|--|<!--)/;
const marker = /scripted-issue: ?([^\r\n]{1,200})/;

function* noticed(whole: string): Generator<{ pattern: Omit<LinePattern, "matches">; column: number }> {
  const text = whole.length > searchedMax ? whole.slice(0, searchedMax) : whole;
  if (!worthLooking.test(text) && !text.includes("except")) return;
  const asked = marker.exec(text);
  if (asked)
    yield {
      pattern: scriptedIssue((asked[1] as string).replace(/\s*(?:\*\/|-->)\s*$/, "").trim()),
      column: asked.index,
    };
  const isComment = comment.test(text);
  for (const pattern of linePatterns) {
    if (isComment && !pattern.inComments) continue;
    const column = text.search(pattern.matches);
    if (column >= 0) yield { pattern, column };
  }
}

const loopStart = /^(\s*)(?:for|while)\b/;
const loopIndent = (text: string): number | null => loopStart.exec(text)?.[1]?.length ?? null;

function issueAt(
  lines: readonly ShownLine[],
  index: number,
  column: number,
  pattern: Omit<LinePattern, "matches">,
  language: "zh" | "en",
): AnsweredIssue | null {
  const quote = quoteAt(lines, index);
  if (quote === null) return null;
  const { title, what, why, how } = pattern.text[language];
  return {
    type: pattern.type,
    severity: pattern.severity,
    title,
    description: `${what}${language === "zh" ? "" : " "}${why}`,
    suggestion: how,
    line: (lines[index] as ShownLine).number,
    column: column + 1,
    code_snippet: quote,
    vulnerability_type: pattern.vulnerability,
    cwe: pattern.cwe,
    rule_code: null,
    xai: { what, why, how },
  };
}

/** The line without its indentation; a short one together with the next, so that the quote says something. Null when that fails. */
function quoteAt(lines: readonly ShownLine[], index: number): string | null {
  const { number, text } = lines[index] as ShownLine;
  const next = lines[index + 1];
  const alone = text.trim().slice(0, searchedMax);
  if (says(alone)) return alone;
  const both = next?.number === number + 1 ? `${alone}\n${next.text.slice(0, searchedMax).trimEnd()}` : alone;
  return says(both) ? both : null;
}

const says = (quote: string): boolean => quote.replace(/\s/g, "").length >= quoteMin;

function verdictsOf({ lines, findings, excerpts, language }: ShownCode): AnsweredVerdict[] {
  const elsewhere = excerpts.find(({ text }) => text.includes("scripted-refute"));
  const places = new Map(lines.map(({ number }, index) => [number, index]));
  return findings.map(({ id, line }) => {
    const index = places.get(line);
    if (index === undefined) {
      return { finding: id, verdict: "unsure", quote: "", reason: reasons[language].unsure };
    }
    const text = (lines[index] as ShownLine).text;
    if (elsewhere) {
      return { finding: id, verdict: "refuted", quote: elsewhere.text.trim(), reason: reasons[language].refuted };
    }
    const verdict = text.includes("scripted-refute") ? "refuted" : "confirmed";
    return { finding: id, verdict, quote: quoteAt(lines, index) ?? text.trim(), reason: reasons[language][verdict] };
  });
}

const reasons = {
  en: {
    confirmed: "The line does what the rule says.",
    refuted: "The value cannot come from outside.",
    unsure: "The line is not among those shown.",
  },
  zh: { confirmed: "该行的行为与规则所述一致。", refuted: "该值不可能来自外部。", unsure: "所示代码不含该行。" },
} as const;
