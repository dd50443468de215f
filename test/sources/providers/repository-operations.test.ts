import { PutCommand } from "@aws-sdk/lib-dynamodb";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Operation } from "../../../functions/platform/operation.ts";
import { Reply } from "../../../functions/platform/operation.ts";
import { encryptSecret } from "../../../functions/platform/secrets.ts";
import { keys, table } from "../../../functions/platform/table.ts";
import { newProject, ProjectDraft } from "../../../functions/projects/project.ts";
import { listBranches } from "../../../functions/sources/list-branches.ts";
import { listProjectFiles } from "../../../functions/sources/list-project-files.ts";
import { testProjectAccess } from "../../../functions/sources/test-project-access.ts";
import { type EmbeddedData, startEmbeddedData } from "../../support/embedded-data.ts";
import type { FakeGitHost } from "../../support/fake-git-hosts/fake-git-host.ts";
import { fakeGitHub } from "../../support/fake-git-hosts/fake-github.ts";

const owner = { id: "0190a7de-0000-7000-8000-00000000000a" };
const stranger = { id: "0190a7de-0000-7000-8000-00000000000b" };
const projectId = "0190a7de-0000-7000-8000-0000000000c1";
const commit = "1".repeat(40);
const token = "ghp_canary0123456789";

let data: EmbeddedData;
let host: FakeGitHost;

beforeAll(async () => {
  data = await startEmbeddedData();
  host = fakeGitHub(
    {
      path: "owner/name",
      defaultBranch: "trunk",
      branches: new Map([
        ["dev", commit],
        ["main", commit],
        ["trunk", commit],
      ]),
      entries: [
        { path: "src/app.py", type: "blob", mode: "100644", size: 12 },
        { path: "src/app.log", type: "blob", mode: "100644", size: 12 },
        { path: "src/huge.py", type: "blob", mode: "100644", size: 300_000 },
        { path: "tests/app.py", type: "blob", mode: "100644", size: 5 },
      ],
      archive: Buffer.alloc(0),
      token,
    },
    "127.0.0.1",
  );
  await host.start();
  process.env.OUTBOUND_ALLOWED_HOSTS = host.address;
});

beforeEach(async () => {
  host.lie = () => null;
  host.requests.length = 0;
  await store({});
  await configure({ githubToken: await encryptSecret(token, { userId: owner.id, field: "githubToken" }) });
});

afterAll(async () => {
  await host.stop();
  await data.stop();
});

const put = (Item: Record<string, unknown>) => table.send(new PutCommand({ TableName: process.env.TABLE_NAME, Item }));

async function store(draft: Record<string, unknown>): Promise<void> {
  const repository_url = `${host.origin}/owner/name`;
  const parsed = ProjectDraft.parse({ name: "p", repository_type: "github", repository_url, ...draft });
  const at = new Date("2026-01-01T00:00:00Z");
  await put({ ...keys.project(projectId), v: 1, ...newProject(parsed, projectId, owner.id, at) });
}

/** What the owner has set: the token's host is ours unless a test says otherwise. */
const configure = (otherConfig: Record<string, string>) =>
  put({
    ...keys.userConfig(owner.id),
    v: 1,
    userId: owner.id,
    llmConfig: {},
    otherConfig: { githubBaseUrl: host.origin, ...otherConfig },
    createdAt: "2026-01-01T00:00:00.000Z",
    updatedAt: null,
    version: 1,
  });

async function run(operation: Operation, query = {}, caller = owner) {
  const { contract } = operation;
  const request = {
    params: { id: projectId },
    query: contract.query?.parse(query),
    caller,
    language: "en",
    requestId: "r",
    now: () => new Date(),
  };
  const result = await operation.handle(request as never);
  return result instanceof Reply ? { body: result.body, headers: result.headers } : { body: result, headers: {} };
}

describe("the branches of a project", () => {
  it("are those of its repository, asked with the caller's token, the project's default branch first", async () => {
    expect((await run(listBranches)).body).toEqual({
      branches: ["main", "trunk", "dev"],
      default_branch: "main",
      truncated: false,
    });
    for (const { headers } of host.requests) expect(headers.authorization).toBe(`Bearer ${token}`);
  });

  it("begin with the repository's own default branch when it has none of the project's name", async () => {
    await store({ default_branch: "master" });
    expect((await run(listBranches)).body).toMatchObject({
      branches: ["trunk", "dev", "main"],
      default_branch: "trunk",
    });
  });

  it.each([
    ["the host answers with an error", () => ({ status: 500 }), "not available"],
    ["the limit is used up", () => ({ status: 429 }), "limits how often"],
    ["the token is refused", () => ({ status: 401 }), "access token"],
  ])("are the project's default branch and a reason when %s", async (_, lie, reason) => {
    host.lie = lie;
    const { body } = await run(listBranches);
    expect(body).toEqual({
      branches: ["main"],
      default_branch: "main",
      truncated: false,
      error: expect.stringContaining(reason),
      error_code: expect.stringMatching(/^repository_/),
    });
    expect(JSON.stringify(body)).not.toContain("canary");
  });

  it("cannot be asked of hosts inside, nor of a project without a repository", async () => {
    await store({ repository_url: "https://169.254.169.254/owner/name" });
    expect((await run(listBranches)).body).toMatchObject({ error: expect.stringContaining("private network") });
    await store({ source_type: "zip" });
    await expect(run(listBranches)).rejects.toMatchObject({ code: "project_not_repository" });
  });
});

