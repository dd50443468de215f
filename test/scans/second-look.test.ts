import { describe, expect, it } from "vitest";
import type { IssueIdentity } from "../../functions/issues/issue-identity.ts";
import type { FileCoverage } from "../../functions/scans/coverage.ts";
import type { ScanInstructions } from "../../functions/scans/instructions.ts";
import { type Look, secondLook } from "../../functions/scans/second-look.ts";

const row = (path: string, change: Partial<FileCoverage> = {}): FileCoverage => ({
  path,
  status: "analysed",
  reason: null,
  excluded_by: null,
  language: "python",
  lines: 10,
  review: "not_reviewed",
  review_reason: "rules_only",
  other_model: null,
  ...change,
});

const instructions: ScanInstructions = {
  model: {
    provider: "openai",
    model: "gpt-5",
    baseUrl: "https://api.openai.com/v1",
    temperature: 0.1,
    maxTokens: 4096,
  },
  alternative: null,
  modelTrouble: null,
  review: { template: null, rules: [], outputLanguage: "en" },
  patterns: [],
  codes: [],
  categoriesOff: [],
  filesMax: null,
  concurrency: 3,
  gapMs: 0,
};

const issue = (change: Partial<IssueIdentity> = {}) =>
  ({
    path: "a.py",
    otherPaths: [],
    origins: ["rule"],
    ruleId: "xss.reflected",
    owasp2021: "A03",
    ...change,
  }) as IssueIdentity;

const looked = (
  given: Partial<IssueIdentity>,
  coverage: readonly FileCoverage[],
  {
    before = instructions as ScanInstructions | null,
    ...look
  }: Partial<Look> & { before?: ScanInstructions | null } = {},
) => secondLook({ coverage, instructions, leftOut: null, ...look }, before)(issue(given));

describe("a second look", () => {
  it("was had when the file was analysed to its end, has nothing in it any more, or is gone", () => {
    expect(looked({}, [row("a.py")])).toBe(true);
    expect(looked({}, [row("a.py", { status: "skipped", reason: "empty" })])).toBe(true);
    expect(looked({}, [row("b.py")])).toBe(true);
  });

  it.each([
    ["partial", "step_budget"],
    ["failed", "internal_error"],
    ["skipped", "too_large"],
    ["skipped", "excluded"],
    ["skipped", "not_selected"],
    ["skipped", "over_file_limit"],
  ] as const)("was not had when the file was %s: %s", (status, reason) => {
    expect(looked({}, [row("a.py", { status, reason })])).toBe(false);
  });

  it("needs every file on the way of a value", () => {
    const both = { otherPaths: ["routes.py"] };
    expect(looked(both, [row("a.py"), row("routes.py")])).toBe(true);
    expect(looked(both, [row("a.py"), row("routes.py", { status: "partial", reason: "step_budget" })])).toBe(false);
    expect(looked(both, [row("a.py")])).toBe(true);
  });

  it("needs a review by the same model with the same words where only a model had seen the problem", () => {
    const models = { origins: ["model" as const] };
    const reviewed = [row("a.py", { review: "reviewed", review_reason: null })];
    expect(looked(models, reviewed)).toBe(true);
    expect(looked(models, [row("a.py", { review: "cached", review_reason: null })])).toBe(true);
    for (const review of ["partial", "failed", "not_reviewed"] as const)
      expect(looked(models, [row("a.py", { review, review_reason: "timeout" })])).toBe(false);
    expect(looked(models, [])).toBe(true);
    expect(looked({ origins: ["rule", "model"] }, [row("a.py")])).toBe(true);
    const others: (ScanInstructions | null)[] = [
      null,
      { ...instructions, model: null },
      { ...instructions, review: { ...instructions.review, template: "only performance" } },
    ];
    for (const before of others) expect(looked(models, reviewed, { before })).toBe(false);
    const inChinese = { ...instructions, review: { ...instructions.review, outputLanguage: "zh" as const } };
    expect(looked(models, reviewed, { before: inChinese })).toBe(true);
  });

  it("needs the category to be on, and a user's own patterns to be as they were", () => {
    const off = { ...instructions, categoriesOff: ["A03"] };
    expect(looked({}, [row("a.py")], { instructions: off })).toBe(false);
    expect(looked({ owasp2021: "A01" }, [row("a.py")], { instructions: off })).toBe(true);
    expect(looked({}, [], { instructions: off })).toBe(true);
    const pattern = { code: "C1", pattern: "eval" } as unknown as ScanInstructions["patterns"][number];
    const own = { ruleId: "user.c1" };
    expect(looked(own, [row("a.py")])).toBe(true);
    expect(looked(own, [row("a.py")], { before: { ...instructions, patterns: [pattern] } })).toBe(false);
  });

  it("needs the same codes where only they switch a rule on", () => {
    const long = { ruleId: "quality.long-function", owasp2021: null };
    const asked = { ...instructions, codes: ["CQ001"] };
    expect(looked(long, [row("a.py")], { instructions: asked, before: asked })).toBe(true);
    expect(looked(long, [row("a.py")], { before: asked })).toBe(false);
    expect(looked({}, [row("a.py")], { before: asked })).toBe(true);
  });

  it("takes no file for gone that the archive of a repository may lack", () => {
    const leftOut = { paths: ["a.py"], count: 1, listingIncomplete: false };
    expect(looked({}, [], { leftOut })).toBe(false);
    expect(looked({ path: "b.py" }, [], { leftOut })).toBe(true);
    expect(looked({ path: "b.py" }, [], { leftOut: { ...leftOut, count: 2 } })).toBe(false);
    expect(looked({ path: "b.py" }, [], { leftOut: { paths: [], count: 0, listingIncomplete: true } })).toBe(false);
  });
});
