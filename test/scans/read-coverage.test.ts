import { v7 as uuid } from "uuid";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { environment } from "../../functions/platform/environment.ts";
import { putJson } from "../../functions/platform/object-store.ts";
import { coverageOf, type FileCoverage, summaryOf } from "../../functions/scans/coverage.ts";
import { scanKeys, type TaskStatus } from "../../functions/scans/task.ts";
import { changeTask } from "../../functions/scans/task-store.ts";
import { type EmbeddedData, startEmbeddedData } from "../support/embedded-data.ts";
import { type Person, person } from "../support/person.ts";
import { projectOf, taskOf } from "../support/scanned.ts";

let data: EmbeddedData;
let alice: Person;
let projectId: string;

beforeAll(async () => {
  data = await startEmbeddedData();
  alice = await person();
  projectId = await projectOf(alice);
});
afterAll(() => data.stop());

/** A task in a state of its life, with the coverage of its first attempt if there is one. */
async function taskIn(status: TaskStatus, rows: readonly FileCoverage[] | null): Promise<string> {
  const task = await taskOf(alice, projectId);
  if (status !== "pending") await changeTask(task.id, { from: ["pending"], attempt: 1, set: { status } });
  const key = scanKeys(task.id, 1).coverage;
  if (rows) await putJson(environment().RESULTS_BUCKET, key, rows);
  return task.id;
}

const rows = coverageOf(
  {
    accepted: ["a.py", "b.py", "c.py", "d.js"],
    skipped: [
      { path: "README.md", reason: "unsupported_type" },
      { path: "dist/a.js", reason: "excluded", excludedBy: "dist/" },
      { path: "big.js", reason: "too_large" },
    ],
    missing: [],
  },
  {
    findings: [],
    coverage: [
      { path: "a.py", status: "analysed", reason: null, language: "python", lines: 10, bytes: 100 },
      { path: "b.py", status: "partial", reason: "step_budget", language: "python", lines: 20, bytes: 100 },
      { path: "c.py", status: "failed", reason: "engine_error", language: "python", lines: 5, bytes: 100 },
    ],
    unfinished: ["d.js"],
  },
  {
    plan: {
      batches: [
        {
          batch: 0,
          files: [
            { path: "a.py", units: 1 },
            { path: "b.py", units: 2 },
          ],
        },
      ],
      skipped: [],
    },
    results: [
      {
        0: { path: "a.py", startLine: 1, status: "cached", outcome: {} as never },
        1: { path: "b.py", startLine: 1, status: "reviewed", outcome: {} as never },
        2: { path: "b.py", startLine: 9, status: "failed", reason: "timeout" },
      },
    ],
  },
);

const read = async (id: string, query: Record<string, string> = {}) =>
  (await alice.call("readCoverage", { params: { id }, query })).body;

describe("the coverage of a scan", () => {
  it("accounts for every file, in the order of paths, with what was done and why not more", async () => {
    const { items, total, summary } = await read(await taskIn("completed", rows));
    expect(items).toEqual(rows);
    expect(total).toBe(7);
    const told = items.map((row: FileCoverage) => [
      row.path,
      row.status,
      row.reason,
      row.excluded_by,
      row.review,
      row.review_reason,
    ]);
    expect(told).toEqual([
      ["README.md", "skipped", "unsupported_type", null, "not_reviewed", null],
      ["a.py", "analysed", null, null, "cached", null],
      ["b.py", "partial", "step_budget", null, "partial", "timeout"],
      ["big.js", "skipped", "too_large", null, "not_reviewed", null],
      ["c.py", "failed", "engine_error", null, "not_reviewed", null],
      ["d.js", "failed", "internal_error", null, "not_reviewed", null],
      ["dist/a.js", "skipped", "excluded", "dist/", "not_reviewed", null],
    ]);
    expect(summary).toEqual({
      files: 7,
      lines: 35,
      status: { analysed: 1, partial: 1, skipped: 3, failed: 2 },
      reasons: { unsupported_type: 1, step_budget: 1, too_large: 1, engine_error: 1, internal_error: 1, excluded: 1 },
      review: { reviewed: 0, cached: 1, partial: 1, failed: 0, not_reviewed: 5 },
      review_reasons: { timeout: 1 },
    });
  });

  it("is listed by status, by review and page by page, with the total of what was asked for", async () => {
    const id = await taskIn("completed", rows);
    const paths = async (query: Record<string, string>) => {
      const { items, total, summary } = await read(id, query);
      expect(summary.files).toBe(7);
      return { paths: items.map((row: FileCoverage) => row.path), total };
    };
    expect(await paths({ status: "skipped" })).toEqual({ paths: ["README.md", "big.js", "dist/a.js"], total: 3 });
    expect(await paths({ status: "skipped", skip: "1", limit: "1" })).toEqual({ paths: ["big.js"], total: 3 });
    expect(await paths({ review: "partial" })).toEqual({ paths: ["b.py"], total: 1 });
    expect(await paths({ status: "failed", review: "cached" })).toEqual({ paths: [], total: 0 });
    const { status } = await alice.call("readCoverage", { params: { id }, query: { status: "lost" } });
    expect(status).toBe(422);
  });

  it("is not there before the scan has ended, nor when it stopped before it accounted for its files", async () => {
    for (const status of ["pending", "running"] as const)
      expect(await read(await taskIn(status, null))).toMatchObject({ code: "coverage_not_ready" });
    for (const status of ["cancelled", "failed"] as const)
      expect(await read(await taskIn(status, null))).toMatchObject({
        code: "coverage_not_kept",
        detail: expect.stringContaining(status),
      });
    expect(await read(uuid())).toMatchObject({ code: "task_not_found" });
  });

  it("of a hundred thousand files is answered a page at a time", async () => {
    const path = (n: number) => `packages/p${n % 97}/src/some/deep/folder/of/a/large/repository/module-${n}.ts`;
    const many = Array.from({ length: 100_000 }, (_, n) => ({ ...(rows[1] as FileCoverage), path: path(n) }));
    const id = await taskIn("completed", many);
    const { items, total, summary } = await read(id, { skip: "99000", limit: "1000" });
    expect([items.length, total, summary.status.analysed]).toEqual([1000, 100_000, 100_000]);
    expect(items.at(-1)).toEqual(many.at(-1));
  });

  it("counts nothing in nothing", () => {
    expect(summaryOf([])).toMatchObject({ files: 0, lines: 0, reasons: {}, review_reasons: {} });
  });
});
