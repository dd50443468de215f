import { createECDH, randomBytes } from "node:crypto";
import { AwsError, localAccount } from "../service.ts";

export type KeySpec = "SYMMETRIC_DEFAULT" | "ECC_NIST_P256";
export type KeyUsage = "ENCRYPT_DECRYPT" | "SIGN_VERIFY";

/** Key material. Rotation adds a version; the older ones stay, to read what was encrypted under them. */
export interface KeyVersion {
  /** ISO-8601. */
  readonly created: string;
  /** Base64: 32 bytes of AES-256, or the private scalar on P-256. */
  readonly material: string;
}

export interface Key {
  readonly keyId: string;
  readonly spec: KeySpec;
  readonly usage: KeyUsage;
  /** Whether the material is renewed each year. */
  readonly rotation: boolean;
  readonly state: "Enabled" | "Disabled" | "PendingDeletion";
  /** ISO-8601, while the state is PendingDeletion. */
  readonly deletionDate: string | null;
  /** Oldest first; the last one encrypts and signs. Never empty. */
  readonly versions: readonly KeyVersion[];
}

const prefix = `arn:aws:kms:${localAccount.region}:${localAccount.account}:`;

export const keyArn = (keyId: string) => `${prefix}key/${keyId}`;
export const aliasArn = (alias: string) => `${prefix}${alias}`;

/** What a caller may name a key by, without this account's prefix: "alias/..." or a key id. */
export const localName = (keyId: string) => keyId.replace(prefix, "").replace(/^key\//, "");

/** A key's own name: neither an alias nor an ARN. */
export const isKeyId = (text: string) => /^[\w-]{1,128}$/.test(text);

export function newVersion(spec: KeySpec, at: Date): KeyVersion {
  const material = spec === "SYMMETRIC_DEFAULT" ? randomBytes(32) : newScalar();
  return { created: at.toISOString(), material: material.toString("base64") };
}

export const currentVersion = (key: Key): KeyVersion => key.versions.at(-1)!;

/** @throws AwsError DisabledException, KMSInvalidStateException */
export function requireEnabled(key: Key): void {
  if (key.state === "Disabled") throw new AwsError("DisabledException", `${keyArn(key.keyId)} is disabled.`);
  if (key.state === "PendingDeletion") {
    throw new AwsError("KMSInvalidStateException", `${keyArn(key.keyId)} is pending deletion.`);
  }
}

/** @throws AwsError InvalidKeyUsageException */
export function requireUsage(key: Key, usage: KeyUsage): void {
  if (key.usage === usage) return;
  throw new AwsError(
    "InvalidKeyUsageException",
    `${keyArn(key.keyId)} key usage is ${key.usage} which is not valid for this operation.`,
  );
}

/** A number between 1 and the order of the curve, which OpenSSL picks. */
function newScalar(): Buffer {
  const pair = createECDH("prime256v1");
  pair.generateKeys();
  const scalar = pair.getPrivateKey();
  return Buffer.concat([Buffer.alloc(32 - scalar.length), scalar]);
}
