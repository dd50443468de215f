import { ConditionalCheckFailedException } from "@aws-sdk/client-dynamodb";
import { GetCommand, PutCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { v7 as uuid } from "uuid";
import { environment } from "../platform/environment.ts";
import { keys, table, whenConditionFails } from "../platform/table.ts";
import { claimSeconds, type Migration, MigrationRecord } from "./migration.ts";

/** Another runner has taken a migration over, because this one was silent for too long: it must not write any more. */
export class MigrationClaimLost extends Error {
  constructor(number: number) {
    super(`migration ${number} was taken over by another run`);
    this.name = "MigrationClaimLost";
  }
}

/** @returns what is known of a migration, or null when it never began */
export async function readMigration(number: number): Promise<MigrationRecord | null> {
  const get = new GetCommand({
    TableName: environment().TABLE_NAME,
    Key: keys.migration(number),
    ConsistentRead: true,
  });
  const { Item } = await table.send(get);
  return Item ? MigrationRecord.parse(Item) : null;
}

/**
 * Begins a migration unless it is done or somebody is at it.
 * @param takeOver the caller knows that no other runner lives: a claim counts for nothing then
 * @returns the claim, or null
 */
export async function claimMigration(
  { number, name }: Migration,
  at: Date,
  takeOver: boolean,
): Promise<MigrationRecord | null> {
  const record: MigrationRecord = {
    number,
    name,
    state: "running",
    claim: uuid(),
    claimedUntil: seconds(at) + claimSeconds,
    startedAt: at.toISOString(),
    finishedAt: null,
  };
  // Our own claim is there when the put took effect, its answer was lost and the SDK sent it again.
  const mayTake = takeOver ? "attribute_exists(pk)" : "(claimedUntil < :now OR claim = :claim)";
  const put = new PutCommand({
    TableName: environment().TABLE_NAME,
    Item: { ...keys.migration(number), v: 1, ...record },
    ConditionExpression: `attribute_not_exists(pk) OR #state = :failed OR (#state = :running AND ${mayTake})`,
    ExpressionAttributeNames: { "#state": "state" },
    ExpressionAttributeValues: {
      ":failed": "failed",
      ":running": "running",
      ...(!takeOver && { ":now": seconds(at), ":claim": record.claim }),
    },
  });
  try {
    await table.send(put);
    return record;
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) return null;
    throw error;
  }
}

/** Keeps a claim from expiring. @throws MigrationClaimLost */
export const renewClaim = (record: MigrationRecord, at: Date): Promise<MigrationRecord> =>
  change(record, { ...record, claimedUntil: seconds(at) + claimSeconds });

/** Ends a migration. @throws MigrationClaimLost */
export const endMigration = (
  record: MigrationRecord,
  state: "completed" | "failed",
  at: Date,
): Promise<MigrationRecord> => change(record, { ...record, state, finishedAt: at.toISOString() });

async function change(record: MigrationRecord, next: MigrationRecord): Promise<MigrationRecord> {
  const update = new UpdateCommand({
    TableName: environment().TABLE_NAME,
    Key: keys.migration(record.number),
    UpdateExpression: "SET #state = :state, claimedUntil = :until, finishedAt = :finished",
    ConditionExpression: "claim = :claim",
    ExpressionAttributeNames: { "#state": "state" },
    ExpressionAttributeValues: {
      ":state": next.state,
      ":until": next.claimedUntil,
      ":finished": next.finishedAt,
      ":claim": record.claim,
    },
  });
  await table.send(update).catch(whenConditionFails(() => new MigrationClaimLost(record.number)));
  return next;
}

const seconds = (at: Date) => Math.floor(at.getTime() / 1000);
