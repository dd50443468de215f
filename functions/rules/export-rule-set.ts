import * as z from "zod";
import { contentDisposition } from "../platform/content-disposition.ts";
import { Id } from "../platform/contract.ts";
import { operation, Reply } from "../platform/operation.ts";
import { AuditRuleView } from "./audit-rule.ts";
import { RuleSetView, ruleSetView } from "./rule-set.ts";
import { visibleRuleSet } from "./rule-set-store.ts";

/** Without ids, owners and times: what makes the same set somewhere else. What a reader does not know, it may leave out. */
const RuleSetFile = RuleSetView.pick({
  name: true,
  description: true,
  language: true,
  rule_type: true,
  severity_weights: true,
}).extend({
  rules: z.array(
    AuditRuleView.omit({
      id: true,
      rule_set_id: true,
      english: true,
      refusal: true,
      created_at: true,
      updated_at: true,
    }),
  ),
  export_version: z.literal("1.0"),
});

export const exportRuleSet = operation(
  {
    method: "GET",
    path: "/rules/{id}/export",
    summary: "Download a rule set as a file that importRuleSet takes",
    auth: "user",
    params: z.object({ id: Id }),
    success: RuleSetFile,
    failures: ["rule_set_not_found"],
    grants: { reads: ["ruleSet", "override"] },
  },
  async ({ params, caller }) => {
    const set = await visibleRuleSet(caller.id, params.id);
    const file = { ...ruleSetView(set), export_version: "1.0" as const };
    return new Reply(file, { "Content-Disposition": contentDisposition(`${set.name}.json`, "rule-set.json") });
  },
);
