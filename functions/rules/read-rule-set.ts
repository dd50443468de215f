import * as z from "zod";
import { Id } from "../platform/contract.ts";
import { operation } from "../platform/operation.ts";
import { RuleSetView, ruleSetView } from "./rule-set.ts";
import { visibleRuleSet } from "./rule-set-store.ts";

export const readRuleSet = operation(
  {
    method: "GET",
    path: "/rules/{id}",
    summary: "Read a rule set of the system or of one's own, with its rules",
    auth: "user",
    params: z.object({ id: Id }),
    success: RuleSetView,
    failures: ["rule_set_not_found"],
    grants: { reads: ["ruleSet", "override"] },
  },
  async ({ params, caller }) => ruleSetView(await visibleRuleSet(caller.id, params.id)),
);
