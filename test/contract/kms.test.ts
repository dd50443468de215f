import { createHash, randomBytes, verify } from "node:crypto";
import { chmod, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  CancelKeyDeletionCommand,
  DecryptCommand,
  DescribeKeyCommand,
  DisableKeyCommand,
  EnableKeyCommand,
  EncryptCommand,
  GenerateDataKeyCommand,
  GenerateDataKeyWithoutPlaintextCommand,
  GetKeyRotationStatusCommand,
  GetPublicKeyCommand,
  KMSClient,
  ListAliasesCommand,
  ReEncryptCommand,
  RotateKeyOnDemandCommand,
  ScheduleKeyDeletionCommand,
  SignCommand,
  VerifyCommand,
} from "@aws-sdk/client-kms";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Kms } from "../../lib/local/kms.ts";
import type { Caller, Permission } from "../../lib/local/service.ts";
import { startGateway, type TestGateway } from "../support/gateway.ts";

const secretKey = "0190a7de-0000-7000-8000-000000000001";
const otherKey = "0190a7de-0000-7000-8000-000000000002";
const signingKey = "0190a7de-0000-7000-8000-000000000003";
const arnOf = (keyId: string) => `arn:aws:kms:us-east-1:000000000000:key/${keyId}`;
const day = 24 * 3600 * 1000;

let folder: string;
let kms: Kms;
let cloud: TestGateway;
let client: KMSClient;
let clock: Date;
let allows: (caller: Caller, permission: Permission) => boolean;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "kms-"));
  await startKms();
  cloud = await startGateway({
    json: {
      kms: {
        contentType: "application/x-amz-json-1.1",
        permissions: (operation, input) => kms.permissions(operation, input),
        call: (operation, input) => kms.call(operation, input),
      },
    },
    allows: (caller, permission) => allows(caller, permission),
  });
  allows = () => true;
  client = new KMSClient(cloud.operator);
});

afterAll(async () => {
  client.destroy();
  await cloud.stop();
  await rm(folder, { recursive: true });
});

/** As at each start of the embedded cloud: deploying is repeated and changes nothing. */
async function startKms(): Promise<void> {
  clock ??= new Date("2026-11-21T08:30:00Z");
  kms = new Kms({ folder, now: () => clock });
  await kms.open();
  await kms.ensureKey({ keyId: secretKey, spec: "SYMMETRIC_DEFAULT", usage: "ENCRYPT_DECRYPT", rotation: true });
  await kms.ensureKey({ keyId: otherKey, spec: "SYMMETRIC_DEFAULT", usage: "ENCRYPT_DECRYPT" });
  await kms.ensureKey({ keyId: signingKey, spec: "ECC_NIST_P256", usage: "SIGN_VERIFY" });
  await kms.ensureAlias("alias/secrets", secretKey);
  await kms.ensureAlias("alias/tokens", signingKey);
}

const restart = async () => {
  await kms.close();
  await startKms();
};

const context = { app: "sluice", userId: "u1", field: "llm_api_key" };
const encrypted = async (
  text: string | Uint8Array,
  KeyId = secretKey,
  EncryptionContext: Record<string, string> = context,
) =>
  (await client.send(new EncryptCommand({ KeyId, Plaintext: Buffer.from(text as string), EncryptionContext })))
    .CiphertextBlob!;
const decrypted = async (CiphertextBlob: Uint8Array, EncryptionContext: Record<string, string> = context) =>
  Buffer.from((await client.send(new DecryptCommand({ CiphertextBlob, EncryptionContext }))).Plaintext!).toString();

