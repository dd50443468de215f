import JSZip from "jszip";
import { v7 as uuid } from "uuid";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { newProject, ProjectDraft } from "../../functions/projects/project.ts";
import { createProject } from "../../functions/projects/project-store.ts";
import { newTask, type Task } from "../../functions/scans/task.ts";
import { createTask, findTask } from "../../functions/scans/task-store.ts";
import { planScan } from "../../functions/scans/workflow/plan-scan.ts";
import { leftOutOf } from "../../functions/sources/repository-snapshot.ts";
import { type EmbeddedData, startEmbeddedData } from "../support/embedded-data.ts";
import type { FakeGitHost, FakeRepository } from "../support/fake-git-hosts/fake-git-host.ts";
import { fakeGitHub } from "../support/fake-git-hosts/fake-github.ts";
import { storedUser } from "../support/stored-user.ts";

const now = () => new Date();
const commit = (digit: string) => digit.repeat(40);
const zero = "0".repeat(40);

let data: EmbeddedData;
let host: FakeGitHost;
let task: Task;

const repository = async (head: string, path: string): Promise<FakeRepository> => ({
  path: "owner/name",
  defaultBranch: "main",
  branches: new Map([["main", head]]),
  entries: [{ path, type: "blob", mode: "100644", size: 8 }],
  archive: await new JSZip().file(`name-1/${path}`, "print(1)").generateAsync({ type: "nodebuffer" }),
});

beforeAll(async () => {
  data = await startEmbeddedData();
  host = fakeGitHub(await repository(zero, "a.py"), "127.0.0.1");
  await host.start();
  process.env.OUTBOUND_ALLOWED_HOSTS = host.address;
});
afterAll(() => Promise.all([data.stop(), host.stop()]));

beforeEach(async () => {
  data.gateway.planFault = () => undefined;
  host.requests.length = 0;
  host.lie = () => null;
  host.repository = await repository(commit("1"), "a.py");
  const { id: ownerId } = await storedUser();
  const url = `${host.origin}/owner/name`;
  const draft = ProjectDraft.parse({ name: "p", repository_type: "github", repository_url: url });
  const project = newProject(draft, uuid(), ownerId, now());
  await createProject(project);
  const config = {
    filePaths: null,
    fullScan: true,
    excludePatterns: [],
    branchName: "main",
    ruleSetId: null,
    promptTemplateId: null,
    budgetTokens: null,
    budgetUsd: null,
  };
  const given = { id: uuid(), projectId: project.id, ownerId, createdBy: ownerId, config };
  task = newTask(
    { ...given, taskType: "repository", source: null, repository: { type: "github", url, branch: "main" } },
    now(),
  );
  await createTask(task);
});

const plan = () => planScan.handle({ task_id: task.id, attempt: 1 } as never, now);
const downloads = () => host.asked.filter((asked) => asked.includes("zipball")).length;

it("goes on with the commit that it fetched when it runs again, whatever was pushed meanwhile", async () => {
  const first = await plan();
  host.repository = await repository(commit("2"), "b.py");
  expect(await plan()).toEqual(first);
  expect(await findTask(task.id)).toMatchObject({ status: "running", commit: commit("1"), totalFiles: 1 });
  expect(downloads()).toBe(1);
});

it("does not download again what it stored before it died", async () => {
  // The first update is the one that notes the source; from there on nothing gets through, as for a function that is gone.
  let isGone = false;
  data.gateway.planFault = ({ operation }) => {
    isGone ||= operation === "UpdateItem";
    return isGone ? { when: "before", error: "cut" } : undefined;
  };
  await expect(plan()).rejects.toThrow();
  data.gateway.planFault = () => undefined;
  expect(await findTask(task.id)).toMatchObject({ status: "running", source: null });
  await plan();
  expect(await findTask(task.id)).toMatchObject({ status: "running", commit: commit("1"), totalFiles: 1 });
  expect(downloads()).toBe(1);
});

it("asks a host again that does not answer for the moment", async () => {
  let asked = 0;
  host.lie = () => (asked++ < 1 ? { status: 503 } : null);
  await plan();
  expect(asked).toBeGreaterThan(2);
  expect(await findTask(task.id)).toMatchObject({ status: "running", commit: commit("1"), totalFiles: 1 });
});

it("ends the task with the reason when the repository cannot be read", async () => {
  host.lie = () => ({ status: 429, headers: { "retry-after": "7" } });
  await expect(plan()).rejects.toMatchObject({ code: "repository_rate_limited" });
  expect(await findTask(task.id)).toMatchObject({
    status: "failed",
    failure: { code: "repository_rate_limited", fields: { seconds: 7 } },
  });
});

it("knows what an archive lacks, and shows a few of many", () => {
  const files = (count: number) => Array.from({ length: count }, (_, at) => ({ path: `src/${at}.py` }));
  expect(leftOutOf({ items: files(3), truncated: false }, files(3))).toEqual({
    paths: [],
    count: 0,
    listingIncomplete: false,
  });
  const many = leftOutOf({ items: files(1000), truncated: true }, files(10));
  expect(many).toMatchObject({ count: 990, listingIncomplete: true });
  expect(many.paths).toHaveLength(50);
  expect(leftOutOf(null, files(1))).toEqual({ paths: [], count: 0, listingIncomplete: true });
});
