import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ListObjectVersionsCommand } from "@aws-sdk/client-s3";
import { DescribeExecutionCommand, SFNClient } from "@aws-sdk/client-sfn";
import { paginateScan, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { v7 as uuid } from "uuid";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { type LocalService, startLocalService } from "../../bin/local/service.ts";
import { newIssue } from "../../functions/issues/issue.ts";
import { writeIssues } from "../../functions/issues/issue-store.ts";
import { addMember } from "../../functions/members/member-store.ts";
import { environment } from "../../functions/platform/environment.ts";
import { putJson, s3 } from "../../functions/platform/object-store.ts";
import { keys, table } from "../../functions/platform/table.ts";
import { newProject, type Project } from "../../functions/projects/project.ts";
import { buryProject, createProject, replaceProject } from "../../functions/projects/project-store.ts";
import { Counters, zero } from "../../functions/projects/statistics.ts";
import { readStatistics } from "../../functions/projects/statistics-store.ts";
import { findTombstone } from "../../functions/projects/tombstone.ts";
import { newTask, scanKeys, type Task } from "../../functions/scans/task.ts";
import { recordChunk } from "../../functions/scans/task-progress-store.ts";
import { changeTask, createTask, findTask } from "../../functions/scans/task-store.ts";
import { storeArchive } from "../../functions/sources/stored-zip-store.ts";
import { reserve, settle } from "../../functions/spending/spending-store.ts";
import { workflowTasks } from "../../functions/workflow-tasks.ts";
import { AwsError } from "../../lib/local/service.ts";
import { aCall } from "../spending/running-scan.ts";
import { Api, zipOf } from "../support/api.ts";
import { bigApp } from "../support/big-app.ts";
import { aFinding } from "../support/finding.ts";
import { useAsEnvironment } from "../support/handler-environment.ts";
import { vulnerableApp } from "../support/vulnerable-app.ts";

// Scans run behind some of these tests, and a busy machine takes its time for them.
vi.setConfig({ testTimeout: 180_000 });

let folder: string;
let service: LocalService;
let api: Api;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "sluice-erasure-"));
  service = await startLocalService({ dataFolder: folder });
  useAsEnvironment(service.cloud);
  api = new Api(service.url, await service.token());
});

afterAll(async () => {
  await service.stop();
  rmSync(folder, { recursive: true, force: true });
});

afterEach(() => {
  service.cloud.gateway.planFault = () => undefined;
});

const now = () => new Date();
const run = (project: Pick<Project, "id">, last: boolean, clock = now) =>
  workflowTasks.projects.eraseProject.handle({ project_id: project.id, last } as never, clock);

/** Everything that still names one of these ids, anywhere. */
async function whatIsLeft(...ids: string[]): Promise<string[]> {
  const left: string[] = [];
  for await (const { Items = [] } of paginateScan({ client: table }, { TableName: environment().TABLE_NAME }))
    for (const item of Items) {
      const transient = /^(IDEM|AUDIT|UP)#/.test(item.pk as string);
      if (!transient && ids.some((id) => JSON.stringify(item).includes(id))) left.push(`${item.pk} ${item.sk}`);
    }
  for (const Bucket of [environment().SOURCES_BUCKET, environment().RESULTS_BUCKET]) {
    const { Versions = [], DeleteMarkers = [] } = await s3.send(new ListObjectVersionsCommand({ Bucket }));
    for (const { Key = "" } of [...Versions, ...DeleteMarkers]) if (ids.some((id) => Key.includes(id))) left.push(Key);
  }
  return left;
}

/** A project with one of everything: a ZIP that replaced another, a member, a scan that has ended and one that runs. */
async function furnished(): Promise<{ project: Project; tasks: Task[] }> {
  const ownerId = uuid();
  const draft = { name: "doomed", source_type: "zip", default_branch: "main" } as const;
  const project = newProject({ ...draft, programming_languages: [] }, uuid(), ownerId, now());
  await createProject(project);
  for (const text of ["print(1)", "print(2)"]) {
    const bytes = Buffer.from(await (await zipOf({ "a.py": text })).arrayBuffer());
    await storeArchive({ projectId: project.id, ownerId, filename: "a.zip" }, bytes, now());
  }
  const joined = { role: "viewer", permissions: "{}", joinedAt: now().toISOString(), version: 1 } as const;
  await addMember({ projectId: project.id, userId: uuid(), ownerId, ...joined });
  return { project, tasks: [await scanned(project, "completed"), await scanned(project, "running")] };
}

