import { describe, expect, it } from "vitest";
import type { ReviewUnit } from "../../functions/engine/review/review.ts";
import { conclude } from "../../functions/scans/conclusion.ts";
import { coverageOf, type FileCoverage } from "../../functions/scans/coverage.ts";
import type { LinkedFindings, Plan } from "../../functions/scans/plan.ts";
import { BatchBuilder, planFile } from "../../functions/scans/review-plan.ts";
import type { BatchResult, Reviewed, ReviewReason, UnitResult } from "../../functions/scans/review-result.ts";

const outcome: Reviewed = { status: "reviewed", findings: [], verdicts: [], dropped: {} };
const looked = (path: string, status: "reviewed" | "cached" = "reviewed"): UnitResult => ({
  path,
  startLine: 1,
  status,
  outcome,
});
const lost = (path: string, reason: ReviewReason): UnitResult => ({ path, startLine: 1, status: "failed", reason });

const paths = ["cached.py", "data.json", "half.py", "lost.py", "new.py", "slow.py", "stopped.py"];
const plan: Plan = {
  accepted: [...paths, "unread.py"],
  skipped: [{ path: "README.md", reason: "unsupported_type" }],
  missing: [],
};
const linked: LinkedFindings = {
  findings: [],
  coverage: paths.map((path) => ({ path, status: "analysed", reason: null, language: "python", lines: 3, bytes: 9 })),
  unfinished: ["unread.py"],
};
const files = (...named: [string, number][]) => named.map(([path, units]) => ({ path, units }));
const results: (BatchResult | null)[] = [
  {
    0: looked("new.py"),
    1: looked("cached.py", "cached"),
    2: looked("half.py"),
    3: lost("half.py", "format"),
    4: lost("slow.py", "timeout"),
    5: lost("stopped.py", "budget_exhausted"),
  },
  null,
];
const record = {
  plan: {
    batches: [
      { batch: 0, files: files(["new.py", 1], ["cached.py", 1], ["half.py", 2], ["slow.py", 1], ["stopped.py", 1]) },
      { batch: 1, files: files(["lost.py", 1]) },
    ],
    skipped: [{ path: "data.json", reason: "data" }],
  },
  results,
};

describe("the coverage of a scan", () => {
  const byPath = (rows: FileCoverage[]) =>
    Object.fromEntries(rows.map(({ path, status, review, review_reason }) => [path, [status, review, review_reason]]));

  it("names the other model that has looked at what the scan's refused", () => {
    const by = { provider: "claude", model: "other" };
    const [batch] = results;
    const record2 = { plan: record.plan, results: [{ ...batch, 2: { ...looked("half.py"), by } }, null] };
    const rows = coverageOf(plan, linked, record2);
    expect(rows.filter((row) => row.other_model !== null)).toMatchObject([{ path: "half.py", other_model: by }]);
  });

  it("takes a unit that another model never came to for a refused one", () => {
    const waiting = { ...lost("new.py", "refused"), referred: true as const };
    const rows = coverageOf(plan, linked, { plan: record.plan, results: [{ ...results[0], 0: waiting }, null] });
    expect(rows.find((row) => row.path === "new.py")).toMatchObject({ review: "failed", review_reason: "refused" });
  });

  it("accounts for every file of the archive, by rules and by model", () => {
    expect(byPath(coverageOf(plan, linked, record))).toEqual({
      "README.md": ["skipped", "not_reviewed", null],
      "cached.py": ["analysed", "cached", null],
      "data.json": ["analysed", "not_reviewed", "data"],
      "half.py": ["analysed", "partial", "format"],
      "lost.py": ["analysed", "failed", "internal_error"],
      "new.py": ["analysed", "reviewed", null],
      "slow.py": ["analysed", "failed", "timeout"],
      "stopped.py": ["analysed", "not_reviewed", "budget_exhausted"],
      "unread.py": ["failed", "not_reviewed", null],
    });
  });

  it("says of every file when rules alone have judged", () => {
    const rows = coverageOf(plan, linked, null);
    expect(rows.filter((row) => row.status === "analysed").every((row) => row.review_reason === "rules_only")).toBe(
      true,
    );
    expect(rows.map((row) => row.path)).toEqual(rows.map((row) => row.path).toSorted());
  });

  it("becomes warnings, reason by reason, but for what no model should look at", () => {
    const { warnings } = conclude(plan, linked, [], { model: true, coverage: coverageOf(plan, linked, record) });
    expect(warnings.filter(({ code }) => /review/.test(code))).toEqual([
      { code: "files_not_reviewed", reason: "format", count: 1, paths: ["half.py"] },
      { code: "files_not_reviewed", reason: "internal_error", count: 1, paths: ["lost.py"] },
      { code: "files_not_reviewed", reason: "timeout", count: 1, paths: ["slow.py"] },
      { code: "review_stopped", reason: "budget_exhausted", count: 1, paths: ["stopped.py"] },
    ]);
  });

  it("is rules only without a model, with the reason if there should be one", () => {
    const only = (trouble: ReviewReason | null) =>
      conclude(plan, linked, [], { model: false, trouble }).warnings.at(-1);
    expect(only(null)).toEqual({ code: "rules_only", count: 0, paths: [] });
    expect(only("model_unusable")).toEqual({ code: "rules_only", count: 0, paths: [], reason: "model_unusable" });
  });
});

describe("planning a review", () => {
  const unit = (path: string): ReviewUnit => ({
    path,
    language: "python",
    startLine: 1,
    text: "",
    findings: [],
    functions: [],
    excerpts: [],
  });
  const bytes = Buffer.from("print(1)\n");
  const unitsOf = ({ path }: { path: string }) => [unit(path), unit(path)];

  it("leaves out what no model should see", () => {
    expect(planFile({ path: "a.py", bytes }, [], unitsOf)).toMatchObject({ units: [{}, {}] });
    expect(planFile({ path: "package-lock.json", bytes }, [], unitsOf)).toMatchObject({
      units: null,
      reason: "lock_file",
    });
  });

  it("never puts a file into two batches and loses none", () => {
    const builder = new BatchBuilder(5);
    const batches = [];
    for (let n = 0; n < 17; n++) {
      builder.add(
        `f${n}.py`,
        Array.from({ length: (n % 4) + 1 }, () => unit(`f${n}.py`)),
      );
      if (builder.full) batches.push(builder.take());
    }
    batches.push(builder.take());
    const named = batches.flatMap((batch) => batch?.files.map((file) => file.path) ?? []);
    expect(named).toEqual(Array.from({ length: 17 }, (_, n) => `f${n}.py`));
    for (const batch of batches.slice(0, -1)) expect(batch?.units.length).toBeGreaterThanOrEqual(5);
    expect(builder.take()).toBeNull();
  });
});
