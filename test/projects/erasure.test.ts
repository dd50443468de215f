import { DescribeExecutionCommand, SFNClient } from "@aws-sdk/client-sfn";
import { UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { environment } from "../../functions/platform/environment.ts";
import { putJson } from "../../functions/platform/object-store.ts";
import { keys, table } from "../../functions/platform/table.ts";
import type { Project } from "../../functions/projects/project.ts";
import { buryProject, replaceProject } from "../../functions/projects/project-store.ts";
import { Counters, zero } from "../../functions/projects/statistics.ts";
import { readStatistics } from "../../functions/projects/statistics-store.ts";
import { findTombstone } from "../../functions/projects/tombstone.ts";
import { scanKeys, type Task } from "../../functions/scans/task.ts";
import { findTask } from "../../functions/scans/task-store.ts";
import { workflowTasks } from "../../functions/workflow-tasks.ts";
import { AwsError } from "../../lib/local/service.ts";
import { type Api, zipOf } from "../support/api.ts";
import { bigApp } from "../support/big-app.ts";
import { furnishedProject, scannedTask, whatIsLeft } from "../support/furnished-project.ts";
import { useAsEnvironment } from "../support/handler-environment.ts";
import { killPoints } from "../support/kill-points.ts";
import { type OwnService, startOwnService } from "../support/own-service.ts";
import { vulnerableApp } from "../support/vulnerable-app.ts";

// Scans run behind some of these tests, and a busy machine takes its time for them.
vi.setConfig({ testTimeout: 180_000 });

/** A run dies at some of its calls; SLUICE_KILL_POINTS=all lets it die at each, which takes a minute. */
const fewPoints = 6;

let service: OwnService;
let api: Api;

beforeAll(async () => {
  service = await startOwnService();
  useAsEnvironment(service.cloud);
  api = service.api;
});

afterAll(() => service.stop());

afterEach(() => {
  service.cloud.gateway.planFault = () => undefined;
});

const now = () => new Date();
const run = (project: Pick<Project, "id">, last: boolean, clock = now) =>
  workflowTasks.projects.eraseProject.handle({ project_id: project.id, last } as never, clock);

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
    const { project } = await furnishedProject();
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
    const { project, tasks } = await furnishedProject();
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
    const { project } = await furnishedProject();
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
      const dyingAt = async (dies: number) => {
        const { project, tasks } = await furnishedProject();
        expect(await countersOf(project.ownerId)).toMatchObject({
          projects: 1,
          tasks: 2,
          issues: 2,
          qualityTenths: 700,
        });
        await buryProject(project, now());
        let calls = 0;
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
        return { died, calls };
      };
      const { died, calls } = await dyingAt(Number.POSITIVE_INFINITY);
      expect(died).toBe(false);
      expect(calls).toBeGreaterThan(20);
      for (const dies of killPoints(calls, fewPoints)) {
        const end = await dyingAt(dies);
        expect([dies, end.died]).toEqual([dies, end.calls >= dies]);
      }
    },
    300_000,
  );
});

describe("scheduled functions", () => {
  it.each(["SweepErasures", "RecountStatistics"])("%s has the rights it needs", async (name) => {
    const [, fn] = [...service.cloud.resources].find(
      ([id, { type }]) => id.startsWith(`Functions${name}`) && type === "AWS::Lambda::Function",
    ) as [string, { ref: string }];
    const { project } = await furnishedProject();
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
    const { project } = await furnishedProject();
    const task = await scannedTask(project, "pending");
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
