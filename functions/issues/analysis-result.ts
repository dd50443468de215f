import * as z from "zod";
import type { Finding } from "../engine/finding.ts";
import type { Language } from "../platform/language.ts";
import { Severity } from "./issue.ts";
import { qualityPenalty } from "./quality-penalty.ts";

/** What the analysis of one piece of code answers with, in the form that front ends know from a model's own answers. */
export const AnalysisResult = z.object({
  issues: z.array(
    z.object({
      type: z.string(),
      severity: Severity,
      title: z.string(),
      description: z.string(),
      suggestion: z.string(),
      line: z.number(),
      column: z.number(),
      code_snippet: z.string(),
      ai_explanation: z.string().nullable(),
      xai: z.object({ what: z.string(), why: z.string(), how: z.string() }).nullable(),
      rule_id: z.string(),
    }),
  ),
  /** 100 minus what the issues take, at least 0, as for a file of a scan. */
  quality_score: z.number(),
  summary: z.object({
    total_issues: z.number(),
    critical_issues: z.number(),
    high_issues: z.number(),
    medium_issues: z.number(),
    low_issues: z.number(),
  }),
});
export type AnalysisResult = z.infer<typeof AnalysisResult>;

/** Nothing in it comes from anywhere but the findings: a model's own count or score would be an assertion. */
export function analysisResult(findings: readonly Finding[], language: Language): AnalysisResult {
  const issues = findings.map((finding) => issueOf(finding, language));
  const count = (severity: Severity) => issues.filter((issue) => issue.severity === severity).length;
  return {
    issues,
    quality_score: Math.max(0, 100 - issues.reduce((sum, { severity }) => sum + qualityPenalty[severity], 0)),
    summary: {
      total_issues: issues.length,
      critical_issues: count("critical"),
      high_issues: count("high"),
      medium_issues: count("medium"),
      low_issues: count("low"),
    },
  };
}

const issueOf = (finding: Finding, language: Language): AnalysisResult["issues"][number] => ({
  type: finding.issueType,
  severity: finding.severity === "info" ? "low" : finding.severity,
  title: finding.title[language],
  description: finding.message[language],
  suggestion: finding.fix[language],
  line: finding.startLine,
  column: finding.startColumn,
  code_snippet: finding.snippet,
  ai_explanation: finding.explanation && JSON.stringify(finding.explanation),
  xai: finding.explanation,
  rule_id: finding.ruleId,
});
