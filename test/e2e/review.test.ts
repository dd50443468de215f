import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { ListObjectVersionsCommand, S3Client } from "@aws-sdk/client-s3";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type FakeLlm, startFakeLlm } from "../../bin/fake-llm/start-fake-llm.ts";
import { AwsError, localAccount } from "../../lib/local/service.ts";
import { type Answer, type Api, zipOf } from "../support/api.ts";
import { type OwnService, startOwnService } from "../support/own-service.ts";
import { retriesAtOnce } from "../support/skipping-clock.ts";
import { expectedFindings, vulnerableApp } from "../support/vulnerable-app.ts";

type Json = Answer["body"];

let llm: FakeLlm;
/** The next provider, for what the first one refuses. */
let other: FakeLlm;
let service: OwnService;
let api: Api;

beforeAll(async () => {
  llm = await startFakeLlm({ keepBodies: true });
  other = await startFakeLlm({ keyless: true });
  const outboundAllowedHosts = [llm, other].map(({ url }) => new URL(url).host).join(",");
  service = await startOwnService({ outboundAllowedHosts, executionClock: retriesAtOnce() });
  api = service.api;
});

afterAll(async () => {
  await service.stop();
  await Promise.all([llm.close(), other.close()]);
});

beforeEach(() => {
  llm.setFault(null);
  llm.setLatency(0);
  llm.reset();
  other.reset();
});

/** Sets the user's model; `scripted` answers perfectly, `scripted-<fault>` always has the fault. */
async function useModel(llmModel: string, other: object = {}, llmConfig: object = {}): Promise<void> {
  const base = {
    llmProvider: "openai_compatible",
    llmBaseUrl: `${llm.url}/v1`,
    llmApiKey: "sk-review",
    llmTimeout: 20_000,
    ollamaBaseUrl: "",
  };
  const otherConfig = { llmConcurrency: 4, llmGapMs: 0, outputLanguage: "en-US", scanTokenCap: 20_000_000, ...other };
  await api.ok("PUT", "/api/v1/config/me", { json: { llmConfig: { ...base, llmModel, ...llmConfig }, otherConfig } });
}

const start = async (projectId: string, json: object = {}): Promise<string> =>
  (await api.ok("POST", "/api/v1/scan/scan-stored-zip", { query: { project_id: projectId }, json })).task_id;

async function scan(projectId: string, json: object = {}): Promise<{ task: Json; issues: Json[] }> {
  const id = await start(projectId, json);
  const task = await api.task(id);
  return { task, issues: await issuesOf(id) };
}

const issuesOf = (taskId: string): Promise<Json[]> => api.ok("GET", `/api/v1/tasks/${taskId}/issues`);

const placesOf = (issues: readonly Json[], origin: string) =>
  issues.filter((issue) => issue.origins.includes(origin)).map((issue) => [issue.file_path, issue.line_number]);

/** Files with one problem each that only a model sees. Other content each time: what is paid for once is not asked again. */
function modelApp(files: number): Record<string, string> {
  const salt = crypto.randomUUID();
  const names = Array.from({ length: files }, (_, n) => n);
  return Object.fromEntries(
    names.map((n) => [
      `app/file_${n}.py`,
      `# ${salt}\n\ndef handle_${n}(order):\n    total = price_of(order) - order.discount  # scripted-issue: Discount ${n} is unchecked\n    return total\n`,
    ]),
  );
}

