import { SignCommand } from "@aws-sdk/client-kms";
import { type CryptoKey, importJWK, jwtVerify } from "jose";
import { environment } from "./environment.ts";
import { errorFields, log } from "./log.ts";
import { algorithm, kms, publishSigningKey, readVerificationKeys, type SigningKey } from "./signing-keys.ts";

/** RFC 9068 access tokens, ES256. Only login signs (KMS); every other function verifies with the public keys in the table. */
const issuer = "sluice";
const audience = "sluice-api";
const type = "at+jwt";
/** Clocks of two machines may differ by this much (RFC 8725 asks for a small leeway). */
const leewaySeconds = 30;
/** A real token has about 400 characters; nothing longer is worth parsing. */
const tokenLengthMax = 4096;
/** How long a key that was switched off by hand, or a signing key that was replaced, may go unnoticed. */
const recheckMs = 5 * 60_000;
/** After a rotation an unknown key id is looked up again, but a flood of forged ids must not read the table each time. */
const reloadEveryMs = 10_000;

export interface TokenClaims {
  readonly userId: string;
  /** Equals the user's own counter, or the token was revoked. */
  readonly tokenVersion: number;
}

/** Issues an access token. @returns the compact JWS */
export async function issueToken(claims: TokenClaims, now: Date): Promise<string> {
  const { keyId, kid } = await currentSigningKey(now);
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
    const { payload } = await jwtVerify(token, ({ kid }) => verificationKey(kid, now), {
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

/** Something read some time ago. Clocks are the callers' and may differ, so age has no sign. */
interface Kept<T> {
  readonly value: Promise<T>;
  readonly at: number;
}

const isOlder = (kept: Kept<unknown>, ms: number, now: Date) => Math.abs(now.getTime() - kept.at) > ms;

let signing: Kept<SigningKey> | undefined;

function currentSigningKey(now: Date): Promise<SigningKey> {
  const before = signing;
  if (before && !isOlder(before, recheckMs, now)) return before.value;
  const value = publishSigningKey(now).catch((error) => {
    signing = before;
    if (!before) throw error;
    // While a deployment moves the alias, our role may not reach the new key yet; the old one is still good.
    log("error", "the signing key could not be looked up again", errorFields(error));
    return before.value;
  });
  signing = { value, at: now.getTime() };
  return value;
}

interface Verifier {
  readonly key: CryptoKey;
  readonly expiresAt: number | null;
}

let verifiers: Kept<ReadonlyMap<string, Verifier>> | undefined;

/** Looks `kid` up in our own map; nothing in the header ever names a URL or brings its own key. */
async function verificationKey(kid: string | undefined, now: Date): Promise<CryptoKey> {
  const kept = verifiers && !isOlder(verifiers, recheckMs, now) ? verifiers : reload(now);
  const known = (await kept.value).get(kid ?? "");
  const found = known ?? (isOlder(kept, reloadEveryMs, now) ? (await reload(now).value).get(kid ?? "") : undefined);
  if (!found || (found.expiresAt !== null && found.expiresAt <= now.getTime() / 1000)) throw new UnknownKey();
  return found.key;
}

function reload(now: Date): Kept<ReadonlyMap<string, Verifier>> {
  const value = loadVerifiers(now).catch((error) => {
    verifiers = undefined;
    throw error;
  });
  verifiers = { value, at: now.getTime() };
  return verifiers;
}

async function loadVerifiers(now: Date): Promise<ReadonlyMap<string, Verifier>> {
  const entries = (await readVerificationKeys(now)).map(
    async ({ kid, jwk, expiresAt }) =>
      [kid, { key: (await importJWK(jwk, algorithm)) as CryptoKey, expiresAt }] as const,
  );
  return new Map(await Promise.all(entries));
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
