import { paginateQuery } from "@aws-sdk/lib-dynamodb";
import * as z from "zod";
import { writeForUser } from "../users/user-store.ts";
import { deletePartition } from "./delete-partition.ts";
import { environment } from "./environment.ts";
import { keys, table } from "./table.ts";

const Override = z.object({ recordId: z.uuid(), on: z.boolean() });

/**
 * What a user switched on or off of the records that the system ships, by record id. It is personal: nobody else sees a difference.
 * The system ships some dozens of records, so a user's switches are read whole.
 */
export async function overridesOf(userId: string): Promise<ReadonlyMap<string, boolean>> {
  const query = {
    TableName: environment().TABLE_NAME,
    KeyConditionExpression: "pk = :pk",
    ExpressionAttributeValues: { ":pk": keys.override(userId, "").pk },
    ConsistentRead: true,
  };
  const switched = new Map<string, boolean>();
  for await (const { Items = [] } of paginateQuery({ client: table }, query))
    for (const { recordId, on } of z.array(Override).parse(Items)) switched.set(recordId, on);
  return switched;
}

/**
 * Switches a record of the system for one user. Doing it again changes nothing.
 * @throws SluiceError not_authenticated when the user is gone
 */
export async function override(userId: string, recordId: string, on: boolean): Promise<void> {
  const Item = { ...keys.override(userId, recordId), v: 1, ownerId: userId, recordId, on };
  await writeForUser(userId, [{ write: { Put: { TableName: environment().TABLE_NAME, Item } } }]);
}

/** Forgets the switches of a user who is deleted. May be repeated. */
export const forgetOverrides = (userId: string): Promise<void> => deletePartition(keys.override(userId, ""));
