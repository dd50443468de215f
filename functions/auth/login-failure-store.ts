import { ConditionalCheckFailedException, TransactionCanceledException } from "@aws-sdk/client-dynamodb";
import { DeleteCommand, GetCommand, TransactWriteCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { environment } from "../platform/environment.ts";
import { keys, table } from "../platform/table.ts";
import { type Failures, rememberSeconds, type Subject } from "./login-throttle.ts";

/** Reads how often a subject failed lately. */
export async function readFailures({ kind, hash }: Subject, at: Date): Promise<Failures> {
  const place = placeOf({ kind, hash });
  const { Item } = await table.send(new GetCommand({ ...place, ConsistentRead: true }));
  if (!Item) return { kind, hash, count: 0, lastAt: 0 };
  if (Item.expiresAt <= seconds(at)) {
    // DynamoDB deletes it some day; until then new failures would be added to the forgotten ones.
    await deleteExpired(place, at);
    return { kind, hash, count: 0, lastAt: 0 };
  }
  return { kind, hash, count: Item.failures, lastAt: Item.lastFailureAt };
}

/** Counts one more failure. Simultaneous ones are all counted. */
export async function countFailure(subject: Subject, at: Date): Promise<void> {
  const update = new UpdateCommand({
    ...placeOf(subject),
    UpdateExpression: "ADD failures :one SET lastFailureAt = :at, expiresAt = :expires, v = :v",
    ExpressionAttributeValues: { ":one": 1, ":at": at.getTime(), ":expires": seconds(at) + rememberSeconds, ":v": 1 },
  });
  await table.send(update);
}

/**
 * Forgets an account's failures after its owner signed in, and takes as many off the address, once: whoever owns one account could
 * otherwise wash an address of the failures on all others.
 */
export async function forgive(account: Failures, address: Failures): Promise<void> {
  if (account.count === 0) return;
  const write = new TransactWriteCommand({
    TransactItems: [
      {
        Delete: {
          ...placeOf(account),
          ConditionExpression: "failures = :read",
          ExpressionAttributeValues: { ":read": account.count },
        },
      },
      ...(address.count === 0 ? [] : [takeOff(address, Math.min(account.count, address.count))]),
    ],
  });
  await table.send(write).catch((error) => {
    // Somebody failed or signed in at the same moment, and their count stands; nobody is kept out of what is right by it.
    if (!(error instanceof TransactionCanceledException)) throw error;
  });
}

const takeOff = (address: Failures, count: number) => ({
  Update: {
    ...placeOf(address),
    UpdateExpression: "ADD failures :minus",
    ConditionExpression: "failures >= :count",
    ExpressionAttributeValues: { ":minus": -count, ":count": count },
  },
});

async function deleteExpired(place: ReturnType<typeof placeOf>, at: Date): Promise<void> {
  const remove = new DeleteCommand({
    ...place,
    ConditionExpression: "expiresAt <= :now",
    ExpressionAttributeValues: { ":now": seconds(at) },
  });
  await table.send(remove).catch((error) => {
    if (!(error instanceof ConditionalCheckFailedException)) throw error;
  });
}

const placeOf = ({ kind, hash }: Subject) => ({
  TableName: environment().TABLE_NAME,
  Key: keys.loginFailures(kind, hash),
});

const seconds = (at: Date) => Math.floor(at.getTime() / 1000);