async function scanned(project: Project, status: "pending" | "running" | "completed"): Promise<Task> {
  const config = { filePaths: null, fullScan: true, excludePatterns: [], branchName: null };
  const source = { key: "none", bytes: 0, manifestKey: "none" };
  const task = newTask(
    {
      id: uuid(),
      projectId: project.id,
      ownerId: project.ownerId,
      taskType: "zip_upload",
      config: { ...config, ruleSetId: null, promptTemplateId: null, budgetTokens: null, budgetUsd: null },
      source,
    },
    now(),
  );
  await createTask(task);
  if (status === "pending") return task;
  await changeTask(task.id, { from: ["pending"], attempt: 1, set: { status: "running" } });
  await recordChunk(task.id, 1, { chunk: 0, files: 1, lines: 1, findings: 2 }, 1, now());
  const call = aCall({ userId: uuid(), scan: { taskId: task.id, attempt: 1, projectId: project.id } });
  await settle(await reserve(call, now()), null);
  await reserve(call, now());
  await putJson(environment().RESULTS_BUCKET, scanKeys(task.id, 1).plan, {});
  const issues = ["one", "two"].map((name) => newIssue(aFinding(name), task.id, project.ownerId, now().toISOString()));
  await writeIssues(task, issues, now());
  if (status === "running") return task;
  const set = { status: "completed", issuesCount: 2, qualityScore: 70, completedAt: now().toISOString() } as const;
  return changeTask(task.id, { from: ["running"], attempt: 1, set });
}

const countersOf = async (ownerId: string): Promise<Counters> => Counters.parse(await readStatistics(ownerId));

