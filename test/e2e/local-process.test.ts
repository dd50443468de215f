import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { freePort } from "../../lib/local/tasks.ts";
import { type Answer, Api, zipOf } from "../support/api.ts";
import { bigApp, vulnerableFiles } from "../support/big-app.ts";
import { LocalProcess } from "../support/local-process.ts";
import { vulnerableApp } from "../support/vulnerable-app.ts";

const admin = { email: "admin@localhost", password: "a password of ours" };
const environment = (folder: string) => ({
  SLUICE_DATA_DIR: folder,
  SLUICE_ADMIN_EMAIL: admin.email,
  SLUICE_ADMIN_PASSWORD: admin.password,
});

const folders: string[] = [];
const running: LocalProcess[] = [];

async function start(variables: Record<string, string>): Promise<LocalProcess> {
  const started = await LocalProcess.start(variables);
  running.push(started);
  return started;
}

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "sluice-process-"));
  folders.push(folder);
  return folder;
}

afterEach(async () => {
  for (const process of running.splice(0)) await process.kill();
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

describe("npm start", () => {
  it("survives kill -9 in mid-scan: nothing acknowledged is lost and the scan goes on", async () => {
    const folder = newFolder();
    const files = 800;
    const first = await start(environment(folder));
    let api = await new Api(first.url).as(admin);
    const project = await api.ok("POST", "/api/v1/projects", { json: { name: "kept", source_type: "zip" } });
    expect(await api.uploadDirectly(project.id, await zipOf(bigApp(files)))).toMatchObject({ status: 200 });
    const { task_id } = await api.ok("POST", "/api/v1/scan/scan-stored-zip", { query: { project_id: project.id } });
    const half = await api.task(task_id, (task) => task.scanned_files > 0);
    expect(half.status).toBe("running");
    await first.kill();

    const second = await start(environment(folder));
    // The token was signed before the crash and is still good: keys survive too.
    api = new Api(second.url, api.token);
    expect(await api.ok("GET", "/api/v1/projects")).toMatchObject([{ id: project.id, name: "kept" }]);
    const task = await api.task(task_id);
    const wanted = vulnerableFiles(files);
    expect(task).toMatchObject({
      status: "completed",
      total_files: files,
      scanned_files: files,
      issues_count: wanted.length,
      warnings: [{ code: "rules_only" }],
    });
    const issues = await api.ok("GET", `/api/v1/tasks/${task_id}/issues`);
    expect(issues.map((issue: Answer["body"]) => issue.file_path)).toEqual(wanted);
    for (const issue of issues) expect(issue).toMatchObject({ line_number: 6, cwe: [89] });
  });

  it("keeps data over an orderly restart and prints a generated password once", async () => {
    const folder = newFolder();
    const first = await start({ SLUICE_DATA_DIR: folder });
    const password = /Password, shown once: (\S+)/.exec(first.output)?.[1] as string;
    expect(statSync(join(folder, "administrator.json")).mode & 0o777).toBe(0o600);
    const api = await new Api(first.url).as({ email: "admin@localhost", password });
    const project = await api.projectWith(vulnerableApp);
    expect(await first.stop()).toBe(0);

    const second = await start({ SLUICE_DATA_DIR: folder });
    expect(second.output).not.toContain(password);
    const again = await new Api(second.url).as({ email: "admin@localhost", password });
    expect(await again.ok("GET", `/api/v1/projects/${project.id}/zip`)).toMatchObject({ has_file: true });
  });

  it("answers nobody before the first administrator can sign in", async () => {
    const port = await freePort(0, "the test");
    const service = start({ ...environment(newFolder()), PORT: String(port) });
    const api = new Api(`http://127.0.0.1:${port}`);
    let health: Answer | null = null;
    while (!health) health = await api.call("GET", "/health").catch(() => null);
    expect(health.body).toEqual({ status: "ok" });
    expect((await api.as(admin)).token).not.toBeNull();
    await service;
  });

  describe("once it runs", () => {
    const folder = mkdtempSync(join(tmpdir(), "sluice-process-"));
    let first: LocalProcess;

    beforeAll(async () => {
      // Variables of a front end that shares the environment, besides its own.
      const ofFrontEnd = { VITE_API_BASE_URL: "http://evil.example", VITE_PORT: "1" };
      first = await LocalProcess.start({ ...environment(folder), ...ofFrontEnd });
    });
    afterAll(async () => {
      await first.kill();
      rmSync(folder, { recursive: true, force: true });
    });

    it("refuses a folder or a port that is in use, in a sentence, and harms nothing", async () => {
      await expect(start(environment(folder))).rejects.toThrow(/Sluice did not start: .*in use/s);
      const port = new URL(first.url).port;
      await expect(start({ ...environment(newFolder()), PORT: port })).rejects.toThrow(
        new RegExp(`Sluice did not start: .*${port}`, "s"),
      );
      expect((await new Api(first.url).call("GET", "/health")).body).toEqual({ status: "ok" });
    });

    it("ignores a front end's variables and refuses settings it cannot use", async () => {
      expect((await new Api(first.url).call("GET", "/health")).status).toBe(200);
      await expect(start({ PORT: "many" })).rejects.toThrow(/PORT/);
      await expect(start({ SLUICE_ADMIN_EMAIL: "only@example.test" })).rejects.toThrow(/go together/);
    });
  });
});
