import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PutCommand } from "@aws-sdk/lib-dynamodb";
import { v7 as uuid } from "uuid";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { environment } from "../../functions/platform/environment.ts";
import type { Language } from "../../functions/platform/language.ts";
import { keys, table } from "../../functions/platform/table.ts";
import { generateSshKeyPair } from "../../functions/ssh-keys/generate-ssh-key-pair.ts";
import { findKnownHost, forgetKnownHosts, rememberHost } from "../../functions/ssh-keys/known-host-store.ts";
import { testSshKey } from "../../functions/ssh-keys/test-ssh-key.ts";
import { hasGit, RealRepository } from "../sources/git/real-git.ts";
import { freePort, hasSshd, RealSshd } from "../sources/git/real-sshd.ts";
import { type EmbeddedData, startEmbeddedData } from "../support/embedded-data.ts";

const root = mkdtempSync(join(tmpdir(), "test-ssh-key-"));
const served = hasGit && hasSshd;
const sshd = new RealSshd({ folder: join(root, "sshd") });
let closedPort: number;
let data: EmbeddedData;

beforeAll(async () => {
  data = await startEmbeddedData();
  if (served) await sshd.start();
  closedPort = await freePort();
  process.env.OUTBOUND_ALLOWED_HOSTS = `${sshd.address},127.0.0.1:${closedPort}`;
});
afterAll(async () => {
  if (served) await sshd.stop();
  await data.stop();
  rmSync(root, { recursive: true });
});

const now = () => new Date();

async function newUser(): Promise<string> {
  const id = uuid();
  await table.send(new PutCommand({ TableName: environment().TABLE_NAME, Item: { ...keys.user(id), v: 1 } }));
  return id;
}

async function newKey(user: string, type = "ed25519"): Promise<string> {
  const request = { caller: { id: user }, body: { type }, language: "en", now };
  return ((await generateSshKeyPair.handle(request as never)) as { public_key: string }).public_key;
}

const test = (user: string, repo_url: string, language: Language = "en") =>
  testSshKey.handle({ caller: { id: user }, body: { repo_url }, language, now } as never);

describe("known hosts", () => {
  const host = "git.test:22";
  const [one, other] = ["ssh-ed25519 AAAA", "ssh-ed25519 BBBB"];

  it("are one key for each host and user, whoever comes first", async () => {
    const [user, stranger] = [await newUser(), await newUser()];
    expect(await findKnownHost(user, host)).toBeNull();
    await Promise.all(Array.from({ length: 8 }, () => rememberHost(user, { host, key: one })));
    expect(await findKnownHost(user, host)).toEqual({ host, key: one });
    await expect(rememberHost(user, { host, key: other })).rejects.toMatchObject({
      code: "repository_host_key_changed",
      fields: { host },
    });
    await rememberHost(user, { host: "git.test:2222", key: other });
    expect(await findKnownHost(user, host)).toEqual({ host, key: one });
    expect(await findKnownHost(stranger, host)).toBeNull();
    await forgetKnownHosts(user);
    expect([await findKnownHost(user, host), await findKnownHost(user, "git.test:2222")]).toEqual([null, null]);
  });

  it("believe one of two keys that are shown at once", async () => {
    const user = await newUser();
    const told = await Promise.allSettled([one, other].map((key) => rememberHost(user, { host, key })));
    expect(told.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
    const stored = await findKnownHost(user, host);
    expect(stored?.key).toBe(told[0]?.status === "fulfilled" ? one : other);
  });

  it("are not brought back for a user who is gone", async () => {
    const user = uuid();
    await expect(rememberHost(user, { host, key: one })).rejects.toMatchObject({ code: "not_authenticated" });
    expect(await findKnownHost(user, host)).toBeNull();
  });
});

describe("trying an SSH key", () => {
  it("needs a key and an address for SSH", async () => {
    const user = await newUser();
    await expect(test(user, "git@git.test:a/b")).rejects.toMatchObject({ code: "ssh_key_not_found", status: 404 });
    for (const url of ["https://git.test/a/b", "no address", "git@git.test:../b", "ssh://git@git.test/"])
      await expect(test(user, url)).rejects.toMatchObject({ code: "repository_url_invalid", status: 422 });
  });
});

describe.skipIf(!served)("an SSH key at a real host", () => {
  const path = join(root, "repository");
  const url = (of = path, at = sshd.address) => `ssh://${sshd.user}@${at}${of}/.git`;
  let user: string;

  beforeAll(async () => {
    const repository = new RealRepository(path);
    repository.write("app.py", "print(1)\n");
    repository.commit("first");
    user = await newUser();
    sshd.authorise(await newKey(user));
  });

  it.each(["ed25519", "rsa"])("of type %s is accepted, and tells by which key the host is known", async (type) => {
    const one = await newUser();
    sshd.authorise(await newKey(one, type));
    for (let time = 0; time < 2; time++)
      expect(await test(one, url())).toEqual({
        success: true,
        code: "accessible",
        message: expect.stringContaining(sshd.address),
        output: `ssh-ed25519 ${sshd.hostKeyFingerprint("ed25519")}`,
      });
    expect(await findKnownHost(one, sshd.address)).toEqual({ host: sshd.address, key: sshd.hostKey("ed25519") });
  });

  it("is accepted by many connections at once that meet the host for the first time", async () => {
    const one = await newUser();
    sshd.authorise(await newKey(one));
    const answers = await Promise.all(Array.from({ length: 4 }, () => test(one, url())));
    expect(answers.map((answer) => (answer as { code: string }).code)).toEqual(Array(4).fill("accessible"));
  });

  it.each([
    ["nobody listens", () => url(path, `127.0.0.1:${closedPort}`), "outbound_unreachable", "ECONNREFUSED"],
    ["the port is no port for SSH", () => url(path, "127.0.0.1:23"), "outbound_port", "Port 23"],
    ["the address is inside", () => url(path, "127.0.0.1:22"), "outbound_address_refused", "private network"],
    ["there is no such repository", () => url(join(root, "nowhere")), "repository_not_found", "no such repository"],
  ])("is of no use where %s, and that is an answer", async (_, repository, code, words) => {
    expect(await test(user, repository())).toEqual({
      success: false,
      code,
      message: expect.stringContaining(words),
      output: null,
    });
  });

  it("that the host does not accept is told apart, and such a host is not remembered", async () => {
    const one = await newUser();
    await newKey(one);
    expect(await test(one, url())).toMatchObject({ success: false, code: "repository_key_refused" });
    expect(await findKnownHost(one, sshd.address)).toBeNull();
  });

  it("is not shown to a host with another key than before, until the user forgets that one", async () => {
    const one = await newUser();
    sshd.authorise(await newKey(one));
    const impostor = `ssh-ed25519 ${Buffer.concat([Buffer.from("0000000b7373682d65643235353139", "hex"), Buffer.alloc(36, 7)]).toString("base64")}`;
    await rememberHost(one, { host: sshd.address, key: impostor });
    const refused = { success: false, code: "repository_host_key_changed", output: null };
    expect(await test(one, url())).toEqual({ ...refused, message: expect.stringContaining(sshd.address) });
    expect(await test(one, url(), "zh")).toMatchObject({
      message: expect.stringContaining("DELETE /ssh-keys/known-hosts"),
    });
    await forgetKnownHosts(one);
    expect(await test(one, url())).toMatchObject({ success: true });
  });
});
