import { createPublicKey } from "node:crypto";
import { ConditionalCheckFailedException } from "@aws-sdk/client-dynamodb";
import { GetPublicKeyCommand, KMSClient, SignCommand } from "@aws-sdk/client-kms";
import { PutCommand, QueryCommand } from "@aws-sdk/lib-dynamodb";
import { type CryptoKey, calculateJwkThumbprint, importJWK, type JWK, jwtVerify } from "jose";
import { environment } from "./environment.ts";
import { keys, table } from "./table.ts";

/** RFC 9068 access tokens, ES256. Only login signs (KMS); every other function verifies with the public keys in the table. */
const issuer = "sluice";
const audience = "sluice-api";
const type = "at+jwt";
const algorithm = "ES256";
/** Clocks of two machines may differ by this much (RFC 8725 asks for a small leeway). */
const leewaySeconds = 30;
/** A real token has about 400 characters; nothing longer is worth parsing. */
const tokenLengthMax = 4096;
/** After a rotation an unknown key id is looked up again, but a flood of forged ids must not read the table each time. */
const reloadEveryMs = 10_000;

export interface TokenClaims {
  readonly userId: string;
  /** Equals the user's own counter, or the token was revoked. */
  readonly tokenVersion: number;
}

interface SigningKey {
  readonly keyId: string;
  readonly kid: string;
}

let signingKey: Promise<SigningKey> | undefined;
const kms = new KMSClient({});

/** Issues an access token. @returns the compact JWS */
export async function issueToken(claims: TokenClaims, now: Date): Promise<string> {
  signingKey ??= publishSigningKey().catch((error) => {
    signingKey = undefined;
    throw error;
  });
  const { keyId, kid } = await signingKey;
  const issuedAt = Math.floor(now.getTime() / 1000);
  const payload = {
    iss: issuer,
    aud: audience,
    sub: claims.userId,
    tv: claims.tokenVersion,
    iat: issuedAt,
    nbf: issuedAt,
    exp: issuedAt + environment().TOKEN_MINUTES * 60,
  };
  const signed = `${encode({ alg: algorithm, typ: type, kid })}.${encode(payload)}`;
  const { Signature } = await kms.send(
    new SignCommand({
      KeyId: keyId,
      Message: Buffer.from(signed),
      MessageType: "RAW",
      SigningAlgorithm: "ECDSA_SHA_256",
    }),
  );
  return `${signed}.${rawSignature(Buffer.from(Signature as Uint8Array)).toString("base64url")}`;
}

/** @returns the claims of a token that we signed and that is alive at `now`, else null: the reason is nobody's business */
export async function verifyToken(token: string, now: Date): Promise<TokenClaims | null> {
  if (token.length > tokenLengthMax) return null;
  try {
    const { payload } = await jwtVerify(token, ({ kid }) => verificationKey(kid), {
      algorithms: [algorithm],
      issuer,
      audience,
      typ: type,
      currentDate: now,
      clockTolerance: leewaySeconds,
      requiredClaims: ["sub", "exp", "nbf", "iat", "tv"],
    });
    return typeof payload.tv === "number" && payload.sub ? { userId: payload.sub, tokenVersion: payload.tv } : null;
  } catch (error) {
    if (isTokenFault(error)) return null;
    throw error;
  }
}

/** jose's errors and our own refusal of a key id speak about the token; anything else (DynamoDB, say) is trouble of ours. */
const isTokenFault = (error: unknown) =>
  error instanceof UnknownKey || String((error as { code?: string }).code ?? "").startsWith("ERR_J");

class UnknownKey extends Error {}

let verificationKeys: Promise<Map<string, CryptoKey>> | undefined;
let loadedAt = 0;

/** Looks `kid` up in our own map; nothing in the header ever names a URL or brings its own key. */
async function verificationKey(kid: string | undefined): Promise<CryptoKey> {
  const known = (await (verificationKeys ?? reload())).get(kid ?? "");
  if (known) return known;
  const found = Date.now() - loadedAt > reloadEveryMs ? (await reload()).get(kid ?? "") : undefined;
  if (!found) throw new UnknownKey();
  return found;
}

function reload(): Promise<Map<string, CryptoKey>> {
  loadedAt = Date.now();
  verificationKeys = loadVerificationKeys().catch((error) => {
    verificationKeys = undefined;
    throw error;
  });
  return verificationKeys;
}

async function loadVerificationKeys(): Promise<Map<string, CryptoKey>> {
  const query = new QueryCommand({
    TableName: environment().TABLE_NAME,
    KeyConditionExpression: "pk = :pk",
    ExpressionAttributeValues: { ":pk": keys.signingKey("").pk },
    ConsistentRead: true,
  });
  const { Items = [] } = await table.send(query);
  const entries = Items.map(
    async (item) => [item.sk as string, (await importJWK(item.jwk as JWK, algorithm)) as CryptoKey] as const,
  );
  return new Map(await Promise.all(entries));
}

/** Reads the public half of the current signing key and makes it known to all verifiers, once per key. */
async function publishSigningKey(): Promise<SigningKey> {
  const answer = await kms.send(new GetPublicKeyCommand({ KeyId: environment().SIGNING_KEY_ALIAS }));
  const der = Buffer.from(answer.PublicKey as Uint8Array);
  const jwk = createPublicKey({ key: der, format: "der", type: "spki" }).export({ format: "jwk" }) as JWK;
  const kid = await calculateJwkThumbprint(jwk);
  const put = new PutCommand({
    TableName: environment().TABLE_NAME,
    Item: {
      ...keys.signingKey(kid),
      v: 1,
      jwk: { ...jwk, kid, alg: algorithm, use: "sig" },
      createdAt: new Date().toISOString(),
    },
    ConditionExpression: "attribute_not_exists(pk)",
  });
  await table.send(put).catch((error) => {
    if (!(error instanceof ConditionalCheckFailedException)) throw error;
  });
  return { keyId: answer.KeyId as string, kid };
}

const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");

/** KMS answers an ASN.1 SEQUENCE of two INTEGERs; JOSE wants both as 32 bytes each, side by side (RFC 7518 section 3.4). */
export function rawSignature(der: Buffer): Buffer {
  const r = integerAt(der, 2);
  const s = integerAt(der, 2 + 2 + (der[3] as number));
  return Buffer.concat([r, s]);
}

function integerAt(der: Buffer, offset: number): Buffer {
  const length = der[offset + 1] as number;
  const bytes = der.subarray(offset + 2, offset + 2 + length);
  const unsigned = bytes[0] === 0 ? bytes.subarray(1) : bytes;
  return Buffer.concat([Buffer.alloc(32 - unsigned.length), unsigned]);
}
