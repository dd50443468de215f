import { ConditionalCheckFailedException } from "@aws-sdk/client-dynamodb";
import {
  DeleteCommand,
  GetCommand,
  PutCommand,
  paginateQuery,
  UpdateCommand,
  type UpdateCommandInput,
} from "@aws-sdk/lib-dynamodb";
import * as z from "zod";
import { environment } from "../platform/environment.ts";
import { indexKeys, keys, table } from "../platform/table.ts";

/** An actor that parameters of a run are brought to. */
export const RegisteredActor = z.object({
  runId: z.uuid(),
  /** Scheme, host and port. */
  address: z.string(),
  /** Of the parameters that it has taken last; 0 before the first. */
  deliveredVersion: z.number().int().min(0),
  deliveredAt: z.iso.datetime().nullable(),
  /** Tries in a row that have failed, and the status of the last. */
  failures: z.number().int().min(0),
  lastFailure: z.string().nullable(),
  registeredAt: z.iso.datetime(),
});
export type RegisteredActor = z.infer<typeof RegisteredActor>;

/** @returns the actor as it is now: registering again changes nothing */
export async function registerActor(runId: string, address: string, now: Date): Promise<RegisteredActor> {
  const actor: RegisteredActor = {
    ...{ runId, address, deliveredVersion: 0, deliveredAt: null, failures: 0, lastFailure: null },
    registeredAt: now.toISOString(),
  };
  const listed = { ...indexKeys.registeredActors, gsi3sk: `${runId}#${address}` };
  const put = new PutCommand({
    TableName: environment().TABLE_NAME,
    Item: { ...keys.runActor(runId, address), ...listed, v: 1, claimUntil: 0, ...actor },
    ConditionExpression: "attribute_not_exists(pk)",
  });
  try {
    await table.send(put);
    return actor;
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) return (await findActor(runId, address)) ?? actor;
    throw error;
  }
}

/** Removing one that is not there changes nothing. */
export async function removeActor(runId: string, address: string): Promise<void> {
  await table.send(new DeleteCommand({ TableName: environment().TABLE_NAME, Key: keys.runActor(runId, address) }));
}

/** @returns null when it is not registered */
export async function findActor(runId: string, address: string): Promise<RegisteredActor | null> {
  const Key = keys.runActor(runId, address);
  const { Item } = await table.send(new GetCommand({ TableName: environment().TABLE_NAME, Key, ConsistentRead: true }));
  return Item ? RegisteredActor.parse(Item) : null;
}

/** The actors of one run. */
export async function actorsOf(runId: string): Promise<RegisteredActor[]> {
  const { pk, sk } = keys.runActor(runId, "");
  return await Array.fromAsync(
    query({
      TableName: environment().TABLE_NAME,
      KeyConditionExpression: "pk = :pk AND begins_with(sk, :sk)",
      ExpressionAttributeValues: { ":pk": pk, ":sk": sk },
      ConsistentRead: true,
    }),
  );
}

/** The actors of all runs and tenants, those of one run together. */
export const allActors = (): AsyncGenerator<RegisteredActor> =>
  query({
    TableName: environment().TABLE_NAME,
    IndexName: "gsi3",
    KeyConditionExpression: "gsi3pk = :pk",
    ExpressionAttributeValues: { ":pk": indexKeys.registeredActors.gsi3pk },
  });

async function* query(input: Parameters<typeof paginateQuery>[1]): AsyncGenerator<RegisteredActor> {
  for await (const { Items = [] } of paginateQuery({ client: table }, input))
    for (const item of Items) yield RegisteredActor.parse(item);
}

/** Whoever tries to deliver; only one does at a time, so that an older version never arrives behind a newer one. */
export interface Claim {
  readonly runId: string;
  readonly address: string;
  readonly claimant: string;
}

/** @returns false when somebody else is at it, or the actor is not registered any more */
export const claimActor = ({ claimant, ...actor }: Claim, nowMs: number, until: number): Promise<boolean> =>
  update(actor, {
    UpdateExpression: "SET claimant = :claimant, claimUntil = :until",
    ConditionExpression: "attribute_exists(pk) AND claimUntil < :now",
    ExpressionAttributeValues: { ":claimant": claimant, ":until": until, ":now": nowMs },
  });

/** Notes what has arrived and lets others try. */
export const noteDelivered = ({ claimant, ...actor }: Claim, version: number, now: Date): Promise<boolean> =>
  update(actor, {
    UpdateExpression:
      "SET deliveredVersion = :version, deliveredAt = :now, failures = :none, lastFailure = :null, claimUntil = :none",
    ConditionExpression: "claimant = :claimant",
    ExpressionAttributeValues: {
      ":version": version,
      ":now": now.toISOString(),
      ":none": 0,
      ":null": null,
      ":claimant": claimant,
    },
  });

/** Notes that a try has failed and lets others try. */
export const noteFailure = ({ claimant, ...actor }: Claim, failure: string): Promise<boolean> =>
  update(actor, {
    UpdateExpression: "SET failures = failures + :one, lastFailure = :failure, claimUntil = :none",
    ConditionExpression: "claimant = :claimant",
    ExpressionAttributeValues: { ":one": 1, ":failure": failure, ":none": 0, ":claimant": claimant },
  });

async function update(
  { runId, address }: Omit<Claim, "claimant">,
  input: Omit<UpdateCommandInput, "TableName" | "Key">,
): Promise<boolean> {
  const Key = keys.runActor(runId, address);
  try {
    await table.send(new UpdateCommand({ TableName: environment().TABLE_NAME, Key, ...input }));
    return true;
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) return false;
    throw error;
  }
}
