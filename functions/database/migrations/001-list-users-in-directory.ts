import { TransactWriteCommand } from "@aws-sdk/lib-dynamodb";
import { environment } from "../../platform/environment.ts";
import { failedConditions, keys, sendUntilNoConflict, userShardOf } from "../../platform/table.ts";
import { User } from "../../users/user.ts";
import { entryOf } from "../../users/user-entry.ts";
import type { Migration } from "../migration.ts";
import { walkPartition } from "../walk.ts";

/**
 * The first users are in an index, which searches no longer look at: gives each an entry in the directory. Their items keep the index
 * attributes until somebody next changes them; nothing reads those any more.
 */
export const listUsersInDirectory: Migration = {
  number: 1,
  name: "list_users_in_directory",
  run: async ({ keepClaim }) => {
    for (let shard = 0; shard < indexShards; shard++) {
      for await (const item of walkPartition(`USERS#${shard}`, "gsi1")) {
        await keepClaim();
        await enter(User.parse(item));
      }
    }
  },
};

/** Of the former index; the directory has shards of its own. */
const indexShards = 4;

/** Does nothing when the entry is there, or when the user changed or went since it was read: whoever did that has seen to the entry. */
async function enter(user: User): Promise<void> {
  const TableName = environment().TABLE_NAME;
  const write = new TransactWriteCommand({
    TransactItems: [
      {
        ConditionCheck: {
          TableName,
          Key: keys.user(user.id),
          ConditionExpression: "version = :read",
          ExpressionAttributeValues: { ":read": user.version },
        },
      },
      {
        Put: {
          TableName,
          Item: { ...keys.userEntry(user.id, user.createdAt), v: 1, ...entryOf(user) },
          ConditionExpression: "attribute_not_exists(pk)",
        },
      },
      {
        Update: {
          TableName,
          Key: keys.userShard(userShardOf(user.id)),
          UpdateExpression: "SET v = :one ADD version :one, entries :one",
          ExpressionAttributeValues: { ":one": 1 },
        },
      },
    ],
  });
  await sendUntilNoConflict(write).catch((error) => {
    if (!failedConditions(error)) throw error;
  });
}
