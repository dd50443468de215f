import { hkdfSync, randomBytes } from "node:crypto";
import { ConditionalCheckFailedException } from "@aws-sdk/client-dynamodb";
import { GetCommand, PutCommand } from "@aws-sdk/lib-dynamodb";
import { environment } from "./environment.ts";
import { keys, table } from "./table.ts";

const keyBytes = 32;

let known: Promise<Buffer> | undefined;

/**
 * A 256-bit key of this stack for one purpose; the same in every function and after every restart. It protects what is worth an hour
 * (cursors) or is only a pseudonym, so it lives in the encrypted table: a KMS key of its own would cost more than it guards.
 * A function that asks for it reads and appends the kind "applicationKey".
 */
export async function applicationKey(purpose: string): Promise<Buffer> {
  known ??= loadOrMake().catch((error) => {
    known = undefined;
    throw error;
  });
  return Buffer.from(hkdfSync("sha256", await known, "", purpose, keyBytes));
}

/** Whoever needs it first makes it; everybody else, however close behind, gets the same. */
async function loadOrMake(): Promise<Buffer> {
  const found = await load();
  if (found) return found;
  const Item = { ...keys.applicationKey(), v: 1, key: randomBytes(keyBytes).toString("base64") };
  const put = new PutCommand({
    TableName: environment().TABLE_NAME,
    Item,
    ConditionExpression: "attribute_not_exists(pk)",
  });
  await table.send(put).catch((error) => {
    if (!(error instanceof ConditionalCheckFailedException)) throw error;
  });
  return (await load()) as Buffer;
}

async function load(): Promise<Buffer | null> {
  const get = new GetCommand({ TableName: environment().TABLE_NAME, Key: keys.applicationKey(), ConsistentRead: true });
  const { Item } = await table.send(get);
  return Item ? Buffer.from(Item.key as string, "base64") : null;
}
