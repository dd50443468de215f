import { randomBytes } from "node:crypto";
import { AwsError, localAccount } from "../service.ts";
import { decrypt, type EncryptionContext, encrypt, originOf } from "./ciphertext.ts";
import { aliasArn, type Key, keyArn, requireEnabled, requireUsage } from "./key.ts";
import { type KeyRing, rotationDays } from "./key-ring.ts";
import type { KmsInput, KmsOperation } from "./kms-input.ts";
import { digestOf, publicKeyOf, signDigest, signingAlgorithm, verifyDigest } from "./signature.ts";

type Operations = { readonly [O in KmsOperation]: (ring: KeyRing, input: KmsInput<O>) => object };

/** What each operation does, its input already parsed. Bytes answer in base64, times in seconds. */
export const kmsOperations: Operations = {
  CancelKeyDeletion(ring, { KeyId }) {
    const key = ring.key(KeyId);
    if (key.state !== "PendingDeletion") {
      throw new AwsError("KMSInvalidStateException", `${keyArn(key.keyId)} is not pending deletion.`);
    }
    ring.file.putKey({ ...key, state: "Disabled", deletionDate: null });
    return { KeyId: keyArn(key.keyId) };
  },

  Decrypt(ring, { CiphertextBlob, EncryptionContext, KeyId }) {
    const { key, plaintext } = open(ring, CiphertextBlob, EncryptionContext, KeyId);
    return { KeyId: keyArn(key.keyId), Plaintext: base64(plaintext), EncryptionAlgorithm: symmetric };
  },

  DescribeKey: (ring, { KeyId }) => ({ KeyMetadata: describe(ring.key(KeyId)) }),

  DisableKey: (ring, { KeyId }) => setState(ring, KeyId, "Disabled"),

  EnableKey: (ring, { KeyId }) => setState(ring, KeyId, "Enabled"),

  Encrypt(ring, { KeyId, Plaintext, EncryptionContext }) {
    const key = ring.usable(KeyId, "ENCRYPT_DECRYPT");
    const CiphertextBlob = base64(encrypt(key, Plaintext, EncryptionContext));
    return { KeyId: keyArn(key.keyId), CiphertextBlob, EncryptionAlgorithm: symmetric };
  },

  GenerateDataKey(ring, input) {
    const { key, plaintext, ciphertext } = makeDataKey(ring, input);
    return { KeyId: keyArn(key.keyId), Plaintext: base64(plaintext), CiphertextBlob: base64(ciphertext) };
  },

  GenerateDataKeyWithoutPlaintext(ring, input) {
    const { key, ciphertext } = makeDataKey(ring, input);
    return { KeyId: keyArn(key.keyId), CiphertextBlob: base64(ciphertext) };
  },

  GetKeyRotationStatus(ring, { KeyId }) {
    const { keyId, rotation } = ring.key(KeyId);
    const period = rotation ? { RotationPeriodInDays: rotationDays } : {};
    return { KeyId: keyArn(keyId), KeyRotationEnabled: rotation, ...period };
  },

  GetPublicKey(ring, { KeyId }) {
    const key = ring.usable(KeyId, "SIGN_VERIFY");
    return {
      KeyId: keyArn(key.keyId),
      PublicKey: base64(publicKeyOf(key)),
      CustomerMasterKeySpec: key.spec,
      KeySpec: key.spec,
      KeyUsage: key.usage,
      SigningAlgorithms: [signingAlgorithm],
    };
  },

  ListAliases(ring, { KeyId, Limit, Marker }) {
    const target = KeyId === undefined ? undefined : ring.key(KeyId).keyId;
    const all = ring.file.aliases().filter(([name, keyId]) => name > (Marker ?? "") && (target ?? keyId) === keyId);
    const page = all.slice(0, Limit);
    const isTruncated = all.length > page.length;
    return {
      Aliases: page.map(([name, keyId]) => ({ AliasName: name, AliasArn: aliasArn(name), TargetKeyId: keyId })),
      Truncated: isTruncated,
      ...(isTruncated && { NextMarker: page.at(-1)![0] }),
    };
  },

  ReEncrypt(ring, input) {
    const { CiphertextBlob, SourceEncryptionContext, SourceKeyId } = input;
    const source = open(ring, CiphertextBlob, SourceEncryptionContext, SourceKeyId);
    const key = ring.usable(input.DestinationKeyId, "ENCRYPT_DECRYPT");
    return {
      CiphertextBlob: base64(encrypt(key, source.plaintext, input.DestinationEncryptionContext)),
      SourceKeyId: keyArn(source.key.keyId),
      KeyId: keyArn(key.keyId),
      SourceEncryptionAlgorithm: symmetric,
      DestinationEncryptionAlgorithm: symmetric,
    };
  },

  RotateKeyOnDemand(ring, { KeyId }) {
    const key = ring.key(KeyId);
    requireEnabled(key);
    if (key.spec !== "SYMMETRIC_DEFAULT") {
      throw new AwsError("UnsupportedOperationException", `You cannot rotate ${keyArn(key.keyId)} on demand.`);
    }
    ring.rotate(key);
    return { KeyId: keyArn(key.keyId) };
  },

  ScheduleKeyDeletion(ring, { KeyId, PendingWindowInDays }) {
    const key = settled(ring, KeyId);
    const deletionDate = new Date(ring.now().getTime() + PendingWindowInDays * 24 * 3600 * 1000).toISOString();
    ring.file.putKey({ ...key, state: "PendingDeletion", deletionDate });
    return {
      KeyId: keyArn(key.keyId),
      DeletionDate: seconds(deletionDate),
      KeyState: "PendingDeletion",
      PendingWindowInDays,
    };
  },

  Sign(ring, input) {
    const key = signingKey(ring, input);
    const signature = signDigest(key, digestOf(input.Message, input.MessageType));
    return { KeyId: keyArn(key.keyId), Signature: base64(signature), SigningAlgorithm: signingAlgorithm };
  },

  Verify(ring, input) {
    const key = signingKey(ring, input);
    if (!verifyDigest(key, digestOf(input.Message, input.MessageType), input.Signature)) {
      throw new AwsError("KMSInvalidSignatureException", "The signature does not match.");
    }
    return { KeyId: keyArn(key.keyId), SignatureValid: true, SigningAlgorithm: signingAlgorithm };
  },
};