describe("symmetric keys", () => {
  it.each([
    ["its id", secretKey],
    ["its ARN", arnOf(secretKey)],
    ["an alias", "alias/secrets"],
    ["the ARN of an alias", "arn:aws:kms:us-east-1:000000000000:alias/secrets"],
  ])("encrypt under %s and decrypt without naming the key", async (_, KeyId) => {
    const answer = await client.send(
      new EncryptCommand({ KeyId, Plaintext: Buffer.from("sk-1"), EncryptionContext: context }),
    );
    expect(answer).toMatchObject({ KeyId: arnOf(secretKey), EncryptionAlgorithm: "SYMMETRIC_DEFAULT" });
    const back = await client.send(
      new DecryptCommand({ CiphertextBlob: answer.CiphertextBlob, EncryptionContext: context }),
    );
    expect(back).toMatchObject({ KeyId: arnOf(secretKey) });
    expect(Buffer.from(back.Plaintext!).toString()).toBe("sk-1");
  });

  it("never encrypt to the same text twice", async () => {
    expect(Buffer.from(await encrypted("same"))).not.toEqual(Buffer.from(await encrypted("same")));
  });

  it("take the pairs of a context in any order", async () => {
    const { app, userId, field } = context;
    expect(await decrypted(await encrypted("x"), { field, userId, app })).toBe("x");
  });

  it.each([
    ["another value", { ...context, userId: "u2" }],
    ["a pair less", { app: "sluice", userId: "u1" }],
    ["a pair more", { ...context, more: "1" }],
    ["none", {}],
    ["pairs that join to the same text", { app: 'sluice","userId":"u1' }],
  ])("refuse a context with %s", async (_, wrong) => {
    await expect(decrypted(await encrypted("x"), wrong as never)).rejects.toMatchObject({
      name: "InvalidCiphertextException",
    });
  });

  it("refuse a ciphertext in which any one byte is not what it was", async () => {
    const blob = Buffer.from(await encrypted("secret"));
    for (let at = 0; at < blob.length; at++) {
      const damaged = Buffer.from(blob);
      damaged[at]! ^= 1;
      const error = await kms
        .call("Decrypt", { CiphertextBlob: damaged.toString("base64"), EncryptionContext: context })
        .catch((caught) => caught.name);
      // A damaged key id can also be one that no key has.
      expect(["InvalidCiphertextException", "NotFoundException"], `byte ${at}`).toContain(error);
    }
  });

  it("refuse text that was never encrypted, and cut ciphertexts", async () => {
    const blob = Buffer.from(await encrypted("secret"));
    for (const wrong of [
      Buffer.from("hello"),
      Buffer.alloc(200),
      blob.subarray(0, -1),
      blob.subarray(0, 50),
      randomBytes(6000),
    ]) {
      await expect(decrypted(wrong)).rejects.toMatchObject({ name: "InvalidCiphertextException" });
    }
  });

  it("take 1 to 4,096 bytes", async () => {
    const most = randomBytes(4096);
    const blob = await encrypted(most);
    expect(
      Buffer.from(
        (await client.send(new DecryptCommand({ CiphertextBlob: blob, EncryptionContext: context }))).Plaintext!,
      ),
    ).toEqual(most);
    for (const wrong of [randomBytes(4097), Buffer.alloc(0)]) {
      await expect(encrypted(wrong)).rejects.toMatchObject({ name: "ValidationException" });
    }
  });

  it("decrypt under the key that the caller expects, and no other", async () => {
    const blob = await encrypted("x");
    const decrypt = (KeyId: string) =>
      client.send(new DecryptCommand({ KeyId, CiphertextBlob: blob, EncryptionContext: context }));
    expect(await decrypt("alias/secrets")).toMatchObject({ KeyId: arnOf(secretKey) });
    await expect(decrypt(otherKey)).rejects.toMatchObject({ name: "IncorrectKeyException" });
  });

  it("do not sign", async () => {
    const sign = new SignCommand({ KeyId: secretKey, Message: Buffer.from("x"), SigningAlgorithm: "ECDSA_SHA_256" });
    await expect(client.send(sign)).rejects.toMatchObject({ name: "InvalidKeyUsageException" });
  });

  it("decrypt whatever they encrypted, in any context", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.uint8Array({ minLength: 1, maxLength: 4096 }),
        fc.dictionary(fc.string(), fc.string()),
        async (bytes, pairs) => {
          const Plaintext = Buffer.from(bytes).toString("base64");
          const { CiphertextBlob } = (await kms.call("Encrypt", {
            KeyId: secretKey,
            Plaintext,
            EncryptionContext: pairs,
          })) as { CiphertextBlob: string };
          expect(await kms.call("Decrypt", { CiphertextBlob, EncryptionContext: pairs })).toMatchObject({ Plaintext });
        },
      ),
    );
  });
});

