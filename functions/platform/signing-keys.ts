import { QueryCommand } from "@aws-sdk/lib-dynamodb";
import type { JWK } from "jose";
import { environment } from "./environment.ts";
import { keys, table } from "./table.ts";

/** The signature algorithm of all tokens; what a token's header says about it selects nothing. */
export const algorithm = "ES256";

/** The public half of a key whose tokens count. */
export interface VerificationKey {
  readonly kid: string;
  readonly jwk: JWK;
  /** Seconds since 1970 from which its tokens count no more; null for the key that signs. */
  readonly expiresAt: number | null;
}

/** The keys that verify at this time. DynamoDB deletes an expired one late, so we look ourselves. */
export async function readVerificationKeys(at: Date): Promise<VerificationKey[]> {
  return (await readAllKeys()).filter(({ expiresAt }) => expiresAt === null || expiresAt > seconds(at));
}

/** Those too that count no more. */
export async function readAllKeys(): Promise<VerificationKey[]> {
  const query = new QueryCommand({
    TableName: environment().TABLE_NAME,
    KeyConditionExpression: "pk = :pk",
    ExpressionAttributeValues: { ":pk": keys.signingKey("").pk },
    ConsistentRead: true,
  });
  const { Items = [] } = await table.send(query);
  return Items.map(({ sk, jwk, expiresAt }) => ({ kid: sk, jwk, expiresAt: expiresAt ?? null }));
}

export const seconds = (at: Date) => Math.floor(at.getTime() / 1000);
