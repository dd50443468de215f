import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { GetExecutionHistoryCommand, ListExecutionsCommand, SFNClient } from "@aws-sdk/client-sfn";
import JSZip from "jszip";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type Answer, type Api, zipOf } from "../support/api.ts";
import type { FakeGitHost, FakeRepository } from "../support/fake-git-hosts/fake-git-host.ts";
import { fakeGitea } from "../support/fake-git-hosts/fake-gitea.ts";
import { fakeGitHub } from "../support/fake-git-hosts/fake-github.ts";
import { fakeGitLab } from "../support/fake-git-hosts/fake-gitlab.ts";
import { type OwnService, startOwnService } from "../support/own-service.ts";
import { expectedFindings, vulnerableApp } from "../support/vulnerable-app.ts";

const token = "ghp_canary4711_0123456789";
const commit = (digit: string) => digit.repeat(40);
const name = "127.0.0.1";
const hidden = "shop/hidden.py";

/** The archive of a host has one folder on top. */
async function archiveOf(files: Record<string, string>): Promise<Buffer> {
  const zip = new JSZip();
  for (const [path, text] of Object.entries(files)) zip.file(`name-1111111/${path}`, text);
  return zip.generateAsync({ type: "nodebuffer", compression: "DEFLATE" });
}

const blobs = (paths: readonly string[]) =>
  paths.map((path) => ({ path, type: "blob" as const, mode: "100644", size: 100 }));

const repository = async (change: Partial<FakeRepository> = {}): Promise<FakeRepository> => ({
  path: "owner/name",
  defaultBranch: "trunk",
  branches: new Map(
    [..."abcdefg"].map((letter, at) => [letter, commit(String(at + 2))] as const).concat([["trunk", commit("1")]]),
  ),
  entries: blobs(Object.keys(vulnerableApp)),
  archive: await archiveOf(vulnerableApp),
  ...change,
});

let github: FakeGitHost;
let gitlab: FakeGitHost;
let gitea: FakeGitHost;
let service: OwnService;
let api: Api;

beforeAll(async () => {
  github = fakeGitHub(await repository(), name);
  gitlab = fakeGitLab(await repository({ path: "group/sub/name" }), name);
  gitea = fakeGitea(await repository(), name);
  await Promise.all([github, gitlab, gitea].map((host) => host.start()));
  const outboundAllowedHosts = [github, gitlab, gitea].map(({ address }) => address).join();
  service = await startOwnService({ outboundAllowedHosts });
  api = service.api;
});
afterAll(async () => {
  await service?.stop();
  await Promise.all([github, gitlab, gitea].map((host) => host.stop()));
});

beforeEach(async () => {
  for (const host of [github, gitlab, gitea]) {
    host.lie = () => null;
    host.requests.length = 0;
  }
  github.repository = await repository();
  await api.ok("DELETE", "/api/v1/config/me");
});

type Type = "github" | "gitlab" | "gitea";

const projectAt = async (host: FakeGitHost, type: Type, below = "", more: object = {}): Promise<string> => {
  const repository_url = `${host.origin}/${below}${host.repository.path}`;
  const json = { name: "repository", repository_type: type, repository_url, default_branch: "trunk", ...more };
  return (await api.ok("POST", "/api/v1/projects", { json })).id;
};

async function scan(id: string, json: object = {}): Promise<Answer["body"]> {
  const { task_id, status } = await api.ok("POST", `/api/v1/projects/${id}/scan`, { json });
  expect(status).toBe("started");
  return api.task(task_id);
}

const storeToken = (host: FakeGitHost) =>
  api.ok("PUT", "/api/v1/config/me", { json: { otherConfig: { githubToken: token, githubBaseUrl: host.origin } } });

const found = async (task: Answer["body"]) =>
  (await api.ok("GET", `/api/v1/tasks/${task.id}/issues`)).map((issue: Answer["body"]) => [
    issue.file_path,
    issue.line_number,
    issue.cwe[0],
  ]);

