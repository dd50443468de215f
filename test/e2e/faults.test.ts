import { DescribeExecutionCommand, SFNClient, StopExecutionCommand } from "@aws-sdk/client-sfn";
import { jwtVerify, SignJWT } from "jose";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { issueToken } from "../../functions/platform/issue-token.ts";
import { verifyToken } from "../../functions/platform/tokens.ts";
import { workflowTasks } from "../../functions/workflow-tasks.ts";
import type { RecordedCall } from "../../lib/local/gateway.ts";
import { AwsError } from "../../lib/local/service.ts";
import { type Api, zipOf } from "../support/api.ts";
import { bigApp } from "../support/big-app.ts";
import { useAsEnvironment } from "../support/handler-environment.ts";
import { type OwnService, startOwnService } from "../support/own-service.ts";
import { retriesAtOnce } from "../support/skipping-clock.ts";
import { vulnerableApp } from "../support/vulnerable-app.ts";

let service: OwnService;
let api: Api;

beforeAll(async () => {
  service = await startOwnService({ executionClock: retriesAtOnce() });
  useAsEnvironment(service.cloud);
  api = service.api;
});

afterAll(() => service.stop());

afterEach(() => {
  service.cloud.gateway.planFault = () => undefined;
});

/** Every call that `matches` fails, as often as it is tried. */
function breakWhere(matches: (call: RecordedCall) => boolean): void {
  const error = new AwsError("InternalError", "We encountered an internal error. Please try again.", 500);
  service.cloud.gateway.planFault = (call) => (matches(call) ? { when: "before", error } : undefined);
}

const by = (call: RecordedCall, fn: string) => call.role.includes(`Functions${fn}Role`);
const touches = (call: RecordedCall, ending: string) =>
  call.permissions.some(({ resource }) => resource.endsWith(ending));

const scan = (projectId: string) =>
  api.call("POST", "/api/v1/scan/scan-stored-zip", { query: { project_id: projectId } });

describe("a scan meets trouble", () => {
  it("loses only the files of a chunk that fails after its retries, and names them", async () => {
    const files = 120;
    const project = await api.projectWith(bigApp(files));
    breakWhere((call) => by(call, "AnalyseChunk") && call.operation === "GetObject" && touches(call, "/chunks/1.json"));
    const { body } = await scan(project.id);
    const task = await api.task(body.task_id);
    expect(task).toMatchObject({ status: "completed", total_files: files, scanned_files: files - 50 });
    const [warning] = task.warnings;
    expect(warning).toMatchObject({
      code: "files_not_analysed",
      count: 50,
      paths: expect.objectContaining({ length: 50 }),
    });
    const issues = await api.ok("GET", `/api/v1/tasks/${task.id}/issues`);
    expect(issues.length).toBeGreaterThan(0);
    for (const issue of issues) expect(warning.paths).not.toContain(issue.file_path);
  });

  it("fails, with a reason and no score, when not one chunk could be analysed", async () => {
    const project = await api.projectWith(vulnerableApp);
    breakWhere((call) => by(call, "AnalyseChunk") && call.operation === "GetObject");
    const { body } = await scan(project.id);
    expect(await api.task(body.task_id)).toMatchObject({
      status: "failed",
      error_code: "nothing_analysed",
      quality_score: 0,
    });
  });

  it("fails with a reason when its plan cannot be made", async () => {
    const project = await api.projectWith(vulnerableApp);
    breakWhere((call) => by(call, "PlanScan") && call.service === "s3");
    const { body } = await scan(project.id);
    const task = await api.task(body.task_id);
    expect(task).toMatchObject({ status: "failed", error_code: "workflow_error" });
    expect(task.error_message).toBe("The scan's workflow failed and ended without a result");
    const chinese = await api.ok("GET", `/api/v1/tasks/${task.id}`, { headers: { "Accept-Language": "zh-CN" } });
    expect(chinese.error_message).toBe("扫描工作流出错，未能得出结果");
  });

  it("rides out a passing fault of every service", async () => {
    const project = await api.projectWith(vulnerableApp);
    const failed = new Set<string>();
    breakWhere((call) => {
      const kind = `${call.role} ${call.service} ${call.operation}`;
      if (!call.role.includes("Functions") || failed.has(kind)) return false;
      failed.add(kind);
      return true;
    });
    const { body } = await scan(project.id);
    expect(await api.task(body.task_id)).toMatchObject({ status: "completed", issues_count: 2 });
    expect(failed.size).toBeGreaterThan(10);
  });

  it("is ended by the event rule when somebody stops its execution from outside", async () => {
    const project = await api.ok("POST", "/api/v1/projects", { json: { name: "stopped", source_type: "zip" } });
    expect(await api.uploadDirectly(project.id, await zipOf(bigApp(1500)))).toMatchObject({ status: 200 });
    const { body } = await scan(project.id);
    await api.task(body.task_id, (task) => task.scanned_files > 0);
    const states = new SFNClient({});
    const executionArn = `${process.env.SCAN_MACHINE_ARN?.replace(":stateMachine:", ":execution:")}:${body.task_id}-1`;
    await states.send(new StopExecutionCommand({ executionArn }));
    expect(await api.task(body.task_id)).toMatchObject({ status: "failed", error_code: "workflow_stopped" });
    expect(await states.send(new DescribeExecutionCommand({ executionArn }))).toMatchObject({ status: "ABORTED" });
  });

  it("is started by the sweeper when its execution was never started", async () => {
    const project = await api.projectWith(vulnerableApp);
    breakWhere((call) => call.operation === "StartExecution");
    expect(await scan(project.id)).toMatchObject({
      status: 500,
      body: { code: "internal_error", detail: expect.not.stringContaining("encountered") },
    });
    const [pending] = await api.ok("GET", "/api/v1/tasks", { query: { project_id: project.id } });
    expect(pending).toMatchObject({ status: "pending", started_at: null });
    service.cloud.gateway.planFault = () => undefined;
    const later = () => new Date(Date.now() + 3 * 60_000);
    await workflowTasks.scans.sweepScans.handle({} as never, later);
    expect(await api.task(pending.id)).toMatchObject({ status: "completed", issues_count: 2 });
    // A second sweep finds nothing to do.
    expect(await workflowTasks.scans.sweepScans.handle({} as never, later)).toEqual({ silent: 0 });
  });
});

