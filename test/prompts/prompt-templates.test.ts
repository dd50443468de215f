import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createTemplatesAndRuleSets } from "../../functions/database/migrations/004-create-templates-and-rule-sets.ts";
import { contentMax, templatesPerUserMax, templateText } from "../../functions/prompts/prompt-template.ts";
import { defaultTemplate, visibleTemplate } from "../../functions/prompts/prompt-template-store.ts";
import { type EmbeddedData, startEmbeddedData } from "../support/embedded-data.ts";
import { type Person, person } from "../support/person.ts";

let data: EmbeddedData;
let alice: Person;
let bob: Person;

/** Each look at the clock is a second later, so that newest first has one answer. */
const begun = Math.floor(Date.now() / 1000) * 1000;
let seconds = 0;
const now = () => new Date(begun + 1000 * seconds++);

interface View {
  readonly id: string;
  readonly name: string;
  readonly is_active: boolean;
  readonly is_default: boolean;
}

beforeAll(async () => {
  data = await startEmbeddedData();
});
afterAll(() => data.stop());
beforeEach(async () => {
  await data.clearTable();
  await createTemplatesAndRuleSets.run({ now, keepClaim: async () => {} });
  [alice, bob] = [await person("member", now), await person("admin", now)];
});

const list = async (who: Person, query = {}): Promise<{ items: View[]; total: number }> =>
  who.ok("listPromptTemplates", { query });
const names = ({ items }: { items: View[] }) => items.map(({ name }) => name);
const shippedNames = ["默认代码审计", "安全专项审计", "性能优化审计", "代码质量审计"];
const shipped = async (name: string) => (await list(alice)).items.find((one) => one.name === name) as View;

describe("the list of templates", () => {
  it("shows the system's first, the default before all, then one's own by order and newest first", async () => {
    for (const json of [{ name: "b", sort_order: 1 }, { name: "old" }, { name: "new" }])
      await alice.ok("createPromptTemplate", { json });
    await bob.ok("createPromptTemplate", { json: { name: "bob's" } });
    const found = await list(alice);
    expect([names(found), found.total]).toEqual([[...shippedNames, "new", "old", "b"], 7]);
    await bob.ok("setDefaultPromptTemplate", { params: { id: (await shipped("性能优化审计")).id } });
    expect(names(await list(alice))[0]).toBe("性能优化审计");
  });

  it("keeps the names of the system's templates in every language, with English texts beside them", async () => {
    for (const language of ["zh", "en"]) {
      const { items } = await alice.ok("listPromptTemplates", { headers: { "Accept-Language": language } });
      expect(items[0]).toMatchObject({
        name: "默认代码审计",
        english: { name: "General code audit" },
        template_type: "system",
        content_zh: expect.stringContaining("{code}"),
        content_en: expect.stringContaining("{code}"),
        variables: { language: expect.any(String), code: expect.any(String) },
        is_default: true,
        is_system: true,
        created_by: null,
      });
    }
  });

  it("filters, pages and counts what it filtered", async () => {
    await alice.ok("createPromptTemplate", { json: { name: "off", is_active: false, template_type: "analysis" } });
    expect(await list(alice, { is_active: "false" })).toMatchObject({ items: [{ name: "off" }], total: 1 });
    expect(names(await list(alice, { template_type: "analysis" }))).toEqual(["off"]);
    const second = await list(alice, { template_type: "system", skip: "1", limit: "2" });
    expect([names(second), second.total]).toEqual([shippedNames.slice(1, 3), 4]);
  });

  it("ends a page before an answer gets too long for a function, and loses nothing", async () => {
    // Control characters take six bytes each in JSON: the worst that can be stored.
    const long = "\u0001".repeat(contentMax);
    const json = { name: "long", content_zh: long, content_en: long };
    for (let i = 0; i < 30; i++) await alice.ok("createPromptTemplate", { json });
    const seen = new Set<string>();
    for (let skip = 0; skip < 34; ) {
      const { items, total } = await list(alice, { skip: String(skip) });
      expect(Buffer.byteLength(JSON.stringify(items))).toBeLessThan(6 * 1024 * 1024);
      expect(total).toBe(34);
      for (const { id } of items) seen.add(id);
      skip += items.length;
    }
    expect(seen.size).toBe(34);
  });
});