const symmetric = "SYMMETRIC_DEFAULT";

const base64 = (bytes: Buffer) => bytes.toString("base64");
const seconds = (iso: string) => Date.parse(iso) / 1000;

/** The key id stands in the ciphertext; a caller may name the one it expects. */
function open(ring: KeyRing, ciphertext: Buffer, context: EncryptionContext, expected: string | undefined) {
  const { keyId } = originOf(ciphertext);
  if (expected !== undefined && ring.idOf(expected) !== keyId) {
    throw new AwsError(
      "IncorrectKeyException",
      "The key ID in the request does not identify a CMK that can perform this operation.",
    );
  }
  const key = ring.usable(keyId, "ENCRYPT_DECRYPT");
  return { key, plaintext: decrypt(key, ciphertext, context) };
}

function makeDataKey(ring: KeyRing, { KeyId, EncryptionContext, bytes }: KmsInput<"GenerateDataKey">) {
  const key = ring.usable(KeyId, "ENCRYPT_DECRYPT");
  const plaintext = randomBytes(bytes);
  return { key, plaintext, ciphertext: encrypt(key, plaintext, EncryptionContext) };
}

function signingKey(ring: KeyRing, { KeyId, SigningAlgorithm }: KmsInput<"Sign">): Key {
  const key = ring.key(KeyId);
  requireEnabled(key);
  requireUsage(key, "SIGN_VERIFY");
  if (SigningAlgorithm === signingAlgorithm) return key;
  throw new AwsError(
    "InvalidKeyUsageException",
    `Algorithm ${SigningAlgorithm} is incompatible with key spec ${key.spec}.`,
  );
}

/** A key whose state may change. @throws AwsError NotFoundException, KMSInvalidStateException */
function settled(ring: KeyRing, name: string): Key {
  const key = ring.key(name);
  if (key.state !== "PendingDeletion") return key;
  throw new AwsError("KMSInvalidStateException", `${keyArn(key.keyId)} is pending deletion.`);
}

function setState(ring: KeyRing, name: string, state: "Enabled" | "Disabled"): object {
  ring.file.putKey({ ...settled(ring, name), state });
  return {};
}

const describe = (key: Key) => ({
  AWSAccountId: localAccount.account,
  KeyId: key.keyId,
  Arn: keyArn(key.keyId),
  CreationDate: seconds(key.versions[0]!.created),
  Enabled: key.state === "Enabled",
  Description: "",
  KeyUsage: key.usage,
  KeyState: key.state,
  ...(key.deletionDate && { DeletionDate: seconds(key.deletionDate) }),
  Origin: "AWS_KMS",
  KeyManager: "CUSTOMER",
  CustomerMasterKeySpec: key.spec,
  KeySpec: key.spec,
  ...(key.usage === "SIGN_VERIFY" ? { SigningAlgorithms: [signingAlgorithm] } : { EncryptionAlgorithms: [symmetric] }),
  MultiRegion: false,
});
