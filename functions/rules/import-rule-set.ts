import { operation } from "../platform/operation.ts";
import { makeFailures, makeGrants, makeRuleSet } from "./make-rule-set.ts";
import { RuleSetView, ruleSetView } from "./rule-set.ts";
import { RuleSetDraft } from "./rule-set-draft.ts";

export const importRuleSet = operation(
  {
    method: "POST",
    path: "/rules/import",
    summary: "Make a rule set of one's own from an exported file",
    auth: "user",
    // A file without rules is no export.
    body: RuleSetDraft.extend({ rules: RuleSetDraft.shape.rules.unwrap() }),
    success: RuleSetView,
    failures: makeFailures,
    grants: makeGrants,
    idempotent: true,
  },
  async ({ body, caller, now }) => ruleSetView(await makeRuleSet(body, caller.id, now())),
);