describe("data keys", () => {
  it.each([
    [{ KeySpec: "AES_256" }, 32],
    [{ KeySpec: "AES_128" }, 16],
    [{ NumberOfBytes: 100 }, 100],
  ] as const)("of %j have %i bytes, in the clear and encrypted", async (size, length) => {
    const made = await client.send(
      new GenerateDataKeyCommand({ KeyId: secretKey, EncryptionContext: context, ...size }),
    );
    expect(made.Plaintext).toHaveLength(length);
    const back = await client.send(
      new DecryptCommand({ CiphertextBlob: made.CiphertextBlob, EncryptionContext: context }),
    );
    expect(Buffer.from(back.Plaintext!)).toEqual(Buffer.from(made.Plaintext!));
  });

  it("come without their plain text when nobody needs it yet", async () => {
    const made = await client.send(
      new GenerateDataKeyWithoutPlaintextCommand({ KeyId: secretKey, KeySpec: "AES_256" }),
    );
    expect(made).not.toHaveProperty("Plaintext");
    expect((await client.send(new DecryptCommand({ CiphertextBlob: made.CiphertextBlob }))).Plaintext).toHaveLength(32);
  });

  it.each([{}, { KeySpec: "AES_256", NumberOfBytes: 32 }, { NumberOfBytes: 0 }, { NumberOfBytes: 1025 }])(
    "cannot be of %j",
    async (size) => {
      const command = new GenerateDataKeyCommand({ KeyId: secretKey, ...(size as object) });
      await expect(client.send(command)).rejects.toMatchObject({ name: "ValidationException" });
    },
  );
});

describe("moving and renewing", () => {
  it("re-encrypts under another key and context without showing the text", async () => {
    const moved = await client.send(
      new ReEncryptCommand({
        CiphertextBlob: await encrypted("secret"),
        SourceEncryptionContext: context,
        DestinationKeyId: otherKey,
        DestinationEncryptionContext: { app: "next" },
      }),
    );
    expect(moved).toMatchObject({ SourceKeyId: arnOf(secretKey), KeyId: arnOf(otherKey) });
    expect(moved).not.toHaveProperty("Plaintext");
    expect(await decrypted(moved.CiphertextBlob!, { app: "next" })).toBe("secret");
  });

  it("does not re-encrypt out of a wrong context", async () => {
    const command = new ReEncryptCommand({ CiphertextBlob: await encrypted("secret"), DestinationKeyId: otherKey });
    await expect(client.send(command)).rejects.toMatchObject({ name: "InvalidCiphertextException" });
  });

  it("reads what it encrypted before rotations and restarts", async () => {
    const blobs: Uint8Array[] = [];
    for (let turn = 0; turn < 3; turn++) {
      blobs.push(await encrypted(`turn ${turn}`));
      await client.send(new RotateKeyOnDemandCommand({ KeyId: secretKey }));
      await restart();
    }
    expect(await Promise.all(blobs.map((blob) => decrypted(blob)))).toEqual(["turn 0", "turn 1", "turn 2"]);
  });

  it("renews the material of a rotating key after a year, at the next start", async () => {
    const material = async (keyId: string) =>
      JSON.parse(await readFile(join(folder, "keys.json"), "utf8")).keys.find(
        (key: { keyId: string }) => key.keyId === keyId,
      ).versions.length as number;
    const before = [await material(secretKey), await material(otherKey)];
    const blob = await encrypted("old");
    clock = new Date(clock.getTime() + 366 * day);
    await restart();
    expect([await material(secretKey), await material(otherKey)]).toEqual([before[0]! + 1, before[1]!]);
    expect(await decrypted(blob)).toBe("old");
    expect(await client.send(new GetKeyRotationStatusCommand({ KeyId: secretKey }))).toMatchObject({
      KeyRotationEnabled: true,
    });
  });

  it("does not rotate signing keys", async () => {
    await expect(client.send(new RotateKeyOnDemandCommand({ KeyId: signingKey }))).rejects.toMatchObject({
      name: "UnsupportedOperationException",
    });
  });
});

