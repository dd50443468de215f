import { spawnSync } from "node:child_process";
import { createPrivateKey, createPublicKey } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { GetCommand, PutCommand, ScanCommand } from "@aws-sdk/lib-dynamodb";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { environment } from "../../functions/platform/environment.ts";
import type { Operation } from "../../functions/platform/operation.ts";
import { openSecret } from "../../functions/platform/secrets.ts";
import { keys, table } from "../../functions/platform/table.ts";
import { deleteSshKey } from "../../functions/ssh-keys/delete-ssh-key.ts";
import { forgetKnownHosts } from "../../functions/ssh-keys/forget-known-hosts.ts";
import { generateSshKeyPair } from "../../functions/ssh-keys/generate-ssh-key-pair.ts";
import { readSshKey } from "../../functions/ssh-keys/read-ssh-key.ts";
import type { SshKeyType } from "../../functions/ssh-keys/ssh-key.ts";
import * as store from "../../functions/ssh-keys/ssh-key-store.ts";
import { type EmbeddedData, startEmbeddedData } from "../support/embedded-data.ts";
import { storedUser } from "../support/stored-user.ts";

let data: EmbeddedData;

beforeAll(async () => {
  data = await startEmbeddedData();
});
afterAll(() => data.stop());

interface Generated {
  readonly public_key: string;
  readonly fingerprint: string;
}

const call = (operation: Operation, caller: string, body?: object) =>
  operation.handle({ caller: { id: caller }, body, language: "en", now: () => new Date() } as never);
const generate = (caller: string, type: SshKeyType = "ed25519") =>
  call(generateSshKeyPair, caller, { type }) as Promise<Generated>;

/** The private key that is stored for a user, in the clear. */
async function privateKeyOf(user: string, asUser = user) {
  const stored = await store.readSshKey(user);
  const { value } = await openSecret(stored?.privateKey ?? "", { userId: asUser, field: store.privateKeyField });
  return createPrivateKey(value);
}

/** The fields of a public key line, read by the lengths in front of them. */
function fieldsOf(line: string): Buffer[] {
  const blob = Buffer.from(line.split(" ")[1] as string, "base64");
  const fields: Buffer[] = [];
  for (let at = 0; at < blob.length; ) {
    const end = at + 4 + blob.readUInt32BE(at);
    fields.push(blob.subarray(at + 4, end));
    at = end;
  }
  return fields;
}

const hasSshKeygen = spawnSync("ssh-keygen", ["-?"]).error === undefined;

describe.each([
  ["ed25519", "ssh-ed25519", "256", "ED25519"],
  ["rsa", "ssh-rsa", "4096", "RSA"],
] as const)("a generated %s key", (type, algorithm, bits, name) => {
  it("is shown as OpenSSH writes it and fits the private key that is stored", async () => {
    const { id: user } = await storedUser();
    const { public_key, fingerprint } = await generate(user, type);
    const [given, ...numbers] = fieldsOf(public_key);
    expect(public_key).toMatch(new RegExp(`^${algorithm} [A-Za-z0-9+/]+={0,2} sluice$`));
    expect(given?.toString()).toBe(algorithm);
    expect(fingerprint).toMatch(/^SHA256:[A-Za-z0-9+/]{43}$/);
    const jwk = createPublicKey(await privateKeyOf(user)).export({ format: "jwk" });
    const [first = Buffer.alloc(0), second = Buffer.alloc(0)] = numbers;
    if (type === "ed25519") expect(first.toString("base64url")).toBe(jwk.x);
    else {
      expect(first.toString("base64url")).toBe(jwk.e);
      // The modulus has its first bit set, so a zero byte keeps it positive.
      expect([second.length, second[0]]).toEqual([513, 0]);
      expect(second.subarray(1).toString("base64url")).toBe(jwk.n);
    }
  });

  it.skipIf(!hasSshKeygen)("is read by ssh-keygen with the same fingerprint (skipped without ssh-keygen)", async () => {
    const { public_key, fingerprint } = await generate((await storedUser()).id, type);
    const file = join(data.folder, `${type}.pub`);
    writeFileSync(file, `${public_key}\n`);
    const { stdout, status } = spawnSync("ssh-keygen", ["-l", "-E", "sha256", "-f", file], { encoding: "utf8" });
    expect([status, stdout.trim()]).toEqual([0, `${bits} ${fingerprint} sluice (${name})`]);
  });
});

describe("a user's SSH key", () => {
  it("is there from when it is made until it is deleted", async () => {
    const { id: user } = await storedUser();
    expect(await call(readSshKey, user)).toEqual({ has_key: false, public_key: null, fingerprint: null });
    await expect(call(deleteSshKey, user)).rejects.toMatchObject({ code: "ssh_key_not_found", status: 404 });
    const { public_key, fingerprint } = await generate(user);
    expect(await call(readSshKey, user)).toEqual({ has_key: true, public_key, fingerprint });
    expect(await call(deleteSshKey, user)).toEqual({ message: "The SSH key has been deleted" });
    expect(await call(readSshKey, user)).toMatchObject({ has_key: false });
  });

  it("is the user's own: nobody else sees, deletes or can decrypt it", async () => {
    const [{ id: user }, { id: other }] = [await storedUser(), await storedUser()];
    await generate(user);
    expect(await call(readSshKey, other)).toMatchObject({ has_key: false });
    await expect(call(deleteSshKey, other)).rejects.toMatchObject({ code: "ssh_key_not_found" });
    await expect(privateKeyOf(user, other)).rejects.toMatchObject({ code: "secret_unreadable" });
    expect(await call(readSshKey, user)).toMatchObject({ has_key: true });
  });

  it("is one whole key when several are made at once, and its private part is nowhere in the clear", async () => {
    const { id: user } = await storedUser();
    const made = await Promise.all(Array.from({ length: 8 }, () => generate(user)));
    expect(new Set(made.map(({ public_key }) => public_key)).size).toBe(8);
    const shown = (await call(readSshKey, user)) as Generated;
    expect(made.map(({ public_key }) => public_key)).toContain(shown.public_key);
    const jwk = createPublicKey(await privateKeyOf(user)).export({ format: "jwk" });
    expect(fieldsOf(shown.public_key)[1]?.toString("base64url")).toBe(jwk.x);
    const { Items } = await table.send(new ScanCommand({ TableName: environment().TABLE_NAME }));
    expect(JSON.stringify([Items, made, shown])).not.toContain("PRIVATE KEY");
  });

  it("outlives its known hosts, which are forgotten as often as one asks", async () => {
    const [{ id: user }, { id: other }] = [await storedUser(), await storedUser()];
    const { TABLE_NAME: TableName } = environment();
    for (const id of [user, other])
      await table.send(new PutCommand({ TableName, Item: { ...keys.knownHosts(id), v: 1 } }));
    await generate(user);
    for (let i = 0; i < 2; i++) expect(await call(forgetKnownHosts, user)).toMatchObject({ success: true });
    const left = async (id: string) => (await table.send(new GetCommand({ TableName, Key: keys.knownHosts(id) }))).Item;
    expect([await left(user), await left(other)]).toEqual([undefined, expect.anything()]);
    expect(await call(readSshKey, user)).toMatchObject({ has_key: true });
  });
});
