import { SignCommand } from "@aws-sdk/client-kms";
import { environment } from "./environment.ts";
import { errorFields, log } from "./log.ts";
import { kms, publishSigningKey, type SigningKey } from "./publish-signing-key.ts";
import { algorithm } from "./signing-keys.ts";
import { audience, isOlder, issuer, type Kept, recheckMs, type TokenClaims, tokenType } from "./tokens.ts";

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
  const signed = `${encode({ alg: algorithm, typ: tokenType, kid })}.${encode(payload)}`;
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