describe("signing keys", () => {
  const message = Buffer.from("header.payload");
  const sign = async (Message: Buffer, MessageType: "RAW" | "DIGEST") =>
    (
      await client.send(
        new SignCommand({ KeyId: "alias/tokens", Message, MessageType, SigningAlgorithm: "ECDSA_SHA_256" }),
      )
    ).Signature!;
  const publicKey = async () => {
    const answer = await client.send(new GetPublicKeyCommand({ KeyId: signingKey }));
    expect(answer).toMatchObject({
      KeySpec: "ECC_NIST_P256",
      KeyUsage: "SIGN_VERIFY",
      SigningAlgorithms: ["ECDSA_SHA_256"],
    });
    return { key: Buffer.from(answer.PublicKey!), format: "der", type: "spki" } as const;
  };

  it("sign a message in DER, as OpenSSL verifies with the public key", async () => {
    expect(verify("sha256", message, await publicKey(), await sign(message, "RAW"))).toBe(true);
    expect(verify("sha256", Buffer.from("another"), await publicKey(), await sign(message, "RAW"))).toBe(false);
  });

  it("sign a digest to the same effect", async () => {
    const digest = createHash("sha256").update(message).digest();
    expect(verify("sha256", message, await publicKey(), await sign(digest, "DIGEST"))).toBe(true);
  });

  it("verify a signature over the message or its digest", async () => {
    const Signature = await sign(message, "RAW");
    const digest = createHash("sha256").update(message).digest();
    for (const [Message, MessageType] of [
      [message, "RAW"],
      [digest, "DIGEST"],
    ] as const) {
      const command = new VerifyCommand({
        KeyId: signingKey,
        Message,
        MessageType,
        Signature,
        SigningAlgorithm: "ECDSA_SHA_256",
      });
      expect(await client.send(command)).toMatchObject({ SignatureValid: true, KeyId: arnOf(signingKey) });
    }
  });

  it.each(["of another message", "that is no DER"])("refuse a signature %s", async (kind) => {
    const Signature = kind === "that is no DER" ? randomBytes(70) : await sign(Buffer.from("another"), "RAW");
    const command = new VerifyCommand({
      KeyId: signingKey,
      Message: message,
      Signature,
      SigningAlgorithm: "ECDSA_SHA_256",
    });
    await expect(client.send(command)).rejects.toMatchObject({ name: "KMSInvalidSignatureException" });
  });

  it("keep their key over a restart", async () => {
    const before = await publicKey();
    await restart();
    expect(await publicKey()).toEqual(before);
  });

  it.each([
    ["a digest of the wrong length", { Message: randomBytes(31), MessageType: "DIGEST" }, "ValidationException"],
    ["a message over 4,096 bytes", { Message: randomBytes(4097) }, "ValidationException"],
    ["an empty message", { Message: Buffer.alloc(0) }, "ValidationException"],
    ["another algorithm", { SigningAlgorithm: "ECDSA_SHA_384" }, "InvalidKeyUsageException"],
  ] as const)("do not sign %s", async (_, change, name) => {
    const input = { KeyId: signingKey, Message: message, SigningAlgorithm: "ECDSA_SHA_256", ...change } as const;
    await expect(client.send(new SignCommand(input))).rejects.toMatchObject({ name });
  });

  it("do not encrypt", async () => {
    await expect(encrypted("x", signingKey)).rejects.toMatchObject({ name: "InvalidKeyUsageException" });
  });
});

