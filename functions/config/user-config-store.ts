import { DeleteCommand, GetCommand } from "@aws-sdk/lib-dynamodb";
import { environment } from "../platform/environment.ts";
import { keys, table } from "../platform/table.ts";
import { writeForUser } from "../users/user-store.ts";
import { UserConfig } from "./user-config.ts";

/** @returns what the user has saved, or null */
export async function findUserConfig(userId: string): Promise<UserConfig | null> {
  const get = new GetCommand({
    TableName: environment().TABLE_NAME,
    Key: keys.userConfig(userId),
    ConsistentRead: true,
  });
  const { Item } = await table.send(get);
  return Item ? UserConfig.parse(Item) : null;
}

/**
 * Stores what was made from `before`.
 * @throws SluiceError stale_version when somebody else saved meanwhile, not_authenticated when the user is gone
 */
export async function replaceUserConfig(before: UserConfig | null, next: UserConfig): Promise<void> {
  const Put = {
    TableName: environment().TABLE_NAME,
    Item: { ...keys.userConfig(next.userId), v: 1, ...next },
    ...(before
      ? {
          ConditionExpression: "#version = :version",
          ExpressionAttributeNames: { "#version": "version" },
          ExpressionAttributeValues: { ":version": before.version },
        }
      : { ConditionExpression: "attribute_not_exists(pk)" }),
  };
  await writeForUser(next.userId, [{ write: { Put }, refusal: "stale_version" }]);
}

/** Forgets everything the user saved, secrets first of all. Nothing saved is no error. */
export async function deleteUserConfig(userId: string): Promise<void> {
  await table.send(new DeleteCommand({ TableName: environment().TABLE_NAME, Key: keys.userConfig(userId) }));
}
