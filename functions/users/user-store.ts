import { GetCommand, TransactWriteCommand, type TransactWriteCommandInput } from "@aws-sdk/lib-dynamodb";
import { environment } from "../platform/environment.ts";
import { type ErrorCode, SluiceError } from "../platform/errors.ts";
import { readItems } from "../platform/read-items.ts";
import { failedConditions, keys, sendUntilNoConflict, table, userShardOf, userShards } from "../platform/table.ts";
import { normaliseEmail, User } from "./user.ts";
import { entryOf } from "./user-entry.ts";

/**
 * Every write of a user goes through the functions below, because one transaction each keeps together what belongs together: the user,
 * the claim on the address, the entry that searches see, and the version of the entry's shard, by which searches notice.
 */

/** Searches hold all entries in memory and walk them; this many take some 40 MB and 25 ms. More users need an index. */
export const usersMax = 50_000;

/** @returns the user, or null */
export async function readUser(id: string): Promise<User | null> {
  const get = new GetCommand({ TableName: environment().TABLE_NAME, Key: keys.user(id), ConsistentRead: true });
  const { Item } = await table.send(get);
  return Item ? User.parse(Item) : null;
}

/** @throws SluiceError user_not_found */
export async function requireUser(id: string): Promise<User> {
  const user = await readUser(id);
  if (!user) throw new SluiceError("user_not_found");
  return user;
}

