import * as z from "zod";
import { Id } from "../platform/contract.ts";
import { operation } from "../platform/operation.ts";
import * as sets from "./rule-set-store.ts";

export const deleteRuleSet = operation(
  {
    method: "DELETE",
    path: "/rules/{id}",
    summary: "Delete one's own rule set with its rules",
    auth: "user",
    params: z.object({ id: Id }),
    success: z.object({ message: z.string() }),
    failures: ["rule_set_not_found", "system_record_fixed"],
    grants: { reads: ["ruleSet", "override"], writes: ["ruleSet"] },
  },
  async ({ params, caller, language }) => {
    await sets.deleteRuleSet(await sets.ownRuleSet(caller.id, params.id));
    return { message: language === "zh" ? "规则集已删除" : "The rule set is deleted" };
  },
);
