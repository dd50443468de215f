import * as z from "zod";
import { issueTypes } from "../engine/finding.ts";

export const RuleCategory = z.enum(issueTypes);
export const RuleSeverity = z.enum(["critical", "high", "medium", "low"]);

/** One thing to look for. The texts go to the language model; a pattern also runs in the engine. */
export const AuditRule = z.object({
  id: z.uuid(),
  ruleSetId: z.uuid(),
  ruleCode: z.string(),
  name: z.string(),
  description: z.string().nullable(),
  category: RuleCategory,
  severity: RuleSeverity,
  customPrompt: z.string().nullable(),
  fixSuggestion: z.string().nullable(),
  referenceUrl: z.string().nullable(),
  /** In RE2's syntax, checked when it was written, or one rule in Semgrep's YAML. Rules of before there were patterns have none. */
  pattern: z.string().nullable().default(null),
  /** Why the engine does not run the pattern, with key and line; only of rules in YAML. */
  refusal: z.string().nullable().default(null),
  /** The texts for readers of English, of what the system ships. */
  english: z
    .object({ name: z.string(), description: z.string(), customPrompt: z.string(), fixSuggestion: z.string() })
    .nullable()
    .default(null),
  enabled: z.boolean(),
  sortOrder: z.number().int(),
  createdAt: z.iso.datetime(),
  updatedAt: z.iso.datetime().nullable(),
  version: z.number().int(),
});
export type AuditRule = z.infer<typeof AuditRule>;

export const AuditRuleView = z.object({
  id: z.string(),
  rule_set_id: z.string(),
  rule_code: z.string(),
  name: z.string(),
  description: z.string().nullable(),
  category: RuleCategory,
  severity: RuleSeverity,
  custom_prompt: z.string().nullable(),
  fix_suggestion: z.string().nullable(),
  reference_url: z.string().nullable(),
  pattern: z.string().nullable(),
  /** Why the engine does not run the pattern; null when it does. */
  refusal: z.string().nullable(),
  /** Of the system's rules, for readers of English. */
  english: z
    .object({ name: z.string(), description: z.string(), custom_prompt: z.string(), fix_suggestion: z.string() })
    .nullable(),
  enabled: z.boolean(),
  sort_order: z.number(),
  created_at: z.string(),
  updated_at: z.string().nullable(),
});

export const auditRuleView = (rule: AuditRule): z.input<typeof AuditRuleView> => ({
  id: rule.id,
  rule_set_id: rule.ruleSetId,
  rule_code: rule.ruleCode,
  name: rule.name,
  description: rule.description,
  category: rule.category,
  severity: rule.severity,
  custom_prompt: rule.customPrompt,
  fix_suggestion: rule.fixSuggestion,
  reference_url: rule.referenceUrl,
  pattern: rule.pattern,
  refusal: rule.refusal,
  english: rule.english && {
    name: rule.english.name,
    description: rule.english.description,
    custom_prompt: rule.english.customPrompt,
    fix_suggestion: rule.english.fixSuggestion,
  },
  enabled: rule.enabled,
  sort_order: rule.sortOrder,
  created_at: rule.createdAt,
  updated_at: rule.updatedAt,
});
