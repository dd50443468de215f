import * as z from "zod";
import { says } from "../platform/contract.ts";
import { sortOrderMax } from "../platform/system-records.ts";
import type { AuditRule } from "./audit-rule.ts";
import { AuditRuleDraft, rulesPerSetMax } from "./rule-draft.ts";
import { inOrder, type RuleSet, RuleType } from "./rule-set.ts";

/** Whoever needs more cannot find them in a list any more. */
export const ruleSetsPerUserMax = 100;

const fields = {
  name: z.string().trim().min(1).max(100),
  description: z.string().max(2000).nullish(),
  language: z
    .string()
    .trim()
    .toLowerCase()
    .regex(/^[a-z0-9+#.-]{1,50}$/),
  rule_type: RuleType,
  severity_weights: z
    .record(z.string().min(1).max(50), z.int().min(0).max(1000))
    .refine((weights) => Object.keys(weights).length <= 20, { ...says("最多 20 个权重", "at most 20 weights") }),
  is_active: z.boolean(),
  sort_order: z.int().min(0).max(sortOrderMax),
};

/** What a caller says about a new set, also when it comes from a file: what an export has besides is not looked at. */
export const RuleSetDraft = z.object({
  ...fields,
  language: fields.language.default("all"),
  rule_type: fields.rule_type.default("custom"),
  severity_weights: fields.severity_weights
    .nullish()
    .transform((weights) => weights ?? { critical: 10, high: 5, medium: 2, low: 1 }),
  is_active: fields.is_active.default(true),
  sort_order: fields.sort_order.default(0),
  rules: z.array(AuditRuleDraft).max(rulesPerSetMax).default([]),
});
export type RuleSetDraft = z.output<typeof RuleSetDraft>;

/** What a caller changes of a set: what is not named stays as it is, null empties the description. */
export const RuleSetPatch = z.object(fields).partial();

export const newRuleSet = (
  draft: Omit<RuleSetDraft, "rules">,
  rules: readonly AuditRule[],
  id: string,
  ownerId: string,
  at: Date,
): RuleSet => ({
  id,
  ownerId,
  isSystem: false,
  name: draft.name,
  description: draft.description ?? null,
  english: null,
  language: draft.language,
  ruleType: draft.rule_type,
  severityWeights: draft.severity_weights,
  isDefault: false,
  isActive: draft.is_active,
  sortOrder: draft.sort_order,
  createdAt: at.toISOString(),
  updatedAt: null,
  version: 1,
  rules: inOrder(rules),
});

export const changedRuleSet = (set: RuleSet, patch: z.output<typeof RuleSetPatch>): RuleSet => ({
  ...set,
  name: patch.name ?? set.name,
  description: patch.description === undefined ? set.description : patch.description,
  language: patch.language ?? set.language,
  ruleType: patch.rule_type ?? set.ruleType,
  severityWeights: patch.severity_weights ?? set.severityWeights,
  isActive: patch.is_active ?? set.isActive,
  sortOrder: patch.sort_order ?? set.sortOrder,
});
