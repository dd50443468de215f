import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { v7 as uuid } from "uuid";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { savedSettings } from "../../functions/config/user-config-secrets.ts";
import { findUserConfig, replaceUserConfig } from "../../functions/config/user-config-store.ts";
import { sliceBytesMax } from "../../functions/engine/review/excerpts.ts";
import { reviewPrompt } from "../../functions/engine/review/prompt.ts";
import { unitsOf } from "../../functions/engine/review/units.ts";
import { newProject, type Project } from "../../functions/projects/project.ts";
import { createProject } from "../../functions/projects/project-store.ts";
import { storeArchive } from "../../functions/sources/stored-zip-store.ts";
import { tokensOf, worstCase } from "../../functions/spending/cost.ts";
import { estimate, ordinaryBytes, sufficiency } from "../../functions/spending/estimate.ts";
import { estimateScan } from "../../functions/spending/estimate-scan.ts";
import { reserve, settle } from "../../functions/spending/spending-store.ts";
import { zipOf } from "../support/api.ts";
import { type EmbeddedData, startEmbeddedData } from "../support/embedded-data.ts";
import { storedUser } from "../support/stored-user.ts";
import { aCall, at, noCaps } from "./running-scan.ts";

const instructions = { template: null, rules: [], outputLanguage: "en" as const };
const frame = reviewPrompt(
  { path: "", language: "", startLine: 1, text: "", findings: [], functions: [], excerpts: [] },
  instructions,
  "",
);
const price = { inputUsd: 0.15, outputUsd: 0.6 };
const planned = { frame, outputTokensMax: 4096, price };

