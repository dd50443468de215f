import { createPublicKey } from "node:crypto";
import { ConditionalCheckFailedException } from "@aws-sdk/client-dynamodb";
import { GetPublicKeyCommand, KMSClient } from "@aws-sdk/client-kms";
import { UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { calculateJwkThumbprint, type JWK } from "jose";
import { environment, tokenMinutesMax } from "./environment.ts";
import { algorithm, readAllKeys, seconds } from "./signing-keys.ts";
import { keys, table } from "./table.ts";

/** The KMS key that signs, and the name its public half has in the table and in tokens. */
export interface SigningKey {
  readonly keyId: string;
  readonly kid: string;
}

/**
 * A key that was replaced counts until the last token that it signed has ended, however long tokens lived then. The hour is for functions that
 * signed with it a little longer, because they had not noticed.
 */
const retiredSeconds = tokenMinutesMax * 60 + 3600;

export const kms = new KMSClient({});

/**
 * Finds the key behind the alias, makes its public half known to all verifiers, and lets the keys that it replaced expire. Safe to repeat,
 * and repeated now and then: during a deployment, functions that still see the old alias may have made the old key the current one again.
 */
export async function publishSigningKey(at: Date): Promise<SigningKey> {
  const answer = await kms.send(new GetPublicKeyCommand({ KeyId: environment().SIGNING_KEY_ALIAS }));
  const der = Buffer.from(answer.PublicKey as Uint8Array);
  const jwk = createPublicKey({ key: der, format: "der", type: "spki" }).export({ format: "jwk" }) as JWK;
  const kid = await calculateJwkThumbprint(jwk);
  const known = await readAllKeys();
  // First the new one: no moment may be without a current key.
  if (!known.some((key) => key.kid === kid && key.expiresAt === null)) await makeCurrent(kid, jwk, at);
  const replaced = known.filter((key) => key.kid !== kid && key.expiresAt === null);
  await Promise.all(replaced.map((key) => retire(key.kid, at)));
  return { keyId: answer.KeyId as string, kid };
}

async function makeCurrent(kid: string, jwk: JWK, at: Date): Promise<void> {
  const update = new UpdateCommand({
    TableName: environment().TABLE_NAME,
    Key: keys.signingKey(kid),
    UpdateExpression: "SET jwk = :jwk, createdAt = if_not_exists(createdAt, :at), v = :v REMOVE expiresAt",
    ExpressionAttributeValues: {
      ":jwk": { ...jwk, kid, alg: algorithm, use: "sig" },
      ":at": at.toISOString(),
      ":v": 1,
    },
  });
  await table.send(update);
}

async function retire(kid: string, at: Date): Promise<void> {
  const update = new UpdateCommand({
    TableName: environment().TABLE_NAME,
    Key: keys.signingKey(kid),
    UpdateExpression: "SET expiresAt = :expires",
    ConditionExpression: "attribute_exists(pk) AND attribute_not_exists(expiresAt)",
    ExpressionAttributeValues: { ":expires": seconds(at) + retiredSeconds },
  });
  await table.send(update).catch((error) => {
    // Another function was faster.
    if (!(error instanceof ConditionalCheckFailedException)) throw error;
  });
}
