import { hash } from "node:crypto";
import type { TransactWriteCommandInput } from "@aws-sdk/lib-dynamodb";
import { DirectCalls } from "./direct-calls.ts";
import { table } from "./table.ts";

const direct = new DirectCalls<object>(table, () => ({ place: "DynamoDB", path: "/" }));

/**
 * Sends a transaction the short way.
 * @param write with a ClientRequestToken, as it may be sent once more
 * @returns false when it is not known to be done
 */
export async function transactDirectly(write: TransactWriteCommandInput & { ClientRequestToken: string }) {
  const text = JSON.stringify({ ...write, TransactItems: write.TransactItems?.map(withAttributeValues) });
  const body = Buffer.from(text);
  return await direct.send("DynamoDB", {
    method: "POST",
    path: "/",
    headers: {
      "content-type": "application/x-amz-json-1.0",
      "x-amz-target": "DynamoDB_20120810.TransactWriteItems",
    },
    contentSha256: hash("sha256", body),
    body: [body],
    bytes: body.length,
  });
}

type TransactItem = NonNullable<TransactWriteCommandInput["TransactItems"]>[number];

/** One write of a transaction as it travels: items, keys and values of expressions with the type of each value. */
const withAttributeValues = (item: TransactItem): object =>
  mapped(item, (action) => {
    const { Item, Key, ExpressionAttributeValues, ...rest } = action as Record<string, object>;
    return {
      ...rest,
      ...(Item && { Item: mapped(Item, attributeValue) }),
      ...(Key && { Key: mapped(Key, attributeValue) }),
      ...(ExpressionAttributeValues && {
        ExpressionAttributeValues: mapped(ExpressionAttributeValues, attributeValue),
      }),
    };
  });

/** A value with its type, as the SDK's document client writes it; of sets nothing is known here. @throws TypeError for what it is not for */
function attributeValue(value: unknown): object {
  if (value === null) return { NULL: true };
  if (typeof value === "string") return { S: value };
  if (typeof value === "boolean") return { BOOL: value };
  if (typeof value === "number" && Math.abs(value) <= Number.MAX_SAFE_INTEGER) return { N: String(value) };
  if (value instanceof Uint8Array) return { B: Buffer.from(value).toString("base64") };
  if (Array.isArray(value)) return { L: value.map(attributeValue) };
  if (typeof value === "object" && Object.getPrototypeOf(value) === Object.prototype)
    return { M: mapped(value, attributeValue) };
  throw new TypeError(`no attribute value is made of ${typeof value} ${value}`);
}

/** Members that are undefined are left out. */
function mapped(object: object, map: (value: unknown) => object): Record<string, object> {
  const made: Record<string, object> = {};
  for (const [name, value] of Object.entries(object)) if (value !== undefined) made[name] = map(value);
  return made;
}