describe("a repository project", () => {
  it.each([
    ["github", () => github, ""],
    ["gitlab", () => gitlab, ""],
    ["gitea", () => gitea, "git/"],
  ] as const)("at %s lists branches and files, and is scanned to the line", async (type, host, below) => {
    const id = await projectAt(host(), type, below);
    const { branches, default_branch, error } = await api.ok("GET", `/api/v1/projects/${id}/branches`);
    expect({ branches, default_branch, error }).toEqual({
      branches: ["trunk", ..."abcdefg"],
      default_branch: "trunk",
      error: undefined,
    });
    // Three of a page: the list was followed to its end.
    expect(host().asked.filter((asked) => asked.includes("/branches?")).length).toBeGreaterThan(2);
    const files = await api.ok("GET", `/api/v1/projects/${id}/files`, { query: { branch: "a" } });
    expect(files.map(({ path }: { path: string }) => path).toSorted()).toEqual(["shop/app.py", "shop/server.js"]);
    const task = await scan(id);
    expect(task).toMatchObject({
      status: "completed",
      task_type: "repository",
      branch_name: "trunk",
      commit_sha: commit("1"),
      total_files: 2,
      warnings: [{ code: "rules_only" }],
    });
    expect((await found(task)).toSorted()).toEqual(expectedFindings.toSorted());
  });

  it("scans the branch that was asked for, with the files and exclusions of a ZIP scan", async () => {
    const id = await projectAt(github, "github");
    const task = await scan(id, { branch_name: "c", exclude_patterns: ["*.js"], file_paths: ["shop\\app.py"] });
    expect(task).toMatchObject({ status: "completed", branch_name: "c", commit_sha: commit("4"), total_files: 1 });
    expect(await found(task)).toEqual([expectedFindings[0]]);
  });

  it("names a branch that is not there and never takes another", async () => {
    const id = await projectAt(github, "github");
    const task = await scan(id, { branch_name: "gone" });
    expect(task).toMatchObject({ status: "failed", error_code: "repository_branch_not_found", total_files: 0 });
    expect(task.error_message).toBe("The repository has no branch “gone”");
    const chinese = await api.ok("GET", `/api/v1/tasks/${task.id}`, { headers: { "Accept-Language": "zh-CN" } });
    expect(chinese.error_message).toBe("仓库中没有分支“gone”");
    const files = await api.call("GET", `/api/v1/projects/${id}/files`, { query: { branch: "gone" } });
    expect(files).toMatchObject({ status: 422, body: { code: "repository_branch_not_found" } });
    const invalid = await api.call("POST", `/api/v1/projects/${id}/scan`, { json: { branch_name: "--upload-pack=x" } });
    expect(invalid).toMatchObject({ status: 422, body: { code: "repository_branch_invalid" } });
    expect(github.asked.filter((asked) => asked.includes("zipball"))).toEqual([]);
  });

  it("warns of files that the archive hides", async () => {
    github.repository = await repository({ entries: blobs([...Object.keys(vulnerableApp), hidden]) });
    const id = await projectAt(github, "github");
    const task = await scan(id);
    expect(task.warnings).toMatchObject([
      { code: "files_not_in_archive", count: 1, paths: [hidden] },
      { code: "rules_only" },
    ]);
    github.lie = (url) => (url.pathname.includes("/git/trees/") ? { status: 500 } : null);
    const other = await scan(await projectAt(github, "github"));
    expect(other).toMatchObject({
      status: "completed",
      warnings: [{ code: "listing_incomplete" }, { code: "rules_only" }],
    });
  });

  it("is not downloaded again while its commit is the same, and is when it has another", async () => {
    const id = await projectAt(github, "github");
    const downloads = () => github.asked.filter((asked) => asked.includes("zipball")).length;
    expect(await found(await scan(id))).toHaveLength(2);
    expect(await found(await scan(id))).toHaveLength(2);
    expect(downloads()).toBe(1);
    const archive = await archiveOf({ "shop/app.py": vulnerableApp["shop/app.py"] });
    github.repository = await repository({ archive, branches: new Map([["trunk", commit("9")]]) });
    const next = await scan(id);
    expect(next).toMatchObject({ commit_sha: commit("9"), total_files: 1 });
    expect(downloads()).toBe(2);
  });

  it("over SSH needs a key, and says so before any host is asked", async () => {
    const id = await projectAt(github, "github", "", { repository_url: "git@github.com:owner/name.git" });
    const code = "repository_key_missing";
    expect(await scan(id)).toMatchObject({ status: "failed", error_code: code });
    expect(await api.ok("POST", `/api/v1/projects/${id}/test-access`)).toMatchObject({ success: false, code });
    const branches = await api.ok("GET", `/api/v1/projects/${id}/branches`);
    expect(branches).toMatchObject({ branches: ["trunk"], error_code: code });
    const files = await api.call("GET", `/api/v1/projects/${id}/files`);
    expect(files).toMatchObject({ status: 422, body: { code } });
  });

  it("with an address that is none says so at once", async () => {
    for (const more of [
      { repository_url: "https://github.com/owner" },
      { repository_type: "other", repository_url: "https://host/" },
    ]) {
      const id = await projectAt(github, "github", "", more);
      const answer = await api.call("POST", `/api/v1/projects/${id}/scan`);
      expect(answer).toMatchObject({ status: 422, body: { code: "repository_url_invalid" } });
    }
  });

  it("whose host is trouble ends the scan with the reason", async () => {
    for (const [lie, code] of [
      [{ status: 429, headers: { "retry-after": "30" } }, "repository_rate_limited"],
      [{ status: 503 }, "repository_unavailable"],
      [{ bytes: Buffer.from("no archive at all") }, "zip_not_an_archive"],
    ] as const) {
      github.lie = (url) => (url.pathname.includes("/zipball/") ? lie : null);
      const task = await scan(await projectAt(github, "github"));
      expect(task).toMatchObject({ status: "failed", error_code: code, error_message: expect.any(String) });
    }
  });
});