describe("deleting a project for good", () => {
  it("hides it at once, stops its scan, erases everything and leaves a closed tombstone", async () => {
    const project = await api.ok("POST", "/api/v1/projects", { json: { name: "stopped", source_type: "zip" } });
    expect(await api.uploadDirectly(project.id, await zipOf(bigApp(600)))).toMatchObject({ status: 200 });
    const query = { project_id: project.id };
    const { task_id } = await api.ok("POST", "/api/v1/scan/scan-stored-zip", { query });
    await api.task(task_id, (task) => task.status === "running");

    expect(await api.ok("DELETE", `/api/v1/projects/${project.id}/permanent`)).toEqual({ message: expect.any(String) });
    for (const path of ["projects?include_deleted=true", "projects/deleted"]) {
      const listed = await api.ok("GET", `/api/v1/${path}`);
      expect(listed.map(({ id }: { id: string }) => id)).not.toContain(project.id);
    }
    expect((await api.ok("GET", "/api/v1/tasks")).map(({ id }: { id: string }) => id)).not.toContain(task_id);
    for (const [method, path] of [
      ["GET", `projects/${project.id}`],
      ["POST", `projects/${project.id}/restore`],
      ["DELETE", `projects/${project.id}/permanent`],
      ["GET", `tasks/${task_id}`],
    ] as const)
      expect(await api.call(method, `/api/v1/${path}`)).toMatchObject({ status: 404 });

    // What the workflow does by itself, and then what it does when its wait is over.
    const executionArn = `${environment().ERASURE_MACHINE_ARN.replace(":stateMachine:", ":execution:")}:${project.id}-0`;
    expect(await new SFNClient({}).send(new DescribeExecutionCommand({ executionArn }))).toMatchObject({
      status: "RUNNING",
    });
    expect(await run(project, true)).toEqual({ done: true });
    expect(await whatIsLeft(project.id, task_id)).toEqual([`P#${project.id} P`]);
    expect(await findTombstone(project.id)).toMatchObject({ erasedAt: expect.any(String) });
    expect(await workflowTasks.projects.sweepErasures.handle({} as never, now)).toEqual({ open: 0 });
  });

  it("is done by the workflow itself, under the role of its function", async () => {
    const project = await api.projectWith(vulnerableApp);
    const { task_id } = await api.ok("POST", "/api/v1/scan/scan-stored-zip", { query: { project_id: project.id } });
    await api.task(task_id);
    await api.ok("DELETE", `/api/v1/projects/${project.id}/permanent`);
    await vi.waitUntil(async () => (await whatIsLeft(project.id, task_id)).length === 1, { timeout: 150_000 });
    expect(await findTombstone(project.id)).not.toHaveProperty("erasedAt");
    expect(await run(project, true)).toEqual({ done: true });
  });

  it("is started by the sweeper when the API crashed before it could, and again after an hour without success", async () => {
    const { project } = await furnished();
    const at = now();
    await buryProject(project, at);
    const executionArn = (n: number) =>
      `${environment().ERASURE_MACHINE_ARN.replace(":stateMachine:", ":execution:")}:${project.id}-${n}`;
    const started = (n: number) =>
      new SFNClient({}).send(new DescribeExecutionCommand({ executionArn: executionArn(n) }));
    await expect(started(0)).rejects.toThrow();
    for (const hours of [0, 0, 1]) {
      const later = () => new Date(at.getTime() + hours * 3_600_000 + 1000);
      expect(await workflowTasks.projects.sweepErasures.handle({} as never, later)).toEqual({ open: 1 });
      await expect(started(hours)).resolves.toMatchObject({ input: JSON.stringify({ project_id: project.id }) });
    }
    expect(await run(project, true)).toEqual({ done: true });
  });

  it("erases what a function wrote after the first run", async () => {
    const { project, tasks } = await furnished();
    await buryProject(project, now());
    expect(await run(project, false)).toEqual({ done: true });
    const [, running] = tasks as [Task, Task];
    await putJson(environment().RESULTS_BUCKET, scanKeys(running.id, 1).findings, {});
    await putJson(environment().SOURCES_BUCKET, `zips/${project.id}/late.zip`, {});
    expect(await whatIsLeft(project.id, ...tasks.map(({ id }) => id))).toHaveLength(3);
    expect(await run(project, true)).toEqual({ done: true });
    expect(await whatIsLeft(project.id, ...tasks.map(({ id }) => id))).toEqual([`P#${project.id} P`]);
  });

  it("goes on in another run when its time is up", async () => {
    const { project } = await furnished();
    await buryProject(project, now());
    let asked = 0;
    // The first look at the clock sets the deadline, the second takes the first task, the third comes too late.
    const clock = () => new Date(Date.now() + (asked++ < 3 ? 0 : 3_600_000));
    expect(await run(project, false, clock)).toEqual({ done: false });
    expect(await run(project, true)).toEqual({ done: true });
    expect(await whatIsLeft(project.id)).toEqual([`P#${project.id} P`]);
  });

  it.each(["before", "after"] as const)(
    "leaves no orphan and right counters wherever it dies, %s the call is done",
    async (when) => {
      let calls = 0;
      for (let dies = 1; ; dies++) {
        const { project, tasks } = await furnished();
        expect(await countersOf(project.ownerId)).toMatchObject({
          projects: 1,
          tasks: 2,
          issues: 2,
          qualityTenths: 700,
        });
        await buryProject(project, now());
        calls = 0;
        // A dead function makes no more calls: from this one on none gets through.
        service.cloud.gateway.planFault = (call) => {
          if (call.role !== "operator") return undefined;
          calls += 1;
          if (calls < dies) return undefined;
          return { when: calls === dies ? when : "before", error: new AwsError("ValidationException", "dead", 400) };
        };
        const died = await run(project, true).then(
          () => false,
          () => true,
        );
        service.cloud.gateway.planFault = () => undefined;
        if (died) {
          expect([dies, await run(project, true)]).toEqual([dies, { done: true }]);
        }
        const ids = [project.id, ...tasks.map(({ id }) => id)];
        expect([dies, await whatIsLeft(...ids)]).toEqual([dies, [`P#${project.id} P`]]);
        expect([dies, await countersOf(project.ownerId)]).toEqual([dies, zero]);
        for (const { id } of tasks) expect(await findTask(id)).toBeNull();
        if (!died) break;
      }
      expect(calls).toBeGreaterThan(20);
    },
    300_000,
  );
});

