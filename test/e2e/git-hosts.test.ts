import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type LocalService, startLocalService } from "../../bin/local/service.ts";
import { GitHttpServer, hasGit, RealRepository } from "../sources/git/real-git.ts";
import { hasSshd, RealSshd } from "../sources/git/real-sshd.ts";
import { type Answer, Api } from "../support/api.ts";
import { expectedFindings, vulnerableApp } from "../support/vulnerable-app.ts";

const root = mkdtempSync(join(tmpdir(), "sluice-git-hosts-"));
const path = join(root, "app");
let service: LocalService;
let api: Api;
let trunk: string;
let server: GitHttpServer;
let sshd: RealSshd;

beforeAll(async () => {
  if (!hasGit) return;
  trunk = await makeRepository();
  server = new GitHttpServer(root);
  await server.start();
  const outboundAllowedHosts = [server.loopbackAddress];
  if (hasSshd) {
    sshd = new RealSshd({ folder: join(root, "sshd") });
    await sshd.start();
    outboundAllowedHosts.push(sshd.address);
  }
  service = await startLocalService({
    dataFolder: join(root, "data"),
    outboundAllowedHosts: outboundAllowedHosts.join(),
  });
  api = new Api(service.url, await service.token());
});
afterAll(async () => {
  await service?.stop();
  await sshd?.stop();
  await server?.stop();
  rmSync(root, { recursive: true, force: true });
});

/** The branch "trunk" with the whole application and a submodule, "python" with half of it. @returns the commit of "trunk" */
async function makeRepository(): Promise<string> {
  const repository = new RealRepository(path);
  repository.write("shop/app.py", vulnerableApp["shop/app.py"]);
  const first = repository.commit("python");
  repository.git("branch", "python");
  for (const [name, text] of Object.entries(vulnerableApp)) repository.write(name, text);
  repository.git("add", "--all");
  repository.git("update-index", "--add", "--cacheinfo", `160000,${first},vendored`);
  repository.git("commit", "--quiet", "--message", "all");
  return repository.git("rev-parse", "HEAD");
}

async function projectAt(repository_url: string, more: object = {}): Promise<string> {
  const json = { name: "app", repository_type: "other", repository_url, default_branch: "trunk", ...more };
  return (await api.ok("POST", "/api/v1/projects", { json })).id;
}

async function scan(id: string, json: object = {}): Promise<Answer["body"]> {
  const { task_id } = await api.ok("POST", `/api/v1/projects/${id}/scan`, { json });
  return api.task(task_id);
}

const found = async (task: Answer["body"]) =>
  (await api.ok("GET", `/api/v1/tasks/${task.id}/issues`)).map((issue: Answer["body"]) => [
    issue.file_path,
    issue.line_number,
    issue.cwe[0],
  ]);

/** From the list of branches to the last line of the last issue. */
async function journey(id: string): Promise<void> {
  const { branches, default_branch, error } = await api.ok("GET", `/api/v1/projects/${id}/branches`);
  expect({ branches, default_branch, error }).toEqual({
    branches: ["trunk", "python"],
    default_branch: "trunk",
    error: undefined,
  });
  const access = await api.ok("POST", `/api/v1/projects/${id}/test-access`);
  expect(access).toMatchObject({ success: true, code: "accessible", branch: "trunk", commit: trunk });

  const files = (branch: string) => api.call("GET", `/api/v1/projects/${id}/files`, { query: { branch } });
  const paths = async (branch: string) => (await files(branch)).body.map((file: { path: string }) => file.path);
  expect((await paths("trunk")).toSorted()).toEqual(["shop/app.py", "shop/server.js"]);
  expect(await paths("python")).toEqual(["shop/app.py"]);
  expect(await files("gone")).toMatchObject({ status: 422, body: { code: "repository_branch_not_found" } });

  await expectScanned(id);
  const half = await scan(id, { branch_name: "python" });
  expect(half).toMatchObject({
    status: "completed",
    branch_name: "python",
    total_files: 1,
    warnings: [{ code: "rules_only" }],
  });
  expect(await scan(id, { branch_name: "gone" })).toMatchObject({
    status: "failed",
    error_code: "repository_branch_not_found",
  });
}

async function expectScanned(id: string): Promise<void> {
  const task = await scan(id);
  expect(task).toMatchObject({
    status: "completed",
    task_type: "repository",
    branch_name: "trunk",
    commit_sha: trunk,
    total_files: 2,
    warnings: [{ code: "files_not_in_archive", count: 1, paths: ["vendored"] }, { code: "rules_only" }],
  });
  expect((await found(task)).toSorted()).toEqual(expectedFindings.toSorted());
}

describe.skipIf(!hasGit)("a repository at a git host of no known make, over HTTP", () => {
  it("is listed, tried and scanned to the line", async () => {
    await journey(await projectAt(`http://${server.loopbackAddress}/app/.git`));
    for (const { headers } of server.requests) expect(headers.authorization).toBeUndefined();
  });

  it("that is not there ends the scan with the reason", async () => {
    const id = await projectAt(`http://${server.loopbackAddress}/nowhere/.git`);
    expect(await scan(id)).toMatchObject({ status: "failed", error_code: "repository_not_found" });
  });
});

describe.skipIf(!hasGit || !hasSshd)("a repository over SSH", () => {
  const address = () => `ssh://${sshd.user}@${sshd.address}${path}/.git`;
  const test = () => api.ok("POST", "/api/v1/ssh-keys/test", { json: { repo_url: address() } });

  async function useKey(type: string): Promise<void> {
    const { public_key } = await api.ok("POST", "/api/v1/ssh-keys/generate", { json: { type } });
    expect(await test()).toMatchObject({ success: false, code: "repository_key_refused" });
    sshd.authorise(public_key);
    expect(await test()).toMatchObject({ success: true, output: expect.stringMatching(/^ssh-ed25519 SHA256:/) });
  }

  it("is listed, tried and scanned to the line", async () => {
    await useKey("ed25519");
    await journey(await projectAt(address()));
  });

  it("is scanned to the line with a key of type rsa, and whatever the project says its host is", async () => {
    await useKey("rsa");
    await expectScanned(await projectAt(address(), { repository_type: "gitlab" }));
  });

  it("is not read from a host that shows another key than before, until that is forgotten", async () => {
    const { public_key } = await api.ok("POST", "/api/v1/ssh-keys/generate");
    sshd.authorise(public_key);
    await api.ok("DELETE", "/api/v1/ssh-keys/known-hosts");
    expect(await test()).toMatchObject({ success: true });
    const id = await projectAt(address());
    await sshd.replaceHostKeys();
    const task = await scan(id);
    expect(task).toMatchObject({ status: "failed", error_code: "repository_host_key_changed" });
    expect(task.error_message).toContain("DELETE /ssh-keys/known-hosts");
    await api.ok("DELETE", "/api/v1/ssh-keys/known-hosts");
    expect(await scan(id)).toMatchObject({ status: "completed" });
  });
});
