import { createHash } from "node:crypto";
import { DecryptCommand, EncryptCommand, KMSClient } from "@aws-sdk/client-kms";
import { environment } from "./environment.ts";
import { SluiceError } from "./errors.ts";
import { log } from "./log.ts";

/** Whose secret it is and which. KMS binds the ciphertext to both, so that it opens nowhere else. It shows in CloudTrail: ids only. */
export interface SecretPlace {
  readonly userId: string;
  /** The name that API and record give it, for example "githubToken". */
  readonly field: string;
}

export interface OpenedSecret {
  readonly value: string;
  /** True for a value from before encryption: the store writes `encryptSecret(value)` over it, on condition that it is unchanged. */
  readonly legacy: boolean;
}

const prefix = "enc:v1:";
/** Nothing a user enters may look like our stored form, or it would be taken for it when read. */
const reservedPrefix = "enc:";
/** What kms:Encrypt takes; a private RSA key of 4096 bits has about 3.4 kB. */
export const secretBytesMax = 4096;

const kms = new KMSClient({});

/**
 * Encrypts a secret for one field of one user.
 * @returns the form to store, `enc:v1:` and base64
 * @throws SluiceError secret_too_long, secret_prefix_reserved
 */
export async function encryptSecret(value: string, place: SecretPlace): Promise<string> {
  const bytes = Buffer.from(value);
  if (value.startsWith(reservedPrefix)) throw new SluiceError("secret_prefix_reserved", { field: place.field });
  if (bytes.length > secretBytesMax)
    throw new SluiceError("secret_too_long", { field: place.field, bytes: bytes.length, limit: secretBytesMax });
  const command = new EncryptCommand({
    KeyId: environment().SECRETS_KEY_ALIAS,
    Plaintext: bytes,
    EncryptionContext: contextOf(place),
  });
  const { CiphertextBlob } = await kms.send(command);
  return prefix + Buffer.from(CiphertextBlob as Uint8Array).toString("base64");
}

/**
 * Reads a stored secret. A value without the prefix is older than encryption and is answered as it stands; a value with it is decrypted or
 * refused, never handed on raw. Opened values are remembered for a minute at most.
 * @throws SluiceError secret_unreadable when it was made for another place or damaged; trouble of KMS passes unchanged
 */
export async function openSecret(stored: string, place: SecretPlace, now = Date.now()): Promise<OpenedSecret> {
  if (!stored.startsWith(prefix)) {
    if (stored.startsWith(reservedPrefix)) throw new SluiceError("secret_unreadable", { field: place.field });
    log("warn", "legacy secret read", { user: place.userId, count: 1 });
    return { value: stored, legacy: true };
  }
  const key = cacheKey(stored, place);
  const known = remembered(key, now);
  if (known !== undefined) return { value: known, legacy: false };
  const value = await decrypt(stored, place);
  remember(key, value, now);
  return { value, legacy: false };
}

/** What a user sees of a secret: four dots and its last four characters, or only dots where four would tell too much of it. */
export function maskSecret(value: string): string {
  return value.length < tellingLength ? dots : dots + value.slice(-4);
}

/**
 * What becomes of a stored secret when a form comes back.
 * @param sent undefined, null or a mask keeps what is stored, "" deletes it, anything else replaces it. Every mask keeps, not only the current
 *   one: a form that was opened before the last change must not store dots as a key.
 * @returns the form to store from now on, or undefined for none
 * @throws SluiceError secret_too_long, secret_prefix_reserved
 */
export async function changedSecret(
  stored: string | undefined,
  sent: string | null | undefined,
  place: SecretPlace,
): Promise<string | undefined> {
  if (sent === undefined || sent === null || isMask(sent)) return stored;
  return sent === "" ? undefined : encryptSecret(sent, place);
}

/** True for what a form shows in the place of a secret. */
export const isMask = (text: string): boolean => maskForm.test(text);

const dots = "••••";
const maskForm = /^••••.{0,4}$/su;
/** Four shown characters leave at least eight to guess. */
const tellingLength = 12;

const contextOf = ({ userId, field }: SecretPlace) => ({ app: "sluice", userId, field });

async function decrypt(stored: string, place: SecretPlace): Promise<string> {
  const command = new DecryptCommand({
    KeyId: environment().SECRETS_KEY_ALIAS,
    CiphertextBlob: Buffer.from(stored.slice(prefix.length), "base64"),
    EncryptionContext: contextOf(place),
  });
  try {
    const { Plaintext } = await kms.send(command);
    return Buffer.from(Plaintext as Uint8Array).toString("utf8");
  } catch (error) {
    // The text is at fault. An outage or a disabled key is not, and must not make people enter their keys again.
    if (faultsOfText.has((error as Error).name))
      throw new SluiceError("secret_unreadable", { field: place.field }, error);
    throw error;
  }
}

const faultsOfText = new Set(["InvalidCiphertextException", "IncorrectKeyException", "ValidationException"]);

/** A scan opens the same key for every batch. Keyed by the ciphertext too, so a changed secret is never answered with the old one. */
const cache = new Map<string, { readonly value: string; readonly until: number }>();
const keepMilliseconds = 60_000;
const cachedMax = 100;

function cacheKey(stored: string, { userId, field }: SecretPlace): string {
  return createHash("sha256")
    .update(JSON.stringify([userId, field, stored]))
    .digest("hex");
}

function remembered(key: string, now: number): string | undefined {
  const found = cache.get(key);
  if (found && found.until > now) return found.value;
  cache.delete(key);
  return undefined;
}

function remember(key: string, value: string, now: number): void {
  for (const [old, { until }] of cache) if (until <= now) cache.delete(old);
  // Map keeps insertion order: the first key is the oldest.
  if (cache.size >= cachedMax) cache.delete(cache.keys().next().value!);
  cache.set(key, { value, until: now + keepMilliseconds });
}
