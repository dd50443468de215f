import { randomBytes } from "node:crypto";
import { describe, expect, inject, it } from "vitest";
import { type Answer, Api, sendForm, zipOf } from "../support/api.ts";
import { bigApp, vulnerableFiles } from "../support/big-app.ts";
import { expectedFindings, vulnerableApp } from "../support/vulnerable-app.ts";

const { url, token } = inject("service");
const api = new Api(url, token);

const scan = (projectId: string, json?: object): Promise<Answer["body"]> =>
  api.ok("POST", "/api/v1/scan/scan-stored-zip", { query: { project_id: projectId }, ...(json && { json }) });

describe("auditing a ZIP", () => {
  it("finds the problems at their lines, and nothing in the safe look-alikes or excluded folders", async () => {
    const project = await api.projectWith(vulnerableApp);
    const { task_id, status } = await scan(project.id);
    expect(status).toBe("queued");
    const task = await api.task(task_id);
    expect(task).toMatchObject({
      status: "completed",
      total_files: 2,
      scanned_files: 2,
      warnings: [{ code: "rules_only" }],
      error_code: null,
    });
    const issues = await api.ok("GET", `/api/v1/tasks/${task_id}/issues`);
    const found = issues.map((issue: Answer["body"]) => [issue.file_path, issue.line_number, issue.cwe[0]]);
    expect(found.toSorted()).toEqual(expectedFindings.map(([path, line, cwe]) => [path, line, cwe]).toSorted());
    expect(task.issues_count).toBe(2);
    expect(task.quality_score).toBeLessThan(100);
    for (const issue of issues) {
      const source = vulnerableApp[issue.file_path as keyof typeof vulnerableApp].split("\n");
      expect(issue.code_snippet).toContain((source[issue.line_number - 1] as string).trim());
      expect(issue.trace.at(-1)).toMatchObject({ line: issue.line_number, role: "sink" });
    }
  });

  it("speaks Chinese or English as asked", async () => {
    const project = await api.projectWith(vulnerableApp);
    const { task_id } = await scan(project.id);
    await api.task(task_id);
    const [english] = await api.ok("GET", `/api/v1/tasks/${task_id}/issues`);
    const [chinese] = await api.ok("GET", `/api/v1/tasks/${task_id}/issues`, {
      headers: { "Accept-Language": "zh-CN" },
    });
    expect(english.message).toMatch(/^[\x20-\x7e‘’“”…–]+$/);
    expect(chinese.message).toMatch(/[\u4e00-\u9fff]/);
  });

  it("keeps a reviewer's verdict", async () => {
    const project = await api.projectWith(vulnerableApp);
    const { task_id } = await scan(project.id);
    await api.task(task_id);
    const [issue] = await api.ok("GET", `/api/v1/tasks/${task_id}/issues`);
    const path = `/api/v1/tasks/${task_id}/issues/${issue.id}`;
    const resolved = await api.ok("PATCH", path, { json: { status: "resolved" } });
    expect(resolved).toMatchObject({
      status: "resolved",
      resolved_by: expect.any(String),
      resolved_at: expect.stringMatching(/Z$/),
    });
    expect(await api.ok("PATCH", path, { json: { status: "open" } })).toMatchObject({
      resolved_by: null,
      resolved_at: null,
    });
    expect(await api.call("PATCH", path, { json: { status: "whatever" } })).toMatchObject({ status: 422 });
  });

  it("honours file selection and exclusions, stores them with the task, and names paths that are not there", async () => {
    const project = await api.projectWith(vulnerableApp);
    const body = { file_paths: ["shop\\app.py", "shop/nowhere.py"], exclude_patterns: ["**/*.js"], full_scan: false };
    const { task_id } = await scan(project.id, body);
    const task = await api.task(task_id);
    expect(task).toMatchObject({ status: "completed", total_files: 1, task_type: "zip_upload" });
    expect(JSON.parse(task.exclude_patterns)).toEqual(["**/*.js"]);
    expect(JSON.parse(task.scan_config)).toMatchObject({ file_paths: body.file_paths, full_scan: false });
    expect(task.warnings).toEqual([
      { code: "paths_not_found", count: 1, paths: ["shop/nowhere.py"] },
      { code: "rules_only", count: 0, paths: [] },
    ]);
  });

  it("covers files that are named as the archive has them, below the one folder on top", async () => {
    const { task_id } = await scan((await api.projectWith(vulnerableApp)).id, { file_paths: ["shop/app.py"] });
    const direct = await api.task(task_id);
    const packed = Object.fromEntries(Object.entries(vulnerableApp).map(([path, text]) => [`release-1/${path}`, text]));
    const { task_id: other } = await scan((await api.projectWith(packed)).id, {
      file_paths: ["release-1\\shop\\app.py"],
    });
    const { total_files, issues_count, warnings } = await api.task(other);
    expect({ total_files, issues_count, warnings }).toEqual({
      total_files: 1,
      issues_count: direct.issues_count,
      warnings: [{ code: "rules_only", count: 0, paths: [] }],
    });
  });

  it("refuses options before the archive that comes with them takes the place of the stored one", async () => {
    const project = await api.projectWith(vulnerableApp);
    const stored = await api.ok("GET", `/api/v1/projects/${project.id}/zip`);
    const refused = [
      { rule_set_id: project.id },
      { prompt_template_id: project.id },
      { file_paths: ["../x"] },
      { exclude_patterns: ["(a"] },
    ];
    for (const options of refused) {
      const multipart = {
        project_id: project.id,
        file: await zipOf({ "other.py": "x = 1" }),
        scan_config: JSON.stringify(options),
      };
      const { status } = await api.call("POST", "/api/v1/scan/upload-zip", { multipart });
      expect([404, 422]).toContain(status);
    }
    expect(await api.ok("GET", `/api/v1/projects/${project.id}/zip`)).toEqual(stored);
  });

  it("takes as many paths as a task can keep, and lists tasks with all of them a page at a time", async () => {
    const project = await api.projectWith({ "a.py": "x = 1" });
    const paths = (count: number) =>
      Array.from({ length: count }, (_, i) => `${"folder/".repeat(12)}${i + 100_000}.py`);
    const refused = await api.call("POST", "/api/v1/scan/scan-stored-zip", {
      query: { project_id: project.id },
      json: { file_paths: paths(4_000) },
    });
    expect(refused).toMatchObject({ status: 422, body: { code: "path_selection_too_large" } });
    const count = 26;
    for (let i = 0; i < count; i++) await scan(project.id, { file_paths: paths(2_000) });
    const list = (skip: number) =>
      api.call("GET", "/api/v1/tasks/", { query: { project_id: project.id, skip: String(skip) } });
    const first = await list(0);
    expect(first).toMatchObject({ status: 200, body: expect.any(Array) });
    expect(first.headers.get("X-Total-Count")).toBe(String(count));
    expect(first.body.length).toBeLessThan(count);
    expect((await list(first.body.length)).body).toHaveLength(count - first.body.length);
  });

  it("completes with a warning and without a score when there is nothing to scan", async () => {
    const project = await api.projectWith({ "README.md": "# nothing here", "logo.png": "no code" });
    const { task_id } = await scan(project.id);
    const task = await api.task(task_id);
    expect(task).toMatchObject({ status: "completed", total_files: 0, quality_score: 0 });
    expect(task.warnings).toMatchObject([{ code: "no_scannable_files" }]);
  });

  it("lists the files that a scan would cover", async () => {
    const project = await api.projectWith(vulnerableApp);
    const files = await api.ok("GET", `/api/v1/projects/${project.id}/files`);
    expect(files.map((file: Answer["body"]) => file.path)).toEqual(["shop/app.py", "shop/server.js"]);
    const query = { exclude_patterns: '["*.py"]' };
    const fewer = await api.ok("GET", `/api/v1/projects/${project.id}/files`, { query });
    expect(fewer).toEqual([{ path: "shop/server.js", size: vulnerableApp["shop/server.js"].length }]);
    for (const bad of ["[", '{"a":1}', '["(a+)+b"]']) {
      const answer = await api.call("GET", `/api/v1/projects/${project.id}/files`, {
        query: { exclude_patterns: bad },
      });
      expect(answer.status).toBe(422);
    }
  });

  it("refuses references to rule sets and templates that are not there", async () => {
    const project = await api.projectWith(vulnerableApp);
    for (const field of ["rule_set_id", "prompt_template_id"]) {
      const json = { [field]: "0198a000-0000-7000-8000-000000000000" };
      const answer = await api.call("POST", "/api/v1/scan/scan-stored-zip", {
        query: { project_id: project.id },
        json,
      });
      expect(answer.status).toBe(404);
    }
    expect(await api.ok("GET", "/api/v1/tasks", { query: { project_id: project.id } })).toEqual([]);
  });
});