describe("what a function may not do", () => {
  it("is denied here as it would be there", async () => {
    const denied: string[] = [];
    const { iam } = service.cloud;
    const role = [...service.cloud.resources].find(([id]) => id.startsWith("FunctionsListProjectsRole"))?.[1]
      .ref as string;
    const caller = { ...service.cloud.operator, role };
    const table = [...service.cloud.resources].find(([id]) => id.startsWith("DataTable"))?.[1].attributes.Arn as string;
    for (const [action, key] of [
      ["dynamodb:GetItem", "P#1"],
      ["dynamodb:GetItem", "T#1"],
      ["dynamodb:PutItem", "P#1"],
      ["kms:Sign", ""],
    ] as const) {
      const context: Record<string, string[]> = key ? { "dynamodb:LeadingKeys": [key] } : {};
      if (!iam.allows(caller, { action, resource: table, context })) denied.push(`${action} ${key}`.trim());
    }
    expect(denied).toEqual(["dynamodb:GetItem T#1", "dynamodb:PutItem P#1", "kms:Sign"]);
  });
});

describe("access tokens", () => {
  const claims = { userId: "0198a000-0000-7000-8000-000000000000", tokenVersion: 3 };
  const at = new Date("2026-02-28T23:30:00Z");
  const minutesLater = (minutes: number) => new Date(at.getTime() + minutes * 60_000);

  it("live from the moment they are issued for the time configured, give or take the leeway", async () => {
    const token = await issueToken(claims, at);
    expect(await verifyToken(token, at)).toEqual(claims);
    expect(await verifyToken(token, minutesLater(479))).toEqual(claims);
    expect(await verifyToken(token, minutesLater(481))).toBeNull();
    expect(await verifyToken(token, minutesLater(-2))).toBeNull();
  });

  it("count only with our key, our algorithm and our audience", async () => {
    const token = await issueToken(claims, at);
    const [header = "", payload = "", signature = ""] = token.split(".");
    const decoded = JSON.parse(Buffer.from(header, "base64url").toString());
    expect(decoded).toMatchObject({ alg: "ES256", typ: "at+jwt" });
    const secret = new TextEncoder().encode("a shared secret that nobody of ours ever uses");
    const symmetric = await new SignJWT({ tv: 3 })
      .setProtectedHeader({ ...decoded, alg: "HS256" })
      .setIssuer("sluice")
      .setAudience("sluice-api")
      .setSubject(claims.userId)
      .setIssuedAt(at)
      .setNotBefore(at)
      .setExpirationTime(minutesLater(60))
      .sign(secret);
    await expect(jwtVerify(symmetric, secret, { currentDate: at })).resolves.toBeDefined();
    const grown = Buffer.from(
      JSON.stringify({ ...JSON.parse(Buffer.from(payload, "base64url").toString()), tv: 4 }),
    ).toString("base64url");
    const foreignKey = Buffer.from(JSON.stringify({ ...decoded, kid: "somebody-else" })).toString("base64url");
    for (const forged of [
      symmetric,
      `${header}.${grown}.${signature}`,
      `${foreignKey}.${payload}.${signature}`,
      `${token}.x`,
    ]) {
      expect(await verifyToken(forged, at)).toBeNull();
    }
  });
});
