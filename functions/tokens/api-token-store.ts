import { ConditionalCheckFailedException } from "@aws-sdk/client-dynamodb";
import {
  BatchGetCommand,
  DeleteCommand,
  GetCommand,
  PutCommand,
  paginateQuery,
  QueryCommand,
} from "@aws-sdk/lib-dynamodb";
import { deleteItems } from "../platform/delete-partition.ts";
import { environment } from "../platform/environment.ts";
import { SluiceError } from "../platform/errors.ts";
import { errorFields, log } from "../platform/log.ts";
import { indexKeys, keys, table, whenConditionFails } from "../platform/table.ts";
import { writeForUser } from "../users/user-store.ts";
import { ApiToken, idOf, isLive, tokensPerUserMax } from "./api-token.ts";

/** "Last used" is for finding tokens that nobody needs any more; hours are exact enough and cost next to nothing. */
const useSeconds = 3600;

/** @returns the token with this secret, alive at `now`, or null */
export async function findApiToken(secret: string, now: Date): Promise<ApiToken | null> {
  const token = await readToken(idOf(secret));
  return token && isLive(token, secret, now) ? token : null;
}

async function readToken(id: string): Promise<ApiToken | null> {
  const get = new GetCommand({ TableName: environment().TABLE_NAME, Key: keys.apiToken(id), ConsistentRead: true });
  const { Item } = await table.send(get);
  return Item ? ApiToken.parse(Item) : null;
}

/** @throws SluiceError not_authenticated when the owner is gone */
export async function createApiToken(token: ApiToken): Promise<void> {
  const index = { ...indexKeys.apiTokensOf(token.ownerId), gsi1sk: `${token.createdAt}#${token.id}` };
  const Put = {
    TableName: environment().TABLE_NAME,
    Item: { ...keys.apiToken(token.id), ...index, v: 1, ...token },
    ConditionExpression: "attribute_not_exists(pk)",
  };
  await writeForUser(token.ownerId, [{ write: { Put } }]);
}

/**
 * The user's tokens that count, newest first, each with its last use. Those that expired or that a disabled account, a new password or a
 * new role ended are left out.
 */
export async function listApiTokens(
  owner: { readonly id: string; readonly tokenVersion: number },
  now: Date,
): Promise<{ token: ApiToken; lastUsedAt: string | null }[]> {
  const query = new QueryCommand({
    TableName: environment().TABLE_NAME,
    IndexName: "gsi1",
    KeyConditionExpression: "gsi1pk = :pk",
    FilterExpression: "expiresAt > :now AND tokenVersion = :tokenVersion",
    ExpressionAttributeValues: {
      ":pk": indexKeys.apiTokensOf(owner.id).gsi1pk,
      ":now": Math.floor(now.getTime() / 1000),
      ":tokenVersion": owner.tokenVersion,
    },
    ScanIndexForward: false,
  });
  const { Items = [] } = await table.send(query);
  const tokens = Items.slice(0, tokensPerUserMax).map((item) => ApiToken.parse(item));
  const uses = await lastUses(tokens.map(({ id }) => id));
  return tokens.map((token) => ({ token, lastUsedAt: uses.get(token.id) ?? null }));
}

/** When the tokens were last used. What DynamoDB does not get to in one go counts as not used: this is only shown. */
async function lastUses(ids: readonly string[]): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map();
  const { TABLE_NAME } = environment();
  const batch = new BatchGetCommand({ RequestItems: { [TABLE_NAME]: { Keys: ids.map(keys.apiTokenUse) } } });
  const { Responses } = await table.send(batch);
  return new Map(Responses?.[TABLE_NAME]?.map(({ tokenId, usedAt }) => [tokenId as string, usedAt as string]));
}

/**
 * Ends a token at once.
 * @throws SluiceError token_not_found, also for a token of somebody else
 */
export async function deleteApiToken(ownerId: string, id: string): Promise<void> {
  // The condition below is what protects others' tokens. This look keeps refused requests from being writes at all.
  if ((await readToken(id))?.ownerId !== ownerId) throw new SluiceError("token_not_found");
  const TableName = environment().TABLE_NAME;
  const owned = { ConditionExpression: "ownerId = :owner", ExpressionAttributeValues: { ":owner": ownerId } };
  await table
    .send(new DeleteCommand({ TableName, Key: keys.apiToken(id), ...owned }))
    .catch(whenConditionFails(() => new SluiceError("token_not_found")));
  await table.send(new DeleteCommand({ TableName, Key: keys.apiTokenUse(id) }));
}

/** Removes what is left of the tokens of a user who is gone, expired ones too. They open nothing any more, so a crash in between harms nobody. */
export async function deleteApiTokensOf(ownerId: string): Promise<void> {
  const query = {
    TableName: environment().TABLE_NAME,
    IndexName: "gsi1",
    KeyConditionExpression: "gsi1pk = :pk",
    ExpressionAttributeValues: { ":pk": indexKeys.apiTokensOf(ownerId).gsi1pk },
  };
  const ids: string[] = [];
  for await (const { Items = [] } of paginateQuery({ client: table }, query))
    ids.push(...Items.map((item) => item.id as string));
  // The token leads to its use, so it goes last.
  await deleteItems(ids.map(keys.apiTokenUse));
  await deleteItems(ids.map(keys.apiToken));
}

/** What this container has seen used, in milliseconds: another container's writes are found out by the condition. */
const noted = new Map<string, number>();
const notedMax = 10_000;

/** Remembers that a token was used, at most once an hour however many functions see it. It never fails: the request matters more. */
export async function noteUse({ id, expiresAt }: ApiToken, now: Date): Promise<void> {
  if (now.getTime() - (noted.get(id) ?? 0) < useSeconds * 1000) return;
  if (noted.size >= notedMax) noted.clear();
  noted.set(id, now.getTime());
  const put = new PutCommand({
    TableName: environment().TABLE_NAME,
    Item: { ...keys.apiTokenUse(id), v: 1, tokenId: id, usedAt: now.toISOString(), expiresAt },
    ConditionExpression: "attribute_not_exists(pk) OR usedAt <= :hourAgo",
    ExpressionAttributeValues: { ":hourAgo": new Date(now.getTime() - useSeconds * 1000).toISOString() },
  });
  await table.send(put).catch((error) => {
    if (!(error instanceof ConditionalCheckFailedException))
      log("warn", "use of an API token not noted", errorFields(error));
  });
}
