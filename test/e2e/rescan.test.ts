import { beforeAll, describe, expect, inject, it } from "vitest";
import { type Answer, Api, zipOf } from "../support/api.ts";
import { vulnerableApp } from "../support/vulnerable-app.ts";

const { url, token } = inject("service");
/** Whose figures nobody else changes. */
let api: Api;

beforeAll(async () => {
  api = await new Api(url, token).newcomer();
});

/** Stores the files as the project's code and scans them. */
async function scan(projectId: string, files: Record<string, string>, options: object = {}): Promise<string> {
  await api.ok("POST", `/api/v1/projects/${projectId}/zip`, { multipart: { file: await zipOf(files) } });
  const sent = { query: { project_id: projectId }, json: options };
  const { task_id } = await api.ok("POST", "/api/v1/scan/scan-stored-zip", sent);
  expect(await api.task(task_id)).toMatchObject({ status: "completed" });
  return task_id;
}

const issuesOf = (task: string, query: Record<string, string> = {}): Promise<Answer["body"][]> =>
  api.ok("GET", `/api/v1/tasks/${task}/issues`, { query });
const compare = (task: string, query: Record<string, string> = {}) =>
  api.ok("GET", `/api/v1/tasks/${task}/comparison`, { query });
const statesOf = ({ items }: Answer["body"]) =>
  items.map(({ state, issue }: Answer["body"]) => [state, issue.file_path, issue.line_number]);

const command = `import os
from flask import Flask, request

app = Flask(__name__)


@app.route("/ping")
def ping():
    os.system("ping " + request.args["host"])
`;

describe("scanning a project again", () => {
  it("tells what was fixed, what was added, what moved along, and what nobody has looked at", async () => {
    const server = vulnerableApp["shop/server.js"];
    const before = { ...vulnerableApp, "tools/ping.py": command };
    const project = await api.projectWith(before);
    const first = await scan(project.id, before);
    expect(statesOf(await compare(first)).map(([state]: string[]) => state)).toEqual(["new", "new", "new"]);

    // Python is fixed, the other files move or stay, and a problem comes along.
    const fixed = vulnerableApp["shop/app.py"]
      .split("\n")
      .filter((line) => !line.includes("execute("))
      .join("\n");
    const after = {
      "shop/app.py": fixed,
      "web/server.js": server,
      "tools/ping.py": command,
      "tools/trace.py": command,
    };
    const second = await scan(project.id, after);
    const compared = await compare(second);
    expect(compared).toMatchObject({ base_task_id: first, task_id: second });
    expect(compared.summary).toEqual({ new: 1, reopened: 0, persisting: 2, resolved: 1, unknown: 0 });
    expect(statesOf(compared)).toEqual([
      ["new", "tools/trace.py", 9],
      ["persisting", "tools/ping.py", 9],
      ["persisting", "web/server.js", expect.any(Number)],
      ["resolved", "shop/app.py", expect.any(Number)],
    ]);

    // The same code, but a pattern keeps the tools out: what is in there is neither found nor resolved.
    const third = await scan(project.id, after, { exclude_patterns: ["tools/**"] });
    expect((await compare(third)).summary).toMatchObject({ persisting: 1, resolved: 0, unknown: 2 });
    expect((await compare(third, { base: first, state: "resolved" })).total).toBe(1);
    const coverage = await api.ok("GET", `/api/v1/tasks/${third}/coverage`, { query: { status: "skipped" } });
    expect(coverage).toMatchObject({ total: 2, summary: { files: 4, status: { analysed: 2, skipped: 2 } } });
    expect(coverage.items[0]).toMatchObject({ path: "tools/ping.py", reason: "excluded", excluded_by: "tools/**" });
    expect((await compare(first, { base: second })).summary).toMatchObject({ new: 1, persisting: 2, resolved: 1 });
  });

  it("keeps a false positive, opens what was resolved and is back, and counts and scores as it then stands", async () => {
    const project = await api.projectWith(vulnerableApp);
    const first = await scan(project.id, vulnerableApp);
    const [one, other] = (await issuesOf(first)) as [Answer["body"], Answer["body"]];
    const judge = (issue: string, json: object) => api.ok("PATCH", `/api/v1/tasks/${first}/issues/${issue}`, { json });
    await judge(one.id, { status: "false_positive", note: "only our own values get here" });
    await judge(other.id, { status: "resolved", note: "fixed" });
    const stats = () => api.ok("GET", "/api/v1/projects/stats");
    const counted = await stats();

    const second = await scan(project.id, vulnerableApp);
    const [kept] = await issuesOf(second, { status: "false_positive" });
    expect(kept).toMatchObject({ fingerprint: one.fingerprint, resolved_by: null });
    const { history } = await api.ok("GET", `/api/v1/tasks/${second}/issues/${kept.id}`);
    expect(history).toMatchObject([
      { status: "false_positive", note: "only our own values get here", from: { task_id: first, issue_id: one.id } },
    ]);
    expect((await issuesOf(second, { status: "open" })).map((issue) => issue.fingerprint)).toEqual([other.fingerprint]);
    expect((await compare(second)).summary).toMatchObject({ new: 0, reopened: 1, persisting: 1, resolved: 0 });
    const [scoreBefore, scoreAfter] = await Promise.all([first, second].map((id) => api.task(id)));
    expect(scoreAfter.quality_score).toBeGreaterThan(scoreBefore.quality_score);
    expect(await stats()).toMatchObject({
      total_issues: counted.total_issues + 2,
      resolved_issues: counted.resolved_issues,
    });
  });
});
