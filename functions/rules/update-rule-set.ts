import * as z from "zod";
import { Id } from "../platform/contract.ts";
import { SluiceError } from "../platform/errors.ts";
import { operation } from "../platform/operation.ts";
import { override } from "../platform/override-store.ts";
import { RuleSetView, ruleSetView } from "./rule-set.ts";
import { changedRuleSet, RuleSetPatch } from "./rule-set-draft.ts";
import { replaceRuleSet, visibleRuleSet } from "./rule-set-store.ts";

export const updateRuleSet = operation(
  {
    method: "PUT",
    path: "/rules/{id}",
    summary:
      "Change one's own rule set, or switch one of the system's on or off for oneself; what the body does not name stays as it is, rules too",
    auth: "user",
    params: z.object({ id: Id }),
    body: RuleSetPatch,
    success: RuleSetView,
    failures: ["rule_set_not_found", "system_record_fixed", "stale_version"],
    grants: { reads: ["ruleSet", "override"], writes: ["ruleSet", "override"], checks: ["user"] },
  },
  async ({ params, body, caller, now }) => {
    const set = await visibleRuleSet(caller.id, params.id);
    if (!set.isSystem) return ruleSetView(await replaceRuleSet(set, changedRuleSet(set, body), now()));
    // Front ends send the whole form back; of what the system ships only the switch can change.
    if (body.is_active === undefined) throw new SluiceError("system_record_fixed");
    await override(caller.id, set.id, body.is_active);
    return ruleSetView({ ...set, isActive: body.is_active });
  },
);
