import * as z from "zod";
import type { ReviewRule } from "../engine/review/review.ts";
import type { UserPattern } from "../engine/user-rules/user-pattern.ts";
import type { Language } from "../platform/language.ts";
import { type AuditRule, AuditRuleView, auditRuleView } from "./audit-rule.ts";

export const RuleType = z.enum(["security", "quality", "performance", "custom"]);

/** What is said of a set itself; its rules are records of their own. */
export const RuleSetHead = z.object({
  id: z.uuid(),
  /** Null when the system ships it. */
  ownerId: z.uuid().nullable(),
  isSystem: z.boolean(),
  name: z.string(),
  description: z.string().nullable(),
  /** The texts for readers of English, of what the system ships. */
  english: z.object({ name: z.string(), description: z.string() }).nullable().default(null),
  /** "all" or the name of one language: its rules' patterns run in files of that language. */
  language: z.string(),
  ruleType: RuleType,
  severityWeights: z.record(z.string(), z.number().int()),
  /** True for one set of the system; there is no way to make another one the default. */
  isDefault: z.boolean(),
  isActive: z.boolean(),
  sortOrder: z.number().int(),
  createdAt: z.iso.datetime(),
  updatedAt: z.iso.datetime().nullable(),
  /** Counts changes of the set and of its rules. */
  version: z.number().int(),
});
export type RuleSetHead = z.infer<typeof RuleSetHead>;

/** A set with its rules, in their order. */
export interface RuleSet extends RuleSetHead {
  readonly rules: readonly AuditRule[];
}

/** By `sortOrder`, and in the order of their making where that is the same: ids of one import grow. */
export const inOrder = (rules: readonly AuditRule[]): AuditRule[] =>
  rules.toSorted(
    (a, b) => a.sortOrder - b.sortOrder || a.createdAt.localeCompare(b.createdAt) || a.id.localeCompare(b.id),
  );

/** What a language model needs to know of the rules that are switched on, in its output language where the rule has both. */
export const reviewRules = ({ rules }: RuleSet, language: Language): ReviewRule[] =>
  rules
    .filter(({ enabled }) => enabled)
    .map((rule) => {
      const texts = (language === "en" && rule.english) || rule;
      return {
        code: rule.ruleCode,
        name: texts.name,
        description: texts.description,
        category: rule.category,
        severity: rule.severity,
        customPrompt: texts.customPrompt,
        fixSuggestion: texts.fixSuggestion,
      };
    });

/** What the engine searches for: the patterns of the rules that are switched on, in files of the set's language. */
export const userPatterns = ({ rules, language }: RuleSet): UserPattern[] =>
  rules.flatMap(({ enabled, ruleCode, name, description, category, severity, fixSuggestion, pattern, refusal }) =>
    enabled && pattern !== null && refusal === null
      ? [{ code: ruleCode, name, description, category, severity, fixSuggestion, language, pattern }]
      : [],
  );

export const RuleSetView = z.object({
  id: z.string(),
  name: z.string(),
  description: z.string().nullable(),
  /** Of the system's sets, for readers of English. */
  english: z.object({ name: z.string(), description: z.string() }).nullable(),
  language: z.string(),
  rule_type: RuleType,
  severity_weights: z.record(z.string(), z.number()),
  is_default: z.boolean(),
  is_system: z.boolean(),
  is_active: z.boolean(),
  sort_order: z.number(),
  created_by: z.string().nullable(),
  created_at: z.string(),
  updated_at: z.string().nullable(),
  rules: z.array(AuditRuleView),
  rules_count: z.number(),
  enabled_rules_count: z.number(),
});

export const ruleSetView = (set: RuleSet): z.input<typeof RuleSetView> => ({
  id: set.id,
  name: set.name,
  description: set.description,
  english: set.english,
  language: set.language,
  rule_type: set.ruleType,
  severity_weights: set.severityWeights,
  is_default: set.isDefault,
  is_system: set.isSystem,
  is_active: set.isActive,
  sort_order: set.sortOrder,
  created_by: set.ownerId,
  created_at: set.createdAt,
  updated_at: set.updatedAt,
  rules: set.rules.map(auditRuleView),
  rules_count: set.rules.length,
  enabled_rules_count: set.rules.filter(({ enabled }) => enabled).length,
});