describe("the options of a scan", () => {
  const asked = async () => ({
    file_paths: ["shop/app.py", "shop/server.js"],
    exclude_patterns: ["**/*.js"],
    branch_name: "trunk",
    rule_set_id: (await api.ok("POST", "/api/v1/rules", { json: { name: "shop", rules: [] } })).id,
    prompt_template_id: (await api.ok("POST", "/api/v1/prompts", { json: { name: "t", content_zh: "审计 {code}" } }))
      .id,
  });
  const zipProject = async () =>
    (await api.ok("POST", "/api/v1/projects", { json: { name: "zip", source_type: "zip" } })).id;

  it.each([
    [
      "of an uploaded ZIP",
      async (options: object) => {
        const fields = { project_id: await zipProject(), scan_config: JSON.stringify(options) };
        const multipart = { ...fields, file: await zipOf(vulnerableApp) };
        return api.ok("POST", "/api/v1/scan/upload-zip", { multipart });
      },
    ],
    [
      "of a stored ZIP",
      async (json: object) => {
        const query = { project_id: (await api.projectWith(vulnerableApp)).id };
        return api.ok("POST", "/api/v1/scan/scan-stored-zip", { query, json });
      },
    ],
    [
      "of a repository",
      async (json: object) => api.ok("POST", `/api/v1/projects/${await projectAt(github, "github")}/scan`, { json }),
    ],
  ])("%s are stored with the task, and decide what is looked at", async (_, start) => {
    const options = await asked();
    const task = await api.task((await start(options)).task_id);
    const { branch_name, ...config } = options;
    expect(JSON.parse(task.scan_config)).toMatchObject(config);
    expect(task).toMatchObject({ status: "completed", total_files: 1, branch_name });
    expect(JSON.parse(task.exclude_patterns)).toEqual(options.exclude_patterns);
  });
});