describe("a review by the user's model", () => {
  it("adds grounded findings to those of the rules, and tells what it has cost", async () => {
    await useModel("scripted");
    const files = { ...vulnerableApp, ...modelApp(6) };
    const project = await api.projectWith(files);
    const { task, issues } = await scan(project.id);
    expect(task).toMatchObject({
      status: "completed",
      phase: null,
      model: { provider: "openai_compatible", model: "scripted" },
      total_files: 8,
      scanned_files: 8,
      files_to_review: 8,
      files_reviewed: 8,
      warnings: [],
    });
    expect(placesOf(issues, "rule").toSorted()).toEqual(
      expectedFindings.map(([path, line]) => [path, line]).toSorted(),
    );
    for (let n = 0; n < 6; n++) expect(placesOf(issues, "model")).toContainEqual([`app/file_${n}.py`, 4]);
    for (const issue of issues) expectGrounded(issue, files);
    expect(task.usage).toMatchObject({ calls: llm.counts.count, reserved_tokens: 0 });
    expect(task.usage.input_tokens).toBeGreaterThan(0);
    expect(task.usage.models).toMatchObject([{ provider: "openai_compatible", model: "scripted" }]);
  });

  it("judges what a rule has found with the functions of other files that the value passes", async () => {
    await useModel("scripted");
    const salt = crypto.randomUUID();
    const files = {
      "shop/db.js": `// ${salt}
const sqlite = require("sqlite3");
const db = new sqlite.Database("shop.db");

function find(name) {
  return db.all("SELECT * FROM orders WHERE name = '" + name + "'");
}

module.exports = { find };
`,
      "shop/routes.js": `const store = require("./db");
const express = require("express");
const router = express.Router();

router.get("/orders", (req, res) => {
  if (!req.user.isAdmin) return res.status(400).send("scripted-refute");
  res.json(store.find(req.query.name));
});

module.exports = router;
`,
    };
    const { id } = await api.projectWith(files);
    const { task, issues } = await scan(id);
    expect(task).toMatchObject({ status: "completed", warnings: [] });
    const found = issues.find((issue) => issue.origins.includes("rule"));
    expect(found).toMatchObject({ file_path: "db.js", line_number: 6 });
    // Its quote stands in the other file only; the finding stays.
    expect(found.adjudication).toMatchObject({ verdict: "refuted" });
    const asked = llm.calls.map(({ body }) => body ?? "").filter((body) => body.includes("X1:7| "));
    expect(asked).toHaveLength(1);
    expect(asked[0]).toContain("the value comes by X1:7");
    // Who changes the other file asks another question about this one.
    const { count } = llm.counts;
    await api.ok("POST", `/api/v1/projects/${id}/zip`, {
      multipart: { file: await zipOf({ ...files, "shop/routes.js": files["shop/routes.js"].replace("400", "404") }) },
    });
    await scan(id);
    expect(llm.counts.count).toBe(count + 2);
  });

  it("asks nothing that was paid for before", async () => {
    await useModel("scripted");
    const files = modelApp(5);
    const project = await api.projectWith(files);
    const first = await scan(project.id);
    expect(llm.counts.count).toBe(5);
    const second = await scan(project.id);
    expect(llm.counts.count).toBe(5);
    expect(second.task).toMatchObject({ files_reviewed: 5, usage: { calls: 0, tokens: 0 } });
    const facts = ({ fingerprint, title, line_number, origins }: Json) => [fingerprint, title, line_number, origins];
    expect(second.issues.map(facts)).toEqual(first.issues.map(facts));
    // Other instructions are another question.
    await useModel("scripted", { outputLanguage: "zh-CN" });
    await scan(project.id);
    expect(llm.counts.count).toBe(10);
  });

  it("goes by the template and the rules that the scan names, in the engine too, and sends no key along", async () => {
    await useModel("scripted");
    const template = { name: "shop", content_en: "Mind the discounts of the shop.", content_zh: "注意折扣。" };
    const { id: prompt_template_id } = await api.ok("POST", "/api/v1/prompts", { json: template });
    const rule = { rule_code: "SHOP-1", name: "No raw orders", category: "security", severity: "high" };
    const rules = [{ ...rule, custom_prompt: "Orders come from strangers.", pattern: "raw_order\\(" }];
    const { id: rule_set_id } = await api.ok("POST", "/api/v1/rules", { json: { name: "shop", rules } });
    const project = await api.projectWith({ "a.py": `# ${crypto.randomUUID()}\nfirst = raw_order(1)\n` });
    const { task, issues } = await scan(project.id, { prompt_template_id, rule_set_id });
    expect(task).toMatchObject({ status: "completed", files_reviewed: 1, warnings: [] });
    expect(issues).toMatchObject([{ rule_id: "user.shop-1", line_number: 2, severity: "high" }]);
    const body = llm.calls[0]?.body;
    for (const text of [template.content_en, "No raw orders", "Orders come from strangers.", "user.shop-1"])
      expect(body).toContain(text);
    expect(body).not.toContain("sk-review");
  });

  it("never has more calls under way than the user allows, over several functions at once", async () => {
    await useModel("scripted", { llmConcurrency: 30 }, { llmTimeout: 60_000 });
    // One function makes half of them and gets no answer before the other one has started and asks as well.
    llm.holdUntil(30);
    const project = await api.projectWith(modelApp(90));
    const { task } = await scan(project.id);
    expect(task).toMatchObject({ status: "completed", files_reviewed: 90, warnings: [] });
    expect(llm.counts.count).toBe(90);
    expect(llm.counts.max_in_flight).toBe(30);
  });

  it("looks at no more files than the user wants, and says so", async () => {
    await useModel("scripted", { maxAnalyzeFiles: 2 });
    const project = await api.projectWith(modelApp(5));
    const { task } = await scan(project.id);
    expect(llm.counts.count).toBe(2);
    expect(task).toMatchObject({ total_files: 2, files_to_review: 2, scanned_files: 2 });
    expect(task.warnings).toMatchObject([{ code: "files_over_limit", count: 3 }]);
    await useModel("scripted", { maxAnalyzeFiles: 0 });
  });
});

