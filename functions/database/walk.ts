import { paginateQuery, type QueryCommandInput } from "@aws-sdk/lib-dynamodb";
import { environment } from "../platform/environment.ts";
import { type IndexName, keys, table, tableDesign, userShards } from "../platform/table.ts";

type Item = Record<string, unknown>;

/** All items of one partition of the table or, with a name, of an index. */
export async function* walkPartition(partition: string, index?: IndexName): AsyncGenerator<Item> {
  const query: QueryCommandInput = {
    TableName: environment().TABLE_NAME,
    IndexName: index,
    KeyConditionExpression: "#pk = :pk",
    ExpressionAttributeNames: { "#pk": (index ? tableDesign.indexes[index] : tableDesign).partitionKey },
    ExpressionAttributeValues: { ":pk": partition },
  };
  for await (const { Items = [] } of paginateQuery({ client: table }, query)) yield* Items;
}

/** The ids of all users: where everything else in the table hangs, as the table itself is never scanned. */
export async function* walkUserIds(): AsyncGenerator<string> {
  for (let shard = 0; shard < userShards; shard++) {
    const { pk, sk } = keys.userShard(shard);
    for await (const item of walkPartition(pk)) if (item.sk !== sk) yield item.id as string;
  }
}
