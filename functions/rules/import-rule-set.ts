import * as z from "zod";
import { says } from "../platform/contract.ts";
import { operation } from "../platform/operation.ts";
import { makeFailures, makeGrants, makeRuleSet } from "./make-rule-set.ts";
import { RuleFileText, ruleFileDrafts } from "./rule-file-drafts.ts";
import { RuleSetView, ruleSetView } from "./rule-set.ts";
import { RuleSetDraft } from "./rule-set-draft.ts";

export const importRuleSet = operation(
  {
    method: "POST",
    path: "/rules/import",
    summary: "Make a rule set of one's own from an exported file, or from rule files in Semgrep's YAML",
    auth: "user",
    // A file without rules is no export.
    body: RuleSetDraft.extend({
      rules: RuleSetDraft.shape.rules.unwrap().optional(),
      rule_files: z.array(RuleFileText).max(200).optional(),
    }).refine(({ rules, rule_files }) => rules !== undefined || rule_files !== undefined, {
      path: ["rules"],
      ...says("需要 rules 或 rule_files", "expected rules or rule_files"),
    }),
    success: RuleSetView,
    failures: makeFailures,
    grants: makeGrants,
    idempotent: true,
  },
  async ({ body, caller, now }) => {
    const rules = [...(body.rules ?? []), ...ruleFileDrafts(body.rule_files ?? [])];
    return ruleSetView(await makeRuleSet({ ...body, rules }, caller.id, now()));
  },
);