describe("a private repository", () => {
  it("is there only for who has a token, and the token goes nowhere else", async () => {
    github.repository = await repository({ token });
    const id = await projectAt(github, "github");
    const access = () => api.ok("POST", `/api/v1/projects/${id}/test-access`);
    expect(await access()).toMatchObject({ success: false, code: "repository_not_found" });
    expect(await scan(id)).toMatchObject({ status: "failed", error_code: "repository_not_found" });
    await storeToken(gitlab); // belongs to another origin
    expect(await access()).toMatchObject({ success: false, code: "repository_not_found" });
    for (const { headers } of github.requests) expect(headers.authorization).toBeUndefined();
    await storeToken(github);
    expect(await access()).toMatchObject({ success: true, code: "accessible", branch: "trunk", commit: commit("1") });
    expect(await scan(id)).toMatchObject({ status: "completed", issues_count: 2 });
    expect(gitlab.requests).toEqual([]);
  });

  it("keeps its token on a redirect to another origin", async () => {
    github.repository = await repository({ token });
    await storeToken(github);
    github.lie = (url) =>
      url.pathname.includes("/zipball/") ? { status: 302, headers: { location: `${gitea.origin}/archive` } } : null;
    gitea.lie = () => ({ bytes: github.repository.archive });
    expect(await scan(await projectAt(github, "github"))).toMatchObject({ status: "completed", issues_count: 2 });
    expect(gitea.requests.map(({ headers }) => headers.authorization)).toEqual([undefined]);
    expect(github.requests.some(({ headers }) => headers.authorization === `Bearer ${token}`)).toBe(true);
  });

  it("leaves its token in no answer, no log, no execution and no file", async () => {
    github.repository = await repository({ token });
    await storeToken(github);
    const id = await projectAt(github, "github");
    await api.ok("POST", `/api/v1/projects/${id}/test-access`);
    github.lie = (url) => (url.pathname.includes("/zipball/") ? { status: 401 } : null);
    const failed = await scan(id);
    expect(failed).toMatchObject({ status: "failed", error_code: "repository_unauthorised" });
    github.lie = () => null;
    const answers = [failed, await scan(id), await api.ok("GET", "/api/v1/config/me")];
    expect(JSON.stringify(answers)).not.toContain("canary");
    const histories = await executionHistories();
    expect(histories).toContain("ScanFailed");
    expect(histories).not.toContain("canary");
    // The table keeps its values uncompressed in a log first, so a token in it would show.
    const written = filesBelow(service.folder).map((file) => readFileSync(file));
    expect(written.some((bytes) => bytes.includes("repository_unauthorised"))).toBe(true);
    for (const secret of [
      "canary4711",
      createHash("sha256").update(token).digest("hex"),
      Buffer.from(token).toString("base64"),
    ])
      expect(written.filter((bytes) => bytes.includes(secret))).toEqual([]);
  });
});

async function executionHistories(): Promise<string> {
  const { endpoint, operator, resources } = service.cloud;
  const states = new SFNClient({ endpoint, region: "us-east-1", credentials: operator });
  const machine = [...resources].find(
    ([id, { type }]) => id.startsWith("ScanMachine") && type.endsWith("StateMachine"),
  );
  const { executions = [] } = await states.send(
    new ListExecutionsCommand({ stateMachineArn: machine?.[1].ref, maxResults: 100 }),
  );
  const histories = executions.map(({ executionArn }) =>
    states.send(new GetExecutionHistoryCommand({ executionArn, includeExecutionData: true, maxResults: 1000 })),
  );
  return JSON.stringify(await Promise.all(histories));
}

const filesBelow = (path: string): string[] =>
  readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