describe("the life of a key", () => {
  it("describes it", async () => {
    const { KeyMetadata } = await client.send(new DescribeKeyCommand({ KeyId: "alias/secrets" }));
    expect(KeyMetadata).toMatchObject({
      KeyId: secretKey,
      Arn: arnOf(secretKey),
      Enabled: true,
      KeyState: "Enabled",
      KeySpec: "SYMMETRIC_DEFAULT",
      KeyUsage: "ENCRYPT_DECRYPT",
      EncryptionAlgorithms: ["SYMMETRIC_DEFAULT"],
      CreationDate: new Date("2026-11-21T08:30:00Z"),
    });
  });

  it("disables and enables it, over a restart too", async () => {
    const blob = await encrypted("x", otherKey);
    await client.send(new DisableKeyCommand({ KeyId: otherKey }));
    await restart();
    await expect(decrypted(blob)).rejects.toMatchObject({ name: "DisabledException" });
    await expect(encrypted("y", otherKey)).rejects.toMatchObject({ name: "DisabledException" });
    await client.send(new EnableKeyCommand({ KeyId: otherKey }));
    expect(await decrypted(blob)).toBe("x");
  });

  it("deletes it when its days are over, and not before", async () => {
    const keyId = "0190a7de-0000-7000-8000-00000000000d";
    await kms.ensureKey({ keyId, spec: "SYMMETRIC_DEFAULT", usage: "ENCRYPT_DECRYPT" });
    await kms.ensureAlias("alias/doomed", keyId);
    const blob = await encrypted("x", keyId);
    const schedule = new ScheduleKeyDeletionCommand({ KeyId: keyId, PendingWindowInDays: 7 });
    expect(await client.send(schedule)).toMatchObject({
      KeyId: arnOf(keyId),
      KeyState: "PendingDeletion",
      DeletionDate: new Date(clock.getTime() + 7 * day),
    });
    await expect(decrypted(blob)).rejects.toMatchObject({ name: "KMSInvalidStateException" });
    await expect(client.send(new EnableKeyCommand({ KeyId: keyId }))).rejects.toMatchObject({
      name: "KMSInvalidStateException",
    });
    await client.send(new CancelKeyDeletionCommand({ KeyId: keyId }));
    await client.send(new EnableKeyCommand({ KeyId: keyId }));
    expect(await decrypted(blob)).toBe("x");
    await client.send(schedule);
    clock = new Date(clock.getTime() + 7 * day);
    await expect(decrypted(blob)).rejects.toMatchObject({ name: "NotFoundException" });
    await expect(encrypted("x", "alias/doomed")).rejects.toMatchObject({ name: "NotFoundException" });
    expect(await readFile(join(folder, "keys.json"), "utf8")).not.toContain(keyId);
  });

  it("lists the aliases, page by page", async () => {
    const first = await client.send(new ListAliasesCommand({ Limit: 1 }));
    expect(first).toMatchObject({ Truncated: true, Aliases: [{ AliasName: "alias/secrets", TargetKeyId: secretKey }] });
    const second = await client.send(new ListAliasesCommand({ Limit: 1, Marker: first.NextMarker }));
    expect(second).toMatchObject({
      Truncated: false,
      Aliases: [{ AliasName: "alias/tokens", TargetKeyId: signingKey }],
    });
    expect((await client.send(new ListAliasesCommand({ KeyId: signingKey }))).Aliases).toHaveLength(1);
  });

  it.each(["0190a7de-ffff-7000-8000-000000000000", "alias/none", arnOf("none"), "arn:aws:kms:eu-west-1:1:key/x"])(
    "knows no key %s",
    async (KeyId) => {
      await expect(encrypted("x", KeyId)).rejects.toMatchObject({ name: "NotFoundException" });
    },
  );

  it("refuses an operation that is not embedded, by its name", async () => {
    const { GenerateRandomCommand } = await import("@aws-sdk/client-kms");
    await expect(client.send(new GenerateRandomCommand({ NumberOfBytes: 8 }))).rejects.toMatchObject({
      name: "UnknownOperationException",
    });
  });
});

