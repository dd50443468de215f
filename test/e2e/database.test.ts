import { gunzipSync, gzipSync } from "node:zlib";
import { beforeAll, describe, expect, inject, it } from "vitest";
import { Api, zipOf } from "../support/api.ts";
import { vulnerableApp } from "../support/vulnerable-app.ts";

let owner: Api;

const { url, token } = inject("service");
const somebody = () => new Api(url, token).newcomer();

beforeAll(async () => {
  owner = await somebody();
});

const importing = (api: Api, content: string | Uint8Array<ArrayBuffer>) =>
  api.call("POST", "/api/v1/database/import", { multipart: { file: new Blob([content]) } });

/** What S3 answers to the link of a function that may not list the bucket. */
const gone = 403;

describe("one's data", () => {
  it("go from an export through a clearing back to where they were", async () => {
    const project = await owner.projectWith(vulnerableApp, "商店");
    const { task_id } = await owner.ok("POST", "/api/v1/scan/scan-stored-zip", { query: { project_id: project.id } });
    await owner.task(task_id);
    const issues = await owner.ok("GET", `/api/v1/tasks/${task_id}/issues`);
    const json = { status: "resolved", note: "已修复" };
    await owner.ok("PATCH", `/api/v1/tasks/${task_id}/issues/${issues[0].id}`, { json });
    await owner.ok("POST", "/api/v1/scan/instant", { json: { code: "eval(input())", language: "python" } });
    await owner.ok("PUT", "/api/v1/config/me", { json: { llmConfig: { llmModel: "m", llmApiKey: "sk-0123456789" } } });
    const rules = [{ rule_code: "SHOP1", name: "价格", category: "bug", pattern: "price" }];
    const set = await owner.ok("POST", "/api/v1/rules", { json: { name: "商店规则", rules } });
    await owner.ok("POST", "/api/v1/prompts", { json: { name: "商店模板", content_zh: "看价格" } });
    const [stats, dashboard] = [
      await owner.ok("GET", "/api/v1/database/stats"),
      await owner.ok("GET", "/api/v1/projects/stats"),
    ];
    expect(stats).toMatchObject({
      total_projects: 1,
      completed_tasks: 1,
      total_issues: issues.length,
      resolved_issues: 1,
      total_analyses: 1,
      has_config: true,
    });
    const zip = (await owner.call("GET", `/api/v1/projects/${project.id}/zip/download`)).headers.get(
      "location",
    ) as string;
    const file = await owner.ok("GET", "/api/v1/database/export");
    const counts = { projects: 1, tasks: 1, issues: issues.length, analyses: 1, config: 1 };
    expect(await owner.ok("DELETE", "/api/v1/database/clear")).toMatchObject({ deleted: counts });
    expect(await owner.ok("GET", "/api/v1/projects/")).toEqual([]);
    await owner.ok("DELETE", `/api/v1/rules/${set.id}`);
    const answer = await importing(owner, JSON.stringify(file));
    // The template was never gone: clearing takes records of scans, not what somebody has written for them.
    const imported = { ...counts, prompt_templates: 0, rule_sets: 1 };
    expect(answer).toMatchObject({ status: 200, body: { imported } });
    const { items } = await owner.ok("GET", "/api/v1/rules", { query: { limit: "100" } });
    const back = items.find(({ name }: { name: string }) => name === "商店规则");
    expect(back).toMatchObject({ is_system: false, rules_count: 1 });
    expect(back.id).not.toBe(set.id);
    expect(await owner.ok("GET", "/api/v1/database/stats")).toEqual(stats);
    const [task] = await owner.ok("GET", "/api/v1/tasks/");
    expect(task.id).not.toBe(task_id);
    expect(task).toMatchObject({
      status: "completed",
      issues_count: issues.length,
      project: { name: "商店", source_type: "zip" },
    });
    const again = await owner.ok("GET", `/api/v1/tasks/${task.id}/issues`);
    const place = (issue: Record<string, unknown>) => [
      issue.file_path,
      issue.line_number,
      issue.severity,
      issue.status,
      issue.title,
      issue.trace,
    ];
    expect(again.map(place).toSorted()).toEqual(
      [{ ...issues[0], status: "resolved" }, ...issues.slice(1)].map(place).toSorted(),
    );
    expect((await importing(owner, JSON.stringify(file))).body.imported).toEqual({
      projects: 0,
      tasks: 0,
      issues: 0,
      analyses: 0,
      config: 0,
      prompt_templates: 0,
      rule_sets: 0,
    });
    expect(await owner.ok("GET", "/api/v1/database/health")).toMatchObject({ database_connected: true, issues: [] });
    // The old project is erased behind the scenes; then the counters of the dashboard are those of before.
    await expect.poll(async () => owner.ok("GET", "/api/v1/projects/stats"), { timeout: 30_000 }).toEqual(dashboard);
    await expect.poll(async () => (await fetch(zip)).status, { timeout: 30_000 }).toBe(gone);
    expect(await owner.ok("GET", "/api/v1/config/me")).toMatchObject({ llmConfig: { llmModel: "m", llmApiKey: "" } });
  });

  it("of thousands of issues go by way of S3 and come back packed", async () => {
    const api = await somebody();
    const { id } = await api.ok("GET", "/api/v1/users/me");
    const created_at = "2026-01-01T00:00:00Z";
    const [project, task] = [crypto.randomUUID(), crypto.randomUUID()];
    const text = (n: number) => `问题 ${n} ${"说明".repeat(150)}`;
    const issues = Array.from({ length: 2500 }, (_, n) => ({
      ...{ id: crypto.randomUUID(), task_id: task, file_path: `src/${n}.py`, line_number: n, issue_type: "security" },
      ...{ severity: ["critical", "high", "medium", "low"][n % 4], title: text(n), created_at },
    }));
    const data = {
      user: { id },
      projects: [{ id: project, name: "big", created_at }],
      tasks: [{ id: task, project_id: project, task_type: "zip_upload", status: "completed", created_at }],
      issues,
    };
    expect(await importing(api, gzipSync(JSON.stringify({ data })))).toMatchObject({
      status: 200,
      body: { imported: { issues: 2500 } },
    });
    expect(await api.ok("GET", "/api/v1/database/stats")).toMatchObject({
      total_issues: 2500,
      critical_issues: 625,
      low_issues: 625,
    });
    const redirect = await api.call("GET", "/api/v1/database/export");
    expect(redirect.status).toBe(302);
    const link = redirect.headers.get("location") as string;
    const answer = await fetch(link, { headers: { Origin: "https://elsewhere.example" } });
    expect(answer.headers.get("access-control-allow-origin")).toBe("*");
    expect(answer.headers.get("content-disposition")).toMatch(/^attachment; filename="sluice-export-/);
    const file = Buffer.from(await answer.arrayBuffer());
    expect(JSON.parse(file.toString("utf8")).data.issues).toHaveLength(2500);
    // As it is, it is more than a request may carry, and the refusal says what to do.
    const refused = await importing(api, Uint8Array.from(file));
    expect([refused.status, refused.body.detail]).toEqual([413, expect.stringContaining("gzip")]);
    const packed = gzipSync(file);
    expect(gunzipSync(packed).length / packed.length).toBeGreaterThan(10);
    expect((await importing(api, packed)).body.imported).toMatchObject({ projects: 0, issues: 0 });
    expect(await api.ok("DELETE", "/api/v1/database/clear")).toMatchObject({
      deleted: { projects: 1, tasks: 1, issues: 2500 },
    });
    expect((await fetch(link)).status).toBe(gone);
  });

  it("are nobody else's: a file of somebody else is refused, and so is what is no export", async () => {
    const api = await somebody();
    const file = await owner.ok("GET", "/api/v1/database/export");
    expect(await importing(api, JSON.stringify(file))).toMatchObject({
      status: 403,
      body: { code: "import_of_other_user" },
    });
    expect(await importing(api, "{")).toMatchObject({ status: 400, body: { code: "import_not_json" } });
    expect(await importing(api, "{}")).toMatchObject({ status: 400, body: { code: "import_without_data" } });
    expect(
      await importing(api, Uint8Array.from(Buffer.from(await (await zipOf({ a: "b" })).arrayBuffer()))),
    ).toMatchObject({ status: 400 });
    const { id } = await api.ok("GET", "/api/v1/users/me");
    const bad = { data: { user: { id }, projects: [{ id, name: "p", created_at: "never" }] } };
    expect(await importing(api, JSON.stringify(bad))).toMatchObject({
      status: 422,
      body: {
        detail: [{ type: "invalid_format", loc: ["file", "data", "projects", 0, "created_at"], input: "never" }],
      },
    });
    expect(await api.ok("GET", "/api/v1/database/stats")).toMatchObject({ total_projects: 0, has_config: false });
    expect(await api.ok("GET", "/api/v1/database/health")).toMatchObject({
      status: "healthy",
      issues: [],
      warnings: [],
    });
  });
});
