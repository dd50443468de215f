import { setTimeout } from "node:timers/promises";
import { TransactWriteCommand } from "@aws-sdk/lib-dynamodb";
import { environment } from "../platform/environment.ts";
import { isSluiceError, SluiceError } from "../platform/errors.ts";
import { failedConditions, keys, sendUntilNoConflict } from "../platform/table.ts";
import type { AuditRule } from "./audit-rule.ts";
import type { RuleSet } from "./rule-set.ts";
import { ownRuleSet, ruleItem, ruleKey, unchanged } from "./rule-set-store.ts";

/** What becomes of one rule: null before is a new one, null after a deleted one. */
export interface RuleChange<Before = AuditRule | null, After = AuditRule | null> {
  readonly before: Before;
  readonly after: After;
}

/** Changes of one set made at the same time wait for each other; who finds this many others first is told to try again. */
const triesMax = 20;

/**
 * Changes one rule of a set of the caller's. Set and rule change together, so the limits of a set hold however many change it at once.
 * @param change says what to do, by the set as it is; called again when somebody else was first
 * @throws SluiceError rule_set_not_found, system_record_fixed, stale_version and what `change` throws
 */
export async function changeRule<Change extends RuleChange>(
  callerId: string,
  setId: string,
  at: Date,
  change: (set: RuleSet) => Change,
): Promise<Change> {
  for (let attempt = 1; ; attempt++) {
    const set = await ownRuleSet(callerId, setId);
    const made = change(set);
    try {
      await store(set, made, at);
      return made;
    } catch (error) {
      if (!isSluiceError(error, "stale_version") || attempt === triesMax) throw error;
      await setTimeout(Math.random() * 20 * attempt);
    }
  }
}

async function store(set: RuleSet, { before, after }: RuleChange, at: Date): Promise<void> {
  const TableName = environment().TABLE_NAME;
  const touched = {
    Update: {
      TableName,
      Key: keys.ruleSet(set.id),
      UpdateExpression: "SET updatedAt = :at, version = :next",
      ConditionExpression: unchanged(set).ConditionExpression,
      ExpressionAttributeValues: {
        ...unchanged(set).ExpressionAttributeValues,
        ":at": at.toISOString(),
        ":next": set.version + 1,
      },
    },
  };
  // The order of a rule stands in its key, so a rule that gets another place is another item.
  const moved = before !== null && (after === null || ruleKey(before).sk !== ruleKey(after).sk);
  const gone = moved ? [{ Delete: { TableName, Key: ruleKey(before) } }] : [];
  const there = after === null ? [] : [{ Put: { TableName, Item: ruleItem(after) } }];
  const write = new TransactWriteCommand({ TransactItems: [touched, ...gone, ...there] });
  await sendUntilNoConflict(write).catch((error) => {
    throw failedConditions(error) ? new SluiceError("stale_version") : error;
  });
}

/** @throws SluiceError rule_not_found */
export function ruleOf({ rules }: RuleSet, id: string): AuditRule {
  const rule = rules.find((one) => one.id === id);
  if (!rule) throw new SluiceError("rule_not_found");
  return rule;
}
