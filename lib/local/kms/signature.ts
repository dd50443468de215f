import { createHash, createPublicKey } from "node:crypto";
import { p256 } from "@noble/curves/nist.js";
import { AwsError } from "../service.ts";
import { currentVersion, type Key } from "./key.ts";

/** The only signature that P-256 keys of KMS make. */
export const signingAlgorithm = "ECDSA_SHA_256";

const digestBytes = 32;

/**
 * The digest that a signature is made of.
 * @throws AwsError ValidationException
 */
export function digestOf(message: Buffer, messageType: "RAW" | "DIGEST"): Buffer {
  if (messageType === "RAW") return createHash("sha256").update(message).digest();
  if (message.length === digestBytes) return message;
  throw new AwsError("ValidationException", `Digest is invalid length for algorithm ${signingAlgorithm}.`);
}

/** In DER, as KMS gives it; a JWT wants the two numbers end to end and has to convert. */
export function signDigest(key: Key, digest: Buffer): Buffer {
  // Node's own crypto hashes whatever it signs with an EC key; a digest it would hash again.
  return Buffer.from(p256.sign(digest, scalarOf(key), { prehash: false, format: "der", lowS: false }));
}

export function verifyDigest(key: Key, digest: Buffer, signature: Buffer): boolean {
  try {
    return p256.verify(signature, digest, publicPoint(key), { prehash: false, format: "der", lowS: false });
  } catch {
    return false; // Not DER at all.
  }
}

/** The public key as SubjectPublicKeyInfo in DER. */
export function publicKeyOf(key: Key): Buffer {
  const point = publicPoint(key);
  const [x, y] = [point.subarray(1, 33), point.subarray(33)].map((part) => part.toString("base64url"));
  const jwk = { kty: "EC", crv: "P-256", x, y };
  return createPublicKey({ key: jwk, format: "jwk" }).export({ type: "spki", format: "der" });
}

const scalarOf = (key: Key) => Buffer.from(currentVersion(key).material, "base64");

/** Uncompressed: 4, x, y. */
const publicPoint = (key: Key) => Buffer.from(p256.getPublicKey(scalarOf(key), false));