/** @returns the users in the order of the ids, without those that do not exist */
export async function readUsers(ids: readonly string[]): Promise<User[]> {
  const found = new Map((await readItems(ids.map(keys.user))).map((item) => [item.id, User.parse(item)]));
  return ids.flatMap((id) => found.get(id) ?? []);
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
 * Stores a new user.
 * @throws SluiceError email_taken, user_limit_reached
 */
export function createUser(user: User): Promise<void> {
  return transact(user.id, [
    { write: claim(user), refusal: "email_taken" },
    { write: put({ ...keys.user(user.id), v: 1, ...user }, absent), refusal: "stale_version" },
    { write: putEntry(user) },
    { write: changeShard(user, 1), refusal: "user_limit_reached" },
  ]);
}

/**
 * Stores `after` in place of `before`, moves the claim when the address is another, and raises the version.
 * @param witness an administrator who has to be active still when this is written; see keep-administrator.ts
 * @returns what is stored now
 * @throws SluiceError stale_version when somebody else was faster, email_in_use, last_administrator when the witness fails
 */
export async function replaceUser(before: User, after: User, witness?: string): Promise<User> {
  const stored = { ...after, version: before.version + 1 };
  await transact(before.id, [
    { write: put({ ...keys.user(stored.id), v: 1, ...stored }, unchanged(before)), refusal: "stale_version" },
    { write: putEntry(stored) },
    { write: changeShard(stored, 0) },
    ...(before.email === stored.email
      ? []
      : [
          { write: claim(stored), refusal: "email_in_use" as const },
          { write: releaseClaim(before), refusal: "stale_version" as const },
        ]),
    ...witnessed(witness),
  ]);
  return stored;
}

/**
 * Removes a user who owns no project, with their counters, settings, key pair and known hosts, and the address is free again. Secrets go
 * in the same transaction: there is no moment in which they belong to nobody.
 * @param witness as in replaceUser
 * @throws SluiceError stale_version when somebody else was faster, user_owns_projects, last_administrator when the witness fails
 */
export function deleteUser(user: User, witness?: string): Promise<void> {
  return transact(user.id, [
    { write: remove(keys.user(user.id), unchanged(user)), refusal: "stale_version" },
    { write: remove(keys.userEntry(user.id, user.createdAt)) },
    { write: changeShard(user, -1) },
    { write: releaseClaim(user), refusal: "stale_version" },
    { write: remove(keys.statistics(user.id), ownsNoProject), refusal: "user_owns_projects" },
    { write: remove(keys.userConfig(user.id)) },
    { write: remove(keys.sshKey(user.id)) },
    { write: remove(keys.knownHosts(user.id)) },
    ...witnessed(witness),
  ]);
}

/**
 * Writes something that belongs to a user, unless the user is gone: a request that was let in a moment before must not bring back what
 * their deletion has taken.
 * @param gone how to refuse then: the user is the caller, who is signed out by now, or somebody whom the caller named
 * @throws SluiceError `gone`, or the refusal of the step whose condition does not hold
 */
export function writeForUser(
  userId: string,
  steps: readonly Step[],
  gone: "not_authenticated" | "user_not_found" = "not_authenticated",
): Promise<void> {
  return transact(userId, [{ write: exists(userId), refusal: gone }, ...steps]);
}

type Write = NonNullable<TransactWriteCommandInput["TransactItems"]>[number];

interface Step {
  readonly write: Write;
  /** What it means when the condition of this write does not hold. */
  readonly refusal?: ErrorCode;
}

async function transact(userId: string, steps: readonly Step[]): Promise<void> {
  const write = new TransactWriteCommand({ TransactItems: steps.map((step) => step.write) });
  await sendUntilNoConflict(write).catch((error) => {
    const refusal = failedConditions(error)?.map((index) => steps[index]?.refusal)[0];
    throw refusal ? new SluiceError(refusal, { id: userId, limit: usersMax }, error) : error;
  });
}

interface Condition {
  readonly ConditionExpression?: string;
  readonly ExpressionAttributeNames?: Record<string, string>;
  readonly ExpressionAttributeValues?: Record<string, unknown>;
}

const put = (Item: Record<string, unknown>, condition: Condition = {}): Write => ({
  Put: { TableName: environment().TABLE_NAME, Item, ...condition },
});

const exists = (userId: string): Write => ({
  ConditionCheck: {
    TableName: environment().TABLE_NAME,
    Key: keys.user(userId),
    ConditionExpression: "attribute_exists(pk)",
  },
});

const remove = (Key: Record<string, unknown>, condition: Condition = {}): Write => ({
  Delete: { TableName: environment().TABLE_NAME, Key, ...condition },
});

const absent: Condition = { ConditionExpression: "attribute_not_exists(pk)" };

const unchanged = (user: User): Condition => ({
  ConditionExpression: "version = :read",
  ExpressionAttributeValues: { ":read": user.version },
});

const claim = (user: User) => put({ ...keys.email(user.email), v: 1, userId: user.id }, absent);

const releaseClaim = (user: User) =>
  remove(keys.email(user.email), {
    ConditionExpression: "userId = :id",
    ExpressionAttributeValues: { ":id": user.id },
  });

const putEntry = (user: User) => put({ ...keys.userEntry(user.id, user.createdAt), v: 1, ...entryOf(user) });

/** Counts the entries of a shard and raises its version. Who adds one when the shard is full is refused. */
const changeShard = (user: User, entries: -1 | 0 | 1): Write => ({
  Update: {
    TableName: environment().TABLE_NAME,
    Key: keys.userShard(userShardOf(user.id)),
    UpdateExpression: "SET v = :v ADD version :one, entries :entries",
    ...(entries === 1 && { ConditionExpression: "attribute_not_exists(entries) OR entries < :max" }),
    ExpressionAttributeValues: {
      ":v": 1,
      ":one": 1,
      ":entries": entries,
      ...(entries === 1 && { ":max": usersMax / userShards }),
    },
  },
});

/**
 * Projects are a team's: they must not go, nor stay without an owner, because an account does. A deleted project's tasks are still taken
 * off its owner's counters while it is erased, so they have to be there until then.
 */
const ownsNoProject: Condition = {
  ConditionExpression: "attribute_not_exists(pk) OR (projects <= :none AND tasks <= :none)",
  ExpressionAttributeValues: { ":none": 0 },
};

function witnessed(id: string | undefined): Step[] {
  if (id === undefined) return [];
  const ConditionCheck = {
    TableName: environment().TABLE_NAME,
    Key: keys.user(id),
    ConditionExpression: "#role = :admin AND isActive = :true",
    ExpressionAttributeNames: { "#role": "role" },
    ExpressionAttributeValues: { ":admin": "admin", ":true": true },
  };
  return [{ write: { ConditionCheck }, refusal: "last_administrator" }];
}
