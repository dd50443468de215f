import { BatchWriteCommand, DeleteCommand, PutCommand, paginateQuery } from "@aws-sdk/lib-dynamodb";
import { deletePartition } from "../platform/delete-partition.ts";
import { environment } from "../platform/environment.ts";
import { isSluiceError, SluiceError } from "../platform/errors.ts";
import { overridesOf } from "../platform/override-store.ts";
import { asSwitched, isVisibleTo, listedIn, paddedOrder } from "../platform/system-records.ts";
import { indexKeys, keys, table, whenConditionFails } from "../platform/table.ts";
import { writeForUser } from "../users/user-store.ts";
import { AuditRule } from "./audit-rule.ts";
import { inOrder, type RuleSet, RuleSetHead } from "./rule-set.ts";

/**
 * A set that the caller may use, with its rules: of the system, as the caller has it and its rules switched, or the caller's own.
 * Being switched off does not hide it: who names it wants it.
 * @throws SluiceError rule_set_not_found, also for a set of somebody else
 */
export async function visibleRuleSet(callerId: string, id: string): Promise<RuleSet> {
  const set = await findRuleSet(id);
  if (!set || !isVisibleTo(callerId, set)) throw new SluiceError("rule_set_not_found");
  return set.isSystem ? withSwitches(set, await overridesOf(callerId)) : set;
}

/**
 * A set that the caller may change.
 * @throws SluiceError rule_set_not_found, also for a set of somebody else; system_record_fixed
 */
export async function ownRuleSet(callerId: string, id: string): Promise<RuleSet> {
  const set = await visibleRuleSet(callerId, id);
  if (set.isSystem) throw new SluiceError("system_record_fixed");
  return set;
}

const withSwitches = (set: RuleSet, switched: ReadonlyMap<string, boolean>): RuleSet => ({
  ...asSwitched(set, switched),
  rules: set.rules.map((rule) => ({ ...rule, enabled: switched.get(rule.id) ?? rule.enabled })),
});

/** A set and its rules share a partition, so one query reads both. A set exists exactly while its own item does. */
async function findRuleSet(id: string): Promise<RuleSet | null> {
  const items = await itemsOf(id);
  const head = items.find(({ sk }) => sk === keys.ruleSet(id).sk);
  if (!head) return null;
  const rules = items.filter((item) => item !== head).map((item) => AuditRule.parse(item));
  return { ...RuleSetHead.parse(head), rules: inOrder(rules) };
}

async function itemsOf(id: string): Promise<Record<string, unknown>[]> {
  const query = {
    TableName: environment().TABLE_NAME,
    KeyConditionExpression: "pk = :pk",
    ExpressionAttributeValues: { ":pk": keys.ruleSet(id).pk },
    ConsistentRead: true,
  };
  const found: Record<string, unknown>[] = [];
  for await (const { Items = [] } of paginateQuery({ client: table }, query)) found.push(...Items);
  return found;
}

/** The system's sets, as the caller has them switched, and the caller's own, in no order and without their rules. */
export async function visibleHeads(callerId: string): Promise<RuleSetHead[]> {
  const partitions = [indexKeys.systemRuleSets, indexKeys.ruleSetsOf(callerId)];
  const [heads, switched] = await Promise.all([listedIn(partitions, RuleSetHead), overridesOf(callerId)]);
  return heads.map((head) => asSwitched(head, switched));
}

/** A user's own sets, in no order and without their rules. */
export const headsOf = (userId: string): Promise<RuleSetHead[]> =>
  listedIn([indexKeys.ruleSetsOf(userId)], RuleSetHead);

/** Sets read at the same time: a page has up to a hundred, most of them small. */
const readsAtOnce = 10;

/** Those sets with their rules, in the same order; one that was deleted meanwhile is left out. */
export async function visibleRuleSets(callerId: string, heads: readonly RuleSetHead[]): Promise<RuleSet[]> {
  const switched = await overridesOf(callerId);
  const sets: (RuleSet | null)[] = [];
  for (let from = 0; from < heads.length; from += readsAtOnce)
    sets.push(...(await Promise.all(heads.slice(from, from + readsAtOnce).map(({ id }) => findRuleSet(id)))));
  return sets.flatMap((set) => (set === null ? [] : [set.isSystem ? withSwitches(set, switched) : set]));
}

