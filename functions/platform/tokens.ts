import { type CryptoKey, importJWK, jwtVerify } from "jose";
import { algorithm, readVerificationKeys } from "./signing-keys.ts";

/**
 * RFC 9068 access tokens, ES256. Only login signs (KMS, issue-token.ts); every other function verifies with the public keys in the table, and
 * loads no client of KMS for it.
 */
export const issuer = "sluice";
export const audience = "sluice-api";
export const tokenType = "at+jwt";
/** Clocks of two machines may differ by this much (RFC 8725 asks for a small leeway). */
const leewaySeconds = 30;
/** A real token has about 400 characters; nothing longer is worth parsing. */
const tokenLengthMax = 4096;
/** How long a key that was switched off by hand, or a signing key that was replaced, may go unnoticed. */
export const recheckMs = 5 * 60_000;
/** After a rotation an unknown key id is looked up again, but a flood of forged ids must not read the table each time. */
const reloadEveryMs = 10_000;

export interface TokenClaims {
  readonly userId: string;
  /** Equals the user's own counter, or the token was revoked. */
  readonly tokenVersion: number;
}

/** @returns the claims of a token that we signed and that is alive at `now`, else null: the reason is nobody's business */
export async function verifyToken(token: string, now: Date): Promise<TokenClaims | null> {
  if (token.length > tokenLengthMax) return null;
  try {
    const { payload } = await jwtVerify(token, ({ kid }) => verificationKey(kid, now), {
      algorithms: [algorithm],
      issuer,
      audience,
      typ: tokenType,
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
export interface Kept<T> {
  readonly value: Promise<T>;
  readonly at: number;
}

export const isOlder = (kept: Kept<unknown>, ms: number, now: Date) => Math.abs(now.getTime() - kept.at) > ms;

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
