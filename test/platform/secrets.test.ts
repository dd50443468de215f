import { DisableKeyCommand, EnableKeyCommand, KMSClient } from "@aws-sdk/client-kms";
import fc from "fast-check";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import {
  changedSecret,
  encryptSecret,
  maskSecret,
  openSecret,
  secretBytesMax,
} from "../../functions/platform/secrets.ts";
import { type EmbeddedData, startEmbeddedData } from "../support/embedded-data.ts";

const place = { userId: "0190a7de-0000-7000-8000-00000000000a", field: "githubToken" };
const token = "ghp_0123456789abcdef";

let data: EmbeddedData;
let calls: string[];

beforeAll(async () => {
  data = await startEmbeddedData();
  data.gateway.onCall = ({ operation }) => calls.push(operation);
  process.env.AWS_MAX_ATTEMPTS = "1";
});

beforeEach(() => {
  calls = [];
});

afterAll(() => data.stop());

describe("a stored secret", () => {
  it("opens for its user and field, and shows nothing of itself", async () => {
    const stored = await encryptSecret(token, place);
    expect(stored).toMatch(/^enc:v1:[A-Za-z0-9+/]+=*$/);
    expect(Buffer.from(stored.slice(7), "base64").includes(token)).toBe(false);
    expect(await openSecret(stored, place)).toEqual({ value: token, legacy: false });
    expect(await encryptSecret(token, place)).not.toBe(stored);
  });

  it.each([
    ["another user's", { ...place, userId: "0190a7de-0000-7000-8000-00000000000b" }],
    ["another field's", { ...place, field: "gitlabToken" }],
  ])("does not open as %s", async (_, other) => {
    const stored = await encryptSecret(token, place);
    await openSecret(stored, place);
    await expect(openSecret(stored, other)).rejects.toMatchObject({ code: "secret_unreadable", status: 409 });
  });

  it("does not open when any byte of it was changed or cut", async () => {
    const stored = await encryptSecret(token, place);
    const bytes = Buffer.from(stored.slice(7), "base64");
    const damaged = fc.oneof(
      fc.nat(bytes.length - 1).map((at) => Buffer.from(bytes.map((byte, i) => (i === at ? byte ^ 1 : byte)))),
      fc.nat(bytes.length - 1).map((length) => bytes.subarray(0, length)),
    );
    await fc.assert(
      fc.asyncProperty(damaged, async (change) => {
        const opened = openSecret(`enc:v1:${change.toString("base64")}`, place);
        await expect(opened).rejects.toMatchObject({ code: "secret_unreadable" });
      }),
      { numRuns: 60 },
    );
  });

  it("is answered as it stands when it is older than encryption", async () => {
    expect(await openSecret(token, place)).toEqual({ value: token, legacy: true });
    expect(calls).toEqual([]);
  });

  it.each(["enc:v2:AAAA", "enc:v1:", "enc:"])("is never handed on raw when it looks encrypted: %s", async (stored) => {
    await expect(openSecret(stored, place)).rejects.toMatchObject({ code: "secret_unreadable" });
  });

  it("does not ask for a new key because KMS has trouble", async () => {
    const stored = await encryptSecret("another secret value", place);
    const client = new KMSClient({});
    await client.send(new DisableKeyCommand({ KeyId: "secrets" }));
    await expect(openSecret(stored, place)).rejects.toMatchObject({ name: "DisabledException" });
    await client.send(new EnableKeyCommand({ KeyId: "secrets" }));
    expect((await openSecret(stored, place)).value).toBe("another secret value");
  });

  it("is remembered for a minute, and only as this ciphertext", async () => {
    const [first, second] = [await encryptSecret("first", place), await encryptSecret("second", place)];
    const at = 1_800_000_000_000;
    calls = [];
    for (const [stored, now] of [
      [first, at],
      [first, at + 59_999],
      [second, at + 59_999],
      [first, at + 60_000],
    ] as const)
      await openSecret(stored, place, now);
    expect(calls).toEqual(["Decrypt", "Decrypt", "Decrypt"]);
    expect((await openSecret(second, place, at + 60_001)).value).toBe("second");
  });
});

describe("what may be stored", () => {
  it("is any text up to what KMS takes, byte for byte", async () => {
    const text = fc.string({ unit: "binary", minLength: 1, maxLength: 300 }).filter((s) => !s.startsWith("enc:"));
    await fc.assert(
      fc.asyncProperty(text, async (value) => {
        expect(await openSecret(await encryptSecret(value, place), place)).toEqual({ value, legacy: false });
      }),
      { numRuns: 50 },
    );
    const longest = "密".repeat(secretBytesMax / 4);
    expect((await openSecret(await encryptSecret(longest, place), place)).value).toBe(longest);
  });

  it.each([
    ["secret_prefix_reserved", "enc:v1:AAAA"],
    ["secret_prefix_reserved", "enc:"],
    ["secret_too_long", "密".repeat(secretBytesMax / 3 + 1)],
  ])("is not what ends as %s", async (code, value) => {
    await expect(changedSecret(undefined, value, place)).rejects.toMatchObject({ code, status: 422 });
  });
});

describe("a form that comes back", () => {
  it.each([
    ["keeps", undefined],
    ["keeps", null],
    ["keeps", maskSecret(token)],
    ["keeps", "••••"],
    ["keeps", "••••zzzz"],
  ])("%s the secret when it holds %o", async (_, sent) => {
    expect(await changedSecret("enc:v1:stored", sent, place)).toBe("enc:v1:stored");
    expect(calls).toEqual([]);
  });

  it("deletes it by an empty text and replaces it by any other", async () => {
    expect(await changedSecret("enc:v1:stored", "", place)).toBeUndefined();
    const stored = await changedSecret("enc:v1:stored", "••••longer than a mask", place);
    expect((await openSecret(stored!, place)).value).toBe("••••longer than a mask");
  });
});

it.each([
  ["ghp_0123456789abcdef", "••••cdef"],
  ["0123456789ab", "••••89ab"],
  ["short", "••••"],
  ["", "••••"],
])("shows of %o only %o", (value, mask) => {
  expect(maskSecret(value)).toBe(mask);
});
