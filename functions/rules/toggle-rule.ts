import * as z from "zod";
import { Id } from "../platform/contract.ts";
import { operation } from "../platform/operation.ts";
import { override } from "../platform/override-store.ts";
import { changedAuditRule } from "./rule-draft.ts";
import { visibleRuleSet } from "./rule-set-store.ts";
import { changeRule, ruleOf } from "./rule-store.ts";

export const toggleRule = operation(
  {
    method: "PUT",
    path: "/rules/{id}/rules/{rule_id}/toggle",
    summary: "Switch a rule on or off: of one's own set, or, for oneself alone, of a set of the system",
    auth: "user",
    params: z.object({ id: Id, rule_id: Id }),
    success: z.object({ enabled: z.boolean(), message: z.string() }),
    failures: ["rule_set_not_found", "rule_not_found", "stale_version"],
    grants: { reads: ["ruleSet", "override"], writes: ["ruleSet", "override"], checks: ["user"] },
  },
  async ({ params, caller, language, now }) => {
    const set = await visibleRuleSet(caller.id, params.id);
    const enabled = set.isSystem
      ? await toggleForCaller(caller.id, ruleOf(set, params.rule_id))
      : await toggleOwn(caller.id, params.id, params.rule_id, now());
    return { enabled, message: messages[language][enabled ? "on" : "off"] };
  },
);

const messages = {
  zh: { on: "规则已启用", off: "规则已停用" },
  en: { on: "The rule is on", off: "The rule is off" },
} as const;

async function toggleForCaller(callerId: string, rule: { id: string; enabled: boolean }): Promise<boolean> {
  await override(callerId, rule.id, !rule.enabled);
  return !rule.enabled;
}

async function toggleOwn(callerId: string, setId: string, ruleId: string, at: Date): Promise<boolean> {
  const { after } = await changeRule(callerId, setId, at, (set) => {
    const before = ruleOf(set, ruleId);
    return { before, after: changedAuditRule(before, { enabled: !before.enabled }, at) };
  });
  return after.enabled;
}
