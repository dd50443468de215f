import * as z from "zod";
import { fitting } from "../platform/answer-size.ts";
import { page } from "../platform/contract.ts";
import { operation } from "../platform/operation.ts";
import { systemFirst } from "../platform/system-records.ts";
import { RuleSetView, RuleType, ruleSetView } from "./rule-set.ts";
import { visibleHeads, visibleRuleSets } from "./rule-set-store.ts";

export const listRuleSets = operation(
  {
    method: "GET",
    path: "/rules",
    summary:
      "List the system's and one's own rule sets with their rules; a page of very large ones ends before its limit, `total` counts all",
    auth: "user",
    query: page().extend({
      language: z.string().max(50).toLowerCase().optional(),
      rule_type: RuleType.optional(),
      is_active: z.stringbool().optional(),
    }),
    success: z.object({ items: z.array(RuleSetView), total: z.number() }),
    failures: [],
    grants: { reads: ["ruleSet", "override"], indexes: ["gsi1"] },
  },
  async ({ query, caller }) => {
    const heads = (await visibleHeads(caller.id))
      .filter(({ language }) => query.language === undefined || language === query.language)
      .filter(({ ruleType }) => query.rule_type === undefined || ruleType === query.rule_type)
      .filter(({ isActive }) => query.is_active === undefined || isActive === query.is_active)
      .toSorted(systemFirst(({ isDefault }) => isDefault));
    const sets = await visibleRuleSets(caller.id, heads.slice(query.skip, query.skip + query.limit));
    return { items: fitting(sets.map(ruleSetView)), total: heads.length };
  },
);
