import { groups, isSecretField, said, saying, type UserConfig } from "../config/user-config.ts";
import type { InstantAnalysis } from "../instant/instant-analysis.ts";
import { type Issue, traceView } from "../issues/issue.ts";
import type { Project } from "../projects/project.ts";
import type { PromptTemplate } from "../prompts/prompt-template.ts";
import type { AuditRule } from "../rules/audit-rule.ts";
import type { RuleSet } from "../rules/rule-set.ts";
import type { Task } from "../scans/task.ts";
import type { AnalysisRow, IssueRow, ProjectRow, RuleSetRow, TaskRow, TemplateRow } from "./database-file.ts";

/**
 * Records as an export shows them. Other people are in none of them, and neither is what has a meaning here only: keys, versions, and the
 * rule set and template of a scan, which may be another member's.
 */
export const projectRow = (project: Project): ProjectRow => ({
  id: project.id,
  name: project.name,
  description: project.description,
  source_type: project.sourceType,
  repository_url: project.repositoryUrl,
  repository_type: project.repositoryType,
  default_branch: project.defaultBranch,
  programming_languages: project.programmingLanguages,
  budget_tokens: project.budgetTokens,
  budget_usd: project.budgetUsd,
  is_active: project.isActive,
  created_at: project.createdAt,
  updated_at: project.updatedAt,
});

export const taskRow = (task: Task): TaskRow => ({
  id: task.id,
  project_id: task.projectId,
  task_type: task.taskType,
  status: task.status,
  branch_name: task.config.branchName,
  exclude_patterns: task.config.excludePatterns,
  scan_config: {
    file_paths: task.config.filePaths,
    full_scan: task.config.fullScan,
    budget_tokens: task.config.budgetTokens,
    budget_usd: task.config.budgetUsd,
  },
  commit_sha: task.commit,
  total_files: task.totalFiles,
  scanned_files: task.scannedFiles,
  files_to_review: task.filesToReview,
  files_reviewed: task.filesReviewed,
  total_lines: task.totalLines,
  quality_score: task.qualityScore,
  model: task.model,
  warnings: task.warnings,
  failure: task.failure,
  started_at: task.startedAt,
  completed_at: task.completedAt,
  created_at: task.createdAt,
});

/** @param userId whose export it is */
export function issueRow(issue: Issue, userId: string): IssueRow {
  const known = (id: string | null) => (id === userId ? id : null);
  return {
    id: issue.id,
    task_id: issue.taskId,
    file_path: issue.path,
    line_number: issue.startLine,
    column_number: issue.startColumn,
    end_line: issue.endLine,
    end_column: issue.endColumn,
    issue_type: issue.issueType,
    severity: issue.severity,
    status: issue.status,
    title: issue.title.zh,
    message: issue.message.zh,
    description: issue.message.zh,
    suggestion: issue.fix.zh,
    texts: {
      zh: { title: issue.title.zh, message: issue.message.zh, fix: issue.fix.zh },
      en: { title: issue.title.en, message: issue.message.en, fix: issue.fix.en },
    },
    code_snippet: issue.snippet,
    explanation: issue.explanation,
    rule_id: issue.ruleId,
    vulnerability_type: issue.vulnerabilityType,
    confidence: issue.confidence,
    cwe: issue.cwe,
    owasp_2021: issue.owasp2021,
    owasp_2025: issue.owasp2025,
    symbol: issue.symbol,
    fingerprint: issue.fingerprint,
    moved_fingerprint: issue.movedFingerprint,
    suppression: issue.suppression,
    origins: issue.origins,
    adjudication: issue.adjudication,
    trace: traceView(issue.trace),
    history: issue.history.map(({ status, by, at, note, from }) => ({
      ...{ status, by: known(by), at, note },
      from: from && { task_id: from.taskId, issue_id: from.issueId },
    })),
    resolved_by: known(issue.resolvedBy),
    resolved_at: issue.resolvedAt,
    created_at: issue.createdAt,
    updated_at: issue.updatedAt,
  };
}

/** Without its result, which quotes code. */
export const analysisRow = (analysis: InstantAnalysis): AnalysisRow => ({
  id: analysis.id,
  language: analysis.language,
  mode: analysis.mode,
  issues_count: analysis.issuesCount,
  quality_score: analysis.qualityScore,
  analysis_time: analysis.analysisTime,
  created_at: analysis.createdAt,
});

export const templateRow = (template: PromptTemplate): TemplateRow => ({
  id: template.id,
  name: template.name,
  description: template.description,
  template_type: template.templateType,
  content_zh: template.content.zh,
  content_en: template.content.en,
  variables: template.variables,
  is_active: template.isActive,
  sort_order: template.sortOrder,
  created_at: template.createdAt,
  updated_at: template.updatedAt,
});

export const ruleSetRow = (set: RuleSet): RuleSetRow => ({
  id: set.id,
  name: set.name,
  description: set.description,
  language: set.language,
  rule_type: set.ruleType,
  severity_weights: set.severityWeights,
  is_active: set.isActive,
  sort_order: set.sortOrder,
  rules: set.rules.map(ruleRow),
  created_at: set.createdAt,
  updated_at: set.updatedAt,
});

const ruleRow = (rule: AuditRule): RuleSetRow["rules"] extends (infer Row)[] | undefined ? Row : never => ({
  rule_code: rule.ruleCode,
  name: rule.name,
  description: rule.description,
  category: rule.category,
  severity: rule.severity,
  custom_prompt: rule.customPrompt,
  fix_suggestion: rule.fixSuggestion,
  reference_url: rule.referenceUrl,
  pattern: rule.pattern,
  enabled: rule.enabled,
  sort_order: rule.sortOrder,
});

/** What the user has said, secrets aside: they leave in no form, not even encrypted. */
export function configRow(config: UserConfig | null): { llm_config: object; other_config: object } {
  const [llm_config, other_config] = groups.map((group) => {
    const values = Object.entries(said(config?.[group] ?? {}));
    return saying(Object.fromEntries(values.filter(([name]) => !isSecretField(name))));
  }) as [object, object];
  return { llm_config, other_config };
}
