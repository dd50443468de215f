import { afterAll, beforeAll, expect, it } from "vitest";
import type { ReviewInstructions, ReviewUnit } from "../../functions/engine/review/review.ts";
import type { ReviewModel } from "../../functions/scans/instructions.ts";
import { ReviewCache } from "../../functions/scans/review-cache.ts";
import type { Reviewed } from "../../functions/scans/review-result.ts";
import { type EmbeddedData, startEmbeddedData } from "../support/embedded-data.ts";
import { aFinding } from "../support/finding.ts";

let data: EmbeddedData;
beforeAll(async () => {
  data = await startEmbeddedData();
});
afterAll(() => data.stop());

const model: ReviewModel = {
  provider: "openai",
  model: "m",
  baseUrl: "https://a.example/v1",
  temperature: 0.1,
  maxTokens: 9,
};
const rule = {
  code: "A03",
  name: "Injection",
  description: null,
  category: "security",
  severity: "high",
  customPrompt: null,
  fixSuggestion: null,
} as const;
const review: ReviewInstructions = { template: "look", rules: [rule], outputLanguage: "en" };
const unit: ReviewUnit = {
  path: "a.py",
  language: "python",
  startLine: 1,
  text: "x = 1",
  findings: [aFinding("one")],
  functions: [],
  excerpts: [],
};
const outcome: Reviewed = { status: "reviewed", findings: [], verdicts: [], dropped: { quote_not_found: 1 } };

const cacheOf = (change: { user?: string; model?: Partial<ReviewModel>; review?: Partial<ReviewInstructions> } = {}) =>
  new ReviewCache(change.user ?? "alice", { ...model, ...change.model }, { review: { ...review, ...change.review } });

it("gives back what was kept for the same question", async () => {
  await cacheOf().keep(unit, outcome);
  expect(await cacheOf().find(structuredClone(unit))).toEqual(outcome);
});

it("takes what one model has said for no answer in place of another that refused", async () => {
  const other = { ...model, provider: "claude" };
  const instead = new ReviewCache("alice", other, { review }, model);
  await instead.keep(unit, outcome);
  expect(await instead.find(unit)).toEqual(outcome);
  expect(await new ReviewCache("alice", other, { review }).find(unit)).toBeNull();
  expect(await new ReviewCache("alice", other, { review }, { ...model, model: "n" }).find(unit)).toBeNull();
});

it.each<[string, ReviewCache, ReviewUnit]>([
  ["another user", cacheOf({ user: "bob" }), unit],
  ["another provider", cacheOf({ model: { provider: "claude" } }), unit],
  ["another model", cacheOf({ model: { model: "n" } }), unit],
  ["another address", cacheOf({ model: { baseUrl: "https://b.example/v1" } }), unit],
  ["another temperature", cacheOf({ model: { temperature: 0.2 } }), unit],
  ["another limit", cacheOf({ model: { maxTokens: 10 } }), unit],
  ["another template", cacheOf({ review: { template: "look harder" } }), unit],
  ["the built-in template", cacheOf({ review: { template: null } }), unit],
  ["other rules", cacheOf({ review: { rules: [] } }), unit],
  ["a rule with another text", cacheOf({ review: { rules: [{ ...rule, customPrompt: "also here" }] } }), unit],
  ["another language", cacheOf({ review: { outputLanguage: "zh" } }), unit],
  ["another path", cacheOf(), { ...unit, path: "b.py" }],
  ["another place in the file", cacheOf(), { ...unit, startLine: 2 }],
  ["another text", cacheOf(), { ...unit, text: "x = 2" }],
  ["other findings", cacheOf(), { ...unit, findings: [aFinding("two")] }],
  ["a finding at another line", cacheOf(), { ...unit, findings: [{ ...aFinding("one"), startLine: 7 }] }],
  ["other functions", cacheOf(), { ...unit, functions: [{ symbol: "f/0", startLine: 1, endLine: 1 }] }],
  [
    "another excerpt",
    cacheOf(),
    { ...unit, excerpts: [{ path: "b.py", language: "python", startLine: 1, text: "y" }] },
  ],
  [
    "another way of a value",
    cacheOf(),
    { ...unit, findings: [{ ...aFinding("one"), trace: [{ ...aFinding("one"), role: "source", code: "x" }] }] },
  ],
])("takes %s for another question", async (_, cache, asked) => {
  await cacheOf().keep(unit, outcome);
  expect(await cache.find(asked)).toBeNull();
});