describe("uploading", () => {
  it("takes a large archive directly to storage and audits it", async () => {
    const project = await api.ok("POST", "/api/v1/projects", { json: { name: "direct", source_type: "zip" } });
    const noise = randomBytes(12 * 1024 * 1024); // does not compress, so the archive is really large
    const archive = await zipOf({ ...vulnerableApp, "data/noise.bin": noise });
    expect(archive.size).toBeGreaterThan(10 * 1024 * 1024);
    expect(await api.uploadDirectly(project.id, archive, "大.zip")).toMatchObject({
      status: 200,
      body: { original_filename: "大.zip", file_size: archive.size },
    });
    const { task_id } = await scan(project.id);
    expect(await api.task(task_id)).toMatchObject({ status: "completed", issues_count: 2 });
  });

  it("may be finished again when the answer was lost, and by nobody else's upload", async () => {
    const project = await api.ok("POST", "/api/v1/projects", { json: { name: "twice", source_type: "zip" } });
    const path = `/api/v1/projects/${project.id}/zip/uploads`;
    const { upload_id, url: form, fields } = await api.ok("POST", path, { json: { filename: "a.zip" } });
    expect(await api.call("POST", `${path}/${upload_id}/finish`)).toMatchObject({
      status: 404,
      body: { code: "upload_not_found" },
    });
    await sendForm(form, fields, await zipOf(vulnerableApp));
    const first = await api.ok("POST", `${path}/${upload_id}/finish`);
    expect(await api.ok("POST", `${path}/${upload_id}/finish`)).toEqual(first);
    const other = await api.ok("POST", "/api/v1/projects", { json: { name: "other", source_type: "zip" } });
    const elsewhere = await api.call("POST", `/api/v1/projects/${other.id}/zip/uploads/${upload_id}/finish`);
    expect(elsewhere).toMatchObject({ status: 404, body: { code: "upload_not_found" } });
  });

  it("refuses a hostile archive with the entry and the reason, and stores nothing", async () => {
    const project = await api.ok("POST", "/api/v1/projects", { json: { name: "hostile", source_type: "zip" } });
    const bytes = new Uint8Array(await (await zipOf({ "aa/escape.py": "x = 1" })).arrayBuffer());
    const text = Buffer.from(bytes).toString("latin1").replaceAll("aa/escape.py", "../escape.py");
    const evil = new Blob([Buffer.from(text, "latin1")]);
    const multipart = await api.call("POST", `/api/v1/projects/${project.id}/zip`, { multipart: { file: evil } });
    const direct = await api.uploadDirectly(project.id, evil);
    for (const { status, body } of [multipart, direct]) {
      expect({ status, body }).toMatchObject({ status: 422, body: { code: "zip_entry_escapes" } });
      expect(body.detail).toContain("../escape.py");
    }
    expect(await api.ok("GET", `/api/v1/projects/${project.id}/zip`)).toMatchObject({ has_file: false });
    expect(await api.ok("GET", `/api/v1/projects/${project.id}/files`)).toEqual([]);
  });

  it("answers the same to a repeated request with the same Idempotency-Key", async () => {
    const sent = { json: { name: "once", source_type: "zip" }, headers: { "Idempotency-Key": crypto.randomUUID() } };
    const [first, second] = [
      await api.ok("POST", "/api/v1/projects", sent),
      await api.ok("POST", "/api/v1/projects", sent),
    ];
    expect(second).toEqual(first);
    const other = await api.call("POST", "/api/v1/projects", { ...sent, json: { name: "other" } });
    expect(other).toMatchObject({ status: 422, body: { code: "idempotency_key_reused" } });
  });
});

