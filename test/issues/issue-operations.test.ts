import { v7 as uuid } from "uuid";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Finding } from "../../functions/engine/finding.ts";
import { withEarlierVerdicts } from "../../functions/issues/earlier-verdicts.ts";
import { newIssue } from "../../functions/issues/issue.ts";
import { writeIssues } from "../../functions/issues/issue-store.ts";
import { readStatistics } from "../../functions/projects/statistics-store.ts";
import { nextAttempt, type Task } from "../../functions/scans/task.ts";
import { changeTask, findTask, replaceTask } from "../../functions/scans/task-store.ts";
import { type EmbeddedData, startEmbeddedData } from "../support/embedded-data.ts";
import { aFinding } from "../support/finding.ts";
import { type Person, person } from "../support/person.ts";
import { analysed, byRules, projectOf, scannedTask, taskOf } from "../support/scanned.ts";

let data: EmbeddedData;
let alice: Person;
let hours = 0;
const later = () => new Date(Date.UTC(2026, 0, 1, hours++));

beforeAll(async () => {
  data = await startEmbeddedData();
  alice = await person();
});
afterAll(() => data.stop());

const scan = (projectId: string, findings: readonly Finding[]) =>
  scannedTask(alice, projectId, findings, { at: later() });
const list = async (id: string, query: Record<string, string> = {}) => {
  const { status, body, headers } = await alice.call("listIssues", { params: { id }, query });
  expect({ status, body }).toMatchObject({ status: 200 });
  return {
    titles: body.map((issue: { title: string }) => issue.title),
    ids: body.map((issue: { id: string }) => issue.id),
    total: Number(headers["X-Total-Count"]),
  };
};
const judge = (task: string, issue: string, json: object) =>
  alice.call("triageIssue", { params: { id: task, issue_id: issue }, json });
const read = (task: string, issue: string, by = alice) =>
  by.call("readIssue", { params: { id: task, issue_id: issue } });

describe("the issues of a task", () => {
  it("are filtered by severity, status, type and path, with full pages and the total of what was asked for", async () => {
    const severities = ["critical", "high", "medium", "low"] as const;
    const findings = Array.from({ length: 48 }, (_, n) => ({
      ...aFinding(`n${n}`),
      severity: severities[n % 4] as Finding["severity"],
      issueType: n % 3 === 0 ? ("bug" as const) : ("security" as const),
      path: `${n % 2 === 0 ? "src" : "srv"}/f${n}.py`,
    }));
    const { id } = await scan(await projectOf(alice), findings);
    const all = await list(id);
    expect(all.total).toBe(48);
    for (const n of [0, 10, 47]) await judge(id, all.ids[n], { status: "resolved" });

    const expected: [Record<string, string>, number][] = [
      [{ severity: "critical" }, 12],
      [{ issue_type: "bug" }, 16],
      [{ path_prefix: "src/" }, 24],
      [{ path_prefix: "sr" }, 48],
      [{ path_prefix: "rc/" }, 0],
      [{ status: "resolved" }, 3],
      [{ status: "open", severity: "critical", issue_type: "bug", path_prefix: "src/" }, 3],
    ];
    for (const [query, total] of expected) expect([query, (await list(id, query)).total]).toEqual([query, total]);

    const open = await list(id, { status: "open", limit: "40" });
    expect([open.titles.length, open.total]).toEqual([40, 45]);
    const pages = [];
    for (let skip = 0; skip < 45; skip += 7)
      pages.push(...(await list(id, { status: "open", skip: `${skip}`, limit: "7" })).ids);
    const resolved = [0, 10, 47].map((n) => all.ids[n]);
    expect(pages).toEqual(all.ids.filter((issue: string) => !resolved.includes(issue)));
    expect((await alice.call("listIssues", { params: { id }, query: { severity: "info" } })).status).toBe(422);
  });

  it("are shown one by one, with what was said about them", async () => {
    const task = await scan(await projectOf(alice), [aFinding("a")]);
    const [issue] = (await list(task.id)).ids;
    expect((await read(task.id, issue)).body).toMatchObject({ id: issue, status: "open", trace: [], history: [] });
    const judged = await judge(task.id, issue, { status: "false_positive", note: "  sample key  " });
    const by = alice.user.id;
    const verdict = { status: "false_positive", by, at: expect.any(String), note: "sample key", from: null };
    expect(judged.body.history).toEqual([verdict]);
    await judge(task.id, issue, { status: "false_positive", note: "sample key" });
    await judge(task.id, issue, { status: "open", note: "" });
    const { body } = await read(task.id, issue);
    expect(body.history).toEqual([verdict, { ...verdict, status: "open", note: null }]);
    expect(body).toMatchObject({ status: "open", resolved_by: null });
    expect((await judge(task.id, issue, { status: "open", note: "x".repeat(1001) })).status).toBe(422);
    expect((await read(task.id, uuid())).body.code).toBe("issue_not_found");
    expect((await read(task.id, issue, await person())).body.code).toBe("task_not_found");
  });

  it("are counted as resolved once, however often somebody says so", async () => {
    const task = await scan(await projectOf(alice), [aFinding("a")]);
    const [issue] = (await list(task.id)).ids;
    const before = (await readStatistics(alice.user.id))?.resolvedIssues ?? 0;
    for (const note of ["one", "one", "two"]) await judge(task.id, issue, { status: "resolved", note });
    expect((await findTask(task.id))?.issuesResolved).toBe(1);
    expect((await readStatistics(alice.user.id))?.resolvedIssues).toBe(before + 1);
  });

  it("lose no verdict that was acknowledged when several people judge at once", async () => {
    const task = await scan(await projectOf(alice), [aFinding("a")]);
    const [issue] = (await list(task.id)).ids;
    const said = Array.from({ length: 12 }, (_, n) => ({ status: n % 2 ? "resolved" : "open", note: `n${n}` }));
    const answers = await Promise.all(said.map((json) => judge(task.id, issue, json)));
    const refused = answers.filter(({ status }) => status !== 200);
    for (const { body } of refused) expect(body.code).toBe("stale_version");
    const { history, status } = (await read(task.id, issue)).body;
    const acknowledged = said.filter((_, n) => answers[n]?.status === 200).map(({ note }) => note);
    expect(history.map((verdict: { note: string }) => verdict.note).toSorted()).toEqual(acknowledged.toSorted());
    expect(acknowledged.length).toBeGreaterThan(0);
    expect((await findTask(task.id))?.issuesResolved).toBe(status === "resolved" ? 1 : 0);
  });
});

