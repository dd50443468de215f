import { DeleteCommand, GetCommand } from "@aws-sdk/lib-dynamodb";
import { environment } from "../platform/environment.ts";
import { SluiceError } from "../platform/errors.ts";
import { encryptSecret } from "../platform/secrets.ts";
import { keys, table, whenConditionFails } from "../platform/table.ts";
import { writeForUser } from "../users/user-store.ts";
import { type GeneratedKey, SshKey, type SshKeyType } from "./ssh-key.ts";

/** The name that binds the encrypted private key to its field. */
export const privateKeyField = "sshPrivateKey";

/** @returns the user's key, or null */
export async function readSshKey(ownerId: string): Promise<SshKey | null> {
  const get = new GetCommand({ TableName: environment().TABLE_NAME, Key: keys.sshKey(ownerId), ConsistentRead: true });
  const { Item } = await table.send(get);
  return Item ? SshKey.parse(Item) : null;
}

/**
 * Stores a new key in place of a former one; the private part only encrypted.
 * @throws SluiceError not_authenticated when the user is gone
 */
export async function storeSshKey(ownerId: string, type: SshKeyType, key: GeneratedKey, at: Date): Promise<SshKey> {
  const stored: SshKey = {
    ownerId,
    type,
    publicKey: key.publicKey,
    fingerprint: key.fingerprint,
    privateKey: await encryptSecret(key.privateKey, { userId: ownerId, field: privateKeyField }),
    createdAt: at.toISOString(),
  };
  const Item = { ...keys.sshKey(ownerId), v: 1, ...stored };
  await writeForUser(ownerId, [{ write: { Put: { TableName: environment().TABLE_NAME, Item } } }]);
  return stored;
}

/** @throws SluiceError ssh_key_not_found */
export async function deleteSshKey(ownerId: string): Promise<void> {
  const remove = new DeleteCommand({
    TableName: environment().TABLE_NAME,
    Key: keys.sshKey(ownerId),
    ConditionExpression: "attribute_exists(pk)",
  });
  await table.send(remove).catch(whenConditionFails(() => new SluiceError("ssh_key_not_found")));
}
