import * as z from "zod";
import { AwsError, type Json } from "../service.ts";

/** What KMS accepts in Encrypt and Sign. Longer texts take a data key. */
const textBytesMax = 4096;
const ciphertextBytesMax = 6144;

const bytes = (min: number, max: number) =>
  z
    .base64()
    .transform((text) => Buffer.from(text, "base64"))
    .refine((value) => value.length >= min && value.length <= max, `must have ${min} to ${max} bytes`);

const keyId = z.string().min(1).max(2048);
const context = z.record(z.string(), z.string()).default({});
const text = bytes(1, textBytesMax);
const ciphertext = bytes(1, ciphertextBytesMax);
const symmetricAlgorithm = z.literal("SYMMETRIC_DEFAULT").optional();
const key = z.object({ KeyId: keyId });

const dataKey = z
  .object({
    KeyId: keyId,
    EncryptionContext: context,
    KeySpec: z.enum(["AES_256", "AES_128"]).optional(),
    NumberOfBytes: z.int().min(1).max(1024).optional(),
  })
  .refine(
    (input) => (input.KeySpec === undefined) !== (input.NumberOfBytes === undefined),
    "Please specify either number of bytes or key spec.",
  )
  .transform(({ KeySpec, NumberOfBytes, ...rest }) => ({
    ...rest,
    bytes: NumberOfBytes ?? (KeySpec === "AES_128" ? 16 : 32),
  }));

const signing = z.object({
  KeyId: keyId,
  Message: text,
  MessageType: z.enum(["RAW", "DIGEST"]).default("RAW"),
  SigningAlgorithm: z.string(),
});

/** Input of each operation that is embedded, in the names of https://docs.aws.amazon.com/kms/latest/APIReference/ */
const kmsInputs = {
  CancelKeyDeletion: key,
  Decrypt: z.object({
    CiphertextBlob: ciphertext,
    EncryptionContext: context,
    EncryptionAlgorithm: symmetricAlgorithm,
    KeyId: keyId.optional(),
  }),
  DescribeKey: key,
  DisableKey: key,
  EnableKey: key,
  Encrypt: z.object({
    KeyId: keyId,
    Plaintext: text,
    EncryptionContext: context,
    EncryptionAlgorithm: symmetricAlgorithm,
  }),
  GenerateDataKey: dataKey,
  GenerateDataKeyWithoutPlaintext: dataKey,
  GetKeyRotationStatus: key,
  GetPublicKey: key,
  ListAliases: z.object({
    KeyId: keyId.optional(),
    Limit: z.int().min(1).max(100).default(50),
    Marker: z.string().optional(),
  }),
  ReEncrypt: z.object({
    CiphertextBlob: ciphertext,
    SourceEncryptionContext: context,
    SourceKeyId: keyId.optional(),
    DestinationKeyId: keyId,
    DestinationEncryptionContext: context,
  }),
  RotateKeyOnDemand: key,
  ScheduleKeyDeletion: z.object({ KeyId: keyId, PendingWindowInDays: z.int().min(7).max(30).default(30) }),
  Sign: signing,
  Verify: signing.extend({ Signature: bytes(1, ciphertextBytesMax) }),
} as const;

export type KmsOperation = keyof typeof kmsInputs;
export type KmsInput<O extends KmsOperation> = z.output<(typeof kmsInputs)[O]>;

export const isKmsOperation = (name: string): name is KmsOperation => Object.hasOwn(kmsInputs, name);

/** @throws AwsError ValidationException, with what is wrong and where */
export function parseInput<O extends KmsOperation>(operation: O, input: Json): KmsInput<O> {
  const parsed = kmsInputs[operation].safeParse(input);
  if (parsed.success) return parsed.data as KmsInput<O>;
  const [issue] = parsed.error.issues;
  throw new AwsError("ValidationException", `1 validation error detected: ${issue?.path.join(".")}: ${issue?.message}`);
}