describe("permissions", () => {
  const asked: Permission[] = [];
  let reader: KMSClient;

  beforeAll(() => {
    reader = new KMSClient(cloud.as("reader"));
    allows = (_, permission) => {
      asked.push(permission);
      return permission.action !== "kms:Encrypt" && permission.action !== "kms:ReEncryptTo";
    };
  });

  it("are asked on the key inside the ciphertext, with the context", async () => {
    const blob = await encrypted("x");
    asked.length = 0;
    await reader.send(new DecryptCommand({ CiphertextBlob: blob, EncryptionContext: context }));
    expect(asked).toEqual([
      {
        action: "kms:Decrypt",
        resource: arnOf(secretKey),
        context: {
          "kms:EncryptionContext:app": "sluice",
          "kms:EncryptionContext:userId": "u1",
          "kms:EncryptionContext:field": "llm_api_key",
          "kms:EncryptionContextKeys": ["app", "userId", "field"],
        },
      },
    ]);
  });

  it("are asked on the key behind an alias, which is told too", async () => {
    asked.length = 0;
    await reader.send(new DescribeKeyCommand({ KeyId: "alias/secrets" }));
    expect(asked).toEqual([
      { action: "kms:DescribeKey", resource: arnOf(secretKey), context: { "kms:RequestAlias": "alias/secrets" } },
    ]);
  });

  it("are asked for both ends of a re-encryption", async () => {
    const blob = await encrypted("x");
    asked.length = 0;
    const command = new ReEncryptCommand({
      CiphertextBlob: blob,
      SourceEncryptionContext: context,
      DestinationKeyId: otherKey,
    });
    await expect(reader.send(command)).rejects.toMatchObject({ name: "AccessDeniedException" });
    expect(asked.map(({ action, resource }) => [action, resource])).toEqual([
      ["kms:ReEncryptFrom", arnOf(secretKey)],
      ["kms:ReEncryptTo", arnOf(otherKey)],
    ]);
  });

  it("that are missing stop the call", async () => {
    const command = new EncryptCommand({ KeyId: secretKey, Plaintext: Buffer.from("x") });
    await expect(reader.send(command)).rejects.toMatchObject({ name: "AccessDeniedException" });
  });
});

describe("the key file", () => {
  it("can be read by its owner only, and nothing lies beside it", async () => {
    expect((await stat(join(folder, "keys.json"))).mode & 0o777).toBe(0o600);
    expect(await readdir(folder)).toEqual(["keys.json"]);
  });

  it("that is damaged stops the start and stays as it is", async () => {
    const path = join(folder, "keys.json");
    const good = await readFile(path);
    await writeFile(path, good.subarray(0, 100));
    await expect(new Kms({ folder }).open()).rejects.toThrow();
    expect(await readFile(path)).toEqual(good.subarray(0, 100));
    await writeFile(path, good);
    await chmod(path, 0o600);
  });

  it("is not lost when the process died while replacing it", async () => {
    const blob = await encrypted("x");
    await writeFile(join(folder, "keys.json.new"), "half a");
    await restart();
    await client.send(new RotateKeyOnDemandCommand({ KeyId: otherKey }));
    expect(await decrypted(blob)).toBe("x");
    expect(await readdir(folder)).toEqual(["keys.json"]);
  });

  it("takes no key that contradicts one it has", async () => {
    await expect(kms.ensureKey({ keyId: secretKey, spec: "ECC_NIST_P256", usage: "SIGN_VERIFY" })).rejects.toThrow(
      /cannot become/,
    );
    await expect(kms.ensureKey({ keyId: "k", spec: "ECC_NIST_P256", usage: "ENCRYPT_DECRYPT" })).rejects.toThrow(
      /cannot be for/,
    );
    await expect(kms.ensureAlias("alias/x", "none")).rejects.toThrow(/there is no key/);
  });
});