/** The snippet of an issue stands in the file, at its line: nothing in it was made up. */
function expectGrounded(issue: Json, files: Record<string, string>): void {
  const source = files[issue.file_path];
  expect(source, issue.file_path).toBeDefined();
  const lines = (source as string).split("\n");
  expect(lines.slice(issue.line_number - 1, issue.end_line).join("\n")).toContain(
    issue.code_snippet.split("\n")[0].trim(),
  );
  for (const line of issue.code_snippet.split("\n")) expect(source).toContain(line.trim());
}

describe("what a model refuses", () => {
  it("goes to the next provider that its user has set up, once, and is told and paid for as that one's", async () => {
    await useModel("scripted-refusal", {}, { ollamaBaseUrl: `${other.url}/v1` });
    const files = { ...vulnerableApp, ...modelApp(4) };
    const project = await api.projectWith(files);
    const { task, issues } = await scan(project.id);
    expect(task).toMatchObject({ status: "completed", files_reviewed: 6, warnings: [] });
    expect([llm.counts.count, other.counts.count]).toEqual([6, 6]);
    for (const issue of issues) expectGrounded(issue, files);
    for (let n = 0; n < 4; n++) expect(placesOf(issues, "model")).toContainEqual([`app/file_${n}.py`, 4]);
    const models = task.usage.models.map(({ provider, calls }: Json) => [provider, calls]).toSorted();
    expect(models).toEqual([
      ["ollama", 6],
      ["openai_compatible", 6],
    ]);
    const { items } = await api.ok("GET", `/api/v1/tasks/${task.id}/coverage`);
    const reviewed = items.filter((row: Json) => row.review === "reviewed");
    expect(reviewed.map((row: Json) => row.other_model)).toEqual(
      Array(6).fill({ provider: "ollama", model: "llama3.3-70b" }),
    );
    // What both have said is known by now.
    const again = await scan(project.id);
    expect([llm.counts.count, other.counts.count]).toEqual([6, 6]);
    expect(again.task).toMatchObject({ files_reviewed: 6, usage: { calls: 0 }, warnings: [] });
  });

  it.each(["refusal", "status_401"] as const)("stays refused when that one answers with %s too", async (fault) => {
    await useModel("scripted-refusal", {}, { ollamaBaseUrl: `${other.url}/v1` });
    other.setFault(fault);
    const { task } = await scan((await api.projectWith(modelApp(20))).id);
    expect(task).toMatchObject({ status: "completed", issues_count: 0 });
    expect(task.warnings).toMatchObject([{ code: "files_not_reviewed", reason: "refused", count: 20 }]);
    expect(llm.counts.count).toBe(20);
    // Trouble with its account ends it: only what had come to it by then, from each worker of the batch, is asked.
    if (fault === "refusal") expect(other.counts.count).toBe(20);
    else expect(other.counts.count).toBeLessThanOrEqual(6);
  });
});

