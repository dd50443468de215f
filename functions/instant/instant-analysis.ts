import * as z from "zod";
import { type Finding, type IssueType, severities } from "../engine/finding.ts";
import { AnalysisResult, analysisResult } from "../issues/analysis-result.ts";
import type { Language } from "../platform/language.ts";
import { instantWarning } from "./instant-warnings.ts";

export const InstantMode = z.enum(["rules", "rules_and_model"]);
export type InstantMode = z.infer<typeof InstantMode>;

/** What the reader must know about a result: a stable code, and what it means in the language of the result. */
export const InstantWarning = z.object({ code: z.string(), message: z.string() });
export type InstantWarning = z.infer<typeof InstantWarning>;

/** The result of an instant analysis, as it is answered and, its longest lists cut, kept. */
export const InstantResult = AnalysisResult.extend({
  metrics: z.object({
    complexity: z.number(),
    maintainability: z.number(),
    security: z.number(),
    performance: z.number(),
  }),
  mode: InstantMode,
  warnings: z.array(InstantWarning),
});
export type InstantResult = z.infer<typeof InstantResult>;

/** One entry of a user's history. The code is not kept, only what the issues quote of it. */
export const InstantAnalysis = z.object({
  id: z.uuid(),
  ownerId: z.uuid(),
  language: z.string(),
  mode: InstantMode,
  issuesCount: z.number().int(),
  qualityScore: z.number(),
  /** Seconds. */
  analysisTime: z.number(),
  /** An InstantResult in JSON. */
  result: z.string(),
  createdAt: z.iso.datetime(),
});
export type InstantAnalysis = z.infer<typeof InstantAnalysis>;

export const InstantAnalysisView = z.object({
  id: z.string(),
  user_id: z.string(),
  language: z.string(),
  issues_count: z.number(),
  quality_score: z.number(),
  analysis_time: z.number().meta({ description: "seconds" }),
  analysis_result: z.string().meta({ description: "JSON: what the analysis answered, cut to the worst issues" }),
  created_at: z.string(),
});

export const instantAnalysisView = (analysis: InstantAnalysis): z.input<typeof InstantAnalysisView> => ({
  id: analysis.id,
  user_id: analysis.ownerId,
  language: analysis.language,
  issues_count: analysis.issuesCount,
  quality_score: analysis.qualityScore,
  analysis_time: analysis.analysisTime,
  analysis_result: analysis.result,
  created_at: analysis.createdAt,
});

/** What was found in a piece of code, and how. */
export interface Analysed {
  readonly findings: readonly Finding[];
  /** False when neither rules nor model could look at it. */
  readonly looked: boolean;
  readonly mode: InstantMode;
  readonly warnings: readonly InstantWarning[];
}

/**
 * The result, worst issues first. Each metric is the score that the code would have if it had issues of some types only, so all numbers
 * follow from the issues listed: security from those of security, performance from those of performance, maintainability from those of
 * maintainability and style, complexity, which is how hard the code is to get right, from bugs and those of maintainability.
 */
export function instantResult({ findings, looked, mode, warnings }: Analysed, language: Language): InstantResult {
  const worstFirst = findings.toSorted((a, b) => severities.indexOf(a.severity) - severities.indexOf(b.severity));
  const score = (of: readonly Finding[]) => (looked ? analysisResult(of, language).quality_score : 0);
  const scoreOf = (...types: IssueType[]) => score(findings.filter(({ issueType }) => types.includes(issueType)));
  return {
    ...analysisResult(worstFirst, language),
    // Code that nobody could look at has no score to be proud of.
    quality_score: score(findings),
    metrics: {
      complexity: scoreOf("bug", "maintainability"),
      maintainability: scoreOf("maintainability", "style"),
      security: scoreOf("security"),
      performance: scoreOf("performance"),
    },
    mode,
    warnings: [...warnings],
  };
}

/** The worst issues that fit into so many bytes of JSON, and a warning that there are more; counts and scores stay those of all. */
export function shortened(result: InstantResult, bytesMax: number, language: Language): InstantResult {
  let bytes = Buffer.byteLength(JSON.stringify({ ...result, issues: [] }));
  const end = result.issues.findIndex((issue) => {
    bytes += Buffer.byteLength(JSON.stringify(issue)) + 1;
    return bytes > bytesMax;
  });
  if (end < 0) return result;
  const warnings = [...result.warnings, instantWarning("issues_omitted", language, end)];
  return { ...result, issues: result.issues.slice(0, end), warnings };
}