describe("a user's own template", () => {
  it("is created, read, changed field by field and deleted", async () => {
    const json = { name: " 我的 ", description: "d", content_zh: "审计 {code}", variables: { code: "代码" } };
    const made = await alice.ok("createPromptTemplate", { json: { ...json, is_default: true, is_system: true } });
    const expected = { name: "我的", is_default: false, is_system: false, created_by: alice.user.id, updated_at: null };
    expect(made).toMatchObject({ ...expected, content_en: null, template_type: "system", sort_order: 0 });
    const params = { id: made.id };
    expect(await alice.ok("readPromptTemplate", { params })).toEqual(made);
    const changed = await alice.ok("updatePromptTemplate", {
      params,
      json: { content_en: "Audit {code}", description: null, is_default: true },
    });
    expect(changed).toEqual({ ...made, content_en: "Audit {code}", description: null, updated_at: changed.updated_at });
    await alice.ok("deletePromptTemplate", { params });
    expect(await alice.call("readPromptTemplate", { params })).toMatchObject({
      status: 404,
      body: { code: "prompt_template_not_found" },
    });
  });

  it("does not exist for others, whatever they try, administrators included", async () => {
    const { id } = await alice.ok("createPromptTemplate", { json: { name: "private" } });
    const tried = [
      ["readPromptTemplate", {}],
      ["updatePromptTemplate", { json: { is_active: false } }],
      ["deletePromptTemplate", {}],
      ["setDefaultPromptTemplate", {}],
    ] as const;
    for (const [operation, sent] of tried) {
      const foreign = await bob.call(operation, { params: { id }, ...sent });
      const missing = await bob.call(operation, { params: { id: bob.user.id }, ...sent });
      expect([operation, foreign.status]).toEqual([operation, 404]);
      expect({ ...foreign.body, request_id: "" }).toEqual({ ...missing.body, request_id: "" });
    }
    await expect(visibleTemplate(bob.user.id, id)).rejects.toMatchObject({ code: "prompt_template_not_found" });
    expect(names(await list(bob))).toEqual(shippedNames);
    expect(await alice.ok("readPromptTemplate", { params: { id } })).toMatchObject({ is_active: true });
  });

  it.each([
    ["no name", { name: " " }],
    ["a long name", { name: "x".repeat(101) }],
    ["an unknown type", { name: "x", template_type: "agent" }],
    ["a text over the limit", { name: "x", content_zh: "x".repeat(contentMax + 1) }],
    ["variables that are no texts", { name: "x", variables: { code: 1 } }],
    ["an order that does not fit", { name: "x", sort_order: -1 }],
  ])("is refused with %s", async (_, json) => {
    expect(await alice.call("createPromptTemplate", { json })).toMatchObject({
      status: 422,
      body: { code: "validation_failed" },
    });
  });

  it("is one of a number that a person can still look through", async () => {
    for (let i = 0; i < templatesPerUserMax; i++) await alice.ok("createPromptTemplate", { json: { name: `${i}` } });
    expect(await alice.call("createPromptTemplate", { json: { name: "one more" } })).toMatchObject({
      status: 409,
      body: { code: "prompt_template_limit_reached", detail: expect.stringContaining(String(templatesPerUserMax)) },
    });
    expect((await bob.call("createPromptTemplate", { json: { name: "bob's first" } })).status).toBe(200);
  });

  it("that two change at once keeps the first change and tells the second", async () => {
    const params = { id: (await alice.ok("createPromptTemplate", { json: { name: "x" } })).id };
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, i) => alice.call("updatePromptTemplate", { params, json: { name: `name ${i}` } })),
    );
    const won = answers.filter(({ status }) => status === 200);
    expect(won.length).toBeGreaterThan(0);
    for (const { status, body } of answers) if (status !== 200) expect(body.code).toBe("stale_version");
    const last = won.map(({ body }) => body.name);
    expect(last).toContain((await alice.ok("readPromptTemplate", { params })).name);
  });
});