describe("a stored token", () => {
  it.each([
    ["was stored for another host", { githubBaseUrl: "https://github.com" }],
    ["is of another provider", { githubToken: "", gitlabToken: "glpat-canary", gitlabBaseUrl: "{host}" }],
  ])("stays at home when it %s", async (_, config) => {
    const encrypted = await encryptSecret(token, { userId: owner.id, field: "githubToken" });
    const origin = (text: string) => text.replace("{host}", host.origin);
    const entries = Object.entries({ githubToken: encrypted, ...config }).map(([name, text]) => [name, origin(text)]);
    await configure(Object.fromEntries(entries));
    expect((await run(testProjectAccess)).body).toMatchObject({ success: false, code: "repository_not_found" });
    expect(host.requests.length).toBeGreaterThan(0);
    for (const { headers } of host.requests) expect(headers.authorization).toBeUndefined();
  });

  it("of somebody else does not open here, and that is told without it", async () => {
    const foreign = await encryptSecret(token, { userId: stranger.id, field: "githubToken" });
    await configure({ githubToken: foreign });
    expect((await run(testProjectAccess)).body).toMatchObject({ success: false, code: "secret_unreadable" });
    expect(host.requests).toHaveLength(0);
  });

  it("from before encryption still works", async () => {
    await configure({ githubToken: token });
    expect((await run(testProjectAccess)).body).toMatchObject({ success: true });
  });
});

describe("trying access", () => {
  it("finds the commit of the default branch", async () => {
    expect((await run(testProjectAccess)).body).toEqual({
      success: true,
      code: "accessible",
      message: expect.stringContaining("main"),
      branch: "main",
      commit,
    });
  });

  it.each([
    [{ default_branch: "gone" }, "repository_branch_not_found"],
    [{ repository_type: "other" }, "repository_not_found"],
    [{ repository_type: "other", repository_url: "https://host.example/a?b" }, "repository_url_invalid"],
    [{ repository_url: "git@github.com:owner/name.git" }, "repository_key_missing"],
    [{ repository_url: "ssh://git@github.com/owner/name" }, "repository_key_missing"],
    [{ repository_url: "https://github.com/owner" }, "repository_url_invalid"],
    [{ repository_url: "https://127.0.0.1/owner/name" }, "outbound_address_refused"],
    [{ repository_url: "http://127.0.0.1:1/owner/name" }, "outbound_not_https"],
  ])("of %o tells %s", async (draft, reason) => {
    await store(draft);
    const { body } = await run(testProjectAccess);
    expect(body).toMatchObject({ success: false, code: reason, message: expect.stringMatching(/\w/), commit: null });
  });
});

describe("the files of a repository", () => {
  it("are selected as those of an archive are, by name, size and exclusions", async () => {
    const all = await run(listProjectFiles);
    expect(all).toEqual({
      body: [
        { path: "src/app.py", size: 12 },
        { path: "tests/app.py", size: 5 },
      ],
      headers: { "X-Total-Count": "2" },
    });
    const { body } = await run(listProjectFiles, { branch: "dev", exclude_patterns: '["tests/**"]' });
    expect(body).toEqual([{ path: "src/app.py", size: 12 }]);
  });

  it("say that the provider listed only a part", async () => {
    const blob = { path: "a.py", type: "blob", mode: "100644", size: 1 };
    host.lie = ({ pathname }) =>
      pathname.includes("/git/trees/") ? { json: { tree: [blob], truncated: true } } : null;
    expect((await run(listProjectFiles)).headers).toEqual({ "X-Total-Count": "1", "X-List-Truncated": "true" });
  });

  it("of a branch that is not there are an error, and not those of another branch", async () => {
    await expect(run(listProjectFiles, { branch: "gone" })).rejects.toMatchObject({
      code: "repository_branch_not_found",
    });
  });
});

it.each([
  ["branches", listBranches],
  ["files", listProjectFiles],
  ["access", testProjectAccess],
])("a stranger learns nothing of a project's %s, and no host is asked", async (_, operation) => {
  await expect(run(operation, {}, stranger)).rejects.toMatchObject({ code: "project_not_found" });
  expect(host.requests).toHaveLength(0);
});