describe("a review in trouble", () => {
  it.each([
    ["status_401", "auth_invalid_key"],
    ["status_402", "insufficient_balance"],
  ])("stops within one batch at %s, and what the rules found stands", async (fault, reason) => {
    await useModel(`scripted-${fault}`);
    const project = await api.projectWith({ ...vulnerableApp, ...modelApp(60) });
    const { task, issues } = await scan(project.id);
    expect(task).toMatchObject({ status: "completed", total_files: 62, scanned_files: 62, issues_count: 2 });
    expect(task.warnings).toMatchObject([{ code: "review_stopped", reason, count: 62 }]);
    expect(placesOf(issues, "rule")).toHaveLength(2);
    // Those that were under way when the first answer came.
    expect(llm.counts.count).toBeLessThanOrEqual(4);
  });

  it("keeps its hands off the money when a cap is reached", async () => {
    await useModel("scripted", { llmConcurrency: 50 }, { llmMaxTokens: 1000 });
    const project = await api.projectWith(modelApp(60));
    const budget_tokens = 60_000;
    const { task } = await scan(project.id, { budget_tokens });
    expect(task).toMatchObject({ status: "completed", files_to_review: 60 });
    expect(task.warnings).toMatchObject([{ code: "review_stopped", reason: "budget_exhausted" }]);
    expect(task.usage.tokens + task.usage.reserved_tokens).toBeLessThanOrEqual(budget_tokens);
    // It is used up by what calls have cost, not by what fifty at once might have cost.
    expect(task.usage.tokens).toBeGreaterThan(budget_tokens / 2);
    expect(task.usage.calls).toBe(llm.counts.count);
    expect(llm.counts.count).toBeGreaterThan(0);
    expect(task.warnings[0].count).toBe(60 - llm.counts.count);
  });

  it("makes no call any more when it is cancelled, and goes on later with what is not paid for", async () => {
    await useModel("scripted", { llmConcurrency: 4 });
    llm.setLatency(300);
    const project = await api.projectWith(modelApp(60));
    const id = await start(project.id);
    await api.task(id, (task) => task.files_reviewed > 0);
    await api.ok("POST", `/api/v1/tasks/${id}/cancel`);
    const cancelledAt = Date.now();
    while (llm.counts.in_flight > 0 || Date.now() < cancelledAt + 2_500) await sleep(50);
    expect(llm.calls.filter((call) => call.startedAt > cancelledAt + 2_000)).toEqual([]);
    const before = llm.counts.count;
    expect(before).toBeLessThan(60);
    expect(await api.ok("GET", `/api/v1/tasks/${id}`)).toMatchObject({ status: "cancelled", phase: null });

    llm.setLatency(0);
    await api.ok("POST", `/api/v1/tasks/${id}/retry`);
    const task = await api.task(id);
    expect(task).toMatchObject({ status: "completed", files_reviewed: 60, issues_count: 60, warnings: [] });
    // What was answered in time is not asked again: each file was asked about once.
    expect(llm.counts.count).toBe(60);
    expect(task.usage.calls).toBe(60);
  });

  it("goes on after its function was killed, and pays again for nothing but what was under way", async () => {
    const workers = 4;
    await useModel("scripted", { llmConcurrency: workers });
    llm.setLatency(200);
    const project = await api.projectWith(modelApp(40));
    const id = await start(project.id);
    await until(() => llm.counts.count >= 10);
    for (const pid of processesOf("review-batch")) process.kill(pid, "SIGKILL");
    const task = await api.task(id);
    expect(task).toMatchObject({ status: "completed", files_reviewed: 40, issues_count: 40, warnings: [] });
    const asked = Map.groupBy(llm.calls, (call) => call.path);
    expect(asked.size).toBe(40);
    expect(Math.max(...[...asked.values()].map((calls) => calls.length))).toBeLessThanOrEqual(2);
    expect(llm.counts.count).toBeLessThanOrEqual(40 + workers);
  });

  it("is made up for by another attempt, and verdicts on issues survive it", async () => {
    await useModel("scripted-status_401");
    const project = await api.projectWith({ ...vulnerableApp, ...modelApp(3) });
    const { task, issues } = await scan(project.id);
    const [first] = issues;
    await api.ok("PATCH", `/api/v1/tasks/${task.id}/issues/${first.id}`, { json: { status: "resolved" } });
    const counted = await api.ok("GET", "/api/v1/projects/stats");
    await useModel("scripted");
    await api.ok("POST", `/api/v1/tasks/${task.id}/retry`);
    expect(await api.call("POST", `/api/v1/tasks/${task.id}/retry`)).toMatchObject({
      status: 409,
      body: { code: "task_not_ended" },
    });
    const again = await api.task(task.id);
    expect(again).toMatchObject({ status: "completed", warnings: [], files_reviewed: 5 });
    const now = await issuesOf(task.id);
    expect(now.length).toBe(again.issues_count);
    expect(now.length).toBeGreaterThanOrEqual(5);
    const { status, resolved_by, resolved_at } = now.find((issue) => issue.id === first.id);
    expect(status).toBe("resolved");
    expect([resolved_by, resolved_at]).not.toContain(null);
    expect(await api.ok("GET", "/api/v1/projects/stats")).toMatchObject({
      total_tasks: counted.total_tasks,
      completed_tasks: counted.completed_tasks,
      resolved_issues: counted.resolved_issues,
      total_issues: counted.total_issues + now.length - issues.length,
    });
    expect(await api.call("POST", `/api/v1/tasks/${task.id}/retry`)).toMatchObject({
      status: 409,
      body: { code: "task_left_nothing" },
    });
  });

  it("loses no more than the files of a batch that cannot be had, and names them", async () => {
    await useModel("scripted", { llmConcurrency: 2 });
    const project = await api.projectWith({ ...vulnerableApp, ...modelApp(15) });
    const error = new AwsError("InternalError", "We encountered an internal error. Please try again.", 500);
    service.cloud.gateway.planFault = (call) =>
      call.permissions.some(({ resource }) => resource.endsWith("/review/batch-0.ndjson")) &&
      call.operation === "GetObject"
        ? { when: "before", error }
        : undefined;
    const { task, issues } = await scan(project.id);
    service.cloud.gateway.planFault = () => undefined;
    const [warning] = task.warnings;
    expect(task).toMatchObject({ status: "completed", total_files: 17, scanned_files: 17 });
    expect(warning).toMatchObject({ code: "files_not_reviewed", reason: "internal_error", count: 10 });
    expect(llm.counts.count).toBe(7);
    for (const [path] of placesOf(issues, "model")) expect(warning.paths).not.toContain(path);
    expect(placesOf(issues, "rule")).toHaveLength(2);
  });

  const runs = Number(process.env.SLUICE_FAULTY_RUNS ?? 1);
  it(`ends, with nothing made up, whatever the model does (${runs} seeded runs)`, {
    timeout: runs * 120_000,
  }, async () => {
    const { url } = llm;
    for (let run = 0; run < runs; run++) {
      const seed = Number(process.env.SLUICE_SEED ?? 1) + run;
      console.log(`seed ${seed}`);
      const port = Number(new URL(url).port);
      await llm.close();
      llm = await startFakeLlm({ port, faults: { seed, rate: 0.6 }, slowByteMs: 1_000 });
      await useModel("scripted", { llmConcurrency: 10 }, { llmTimeout: 1_500 });
      const files = { ...vulnerableApp, ...modelApp(20) };
      const { task, issues } = await scan((await api.projectWith(files)).id);
      expect(task, `seed ${seed}`).toMatchObject({ status: "completed", total_files: 22, scanned_files: 22 });
      for (const issue of issues) expectGrounded(issue, files);
      const places = expectedFindings.map(([path, line]) => [path, line]);
      for (const place of places) expect(placesOf(issues, "rule")).toContainEqual(place);
      expect(task.usage.reserved_tokens, `seed ${seed}`).toBe(0);
    }
    const port = Number(new URL(url).port);
    await llm.close();
    llm = await startFakeLlm({ port });
  });
});

