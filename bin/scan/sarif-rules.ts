import { type Severity, severities } from "../../functions/issues/issue.ts";
import { text as markdownText } from "./markdown.ts";
import { cweNames, titleOf } from "./result.ts";
import type { Issue } from "./views.ts";

/** Code-scanning hosts read CVSS-like scores: critical from 9.0, high from 7.0, medium from 4.0. These lie in the middle of each band. */
const securitySeverity: Readonly<Record<Severity, string>> = {
  critical: "9.5",
  high: "8.0",
  medium: "5.5",
  low: "2.5",
};

/** What a host shows a finding of this severity as. */
export const levels: Readonly<Record<Severity, "error" | "warning" | "note">> = {
  critical: "error",
  high: "error",
  medium: "warning",
  low: "note",
};

/** The rules that found something, described from what they found; in the order of their ids. */
export function rulesOf(issues: readonly Issue[]) {
  const byRule = Map.groupBy(issues, (issue) => issue.rule_id);
  return [...byRule.keys()].sort().map((id) => ruleOf(id, byRule.get(id) as Issue[]));
}

/** `found` is sorted, so the texts come from the same issue each time. */
function ruleOf(id: string, found: readonly Issue[]) {
  const first = found[0] as Issue;
  const severity = severities.find((rank) => found.some((issue) => issue.severity === rank)) as Severity;
  const title = titleOf(first);
  const classes = [cweNames(first), ...(first.owasp_2021 ? [`OWASP ${first.owasp_2021}:2021`] : [])]
    .filter(Boolean)
    .join(", ");
  const fix = first.suggestion ?? title;
  return {
    id,
    name: pascalCase(id),
    shortDescription: { text: title },
    fullDescription: { text: classes === "" ? title : `${title} (${classes})` },
    help: { text: fix, markdown: helpMarkdown(fix, first.cwe) },
    defaultConfiguration: { level: levels[severity] },
    properties: {
      tags: tagsOf(first),
      precision: precisionOf(Math.min(...found.map((issue) => issue.confidence))),
      // Only security rules have one: hosts take its presence for the mark of a security alert.
      ...(first.issue_type === "security" ? { "security-severity": securitySeverity[severity] } : {}),
    },
  };
}

function helpMarkdown(fix: string, cwe: readonly number[]): string {
  const links = cwe.map((number) => `[CWE-${number}](https://cwe.mitre.org/data/definitions/${number}.html)`);
  return [markdownText(fix), ...(links.length > 0 ? [links.join(", ")] : [])].join("\n\n");
}

function tagsOf(issue: Issue): string[] {
  const owasp = [
    [2021, issue.owasp_2021],
    [2025, issue.owasp_2025],
  ] as const;
  return [
    issue.issue_type,
    ...issue.cwe.map((number) => `external/cwe/cwe-${number}`),
    ...owasp.flatMap(([year, category]) =>
      category ? [`external/owasp/owasp-${category.toLowerCase()}-${year}`] : [],
    ),
  ];
}

/** The classes of CodeQL, which hosts sort by; a rule promises what its weakest result holds. */
const precisionOf = (confidence: number): string =>
  confidence >= 0.9 ? "very-high" : confidence >= 0.7 ? "high" : confidence >= 0.5 ? "medium" : "low";

/** `javascript.sql-injection` is `JavascriptSqlInjection`; SARIF wants a name that reads as an identifier. */
const pascalCase = (id: string): string =>
  id
    .split(/[^\p{L}\p{N}]+/u)
    .filter(Boolean)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join("") || "Rule";
