import * as z from "zod";
import { Id } from "../platform/contract.ts";
import { codesOf } from "../platform/errors.ts";
import { operation } from "../platform/operation.ts";
import { AuditRuleView, auditRuleView } from "./audit-rule.ts";
import { AuditRulePatch, changedAuditRule, checkRules } from "./rule-draft.ts";
import { changeRule, ruleOf } from "./rule-store.ts";

export const updateRule = operation(
  {
    method: "PUT",
    path: "/rules/{id}/rules/{rule_id}",
    summary: "Change a rule of one's own rule set; what the body does not name stays as it is",
    auth: "user",
    params: z.object({ id: Id, rule_id: Id }),
    body: AuditRulePatch,
    success: AuditRuleView,
    failures: [
      "rule_set_not_found",
      "rule_not_found",
      "system_record_fixed",
      "rule_limit_reached",
      "rule_set_too_large",
      "stale_version",
      ...codesOf("rule_pattern"),
    ],
    grants: { reads: ["ruleSet", "override"], writes: ["ruleSet"] },
  },
  async ({ params, body, caller, now }) => {
    const at = now();
    const { after } = await changeRule(caller.id, params.id, at, (set) => {
      const before = ruleOf(set, params.rule_id);
      const after = changedAuditRule(before, body, at);
      checkRules(
        set.rules.map((rule) => (rule === before ? after : rule)),
        [after],
      );
      return { before, after };
    });
    return auditRuleView(after);
  },
);
