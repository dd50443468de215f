import { v7 as uuid } from "uuid";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { type Issue, newIssue, triage } from "../../functions/issues/issue.ts";
import { listIssues, readIssue, replaceIssue, writeIssues } from "../../functions/issues/issue-store.ts";
import { isSluiceError } from "../../functions/platform/errors.ts";
import { newProject, ProjectDraft } from "../../functions/projects/project.ts";
import { createProject } from "../../functions/projects/project-store.ts";
import { readStatistics } from "../../functions/projects/statistics-store.ts";
import { newTask, nextAttempt, type Task } from "../../functions/scans/task.ts";
import { recordReviewBatch } from "../../functions/scans/task-progress-store.ts";
import { changeTask, createTask, findTask, replaceTask } from "../../functions/scans/task-store.ts";
import { type EmbeddedData, startEmbeddedData } from "../support/embedded-data.ts";
import { aFinding } from "../support/finding.ts";
import { wholeZip } from "../support/scanned.ts";
import { storedUser } from "../support/stored-user.ts";

const now = () => new Date();
let data: EmbeddedData;
let task: Task;

beforeAll(async () => {
  data = await startEmbeddedData();
});
afterAll(() => data.stop());

beforeEach(async () => {
  data.gateway.planFault = () => undefined;
  const { id: ownerId } = await storedUser();
  const project = newProject(ProjectDraft.parse({ name: "p", source_type: "zip" }), uuid(), ownerId, now());
  await createProject(project);
  task = newTask({ id: uuid(), projectId: project.id, ownerId, createdBy: ownerId, ...wholeZip }, now());
  await createTask(task);
  await run();
});

const run = () => changeTask(task.id, { from: ["pending"], attempt: task.attempt, set: { status: "running" } });

const issue = (name: string): Issue => newIssue(aFinding(name), task.id, task.ownerId, now().toISOString());

const stored = async (): Promise<Record<string, string>> => {
  const { items } = await listIssues(task.id, { skip: 0, limit: 1000 });
  return Object.fromEntries(items.map(({ title, status }) => [title.en, status]));
};

async function complete(issuesCount: number): Promise<void> {
  const set = { status: "completed", issuesCount, qualityScore: 70, completedAt: now().toISOString() } as const;
  await changeTask(task.id, { from: ["running"], attempt: task.attempt, set });
}

async function retry(): Promise<void> {
  const read = (await findTask(task.id)) as Task;
  task = nextAttempt(read, uuid(), now());
  await replaceTask(read, task, now());
  await run();
}

async function judge(name: string, status: "resolved" | "false_positive"): Promise<void> {
  const read = await readIssue(task.id, issue(name).id);
  await replaceIssue(read, triage(read, status, uuid(), now()), now());
}

const counted = async () => {
  const { tasks, completedTasks, issues, resolvedIssues, qualityTenths } = (await readStatistics(task.ownerId)) ?? {};
  return { tasks, completedTasks, issues, resolvedIssues, qualityTenths };
};

it("keeps the verdicts on issues that come again, drops those that do not, and counts right throughout", async () => {
  await writeIssues(task, ["a", "b", "c", "d"].map(issue), now());
  await complete(4);
  await judge("a", "resolved");
  await judge("b", "resolved");
  await judge("c", "false_positive");
  expect(await counted()).toEqual({ tasks: 1, completedTasks: 1, issues: 4, resolvedIssues: 2, qualityTenths: 700 });
  await retry();
  expect(await counted()).toEqual({ tasks: 1, completedTasks: 0, issues: 0, resolvedIssues: 2, qualityTenths: 0 });
  const kept = await writeIssues(task, ["a", "c", "e"].map(issue), now());
  expect(kept.map(({ title, status }) => [title.en, status])).toEqual([
    ["a", "resolved"],
    ["c", "false_positive"],
    ["e", "open"],
  ]);
  expect(await stored()).toEqual({ a: "resolved", c: "false_positive", e: "open" });
  await complete(3);
  expect(await findTask(task.id)).toMatchObject({ attempt: 2, issuesResolved: 1, issuesCount: 3 });
  expect(await counted()).toEqual({ tasks: 1, completedTasks: 1, issues: 3, resolvedIssues: 1, qualityTenths: 700 });
});

it("writes nothing the second time", async () => {
  const issues = Array.from({ length: 250 }, (_, n) => issue(`n${n}`));
  await writeIssues(task, issues, now());
  let writes = 0;
  data.gateway.planFault = ({ operation }) => {
    if (operation === "TransactWriteItems") writes++;
    return undefined;
  };
  await writeIssues(task, issues, now());
  expect(writes).toBe(0);
  expect(Object.keys(await stored())).toHaveLength(250);
});

it("does not lose a verdict that is given while the issues are written", async () => {
  await writeIssues(task, ["a", "b"].map(issue), now());
  for (let round = 1; round <= 20; round++) {
    const verdict = round % 2 ? "resolved" : "false_positive";
    const again = ["a", "b"].map((name) => ({ ...issue(name), confidence: round / 100 }));
    await Promise.all([writeIssues(task, again, now()), judgeUntilTaken("a", verdict)]);
    const { items } = await listIssues(task.id, { skip: 0, limit: 10 });
    expect(items.map(({ title, status, confidence }) => [title.en, status, confidence])).toEqual([
      ["a", verdict, round / 100],
      ["b", "open", round / 100],
    ]);
    expect(await findTask(task.id)).toMatchObject({ issuesResolved: round % 2 });
    expect(await counted()).toMatchObject({ resolvedIssues: round % 2 });
  }
});

/** As a person does who is told that somebody else was faster. */
async function judgeUntilTaken(name: string, status: "resolved" | "false_positive"): Promise<void> {
  await judge(name, status).catch((error) => {
    if (!isSluiceError(error, "stale_version")) throw error;
    return judgeUntilTaken(name, status);
  });
}

it("writes for the attempt that runs and for no other", async () => {
  const first = task;
  await complete(0);
  await retry();
  await expect(writeIssues(first, [issue("late")], now())).rejects.toMatchObject({ code: "task_superseded" });
  await expect(recordReviewBatch(first.id, 1, 0, 5, now())).rejects.toMatchObject({ code: "task_superseded" });
  expect(await stored()).toEqual({});
});

it("begins another attempt once, however many ask for it", async () => {
  await complete(0);
  const read = (await findTask(task.id)) as Task;
  const asked = Array.from({ length: 8 }, () => replaceTask(read, nextAttempt(read, uuid(), now()), now()));
  const outcomes = await Promise.allSettled(asked);
  expect(outcomes.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
  expect(await findTask(task.id)).toMatchObject({ attempt: 2, status: "pending" });
  expect(await counted()).toMatchObject({ tasks: 1, completedTasks: 0 });
});

it("books a batch once, however often it is reported", async () => {
  for (let n = 0; n < 3; n++) await recordReviewBatch(task.id, 1, 0, 7, now());
  await recordReviewBatch(task.id, 1, 1, 5, now());
  expect(await findTask(task.id)).toMatchObject({ filesReviewed: 12, scannedFiles: 12 });
});
