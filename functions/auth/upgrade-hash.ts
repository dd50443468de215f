import { ConditionalCheckFailedException } from "@aws-sdk/client-dynamodb";
import { UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { environment } from "../platform/environment.ts";
import { keys, table } from "../platform/table.ts";
import { hashPassword } from "../users/password.ts";
import type { User } from "../users/user.ts";

/**
 * Stores a hash by today's parameters in place of an outdated one, while the password is at hand. Neither version nor tokens change:
 * it is the same password, and whoever overwrites it meanwhile with what they read stores the older hash of it, or a newer password.
 */
export async function upgradeHash({ id, passwordHash }: User, password: string): Promise<void> {
  const update = new UpdateCommand({
    TableName: environment().TABLE_NAME,
    Key: keys.user(id),
    UpdateExpression: "SET passwordHash = :new",
    ConditionExpression: "passwordHash = :old",
    ExpressionAttributeValues: { ":new": await hashPassword(password), ":old": passwordHash },
  });
  await table.send(update).catch((error) => {
    if (!(error instanceof ConditionalCheckFailedException)) throw error;
  });
}