describe("scheduled functions", () => {
  it.each(["SweepErasures", "RecountStatistics"])("%s has the rights it needs", async (name) => {
    const [, fn] = [...service.cloud.resources].find(
      ([id, { type }]) => id.startsWith(`Functions${name}`) && type === "AWS::Lambda::Function",
    ) as [string, { ref: string }];
    const { project } = await furnished();
    await buryProject(project, now());
    expect(await service.cloud.invoke(fn.ref, {})).toMatchObject({ ok: true });
    expect(await run(project, true)).toEqual({ done: true });
  });
});

describe("the recycle bin", () => {
  const scan = (id: string) => api.call("POST", "/api/v1/scan/scan-stored-zip", { query: { project_id: id } });

  it("stops the scan that runs, refuses another, and takes one again after the project is restored", async () => {
    const project = await api.ok("POST", "/api/v1/projects", { json: { name: "binned", source_type: "zip" } });
    expect(await api.uploadDirectly(project.id, await zipOf(bigApp(600)))).toMatchObject({ status: 200 });
    const { body } = await scan(project.id);
    await api.task(body.task_id, (task) => task.status === "running");
    await api.ok("DELETE", `/api/v1/projects/${project.id}`);
    expect(await api.ok("GET", `/api/v1/tasks/${body.task_id}`)).toMatchObject({ status: "cancelled" });
    expect(await scan(project.id)).toMatchObject({ status: 409, body: { code: "project_in_recycle_bin" } });
    await api.ok("POST", `/api/v1/projects/${project.id}/restore`);
    const again = await scan(project.id);
    await api.ok("POST", `/api/v1/tasks/${again.body.task_id}/cancel`);
  });

  it("cancels a scan that its list of tasks did not have yet, as soon as that begins", async () => {
    const { project } = await furnished();
    const task = await scanned(project, "pending");
    await replaceProject(project, { ...project, isActive: false }, now());
    const plan = workflowTasks.scans.planScan.handle({ task_id: task.id, attempt: 1 } as never, now);
    await expect(plan).rejects.toMatchObject({ code: "task_superseded" });
    expect(await findTask(task.id)).toMatchObject({ status: "cancelled" });
  });
});

describe("the nightly recount", () => {
  const tomorrow = () => new Date(Date.now() + 24 * 3_600_000);
  const recount = () => workflowTasks.projects.recountStatistics.handle({} as never, tomorrow);

  it("finds nothing to repair after all that, repairs what drifted, and reports it", async () => {
    const { id } = await api.ok("GET", "/api/v1/users/me");
    const project = await api.projectWith(vulnerableApp);
    const { task_id } = await api.ok("POST", "/api/v1/scan/scan-stored-zip", { query: { project_id: project.id } });
    await api.task(task_id);
    const [issue] = await api.ok("GET", `/api/v1/tasks/${task_id}/issues`);
    const verdict = (status: string) =>
      api.ok("PATCH", `/api/v1/tasks/${task_id}/issues/${issue.id}`, { json: { status } });
    for (const status of ["resolved", "resolved", "open", "resolved"]) await verdict(status);
    const right = await countersOf(id);
    expect(right).toMatchObject({ issues: 2, resolvedIssues: 1, completedTasks: 1 });
    expect(await recount()).toMatchObject({ drifted: 0 });

    const drift = new UpdateCommand({
      TableName: environment().TABLE_NAME,
      Key: keys.statistics(id),
      UpdateExpression: "ADD tasks :three",
      ExpressionAttributeValues: { ":three": 3 },
    });
    await table.send(drift);
    expect(await recount()).toMatchObject({ drifted: 1 });
    expect(await countersOf(id)).toEqual(right);
  });
});