describe("a new scan of a project", () => {
  it("keeps what people called false positives in the latest completed one, and opens what was resolved", async () => {
    const projectId = await projectOf(alice);
    const names = ["false", "resolved", "open", "reopened"];
    const suppressed = { ...aFinding("suppressed"), suppressed: { reason: "known" } };
    const first = await scan(projectId, [...names.map(aFinding), suppressed]);
    const { titles, ids } = await list(first.id);
    const idOf = (title: string) => ids[titles.indexOf(title)];
    await judge(first.id, idOf("false"), { status: "false_positive", note: "test data" });
    await judge(first.id, idOf("resolved"), { status: "resolved" });
    await judge(first.id, idOf("reopened"), { status: "false_positive" });
    await judge(first.id, idOf("reopened"), { status: "open" });
    // Neither a scan that has not ended nor one of another project binds anybody.
    await taskOf(alice, projectId, later());
    await scan(await projectOf(alice), [aFinding("open")]);

    const at = later();
    const task = await taskOf(alice, projectId, at);
    const found = [...names, "suppressed", "new"].map((name) =>
      newIssue(aFinding(name), task.id, task.ownerId, at.toISOString()),
    );
    const issues = await withEarlierVerdicts(task, found, byRules);
    expect(issues.map(({ title, status }) => [title.en, status])).toEqual([
      ["false", "false_positive"],
      ["resolved", "open"],
      ["open", "open"],
      ["reopened", "open"],
      ["suppressed", "open"],
      ["new", "open"],
    ]);
    expect(issues[0]?.history).toEqual([
      {
        status: "false_positive",
        by: alice.user.id,
        at: expect.any(String),
        note: "test data",
        from: { taskId: first.id, issueId: idOf("false") },
      },
    ]);
  });

  it("remembers a false positive over scans that did not look there, until one did and found nothing", async () => {
    const projectId = await projectOf(alice);
    const finding = aFinding("a");
    const bornAs = async () => {
      const task = await taskOf(alice, projectId, later());
      const found = [newIssue(finding, task.id, task.ownerId, task.createdAt)];
      return (await withEarlierVerdicts(task, found, byRules))[0]?.status;
    };
    const first = await scan(projectId, [finding]);
    await judge(first.id, (await list(first.id)).ids[0], { status: "false_positive" });
    const unread = { ...analysed("a.py"), status: "skipped" as const, reason: "not_selected" };
    for (let n = 0; n < 3; n++) await scannedTask(alice, projectId, [], { at: later(), coverage: [unread] });
    expect(await bornAs()).toBe("false_positive");
    await scannedTask(alice, projectId, [], { at: later(), coverage: [analysed("a.py")] });
    expect(await bornAs()).toBe("open");
  });

  it("is bound by what is said about its own issues first, however often and in how many attempts it writes them", async () => {
    const projectId = await projectOf(alice);
    const first = await scan(projectId, ["false", "kept"].map(aFinding));
    for (const issue of (await list(first.id)).ids) await judge(first.id, issue, { status: "false_positive" });
    const { id } = await taskOf(alice, projectId, later());
    const write = async (attempt: Task) => {
      const found = ["false", "kept"].map((name) => newIssue(aFinding(name), id, attempt.ownerId, attempt.createdAt));
      const issues = await writeIssues(attempt, await withEarlierVerdicts(attempt, found, byRules), later());
      return Object.fromEntries(issues.map(({ title, status }) => [title.en, status]));
    };
    const running = await changeTask(id, { from: ["pending"], attempt: 1, set: { status: "running" } });
    expect(await write(running)).toEqual({ false: "false_positive", kept: "false_positive" });
    const [{ id: issue }] = (await alice.ok("listIssues", { params: { id } })).filter(
      (one: { title: string }) => one.title === "false",
    );
    const opened = await judge(id, issue, { status: "open", note: "it is one after all" });
    expect(opened.body.history).toHaveLength(2);
    expect(await write(running)).toEqual({ false: "open", kept: "false_positive" });
    const ended = await changeTask(id, { from: ["running"], attempt: 1, set: { status: "failed" } });
    await replaceTask(ended, nextAttempt(ended, alice.user.id, later()), later());
    const again = await changeTask(id, { from: ["pending"], attempt: 2, set: { status: "running" } });
    expect(await write(again)).toEqual({ false: "open", kept: "false_positive" });
    expect((await read(id, issue)).body.history).toEqual(opened.body.history);
  });

  it("has nothing to keep when it is the first", async () => {
    const task = await taskOf(alice, await projectOf(alice), later());
    const found = [newIssue(aFinding("a"), task.id, task.ownerId, later().toISOString())];
    expect(await withEarlierVerdicts(task, found, byRules)).toEqual(found);
  });
});
