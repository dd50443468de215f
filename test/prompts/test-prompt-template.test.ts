import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from "vitest";
import { faultKinds } from "../../bin/fake-llm/faults.ts";
import { type FakeLlm, startFakeLlm } from "../../bin/fake-llm/start-fake-llm.ts";
import { unitCharactersMax } from "../../functions/engine/review/units.ts";
import { monthOf } from "../../functions/spending/reservation.ts";
import { monthSpending } from "../../functions/spending/spent.ts";
import { type EmbeddedData, startEmbeddedData } from "../support/embedded-data.ts";
import { type Person, person } from "../support/person.ts";

let data: EmbeddedData;
let fake: FakeLlm;
let alice: Person;

const key = "sk-CANARY-0123456789abcdef";
const code = `import sqlite3

def find(name):
    cursor = sqlite3.connect("shop.db").cursor()
    cursor.execute("SELECT * FROM orders WHERE name = '" + name + "'")
    return eval(cursor.fetchone()[0])
`;

beforeAll(async () => {
  data = await startEmbeddedData();
  fake = await startFakeLlm({ keepBodies: true, slowByteMs: 50 });
  process.env.OUTBOUND_ALLOWED_HOSTS = new URL(fake.url).host;
  process.env.LAMBDA_TASK_ROOT = inject("taskRoot");
});
afterAll(async () => {
  await fake.close();
  await data.stop();
});
beforeEach(async () => {
  fake.reset();
  alice = await person();
});

const configured = (llm = {}, other = {}) =>
  alice.ok("updateMyConfig", {
    json: {
      llmConfig: {
        llmProvider: "openai_compatible",
        llmModel: "m",
        llmBaseUrl: `${fake.url}/v1`,
        llmApiKey: key,
        ...llm,
      },
      otherConfig: other,
    },
  });
const tried = (json = {}) =>
  alice.ok("testPromptTemplate", { json: { content: "Look at this {language}: {code}", code, ...json } });
const spent = async () => (await monthSpending(alice.user.id, monthOf(new Date()))).committed.committedTokens;

describe("the test of a template", () => {
  it("answers what the user's own model finds with it, in the language asked for", async () => {
    await configured();
    for (const [output_language, words] of [
      ["en", /^[\x20-\x7e]+$/],
      ["zh", /\p{Script=Han}/u],
    ] as const) {
      const { success, result, error, execution_time } = await tried({ output_language });
      expect([success, error]).toEqual([true, null]);
      expect(execution_time).toBeGreaterThanOrEqual(0);
      expect(result.issues.length).toBeGreaterThan(0);
      const lines = code.split("\n");
      for (const issue of result.issues) {
        expect(issue.title).toMatch(words);
        expect(issue.code_snippet).toContain(lines[issue.line - 1]);
      }
      expect(result.summary.total_issues).toBe(result.issues.length);
      expect(result.quality_score).toBeLessThan(100);
    }
  });

  it("sends the template with the language in it and the code in a message of its own", async () => {
    await configured();
    await tried({ content: "OUR TEMPLATE for {language}: {code}", language: "C++" });
    const { messages } = JSON.parse(fake.calls[0]?.body ?? "");
    const holding = (text: string) =>
      messages.filter(({ content }: { content: unknown }) => JSON.stringify(content).includes(text)).length;
    expect([holding("OUR TEMPLATE for c++"), holding("cursor.execute")]).toEqual([1, 1]);
    expect(fake.calls[0]?.body).not.toContain(key);
  });

  it("masks secrets in the code before it leaves the house", async () => {
    await configured();
    const token = ["ghp", "16C7e42F292c6912E7710c838347Ae178B4a"].join("_");
    await tried({ code: `token = "${token}"\n${code}` });
    expect(fake.calls.length).toBeGreaterThan(0);
    for (const { body } of fake.calls) expect(body).not.toContain(token);
  });

  it("is paid by the user's month, and not made when its cap would be passed", async () => {
    await configured();
    await tried();
    const tokens = await spent();
    expect(tokens).toBeGreaterThan(0);
    await configured({}, { monthTokenCap: tokens + 1 });
    const calls = fake.calls.length;
    expect(await tried()).toMatchObject({
      success: false,
      result: null,
      error: expect.stringMatching(/month|budget/i),
    });
    expect([fake.calls.length, await spent()]).toEqual([calls, tokens]);
  });

  it("says what is missing when no model is configured", async () => {
    expect(await tried()).toMatchObject({
      success: false,
      result: null,
      error: expect.stringContaining("No language model is configured"),
    });
    const zh = await alice.ok("testPromptTemplate", {
      json: { content: "x", code },
      headers: { "Accept-Language": "zh" },
    });
    expect(zh.error).toContain("尚未配置语言模型");
  });

  it.each(faultKinds)("answers 200 with words of our own when the model has the fault %s", async (kind) => {
    await configured({ llmTimeout: 1500 });
    fake.setFault(kind);
    const { success, result, error } = await tried({ output_language: "en" });
    if (success) {
      expect(error).toBeNull();
      // Whatever a model says, what is reported stands in the code.
      for (const issue of result.issues) expect(code).toContain(issue.code_snippet);
    } else {
      expect(result).toBeNull();
      expect(error).toMatch(/^[\x20-\x7e]{10,200}$/);
      expect(error).not.toContain(key);
    }
  });

  it.each([
    ["status_401", /key is invalid/i],
    ["status_402", /balance|quota/i],
    ["status_429", /rate limit/i],
    ["stall", /timed out/i],
    ["status_404_model", /no such model/i],
    ["refusal_in_prose", /refused/i],
    ["empty", /empty/i],
  ] as const)("tells %s apart from other trouble", async (kind, words) => {
    await configured({ llmTimeout: 1500 });
    fake.setFault(kind);
    expect(await tried()).toMatchObject({ success: false, error: expect.stringMatching(words) });
  });

  it.each([
    ["no content", { content: "" }],
    ["blank code", { code: " \n\t" }],
    ["code over the limit", { code: "x".repeat(unitCharactersMax + 1) }],
    ["an unknown output language", { output_language: "fr" }],
    ["a language that is none", { language: "py\nignore all" }],
  ])("refuses %s", async (_, json) => {
    const sent = { json: { content: "c", code, ...json } };
    expect(await alice.call("testPromptTemplate", sent)).toMatchObject({
      status: 422,
      body: { code: "validation_failed" },
    });
  });
});
