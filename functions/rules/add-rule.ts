import { v7 as uuid } from "uuid";
import * as z from "zod";
import { Id } from "../platform/contract.ts";
import { codesOf } from "../platform/errors.ts";
import { operation } from "../platform/operation.ts";
import { AuditRuleView, auditRuleView } from "./audit-rule.ts";
import { AuditRuleDraft, checkRules, newAuditRule } from "./rule-draft.ts";
import { changeRule } from "./rule-store.ts";

export const addRule = operation(
  {
    method: "POST",
    path: "/rules/{id}/rules",
    summary: "Add a rule to one's own rule set, of 500 rules and 200,000 characters at most",
    auth: "user",
    params: z.object({ id: Id }),
    body: AuditRuleDraft,
    success: AuditRuleView,
    failures: [
      "rule_set_not_found",
      "system_record_fixed",
      "rule_limit_reached",
      "rule_set_too_large",
      "stale_version",
      ...codesOf("rule_pattern"),
    ],
    grants: { reads: ["ruleSet", "override"], writes: ["ruleSet"] },
    idempotent: true,
  },
  async ({ params, body, caller, now }) => {
    const at = now();
    const rule = newAuditRule(body, uuid(), params.id, at);
    await changeRule(caller.id, params.id, at, ({ rules }) => {
      checkRules([...rules, rule], [rule]);
      return { before: null, after: rule };
    });
    return auditRuleView(rule);
  },
);
