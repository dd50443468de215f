import { ConditionalCheckFailedException } from "@aws-sdk/client-dynamodb";
import { UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { groups, isSecretField, said } from "../../config/user-config.ts";
import { environment } from "../../platform/environment.ts";
import { isSluiceError } from "../../platform/errors.ts";
import { log } from "../../platform/log.ts";
import { encryptSecret } from "../../platform/secrets.ts";
import { keys, table } from "../../platform/table.ts";
import type { Migration } from "../migration.ts";
import { walkPartition, walkUserIds } from "../walk.ts";

/** Keys and tokens in users' settings that are older than encryption get encrypted, whether or not their users ever change anything. */
export const encryptSecrets: Migration = {
  number: 7,
  name: "encrypt_secrets",
  run: async ({ keepClaim }) => {
    for await (const userId of walkUserIds()) {
      for await (const settings of walkPartition(keys.userConfig(userId).pk)) {
        for (const secret of plainSecrets(settings)) {
          await keepClaim();
          await encrypt(userId, secret);
        }
      }
    }
  },
};

interface PlainSecret {
  readonly group: string;
  /** "githubToken", "embedding_config.api_key" */
  readonly field: string;
  readonly value: string;
}

function plainSecrets(settings: Record<string, unknown>): PlainSecret[] {
  return groups.flatMap((group) =>
    Object.entries(said((settings[group] ?? {}) as object)).flatMap(([field, value]) =>
      isSecretField(field) && typeof value === "string" && value !== "" && !value.startsWith("enc:")
        ? [{ group, field, value }]
        : [],
    ),
  );
}

/** Only over the very value that was read: a key that its user has changed meanwhile is encrypted already. */
async function encrypt(userId: string, { group, field, value }: PlainSecret): Promise<void> {
  const path = [group, ...field.split(".")];
  const names = path.map((_, depth) => `#p${depth}`);
  const encrypted = await encryptSecret(value, { userId, field }).catch((error) => {
    // Too long to be a key. It stays readable as it is, and one user's nonsense must not cost all others the migration.
    if (!isSluiceError(error, "secret_too_long")) throw error;
    log("warn", "legacy secret not encrypted", { user: userId, code: error.code });
    return null;
  });
  if (encrypted === null) return;
  const update = new UpdateCommand({
    TableName: environment().TABLE_NAME,
    Key: keys.userConfig(userId),
    UpdateExpression: `SET ${names.join(".")} = :encrypted`,
    ConditionExpression: `${names.join(".")} = :read`,
    ExpressionAttributeNames: Object.fromEntries(path.map((name, depth) => [`#p${depth}`, name])),
    ExpressionAttributeValues: { ":encrypted": encrypted, ":read": value },
  });
  await table.send(update).catch((error) => {
    if (!(error instanceof ConditionalCheckFailedException)) throw error;
  });
}
