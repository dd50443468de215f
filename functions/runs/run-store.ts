import { ConditionalCheckFailedException } from "@aws-sdk/client-dynamodb";
import { GetCommand, PutCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { environment } from "../platform/environment.ts";
import { mergedPage } from "../platform/list-page.ts";
import { indexKeys, keys, table, whenConditionFails } from "../platform/table.ts";
import { newRun, Retention, Run } from "./run.ts";
import { RunError } from "./run-error.ts";
import { runIdOf } from "./run-name.ts";

/** The run as it is now, not as an index has it. @returns null when there is none */
export async function findRun(id: string): Promise<Run | null> {
  const get = new GetCommand({ TableName: environment().TABLE_NAME, Key: keys.run(id), ConsistentRead: true });
  const { Item } = await table.send(get);
  return Item ? Run.parse(Item) : null;
}

/** @throws RunError run_not_found */
export async function requireRun(id: string): Promise<Run> {
  const run = await findRun(id);
  if (!run) throw new RunError("run_not_found", `There is no run ${id}.`);
  return run;
}

/**
 * The run of this name, made when it is not there: the first item or reader of a name begins it. Safe to repeat, also at once.
 * @throws ZodError when the name is none
 */
export async function ensureRun(tenant: string, name: string, now: Date): Promise<Run> {
  const found = await findRun(runIdOf(tenant, name));
  if (found) return found;
  const run = newRun(tenant, name, now);
  const listed = { ...indexKeys.runsOf(tenant), gsi1sk: sortKeyOf(run) };
  const put = new PutCommand({
    TableName: environment().TABLE_NAME,
    Item: { ...keys.run(run.id), ...listed, v: 1, ...run },
    ConditionExpression: "attribute_not_exists(pk)",
  });
  try {
    await table.send(put);
    return run;
  } catch (error) {
    // Somebody was faster, or the answer to our own first try was lost.
    if (error instanceof ConditionalCheckFailedException) return requireRun(run.id);
    throw error;
  }
}

/** A page of some tenants' runs, newest first, and how many there are. */
export const listRunsOf = (tenants: readonly string[], page: { skip: number; limit: number }) =>
  mergedPage({
    queries: tenants.map((tenant) => ({
      TableName: environment().TABLE_NAME,
      IndexName: "gsi1",
      KeyConditionExpression: "gsi1pk = :pk",
      ExpressionAttributeValues: { ":pk": indexKeys.runsOf(tenant).gsi1pk },
      ScanIndexForward: false,
    })),
    page,
    schema: Run,
    order: sortKeyOf,
  });

/** Of the list: newest runs are last in the index. */
export const sortKeyOf = ({ createdAt, id }: Run): string => `${createdAt}#${id}`;

/**
 * Ends a run: it takes no more items, and readers end when they have all of them. What its writer has not committed by now is refused
 * to whoever sent it. Closing again changes nothing.
 * @throws RunError run_not_found
 */
export async function closeRun(id: string, now: Date): Promise<Run> {
  const update = new UpdateCommand({
    TableName: environment().TABLE_NAME,
    Key: keys.run(id),
    UpdateExpression: "SET #status = :closed, closedAt = :now",
    ConditionExpression: "#status = :open",
    ExpressionAttributeNames: { "#status": "status" },
    ExpressionAttributeValues: { ":open": "open", ":closed": "closed", ":now": now.toISOString() },
  });
  await table.send(update).catch((error) => {
    if (!(error instanceof ConditionalCheckFailedException)) throw error;
  });
  return requireRun(id);
}

/** Writes an item of no meaning: whoever could not write finds out whether it works again. @throws errors of DynamoDB */
export async function probeIndexWrites(id: string): Promise<void> {
  await table.send(new PutCommand({ TableName: environment().TABLE_NAME, Item: { ...keys.runProbe(id), v: 1 } }));
}

/** Says what is kept from now on; `applyRetention` does it. @throws RunError run_not_found */
export async function setRetention(id: string, retention: Retention): Promise<void> {
  const update = new UpdateCommand({
    TableName: environment().TABLE_NAME,
    Key: keys.run(id),
    UpdateExpression: "SET retention = :retention",
    ConditionExpression: "attribute_exists(pk)",
    ExpressionAttributeValues: { ":retention": Retention.parse(retention) },
  });
  await table.send(update).catch(whenConditionFails(() => new RunError("run_not_found", `There is no run ${id}.`)));
}
