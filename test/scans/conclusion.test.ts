import { describe, expect, it } from "vitest";
import type { Coverage } from "../../functions/engine/artefact.ts";
import type { Issue } from "../../functions/issues/issue.ts";
import { conclude as concludeWith } from "../../functions/scans/conclusion.ts";
import { inChunks, type LinkedFindings, type Plan } from "../../functions/scans/plan.ts";

const plan = (accepted: string[], change: Partial<Plan> = {}): Plan => ({
  accepted,
  skipped: [],
  missing: [],
  ...change,
});
const row = (path: string, status: Coverage["status"] = "analysed"): Coverage => ({
  path,
  status,
  reason: status === "analysed" ? null : "why",
  language: "python",
  lines: 10,
  bytes: 100,
});
const linked = (coverage: Coverage[], unfinished: string[] = []): LinkedFindings => ({
  findings: [],
  coverage,
  unfinished,
});
const issue = (path: string, severity: Issue["severity"], status: Issue["status"] = "open") =>
  ({ path, severity, status, suppression: status === "false_positive" ? "known" : null }) as Issue;

const conclude = (planned: Plan, found: LinkedFindings, issues: readonly Issue[]) =>
  concludeWith(planned, found, issues, { model: true, coverage: [] });

describe("the conclusion of a scan", () => {
  it("is the mean over the files, an issue costing its severity once", () => {
    const issues = [
      issue("a", "critical"),
      issue("a", "high"),
      issue("b", "low"),
      issue("b", "critical", "false_positive"),
    ];
    expect(conclude(plan(["a", "b"]), linked([row("a"), row("b")]), issues)).toMatchObject({
      status: "completed",
      qualityScore: (60 + 97) / 2,
      issuesCount: 4,
      scannedFiles: 2,
      totalLines: 20,
    });
  });

  it("is not perfect while anything is open", () => {
    const paths = Array.from({ length: 10_000 }, (_, n) => `f${n}`);
    const end = conclude(plan(paths), linked(paths.map((path) => row(path))), [issue("f1", "low")]);
    expect(end.qualityScore).toBe(99.9);
  });

  it("never praises a scan that looked at nothing", () => {
    const nothing = conclude(
      plan([], { skipped: [{ path: "README.md", reason: "unsupported_type" }] }),
      linked([]),
      [],
    );
    expect(nothing).toMatchObject({ status: "completed", qualityScore: 0 });
    expect(nothing.warnings).toEqual([{ code: "no_scannable_files", count: 1, paths: ["README.md"] }]);
  });

  it("names the files of a lost chunk and still completes", () => {
    const end = conclude(plan(["a", "b", "c"]), linked([row("a")], ["c", "b"]), []);
    expect(end).toMatchObject({ status: "completed", qualityScore: 100 });
    expect(end.warnings).toEqual([{ code: "files_not_analysed", count: 2, paths: ["b", "c"] }]);
  });

  it("fails when not one file could be analysed", () => {
    expect(conclude(plan(["a", "b"]), linked([row("a", "failed")], ["b"]), [])).toMatchObject({
      status: "failed",
      failure: { code: "nothing_analysed", message: "None of the selected files could be analysed" },
      qualityScore: 0,
    });
  });

  it("shows at most a hundred paths and the whole count", () => {
    const paths = Array.from({ length: 500 }, (_, n) => `f${n}`);
    const [warning] = conclude(plan(["a", ...paths]), linked([row("a")], paths), []).warnings;
    expect(warning).toMatchObject({ count: 500, paths: expect.objectContaining({ length: 100 }) });
  });
});

describe("chunks", () => {
  const files = (sizes: number[]) => sizes.map((size, n) => ({ path: `f${n}`, bytes: Buffer.alloc(size) }));
  async function* stream<T>(items: T[]) {
    yield* items;
  }

  it("hold every file once, in the order it comes, within their limits", async () => {
    const given = files(Array.from({ length: 333 }, (_, n) => (n * 7919) % 200_000));
    const chunks = await Array.fromAsync(inChunks(stream(given)));
    expect(chunks.flat().map((f) => f.path)).toEqual(given.map((f) => f.path));
    for (const chunk of chunks) {
      expect(chunk.length).toBeLessThanOrEqual(50);
      if (chunk.length > 1) expect(chunk.reduce((sum, f) => sum + f.bytes.length, 0)).toBeLessThanOrEqual(512 * 1024);
    }
  });

  it("take a file that is larger than a chunk alone, and nothing as nothing", async () => {
    expect(await Array.fromAsync(inChunks(stream(files([1, 10_000_000, 1]))))).toHaveLength(3);
    expect(await Array.fromAsync(inChunks(stream([])))).toEqual([]);
  });
});
