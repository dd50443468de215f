import { v7 as uuid } from "uuid";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Finding } from "../../functions/engine/finding.ts";
import { listIssues } from "../../functions/issues/issue-store.ts";
import type { Task } from "../../functions/scans/task.ts";
import { changeTask } from "../../functions/scans/task-store.ts";
import { type EmbeddedData, startEmbeddedData } from "../support/embedded-data.ts";
import { aFinding } from "../support/finding.ts";
import { type Person, person } from "../support/person.ts";
import { analysed, projectOf, scannedTask, taskOf } from "../support/scanned.ts";

let data: EmbeddedData;
let alice: Person;
let projectId: string;
let hours = 0;
const later = () => new Date(Date.UTC(2026, 0, 1, hours++));

beforeAll(async () => {
  data = await startEmbeddedData();
  alice = await person();
});
afterAll(() => data.stop());
beforeEach(async () => {
  projectId = await projectOf(alice);
});

const scan = (findings: readonly Finding[], coverage = findings.map(({ path }) => analysed(path))): Promise<Task> =>
  scannedTask(alice, projectId, findings, { at: later(), coverage });
const compare = (id: string, query: Record<string, string> = {}, by = alice) =>
  by.call("compareTasks", { params: { id }, query });
const issueNamed = async (task: Task, title: string) => {
  const { items } = await listIssues(task.id, { skip: 0, limit: 100 });
  return items.find((issue) => issue.title.en === title)?.id as string;
};

describe("comparing a scan with an earlier one", () => {
  it("takes the latest completed one before it, and says what became of every issue", async () => {
    const base = await scan(["stays", "back", "fixed", "unseen", "gone"].map(aFinding));
    const path = { id: base.id, issue_id: await issueNamed(base, "back") };
    await alice.ok("triageIssue", { params: path, json: { status: "resolved" } });
    const failed = await taskOf(alice, projectId, later());
    await changeTask(failed.id, { from: ["pending"], attempt: 1, set: { status: "failed" } });
    const partial = { ...analysed("unseen.py"), status: "partial" as const, reason: "step_budget" };
    const paths = ["stays.py", "back.py", "fixed.py", "added.py"];
    const task = await scan(["stays", "back", "added"].map(aFinding), [...paths.map(analysed), partial]);
    await scan(["much later"].map(aFinding));

    const { status, body } = await compare(task.id);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      base_task_id: base.id,
      task_id: task.id,
      total: 6,
      engine_changed: false,
      summary: { new: 1, reopened: 1, persisting: 1, resolved: 2, unknown: 1 },
    });
    // biome-ignore lint/suspicious/noExplicitAny: the answer is JSON.
    const told = body.items.map(({ state, issue, base_issue_id }: any) => [
      state,
      issue.title,
      issue.task_id === task.id ? "present" : "base",
      base_issue_id === null ? null : base_issue_id === issue.id ? "itself" : "another",
    ]);
    expect(told).toEqual([
      ["new", "added", "present", null],
      ["reopened", "back", "present", "another"],
      ["persisting", "stays", "present", "another"],
      ["resolved", "fixed", "base", "itself"],
      ["resolved", "gone", "base", "itself"],
      ["unknown", "unseen", "base", "itself"],
    ]);
  });

  it("says whether other rules have looked", async () => {
    const versions = ["1-a", "1-a", "1-b", null];
    const told: unknown[] = [];
    for (const engineVersion of versions) {
      const { id } = await scannedTask(alice, projectId, [], { at: later(), engineVersion });
      told.push((await compare(id)).body.engine_changed);
    }
    expect(told.slice(1)).toEqual([false, true, null]);
  });

  it("calls everything new when there is no earlier scan", async () => {
    const task = await scan([aFinding("a"), aFinding("b")]);
    const { body } = await compare(task.id);
    expect(body).toMatchObject({ base_task_id: null, total: 2, summary: { new: 2, persisting: 0 } });
  });

  it("filters by state and pages, with the total of what was asked for", async () => {
    const base = await scan([aFinding("old")]);
    const names = Array.from({ length: 7 }, (_, n) => `n${n}`);
    const task = await scan(names.map(aFinding));
    const page = async (query: Record<string, string>) => {
      const { items, total, summary } = (await compare(task.id, query)).body;
      expect(summary).toMatchObject({ new: 7, resolved: 1 });
      return { titles: items.map((item: { issue: { title: string } }) => item.issue.title), total };
    };
    expect(await page({ state: "new", skip: "5", limit: "5" })).toEqual({ titles: ["n5", "n6"], total: 7 });
    expect(await page({ state: "resolved" })).toEqual({ titles: ["old"], total: 1 });
    expect(await page({ state: "unknown" })).toEqual({ titles: [], total: 0 });
    expect(await page({ skip: "7" })).toEqual({ titles: ["old"], total: 8 });
    const back = (await compare(base.id, { base: task.id })).body;
    expect(back.summary).toMatchObject({ new: 1, resolved: 7 });
    const same = (await compare(task.id, { base: task.id })).body;
    expect(same.summary).toMatchObject({ new: 0, persisting: 7, resolved: 0 });
  });

  it("reads every page of a large scan", async () => {
    const names = Array.from({ length: 250 }, (_, n) => `${n}`);
    // Of such a size that DynamoDB gives several pages.
    const large = (name: string): Finding => ({ ...aFinding(name), snippet: "x".repeat(12_000) });
    await scan(names.map(large), []);
    const task = await scan(names.slice(50).map(large), []);
    const { summary } = (await compare(task.id)).body;
    expect(summary).toEqual({ new: 0, reopened: 0, persisting: 200, resolved: 50, unknown: 0 });
  });

  it("is refused for scans of other projects, that are not completed, or are none of the caller's business", async () => {
    const task = await scan([aFinding("a")]);
    const pending = await taskOf(alice, projectId, later());
    const elsewhere = await scannedTask(alice, await projectOf(alice), [], { at: later() });
    const mallory = await person();
    const foreign = await scannedTask(mallory, await projectOf(mallory), [], { at: later() });
    const refusal = async (id: string, base?: string) => {
      const { status, body } = await compare(id, base ? { base } : {});
      return [status, body.code];
    };
    expect(await refusal(task.id, elsewhere.id)).toEqual([422, "tasks_of_different_projects"]);
    expect(await refusal(task.id, pending.id)).toEqual([409, "task_not_completed"]);
    expect(await refusal(pending.id)).toEqual([409, "task_not_completed"]);
    for (const base of [foreign.id, uuid()]) expect(await refusal(task.id, base)).toEqual([404, "task_not_found"]);
    expect((await compare(task.id, {}, mallory)).status).toBe(404);
  });

  it("claims nothing where the coverage of the scan is not on record", async () => {
    await scan([aFinding("a")]);
    const task = await taskOf(alice, projectId, later());
    await changeTask(task.id, { from: ["pending"], attempt: 1, set: { status: "completed" } });
    expect((await compare(task.id)).body.summary).toMatchObject({ resolved: 0, unknown: 1 });
  });
});