describe("a template of the system", () => {
  it("is switched off for one user alone", async () => {
    const { id } = await shipped("安全专项审计");
    const off = await alice.ok("updatePromptTemplate", { params: { id }, json: { is_active: false, name: "mine" } });
    expect(off).toMatchObject({ is_active: false, name: "安全专项审计" });
    expect(names(await list(alice, { is_active: "true" }))).toHaveLength(3);
    expect(await list(bob, { is_active: "true" })).toMatchObject({ total: 4 });
    expect(await bob.ok("readPromptTemplate", { params: { id } })).toMatchObject({ is_active: true });
    // Who names it wants it.
    expect(await visibleTemplate(alice.user.id, id)).toMatchObject({ isActive: false });
    await alice.ok("updatePromptTemplate", { params: { id }, json: { is_active: true } });
    expect(await list(alice, { is_active: "true" })).toMatchObject({ total: 4 });
  });

  it("can neither be changed nor deleted, by administrators neither", async () => {
    const params = { id: (await shipped("安全专项审计")).id };
    for (const answer of [
      await bob.call("updatePromptTemplate", { params, json: { name: "x" } }),
      await bob.call("deletePromptTemplate", { params }),
    ])
      expect(answer).toMatchObject({ status: 403, body: { code: "system_record_fixed" } });
    expect(names(await list(alice))).toEqual(shippedNames);
  });
});

describe("the default template", () => {
  it("is one, however many are set at the same moment", async () => {
    const { items } = await list(bob);
    await Promise.all(
      Array.from({ length: 50 }, (_, i) =>
        bob.ok("setDefaultPromptTemplate", { params: { id: items[i % items.length]?.id as string } }),
      ),
    );
    const defaults = (await list(alice)).items.filter(({ is_default }) => is_default);
    expect(defaults).toHaveLength(1);
    expect(await defaultTemplate("system", alice.user.id)).toMatchObject({ id: defaults[0]?.id });
  });

  it("is set by administrators only, and only to what everybody sees", async () => {
    const params = { id: (await shipped("安全专项审计")).id };
    expect(await alice.call("setDefaultPromptTemplate", { params })).toMatchObject({ status: 403 });
    const { id } = await bob.ok("createPromptTemplate", { json: { name: "the administrator's own" } });
    expect(await bob.call("setDefaultPromptTemplate", { params: { id } })).toMatchObject({
      status: 422,
      body: { code: "prompt_template_not_shared", detail: expect.stringContaining("everybody") },
    });
    expect((await shipped("默认代码审计")).is_default).toBe(true);
  });

  it("does not count for whom it is switched off, and where there is none", async () => {
    const { id } = await shipped("默认代码审计");
    expect(await defaultTemplate("system", alice.user.id)).toMatchObject({ id });
    await alice.ok("updatePromptTemplate", { params: { id }, json: { is_active: false } });
    expect(await defaultTemplate("system", alice.user.id)).toBeNull();
    expect(await defaultTemplate("system", bob.user.id)).toMatchObject({ id });
    expect(await defaultTemplate("analysis", bob.user.id)).toBeNull();
    await data.clearTable();
    expect(await defaultTemplate("system", bob.user.id)).toBeNull();
  });
});

describe("the text of a template", () => {
  it.each([
    ["zh", "中", "en", "中"],
    ["en", "中", "en", "en"],
    ["zh", null, "en", "en"],
    ["en", "中", "", "中"],
    ["en", null, null, null],
  ] as const)("in %s of %j and %j is %j", async (language, zh, en, text) => {
    const { id } = await alice.ok("createPromptTemplate", { json: { name: "x", content_zh: zh, content_en: en } });
    expect(templateText(await visibleTemplate(alice.user.id, id), language)).toBe(text);
  });
});