/** BatchWriteItem takes no more. */
const batchMax = 25;
/** DynamoDB returns what it had no capacity for. Each round waits longer; after these something is wrong. */
const roundsMax = 8;

/**
 * Stores a set with its rules. The set comes last and is deleted first, so nobody ever sees a half of one; what a crash in between
 * leaves are rules of no set, which nobody can reach.
 * @throws SluiceError not_authenticated when the user is gone
 */
export async function createRuleSet({ rules, ...head }: RuleSet): Promise<void> {
  for (let from = 0; from < rules.length; from += batchMax) await putRules(rules.slice(from, from + batchMax));
  const Put = {
    TableName: environment().TABLE_NAME,
    Item: headItem(head),
    ConditionExpression: "attribute_not_exists(pk)",
  };
  await writeForUser(head.ownerId as string, [{ write: { Put } }]).catch(async (error) => {
    if (isSluiceError(error)) await deletePartition(keys.ruleSet(head.id));
    throw error;
  });
}

async function putRules(rules: readonly AuditRule[]): Promise<void> {
  const { TABLE_NAME } = environment();
  let requests = rules.map((rule) => ({ PutRequest: { Item: ruleItem(rule) as Record<string, unknown> } }));
  for (let round = 1; requests.length > 0; round++) {
    if (round > roundsMax) throw new Error(`${requests.length} rules could not be written`);
    const { UnprocessedItems } = await table.send(new BatchWriteCommand({ RequestItems: { [TABLE_NAME]: requests } }));
    requests = (UnprocessedItems?.[TABLE_NAME] ?? []) as typeof requests;
    if (requests.length > 0) await new Promise((resolve) => setTimeout(resolve, Math.random() * 50 * 2 ** round));
  }
}

/** @returns the set as stored. @throws SluiceError stale_version when it or a rule of it was changed since it was read */
export async function replaceRuleSet(read: RuleSet, changed: RuleSet, at: Date): Promise<RuleSet> {
  const next = { ...changed, updatedAt: at.toISOString(), version: read.version + 1 };
  const { rules: _, ...head } = next;
  const put = new PutCommand({ TableName: environment().TABLE_NAME, Item: headItem(head), ...unchanged(read) });
  await table.send(put).catch(whenConditionFails(() => new SluiceError("stale_version")));
  return next;
}

/** @throws SluiceError rule_set_not_found when it was deleted meanwhile */
export async function deleteRuleSet({ id, ownerId }: RuleSet): Promise<void> {
  const remove = new DeleteCommand({
    TableName: environment().TABLE_NAME,
    Key: keys.ruleSet(id),
    ConditionExpression: "ownerId = :owner",
    ExpressionAttributeValues: { ":owner": ownerId },
  });
  await table.send(remove).catch(whenConditionFails(() => new SluiceError("rule_set_not_found")));
  await deletePartition(keys.ruleSet(id));
}

/** Forgets what a user who is deleted has written. The set goes last here: its index entry leads a repetition to what is left. */
export async function deleteRuleSetsOf(userId: string): Promise<void> {
  for (const { id } of await headsOf(userId)) {
    await deletePartition(keys.ruleSet(id));
    await table.send(new DeleteCommand({ TableName: environment().TABLE_NAME, Key: keys.ruleSet(id) }));
  }
}

/** Holds while neither the set nor a rule of it was changed since it was read. */
export const unchanged = ({ ownerId, version }: RuleSetHead) => ({
  ConditionExpression: "ownerId = :owner AND version = :read",
  ExpressionAttributeValues: { ":owner": ownerId, ":read": version },
});

/** Only users' sets are written here; the system's come from a migration. */
const headItem = (head: RuleSetHead) => ({
  ...keys.ruleSet(head.id),
  ...indexKeys.ruleSetsOf(head.ownerId as string),
  gsi1sk: `${paddedOrder(head.sortOrder)}#${head.id}`,
  v: 1,
  ...head,
});

export const ruleKey = ({ ruleSetId, sortOrder, id }: AuditRule) => keys.rule(ruleSetId, paddedOrder(sortOrder), id);

export const ruleItem = (rule: AuditRule) => ({ ...ruleKey(rule), v: 1, ...rule });
