import * as z from "zod";
import { isRuleFile } from "../engine/match/rule-file.ts";
import { says } from "../platform/contract.ts";
import { SluiceError } from "../platform/errors.ts";
import { sortOrderMax } from "../platform/system-records.ts";
import { type AuditRule, RuleCategory, RuleSeverity } from "./audit-rule.ts";
import { checkPattern, refusalOf } from "./rule-pattern.ts";

/** A set that nobody can read through any more helps no model either. */
export const rulesPerSetMax = 500;
/** The texts of all rules of a set go into each call to a model: this is about what the smaller ones can still take in beside the code. */
export const charactersPerSetMax = 200_000;

/**
 * Every function that looks at code of a scan compiles the patterns of its set. Ordinary ones take microseconds a character; the worst,
 * wide ranges without regard to case, half a millisecond.
 */
export const patternCharactersPerSetMax = 10_000;

/** Rules in YAML are not sent to models; this is what an answer of the API can carry several of. */
export const ruleFileCharactersPerSetMax = 1_000_000;
const ruleFileCharactersMax = 50_000;
const regexCharactersMax = 1_000;

const text = (max: number) => z.string().max(max).nullish();

const fields = {
  rule_code: z.string().trim().min(1).max(50),
  name: z.string().trim().min(1).max(200),
  category: RuleCategory,
  severity: RuleSeverity,
  description: text(2000),
  custom_prompt: text(4000),
  fix_suggestion: text(4000),
  /** Front ends make links of it, so nothing that a browser would run. */
  reference_url: text(500).refine((url) => /^https?:$/.test(URL.parse(url ?? "")?.protocol ?? "https:"), {
    ...says("应为以 http:// 或 https:// 开头的地址", "expected an address that begins with http:// or https://"),
  }),
  pattern: text(ruleFileCharactersMax)
    .refine((pattern) => !pattern || pattern.length <= regexCharactersMax || isRuleFile(pattern), {
      ...says(
        `正则表达式最多 ${regexCharactersMax} 个字符`,
        `a regular expression has at most ${regexCharactersMax} characters`,
      ),
    })
    .meta({
      description:
        "A regular expression in RE2 syntax (no look-around, no back-references) that is also searched for in each line of files of the set's language, or a rule in Semgrep's YAML that begins with `rules:`; both without a model",
    }),
  enabled: z.boolean(),
  sort_order: z.int().min(0).max(sortOrderMax),
};

/** What a caller says about a new rule. */
export const AuditRuleDraft = z.object({
  ...fields,
  severity: fields.severity.default("medium"),
  enabled: fields.enabled.default(true),
  sort_order: fields.sort_order.default(0),
});
export type AuditRuleDraft = z.output<typeof AuditRuleDraft>;

/** What a caller changes: what is not named stays as it is, null empties a text. */
export const AuditRulePatch = z.object(fields).partial();

/** @param draft with the refusal as the file says it that the rule comes from, if it was refused there */
export function newAuditRule(
  draft: AuditRuleDraft & { refusal?: string | null },
  id: string,
  ruleSetId: string,
  at: Date,
): AuditRule {
  return {
    id,
    ruleSetId,
    ruleCode: draft.rule_code,
    name: draft.name,
    description: draft.description ?? null,
    category: draft.category,
    severity: draft.severity,
    customPrompt: draft.custom_prompt ?? null,
    fixSuggestion: draft.fix_suggestion ?? null,
    referenceUrl: draft.reference_url ?? null,
    pattern: draft.pattern || null,
    refusal: draft.refusal ?? refusalOf(draft.pattern || null),
    english: null,
    enabled: draft.enabled,
    sortOrder: draft.sort_order,
    createdAt: at.toISOString(),
    updatedAt: null,
    version: 1,
  };
}

export function changedAuditRule(rule: AuditRule, patch: z.output<typeof AuditRulePatch>, at: Date): AuditRule {
  const kept = <T>(given: T | undefined, before: T): T => (given === undefined ? before : given);
  return {
    ...rule,
    ruleCode: patch.rule_code ?? rule.ruleCode,
    name: patch.name ?? rule.name,
    description: kept(patch.description, rule.description),
    category: patch.category ?? rule.category,
    severity: patch.severity ?? rule.severity,
    customPrompt: kept(patch.custom_prompt, rule.customPrompt),
    fixSuggestion: kept(patch.fix_suggestion, rule.fixSuggestion),
    referenceUrl: kept(patch.reference_url, rule.referenceUrl),
    pattern: kept(patch.pattern, rule.pattern) || null,
    refusal: patch.pattern === undefined ? rule.refusal : refusalOf(patch.pattern || null),
    enabled: patch.enabled ?? rule.enabled,
    sortOrder: patch.sort_order ?? rule.sortOrder,
    updatedAt: at.toISOString(),
    version: rule.version + 1,
  };
}

/**
 * Refuses what a set cannot hold: its rules as they would be, and among them those that are new or changed.
 * @throws SluiceError rule_limit_reached, rule_set_too_large, rule_pattern_*
 */
export function checkRules(rules: readonly AuditRule[], changed: readonly AuditRule[]): void {
  if (rules.length > rulesPerSetMax) throw new SluiceError("rule_limit_reached", { limit: rulesPerSetMax });
  const characters = rules.reduce((sum, rule) => sum + charactersOf(rule), 0);
  if (characters > charactersPerSetMax)
    throw new SluiceError("rule_set_too_large", { characters, limit: charactersPerSetMax });
  const files = rules.filter(({ pattern }) => pattern !== null && isRuleFile(pattern));
  requireTotal(
    rules.filter((rule) => !files.includes(rule)),
    patternCharactersPerSetMax,
  );
  requireTotal(files, ruleFileCharactersPerSetMax);
  for (const { pattern, ruleCode } of changed)
    if (pattern !== null && !isRuleFile(pattern)) checkPattern(pattern, ruleCode);
}

function requireTotal(rules: readonly AuditRule[], limit: number): void {
  const characters = rules.reduce((sum, { pattern }) => sum + (pattern?.length ?? 0), 0);
  if (characters > limit) throw new SluiceError("rule_pattern_total_too_long", { characters, limit });
}

/** What a model is sent of a rule, and its pattern where that is short. */
const charactersOf = ({ ruleCode, name, description, customPrompt, fixSuggestion, referenceUrl, pattern }: AuditRule) =>
  [
    ruleCode,
    name,
    description,
    customPrompt,
    fixSuggestion,
    referenceUrl,
    pattern && isRuleFile(pattern) ? "" : pattern,
  ].join("").length;
