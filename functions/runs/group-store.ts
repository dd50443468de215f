import { isDeepStrictEqual } from "node:util";
import { ConditionalCheckFailedException } from "@aws-sdk/client-dynamodb";
import { GetCommand, PutCommand } from "@aws-sdk/lib-dynamodb";
import { environment } from "../platform/environment.ts";
import { keys, table } from "../platform/table.ts";
import { Group } from "./group.ts";

/** Members that write at once take turns; each turn one of them gets through. */
const triesMax = 50;

/**
 * Changes a group as its members have left it, all or nothing. Safe to repeat when the change is.
 * @param begin where a group begins that is not there yet
 * @param change gets the group as it is and says what it becomes; may be called more than once
 * @returns what `change` returned when it was stored
 */
export async function changeGroup<T extends { readonly group: Group }>(
  runId: string,
  name: string,
  begin: () => number,
  change: (group: Group) => T,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    const Key = keys.runGroup(runId, name);
    const get = new GetCommand({ TableName: environment().TABLE_NAME, Key, ConsistentRead: true });
    const { Item } = await table.send(get);
    const group = Item ? Group.parse(Item) : { next: begin(), ranges: [] };
    const changed = change(group);
    if (Item && isDeepStrictEqual(changed.group, group)) return changed;
    const changes = (Item?.changes as number | undefined) ?? 0;
    const put = new PutCommand({
      TableName: environment().TABLE_NAME,
      Item: { ...Key, v: 1, changes: changes + 1, ...changed.group },
      ConditionExpression: Item ? "changes = :read" : "attribute_not_exists(pk)",
      ...(Item && { ExpressionAttributeValues: { ":read": changes } }),
    });
    try {
      await table.send(put);
      return changed;
    } catch (error) {
      if (!(error instanceof ConditionalCheckFailedException) || attempt === triesMax) throw error;
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 10 * Math.min(attempt, 10)));
    }
  }
}
