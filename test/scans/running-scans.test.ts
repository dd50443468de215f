import { v7 as uuid } from "uuid";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { newProject, ProjectDraft } from "../../functions/projects/project.ts";
import { createProject } from "../../functions/projects/project-store.ts";
import { readStatistics } from "../../functions/projects/statistics-store.ts";
import { newTask, type Task } from "../../functions/scans/task.ts";
import { changeTask, createTask, failTask, findTask } from "../../functions/scans/task-store.ts";
import { planScan } from "../../functions/scans/workflow/plan-scan.ts";
import { type EmbeddedData, startEmbeddedData } from "../support/embedded-data.ts";
import { wholeZip } from "../support/scanned.ts";
import { storedUser } from "../support/stored-user.ts";

const now = () => new Date();
let data: EmbeddedData;
let ownerId: string;

beforeAll(async () => {
  data = await startEmbeddedData();
});
afterAll(() => data.stop());

beforeEach(async () => {
  ownerId = (await storedUser()).id;
});

async function pendingTask(owner = ownerId): Promise<Task> {
  const project = newProject(ProjectDraft.parse({ name: "p", source_type: "zip" }), uuid(), owner, now());
  await createProject(project);
  const task = newTask({ id: uuid(), projectId: project.id, ownerId: owner, createdBy: owner, ...wholeZip }, now());
  await createTask(task);
  return task;
}

const pendingTasks = (count: number) => Promise.all(Array.from({ length: count }, () => pendingTask()));

const begin = ({ id, attempt }: Task) => changeTask(id, { from: ["pending"], attempt, set: { status: "running" } });

const running = async () => (await readStatistics(ownerId))?.runningTasks;

it("lets three scans of an owner run, however many begin at the same moment", async () => {
  const tasks = await pendingTasks(6);
  const begun = await Promise.allSettled(tasks.map(begin));
  expect(begun.filter(({ status }) => status === "fulfilled")).toHaveLength(3);
  for (const outcome of begun)
    if (outcome.status === "rejected") expect(outcome.reason).toMatchObject({ name: "ScanMustWait" });
  expect(await running()).toBe(3);
  const states = await Promise.all(tasks.map(async ({ id }) => (await findTask(id))?.status));
  expect(states.toSorted()).toEqual(["pending", "pending", "pending", "running", "running", "running"]);
});

it("lets another begin when one has ended, however it did, and others' scans in any case", async () => {
  const [first, second, third, fourth] = (await pendingTasks(4)) as [Task, Task, Task, Task];
  for (const task of [first, second, third]) await begin(task);
  await expect(begin(fourth)).rejects.toThrow("scans of the owner are running");
  await begin(await pendingTask((await storedUser()).id));
  await failTask(second.id, second.attempt, { code: "workflow_error", message: "" }, now());
  expect(await begin(fourth)).toMatchObject({ status: "running" });
  const cancelled = { status: "cancelled", completedAt: now().toISOString() } as const;
  await changeTask(first.id, { from: ["running"], attempt: 1, set: cancelled });
  expect(await running()).toBe(2);
});

it("keeps a scan that waits pending, out of the sweeper's sight, and for the workflow to try again", async () => {
  for (const task of await pendingTasks(3)) await begin(task);
  const fourth = await pendingTask();
  const later = new Date(now().getTime() + 600_000);
  const plan = planScan.handle({ task_id: fourth.id, attempt: 1 } as never, () => later);
  await expect(plan).rejects.toMatchObject({ name: "ScanMustWait" });
  expect(await findTask(fourth.id)).toMatchObject({ status: "pending", heartbeatAt: later.toISOString() });
});
