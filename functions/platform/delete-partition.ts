import { BatchWriteCommand, paginateQuery } from "@aws-sdk/lib-dynamodb";
import { environment } from "./environment.ts";
import { table } from "./table.ts";

/** BatchWriteItem takes no more. */
const batchMax = 25;
/** DynamoDB returns what it had no capacity for. Each round waits longer; after these something is wrong. */
const roundsMax = 8;

/** Deletes all items that share the partition of `kept` but not its sort key. */
export async function deletePartition(kept: { readonly pk: string; readonly sk: string }): Promise<void> {
  const query = {
    TableName: environment().TABLE_NAME,
    KeyConditionExpression: "pk = :pk",
    ExpressionAttributeValues: { ":pk": kept.pk },
    ProjectionExpression: "pk, sk",
    ConsistentRead: true,
  };
  for await (const { Items = [] } of paginateQuery({ client: table }, query)) {
    await deleteItems(Items.filter((item) => item.sk !== kept.sk));
  }
}

/** Deletes the items of these keys; those that do not exist are no error. */
export async function deleteItems(keys: readonly Record<string, unknown>[]): Promise<void> {
  for (let from = 0; from < keys.length; from += batchMax) await deleteBatch(keys.slice(from, from + batchMax));
}

async function deleteBatch(batch: readonly Record<string, unknown>[]): Promise<void> {
  const name = environment().TABLE_NAME;
  let requests = batch.map((Key) => ({ DeleteRequest: { Key } }));
  for (let round = 1; requests.length > 0; round++) {
    if (round > roundsMax) throw new Error(`${requests.length} items could not be deleted`);
    const { UnprocessedItems } = await table.send(new BatchWriteCommand({ RequestItems: { [name]: requests } }));
    requests = (UnprocessedItems?.[name] ?? []) as typeof requests;
    if (requests.length > 0) await new Promise((resolve) => setTimeout(resolve, Math.random() * 50 * 2 ** round));
  }
}
