import { operation } from "../platform/operation.ts";
import { makeFailures, makeGrants, makeRuleSet } from "./make-rule-set.ts";
import { RuleSetView, ruleSetView } from "./rule-set.ts";
import { RuleSetDraft } from "./rule-set-draft.ts";

export const createRuleSet = operation(
  {
    method: "POST",
    path: "/rules",
    summary: "Create a rule set that only its creator sees, with up to 500 rules of 200,000 characters in all",
    auth: "user",
    body: RuleSetDraft,
    success: RuleSetView,
    failures: makeFailures,
    grants: makeGrants,
    idempotent: true,
  },
  async ({ body, caller, now }) => ruleSetView(await makeRuleSet(body, caller.id, now())),
);
