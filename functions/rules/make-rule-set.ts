import { v7 as uuid } from "uuid";
import type { Grants } from "../platform/contract.ts";
import { codesOf, type ErrorCode, SluiceError } from "../platform/errors.ts";
import { checkRules, newAuditRule } from "./rule-draft.ts";
import type { RuleSet } from "./rule-set.ts";
import { newRuleSet, type RuleSetDraft, ruleSetsPerUserMax } from "./rule-set-draft.ts";
import { createRuleSet, headsOf } from "./rule-set-store.ts";

/** What making a set can refuse, whether a form or a file describes it. */
export const makeFailures: readonly ErrorCode[] = [
  "rule_set_limit_reached",
  "rule_set_too_large",
  "rule_limit_reached",
  ...codesOf("rule_pattern"),
];

/** What making a set touches. */
export const makeGrants = {
  writes: ["ruleSet"],
  checks: ["user"],
  indexes: ["gsi1"],
} as const satisfies Grants;

/** Makes a set with all its rules, or nothing. @throws SluiceError one of `makeFailures` */
export async function makeRuleSet(draft: RuleSetDraft, ownerId: string, at: Date): Promise<RuleSet> {
  const id = uuid();
  const rules = draft.rules.map((rule) => newAuditRule(rule, uuid(), id, at));
  checkRules(rules, rules);
  // Two at once may both pass. The limit keeps the list readable and guards nothing else.
  if ((await headsOf(ownerId)).length >= ruleSetsPerUserMax)
    throw new SluiceError("rule_set_limit_reached", { limit: ruleSetsPerUserMax });
  const set = newRuleSet(draft, rules, id, ownerId, at);
  await createRuleSet(set);
  return set;
}
