import { DeleteCommand, GetCommand } from "@aws-sdk/lib-dynamodb";
import * as z from "zod";
import { environment } from "../platform/environment.ts";
import { isSluiceError, SluiceError } from "../platform/errors.ts";
import { keys, table } from "../platform/table.ts";
import type { KnownHost } from "../sources/git/known-host.ts";
import { writeForUser } from "../users/user-store.ts";

/** @returns the key that a host has shown this user, or null for a host that the user has not met */
export async function findKnownHost(ownerId: string, host: string): Promise<KnownHost | null> {
  const Key = keys.knownHosts(ownerId);
  const get = new GetCommand({ TableName: environment().TABLE_NAME, Key, ConsistentRead: true });
  const { Item } = await table.send(get);
  const key = z.string().optional().parse(Item?.[host]);
  return key === undefined ? null : { host, key };
}

/**
 * Stores the key of a host that the user meets for the first time. Of two connections that meet it at once both end well if they were
 * shown the same key; if not, one of them talks to somebody else, and who comes second is refused.
 * @throws SluiceError repository_host_key_changed; not_authenticated when the user is gone
 */
export async function rememberHost(ownerId: string, { host, key }: KnownHost): Promise<void> {
  // One attribute for each host: it has a colon in its name, which no other attribute has.
  const Update = {
    TableName: environment().TABLE_NAME,
    Key: keys.knownHosts(ownerId),
    UpdateExpression: "SET v = :v, #host = :key",
    ConditionExpression: "attribute_not_exists(#host) OR #host = :key",
    ExpressionAttributeNames: { "#host": host },
    ExpressionAttributeValues: { ":v": 1, ":key": key },
  };
  await writeForUser(ownerId, [{ write: { Update }, refusal: "repository_host_key_changed" }]).catch((error) => {
    throw isSluiceError(error, "repository_host_key_changed") ? new SluiceError(error.code, { host }, error) : error;
  });
}

/** Forgets which host keys the user's git hosts have shown; the next connection takes them as new. */
export async function forgetKnownHosts(ownerId: string): Promise<void> {
  await table.send(new DeleteCommand({ TableName: environment().TABLE_NAME, Key: keys.knownHosts(ownerId) }));
}