describe("what a review keeps", () => {
  it("goes with the user who has paid for it", async () => {
    const bob = { email: `bob-${crypto.randomUUID()}@example.test`, password: "grain orbit velvet", full_name: "Bob" };
    const { id: user_id } = await api.ok("POST", "/api/v1/users", { json: bob });
    const asBob = await api.as(bob);
    const project = await api.projectWith(modelApp(3));
    await api.ok("POST", `/api/v1/projects/${project.id}/members`, { json: { user_id, role: "member" } });
    const admin = api;
    api = asBob;
    await useModel("scripted");
    const { task } = await scan(project.id);
    api = admin;
    expect(task).toMatchObject({ status: "completed", files_reviewed: 3, created_by: user_id });
    expect(await keptReviews(user_id)).toBe(3);
    await api.ok("DELETE", `/api/v1/users/${user_id}`);
    expect(await keptReviews(user_id)).toBe(0);
  });
});

/** Reviews of a user in the results bucket, all versions of them. */
async function keptReviews(userId: string): Promise<number> {
  const { cloud } = service;
  const client = new S3Client({
    endpoint: cloud.endpoint,
    region: localAccount.region,
    credentials: cloud.operator,
    forcePathStyle: true,
  });
  const bucket = [...cloud.resources].find(([id]) => id.startsWith("DataResults"))?.[1].ref as string;
  const listed = await client.send(new ListObjectVersionsCommand({ Bucket: bucket, Prefix: `reviews/${userId}/` }));
  client.destroy();
  return (listed.Versions ?? []).length + (listed.DeleteMarkers ?? []).length;
}

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await sleep(20);
}

/** The processes of this service that run a function; the embedded cloud gives each instance one. */
function processesOf(entry: string): number[] {
  const pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  return pids.map(Number).filter((pid) => {
    try {
      const environment = readFileSync(`/proc/${pid}/environ`, "utf8").split("\0");
      const parent = /^PPid:\s+(\d+)$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
      return Number(parent) === process.pid && environment.includes(`_HANDLER=${entry}/index.handler`);
    } catch {
      return false; // gone meanwhile
    }
  });
}
