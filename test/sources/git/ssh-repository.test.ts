import { generateKeyPairSync } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { buildManifest } from "../../../functions/sources/archive/manifest.ts";
import { parseGitRemote } from "../../../functions/sources/git/git-remote.ts";
import { GitRepository, type GitRepositoryProps } from "../../../functions/sources/git/git-repository.ts";
import type { KnownHost } from "../../../functions/sources/git/known-host.ts";
import type { SshIdentity } from "../../../functions/sources/git/ssh-transport.ts";
import { hasGit, outboundTo, RealRepository } from "./real-git.ts";
import { hasSshd, RealSshd } from "./real-sshd.ts";

describe.skipIf(!hasGit || !hasSshd).each([
  ["version 2", true],
  ["version 0, as the host does not pass the version on", false],
] as const)("a repository over SSH, %s", (_, passesVersion) => {
  const root = mkdtempSync(join(tmpdir(), "ssh-repository-test-"));
  const path = join(root, "repository");
  let sshd: RealSshd;
  let commit: string;
  const keys: Record<string, string> = {};

  beforeAll(async () => {
    const repository = new RealRepository(path);
    repository.write("src/app.py", "print(1)\n");
    repository.write("src/big.py", "x = 1 # padding to fill windows\n".repeat(100_000));
    commit = repository.commit("first");
    repository.git("branch", "other");
    sshd = new RealSshd({ folder: join(root, "sshd"), passesVersion });
    keys.ed25519 = sshd.makeKey("ed25519", ["-t", "ed25519"]);
    keys.rsa = sshd.makeKey("rsa", ["-t", "rsa", "-b", "3072"]);
    keys.pem = sshd.makeKey("pem", ["-t", "rsa", "-b", "2048", "-m", "PEM"]);
    keys.stranger = sshd.makeKey("stranger", ["-t", "ed25519"], { accepted: false });
    keys.locked = sshd.makeKey("locked", ["-t", "ed25519"], { passphrase: "open sesame" });
    const ed25519 = generateKeyPairSync("ed25519");
    const { x = "" } = ed25519.publicKey.export({ format: "jwk" });
    sshd.accept({ type: "ssh-ed25519", parts: [Buffer.from(x, "base64url")] });
    keys["ed25519 as PKCS#8"] = ed25519.privateKey.export({ type: "pkcs8", format: "pem" }).toString();
    const rsa = generateKeyPairSync("rsa", { modulusLength: 2048 });
    const { e = "", n = "" } = rsa.publicKey.export({ format: "jwk" });
    // A number whose first bit is set would be negative without a zero before it.
    const modulus = Buffer.concat([Buffer.alloc(1), Buffer.from(n, "base64url")]);
    sshd.accept({ type: "ssh-rsa", parts: [Buffer.from(e, "base64url"), modulus] });
    keys["rsa as PKCS#8"] = rsa.privateKey.export({ type: "pkcs8", format: "pem" }).toString();
    await sshd.start();
  });
  afterAll(async () => {
    await sshd.stop();
    rmSync(root, { recursive: true });
  });

  function open(
    identity: Partial<SshIdentity> = {},
    { url, ...change }: Partial<GitRepositoryProps> & { url?: string } = {},
  ) {
    const met: KnownHost[] = [];
    const onNewHost = async (host: KnownHost) => {
      met.push(host);
    };
    const repository = new GitRepository({
      remote: parseGitRemote(url ?? `ssh://${sshd.user}@${sshd.host}${path}/.git`),
      outbound: outboundTo(sshd.host),
      ssh: { privateKey: keys.ed25519!, knownHosts: [], onNewHost, ...identity },
      budgetMs: 30_000,
      ...change,
    });
    return { repository, met };
  }

  // By the time that a version is agreed on the key has done its work.
  it.each(passesVersion ? ["ed25519", "rsa", "pem", "ed25519 as PKCS#8", "rsa as PKCS#8"] : ["ed25519"])(
    "is read with a key of type %s",
    async (type) => {
      const { repository } = open({ privateKey: keys[type]! });
      expect(await repository.branches()).toEqual({
        names: ["trunk", "other"],
        defaultBranch: "trunk",
        truncated: false,
      });
      const head = await repository.head("trunk");
      expect(head).toEqual({ branch: "trunk", commit });
      const { files } = await repository.archive(head, buildManifest);
      expect(files.map((file) => [file.path, file.bytes])).toEqual([
        ["src/app.py", 9],
        ["src/big.py", 3_200_000],
      ]);
      expect((await repository.files(head)).items).toEqual([
        { path: "src/app.py", bytes: 9 },
        { path: "src/big.py", bytes: 3_200_000 },
      ]);
    },
  );

  it("reads a locked key with its passphrase only", async () => {
    expect((await open({ privateKey: keys.locked!, passphrase: "open sesame" }).repository.head()).commit).toBe(commit);
    for (const passphrase of [undefined, "wrong"])
      await expect(open({ privateKey: keys.locked!, passphrase }).repository.head()).rejects.toMatchObject({
        code: "repository_key_unreadable",
      });
    for (const privateKey of ["no key", "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n"])
      await expect(open({ privateKey }).repository.head()).rejects.toMatchObject({ code: "repository_key_unreadable" });
  });

  it("tells the key of a new host once it has let us in, and accepts no other afterwards", async () => {
    const { repository, met } = open();
    await repository.head();
    expect(met).toEqual([{ host: sshd.host, key: sshd.hostKey("ed25519") }]);
    const again = open({ knownHosts: met });
    await again.repository.head();
    expect(again.met).toEqual([]);
    const refused = open({ privateKey: keys.stranger! });
    await expect(refused.repository.head()).rejects.toMatchObject({ code: "repository_key_refused" });
    expect(refused.met).toEqual([]);
  });

  it("asks nothing of a new host whose key its user's store refuses", async () => {
    const fault = new Error("of the store");
    await expect(open({ onNewHost: () => Promise.reject(fault) }).repository.branches()).rejects.toBe(fault);
  });

  it("asks a host for the key by which it is known, even if it prefers another", async () => {
    const knownHosts = [{ host: sshd.host, key: sshd.hostKey("rsa") }];
    expect((await open({ knownHosts }).repository.head()).commit).toBe(commit);
  });

  it.each([
    ["another key of the same type", () => keys.otherHost!],
    ["a key of a type that it no longer has", () => "ecdsa-sha2-nistp256 AAAA"],
  ])("refuses a host that is known with %s", async (_, known) => {
    keys.otherHost ??= `ssh-ed25519 ${Buffer.concat([Buffer.from("0000000b7373682d65643235353139", "hex"), Buffer.alloc(36, 7)]).toString("base64")}`;
    const { repository, met } = open({ knownHosts: [{ host: sshd.host, key: known() }] });
    await expect(repository.head()).rejects.toMatchObject({ code: "repository_host_key_changed" });
    expect(met).toEqual([]);
  });

  it("answers with a typed error for a missing repository, a missing branch and a missing key", async () => {
    const missing = open({}, { url: `ssh://${sshd.user}@${sshd.host}${path}/nowhere` });
    await expect(missing.repository.branches()).rejects.toMatchObject({ code: "repository_not_found" });
    await expect(open().repository.head("no-such")).rejects.toMatchObject({ code: "repository_branch_not_found" });
    await expect(open({}, { ssh: undefined }).repository.head()).rejects.toMatchObject({
      code: "repository_key_missing",
    });
  });

  it("does not reach a private address or a port that nobody named", async () => {
    const outbound = outboundTo();
    await expect(open({}, { outbound }).repository.head()).rejects.toMatchObject({ code: "outbound_port" });
    await expect(open({}, { outbound, url: "git@git.test:a/b" }).repository.head()).rejects.toMatchObject({
      code: "outbound_address_refused",
    });
    await expect(open({}, { outbound, url: "git@127.1:a/b" }).repository.head()).rejects.toMatchObject({
      code: "outbound_address_refused",
    });
  });

  it("gives up on a host that accepts and says nothing", async () => {
    const silent: Server = createServer((socket) => socket.resume());
    await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
    const { port } = silent.address() as { port: number };
    const url = `ssh://git@git.test:${port}/a/b`;
    const { repository } = open({}, { url, outbound: outboundTo(`git.test:${port}`), budgetMs: 100 });
    await expect(repository.head()).rejects.toMatchObject({ code: "outbound_timeout" });
    await new Promise((resolve) => silent.close(resolve));
  });
});