describe("an estimate from sizes", () => {
  /** Code as people write it, in versions that do not change under this test. */
  const sources = ["ssh2", "jszip", "yauzl", "micromatch", "braces", "jsonrepair"].flatMap((name) =>
    readdirSync(join("node_modules", name), { recursive: true, encoding: "utf8" })
      .filter((path) => /\.js$/.test(path) && !/\.min\.js$|(^|\/)(dist|test|umd)\//.test(path))
      .map((path) => join("node_modules", name, path)),
  );
  const files = sources.map((path) => ({ path, bytes: readFileSync(path) })).filter(({ bytes }) => bytes.length > 0);

  it("counts calls as the review will make them, within 5 in 100, and never too few at most", () => {
    const long = { path: "long.js", bytes: Buffer.concat(files.map(({ bytes }) => bytes)) };
    for (const some of [files, [long]]) {
      const units = some.flatMap((file) => unitsOf(file, [], (text) => text));
      const { calls } = estimate({ ...planned, sizes: some.map(({ bytes }) => bytes.length) });
      expect(units.length).toBeGreaterThan(40);
      expect(Math.abs(calls.likely / units.length - 1)).toBeLessThanOrEqual(0.05);
      expect(calls.atMost).toBeGreaterThanOrEqual(units.length * 2);
    }
  });

  it("takes at most what every call can cost in its worst case, asked twice", () => {
    // As much beside the code as a unit may have.
    const excerpt = { path: "b.js", language: "javascript", startLine: 1, text: "x".repeat(sliceBytesMax - 300) };
    const units = files
      .flatMap((file) => unitsOf(file, [], (text) => text))
      .map((unit) => ({ ...unit, excerpts: [excerpt] }));
    const { cost, largest } = estimate({ ...planned, sizes: files.map(({ bytes }) => bytes.length) });
    const worst = units.map((unit) => worstCase(reviewPrompt(unit, instructions, "key"), 4096, price));
    const sum = (of: (one: (typeof worst)[number]) => number) => worst.reduce((total, one) => total + of(one), 0);
    expect(cost.atMost.inputTokens).toBeGreaterThanOrEqual(2 * sum(({ inputTokens }) => inputTokens));
    expect(cost.atMost.micros).toBeGreaterThanOrEqual(2 * sum(({ micros }) => micros as number));
    expect(tokensOf(cost.likely)).toBeLessThan(sum(tokensOf));
    for (const one of worst) expect(tokensOf(largest)).toBeGreaterThanOrEqual(tokensOf(one));
  });

  it("of nothing is nothing, and files of unknown size count as ordinary ones", () => {
    expect(estimate({ ...planned, sizes: [] })).toMatchObject({
      calls: { likely: 0, atMost: 0 },
      cost: { likely: { inputTokens: 0, outputTokens: 0, micros: 0 }, atMost: { inputTokens: 0, outputTokens: 0 } },
    });
    expect(estimate({ ...planned, sizes: [null] })).toEqual(estimate({ ...planned, sizes: [ordinaryBytes] }));
  });
});

describe("whether a cap is enough", () => {
  const ten = estimate({ ...planned, sizes: Array.from({ length: 10 }, () => 6000) });
  const nothing = { committedTokens: 0, committedMicros: 0 };
  const cap = (tokens: number | null, micros: number | null = null) => ({ tokens, micros });
  const likely = tokensOf(ten.cost.likely);
  const atMost = tokensOf(ten.cost.atMost);
  const underWay = 3 * tokensOf(ten.largest);

  it.each([
    ["no cap", cap(null), nothing, "yes"],
    ["room for everything", cap(atMost), nothing, "yes"],
    ["a token less", cap(atMost - 1), nothing, "likely"],
    ["room for what is likely beside the calls under way", cap(likely + underWay), nothing, "likely"],
    ["a token less than that", cap(likely + underWay - 1), nothing, "no"],
    ["a cap that others have used up", cap(atMost), { committedTokens: atMost, committedMicros: 0 }, "no"],
    ["too little money", cap(null, 1), nothing, "no"],
    ["money for everything", cap(null, ten.cost.atMost.micros), nothing, "yes"],
  ])("with %s", (_, limit, committed, answer) => {
    expect(sufficiency(limit, committed, ten, 3)).toBe(answer);
  });

  it("says no where only money is capped and nobody knows the price", () => {
    const unpriced = estimate({ ...planned, price: null, sizes: [6000] });
    expect(sufficiency(cap(null, 1_000_000_000), nothing, unpriced, 3)).toBe("no");
    expect(sufficiency(cap(1_000_000, 1), nothing, unpriced, 3)).toBe("yes");
  });
});

describe("POST /scan/estimate", () => {
  let data: EmbeddedData;
  let project: Project;
  let userId: string;

  beforeAll(async () => {
    data = await startEmbeddedData();
    userId = (await storedUser()).id;
    const draft = { name: "p", source_type: "zip", default_branch: "main", programming_languages: [] } as const;
    project = newProject({ ...draft, programming_languages: [], budget_tokens: 100_000 }, uuid(), userId, at);
    await createProject(project);
    const code = "print('一行代码')\n".repeat(200);
    const zip = await zipOf({
      "a.py": code,
      "b.py": code,
      "web/app.js": "let a = 1;\n".repeat(4000),
      "web/api.generated.js": "let a = 1;\n".repeat(100),
      "README.md": "# text",
      "node_modules/x/index.js": code,
    });
    const bytes = Buffer.from(await zip.arrayBuffer());
    await storeArchive({ projectId: project.id, ownerId: userId, filename: "a.zip" }, bytes, at);
  });

  afterAll(() => data.stop());

  /** Stores settings in place of the former ones. */
  async function configure(llmConfig: object, otherConfig: object = {}): Promise<void> {
    const before = await findUserConfig(userId);
    const next = await savedSettings(
      null,
      { llmConfig: llmConfig as never, otherConfig: otherConfig as never },
      userId,
      at,
    );
    await replaceUserConfig(before, { ...next, version: (before?.version ?? 0) + 1 });
  }

  // biome-ignore lint/suspicious/noExplicitAny: the contract's own schema checks it.
  const ask = async (body: object = {}): Promise<any> => {
    const { contract, handle } = estimateScan;
    const parsed = contract.body?.parse({ project_id: project.id, ...body });
    const answer = await handle({ body: parsed, caller: { id: userId }, now: () => at } as never);
    return (contract.success as { parse(value: unknown): unknown }).parse(answer);
  };

  it("says that rules alone judge while no model is set up", async () => {
    expect(await ask()).toMatchObject({
      files: 4,
      files_to_review: 0,
      calls: { likely: 0, at_most: 0 },
      input_tokens: { likely: 0, at_most: 0 },
      provider: null,
      model: null,
      warnings: [{ code: "rules_only", count: 4 }],
    });
  });

  it("counts the files, units and tokens of a model, with its list price", async () => {
    await configure({ llmProvider: "openai", llmModel: "gpt-4o-mini", llmApiKey: "sk-test-0123456789" });
    const found = await ask();
    expect(found).toMatchObject({
      files: 4,
      skipped: 2,
      files_to_review: 3,
      calls: { likely: 5 },
      model: "gpt-4o-mini",
      warnings: [],
    });
    expect(found.cost_usd.likely).toBeGreaterThan(0.0001);
    expect(found.cost_usd.at_most).toBeGreaterThan(found.cost_usd.likely);
    expect(found.caps.project).toMatchObject({ tokens: 100_000, committed_tokens: 0, suffices: "no" });
    expect(found.caps.month).toMatchObject({ tokens: null, usd: null, suffices: "yes" });
  });

  it("goes by the files, exclusions and budget that are asked for", async () => {
    const one = await ask({ file_paths: ["a.py", "gone.py"], budget_tokens: 35_000 });
    expect(one).toMatchObject({
      files: 1,
      files_to_review: 1,
      calls: { likely: 1, at_most: 2 },
      caps: { scan: { tokens: 35_000, suffices: "likely" } },
      warnings: [{ code: "paths_not_found", count: 1 }],
    });
    expect(await ask({ exclude_patterns: ["web/**"] })).toMatchObject({ files: 2, files_to_review: 2 });
  });

  it("tells what is committed, that a price is unknown, and where files are too many", async () => {
    await configure(
      { llmProvider: "openai_compatible", llmBaseUrl: "https://models.example.com/v1", llmModel: "mine" },
      { maxAnalyzeFiles: 2, monthCostCap: 5 },
    );
    await settle(await reserve(aCall({ userId, scan: null, caps: noCaps }), at), null);
    const found = await ask();
    expect(found).toMatchObject({
      files: 2,
      files_to_review: 2,
      cost_usd: { likely: null, at_most: null },
      provider: "openai_compatible",
      caps: { month: { usd: 5, committed_tokens: 1000, committed_usd: 0.0068, suffices: "no" } },
    });
    expect(found.warnings.toSorted((a: { code: string }, b: { code: string }) => (a.code < b.code ? -1 : 1))).toEqual([
      { code: "budget_needs_token_cap", count: 1 },
      { code: "file_limit", count: 2 },
      { code: "price_unknown", count: found.calls.likely },
    ]);
  });

  it("refuses what a scan would refuse", async () => {
    await expect(ask({ exclude_patterns: ["((("] })).rejects.toMatchObject({ code: "glob_syntax" });
    await expect(ask({ rule_set_id: uuid() })).rejects.toMatchObject({ code: "rule_set_not_found" });
    await expect(ask({ prompt_template_id: uuid() })).rejects.toMatchObject({ code: "prompt_template_not_found" });
    await expect(ask({ project_id: uuid() })).rejects.toMatchObject({ code: "project_not_found" });
    await expect(ask({ file_paths: ["../x"] })).rejects.toMatchObject({ code: "path_not_allowed" });
  });
});
