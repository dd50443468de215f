import * as z from "zod";
import { Id } from "../platform/contract.ts";
import { operation } from "../platform/operation.ts";
import { changeRule, ruleOf } from "./rule-store.ts";

export const deleteRule = operation(
  {
    method: "DELETE",
    path: "/rules/{id}/rules/{rule_id}",
    summary: "Delete a rule of one's own rule set",
    auth: "user",
    params: z.object({ id: Id, rule_id: Id }),
    success: z.object({ message: z.string() }),
    failures: ["rule_set_not_found", "rule_not_found", "system_record_fixed", "stale_version"],
    grants: { reads: ["ruleSet", "override"], writes: ["ruleSet"] },
  },
  async ({ params, caller, language, now }) => {
    await changeRule(caller.id, params.id, now(), (set) => ({ before: ruleOf(set, params.rule_id), after: null }));
    return { message: language === "zh" ? "规则已删除" : "The rule is deleted" };
  },
);
