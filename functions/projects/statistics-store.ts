import { GetCommand } from "@aws-sdk/lib-dynamodb";
import { environment } from "../platform/environment.ts";
import { keys, table } from "../platform/table.ts";
import { type Counters, counterNames, Statistics } from "./statistics.ts";

/**
 * The part of a transaction that counts an event for the owner. The event's own write stands in the same transaction and is
 * conditional, so each event counts once however often it is tried.
 * @param below what counters must be below beforehand, or the transaction fails
 */
export function counting(ownerId: string, change: Partial<Counters>, at: Date, below: Partial<Counters> = {}) {
  const bounds = Object.entries(below).map(([name, bound]) => ({ name, bound }));
  const additions = counterNames.map((name) => `#${name} :${name}`).join(", ");
  return {
    Update: {
      TableName: environment().TABLE_NAME,
      Key: keys.statistics(ownerId),
      // All counters are named, so that the first event makes an item that is complete.
      UpdateExpression: `SET v = :v, ownerId = :owner, changedAt = :at ADD #version :one, ${additions}`,
      ...(bounds.length > 0 && {
        ConditionExpression: bounds
          .map(({ name }) => `(attribute_not_exists(#${name}) OR #${name} < :${name}Max)`)
          .join(" AND "),
      }),
      ExpressionAttributeNames: {
        "#version": "version",
        ...Object.fromEntries(counterNames.map((name) => [`#${name}`, name])),
      },
      ExpressionAttributeValues: {
        ":v": 1,
        ":owner": ownerId,
        ":at": at.toISOString(),
        ":one": 1,
        ...Object.fromEntries(counterNames.map((name) => [`:${name}`, change[name] ?? 0])),
        ...Object.fromEntries(bounds.map(({ name, bound }) => [`:${name}Max`, bound])),
      },
    },
  };
}

/** @returns the counters of an owner, or null when nothing was ever counted */
export async function readStatistics(ownerId: string): Promise<Statistics | null> {
  const Key = keys.statistics(ownerId);
  const { Item } = await table.send(new GetCommand({ TableName: environment().TABLE_NAME, Key, ConsistentRead: true }));
  return Item ? Statistics.parse(Item) : null;
}
