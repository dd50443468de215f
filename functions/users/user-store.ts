import { GetCommand, TransactWriteCommand } from "@aws-sdk/lib-dynamodb";
import { environment } from "../platform/environment.ts";
import { SluiceError } from "../platform/errors.ts";
import { failedConditions, indexKeys, keys, table } from "../platform/table.ts";
import { normaliseEmail, User } from "./user.ts";

/** @returns the user, or null */
export async function readUser(id: string): Promise<User | null> {
  const get = new GetCommand({ TableName: environment().TABLE_NAME, Key: keys.user(id), ConsistentRead: true });
  const { Item } = await table.send(get);
  return Item ? User.parse(Item) : null;
}

/** @returns the user with this address in any case, or null */
export async function readUserByEmail(email: string): Promise<User | null> {
  const get = new GetCommand({
    TableName: environment().TABLE_NAME,
    Key: keys.email(normaliseEmail(email)),
    ConsistentRead: true,
  });
  const { Item } = await table.send(get);
  return Item ? readUser(Item.userId as string) : null;
}

/**
 * Stores a new user together with the claim on the address, both or neither.
 * @throws SluiceError email_taken
 */
export async function createUser(user: User): Promise<void> {
  const TableName = environment().TABLE_NAME;
  const absent = { ConditionExpression: "attribute_not_exists(pk)" };
  const write = new TransactWriteCommand({
    TransactItems: [
      { Put: { TableName, Item: { ...keys.email(user.email), v: 1, userId: user.id }, ...absent } },
      {
        Put: {
          TableName,
          Item: { ...keys.user(user.id), ...indexKeys.users(user.id, user.createdAt), v: 1, ...user },
          ...absent,
        },
      },
    ],
  });
  await table.send(write).catch((error) => {
    throw failedConditions(error) ? new SluiceError("email_taken") : error;
  });
}
