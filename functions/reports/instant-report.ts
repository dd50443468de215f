import { type InstantAnalysis, InstantResult } from "../instant/instant-analysis.ts";
import { severities } from "../issues/issue.ts";
import type { Language } from "../platform/language.ts";
import { issuesListedMax, type Report, type ReportIssue, utc } from "./report.ts";
import { grouped, type Say, sayIn } from "./report-texts.ts";

/** The name that a browser saves the report of an instant analysis under. */
export const instantReportName = ({ id, language }: Pick<InstantAnalysis, "id" | "language">): string =>
  `instant-analysis-${language}-${id.slice(0, 8)}.pdf`;

/**
 * What the report of an instant analysis says. The findings are in the language that they were asked for in, the rest in that of who
 * reads; the number is the time of the analysis and not of the report, so that all reports of one analysis have the same.
 */
export function instantReport(analysis: InstantAnalysis, language: Language, at: Date): Report {
  const say = sayIn(language);
  const result = InstantResult.parse(JSON.parse(analysis.result));
  const { summary } = result;
  const facts = {
    [say("analysis")]: analysis.id,
    [say("analysed_at")]: utc(analysis.createdAt),
    [say("method")]: say(analysis.mode === "rules" ? "by_rules" : "by_rules_and_model"),
  };
  return {
    language,
    header: say("header"),
    title: say("instant_title"),
    subtitle: analysis.language,
    number: `INST-${Math.floor(new Date(analysis.createdAt).getTime() / 1000)}`,
    generatedAt: at,
    facts: Object.entries(facts).map(([label, value]) => ({ label, value })),
    score: result.quality_score,
    tiles: [
      { label: say("issues"), value: grouped(summary.total_issues) },
      { label: say("time_taken"), value: say("seconds", { seconds: analysis.analysisTime.toFixed(1) }) },
    ],
    severities: {
      columns: [say("total")],
      rows: severities.map((severity) => ({ severity, counts: [summary[`${severity}_issues`]] })),
    },
    // That the history keeps the worst issues only is one reason of several to leave some out; the report counts them itself.
    notices: result.warnings.filter(({ code }) => code !== "issues_omitted").map(({ message }) => message),
    issues: result.issues
      .toSorted((a, b) => severities.indexOf(a.severity) - severities.indexOf(b.severity) || a.line - b.line)
      .slice(0, issuesListedMax)
      .map((issue) => reportIssue(issue, say)),
    issuesTotal: summary.total_issues,
    empty: say("no_issues_in_code"),
  };
}

const reportIssue = (issue: InstantResult["issues"][number], say: Say): ReportIssue => ({
  severity: issue.severity,
  title: issue.title,
  place: say("place_line", { line: String(issue.line) }),
  classes: [issue.rule_id],
  tags: [],
  remarks: [],
  description: issue.description,
  snippet: issue.code_snippet,
  line: issue.line,
  suggestion: issue.suggestion,
});