describe("a long scan", () => {
  it("shows its progress and stops when it is cancelled", async () => {
    const files = 3000;
    const project = await api.ok("POST", "/api/v1/projects", { json: { name: "long", source_type: "zip" } });
    expect(await api.uploadDirectly(project.id, await zipOf(bigApp(files)))).toMatchObject({ status: 200 });
    const { task_id } = await scan(project.id);
    const half = await api.task(task_id, (task) => task.scanned_files > 0);
    expect(half).toMatchObject({ status: "running", total_files: files });
    expect(half.scanned_files).toBeLessThan(files);
    await api.ok("POST", `/api/v1/tasks/${task_id}/cancel`);
    const cancelled = await api.ok("GET", `/api/v1/tasks/${task_id}`);
    expect(cancelled).toMatchObject({ status: "cancelled", completed_at: expect.any(String) });
    expect(await api.call("POST", `/api/v1/tasks/${task_id}/cancel`)).toMatchObject({
      status: 409,
      body: { code: "task_already_ended" },
    });
    // A second scan of the same project is undisturbed by what the first left behind.
    const again = await scan(project.id, { file_paths: vulnerableFiles(files).slice(0, 5) });
    expect(await api.task(again.task_id)).toMatchObject({ status: "completed", issues_count: 5 });
    expect(await api.ok("GET", `/api/v1/tasks/${task_id}`)).toEqual(cancelled);
  });
});
