import { QueryCommand } from "@aws-sdk/lib-dynamodb";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createTemplatesAndRuleSets } from "../../functions/database/migrations/004-create-templates-and-rule-sets.ts";
import { environment } from "../../functions/platform/environment.ts";
import { keys, table } from "../../functions/platform/table.ts";
import { charactersPerSetMax, patternCharactersPerSetMax, rulesPerSetMax } from "../../functions/rules/rule-draft.ts";
import { reviewRules, userPatterns } from "../../functions/rules/rule-set.ts";
import { ruleSetsPerUserMax } from "../../functions/rules/rule-set-draft.ts";
import { visibleRuleSet } from "../../functions/rules/rule-set-store.ts";
import { AwsError } from "../../lib/local/service.ts";
import { openEngine } from "../engine/engine-under-test.ts";
import { type EmbeddedData, startEmbeddedData } from "../support/embedded-data.ts";
import { type Person, person } from "../support/person.ts";

let data: EmbeddedData;
let alice: Person;
let bob: Person;

/** Each look at the clock is a second later, so that newest first has one answer. */
const begun = Math.floor(Date.now() / 1000) * 1000;
let seconds = 0;
const now = () => new Date(begun + 1000 * seconds++);

interface RuleView {
  readonly id: string;
  readonly rule_code: string;
  readonly enabled: boolean;
}
interface View {
  readonly id: string;
  readonly name: string;
  readonly rules: RuleView[];
  readonly rules_count: number;
  readonly enabled_rules_count: number;
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
  who.ok("listRuleSets", { query });
const names = ({ items }: { items: View[] }) => items.map(({ name }) => name);
const shippedNames = ["OWASP Top 10", "代码质量规则", "性能优化规则"];
const shipped = async (name: string) => (await list(alice)).items.find((one) => one.name === name) as View;

const rule = (code = "C1", more = {}) => ({ rule_code: code, name: `rule ${code}`, category: "security", ...more });
const setOf = (who: Person, rules: object[], more = {}): Promise<View> =>
  who.ok("createRuleSet", { json: { name: "mine", rules, ...more } });
const reread = (who: Person, { id }: { id: string }): Promise<View> => who.ok("readRuleSet", { params: { id } });

describe("the list of rule sets", () => {
  it("shows the system's first, the default before all, then one's own, each with its rules counted", async () => {
    await setOf(alice, [], { name: "later", sort_order: 1 });
    await setOf(alice, [rule(), rule("C2", { enabled: false })]);
    await setOf(bob, [], { name: "bob's" });
    const found = await list(alice);
    expect([names(found), found.total]).toEqual([[...shippedNames, "mine", "later"], 5]);
    expect(found.items.map((set) => [set.rules_count, set.enabled_rules_count, set.rules.length])).toEqual([
      [10, 10, 10],
      [8, 8, 8],
      [5, 5, 5],
      [2, 1, 2],
      [0, 0, 0],
    ]);
    expect(found.items[0]).toMatchObject({
      is_default: true,
      is_system: true,
      created_by: null,
      rule_type: "security",
    });
    expect(found.items[0]?.rules.map(({ rule_code }) => rule_code).slice(0, 3)).toEqual(["A01", "A02", "A03"]);
  });

  it("filters, pages and counts what it filtered", async () => {
    await setOf(alice, [], { name: "py", language: "Python", rule_type: "quality", is_active: false });
    expect(names(await list(alice, { language: "python" }))).toEqual(["py"]);
    expect(await list(alice, { rule_type: "quality" })).toMatchObject({ total: 2 });
    expect(await list(alice, { is_active: "false" })).toMatchObject({ items: [{ name: "py" }], total: 1 });
    const second = await list(alice, { skip: "1", limit: "1" });
    expect([names(second), second.total]).toEqual([["代码质量规则"], 4]);
  });
});

describe("a user's own rule set", () => {
  it("is created with defaults, changed field by field and deleted with its rules", async () => {
    const made = await setOf(alice, [rule()]);
    expect(made).toMatchObject({
      language: "all",
      rule_type: "custom",
      severity_weights: { critical: 10, high: 5, medium: 2, low: 1 },
      is_default: false,
      is_system: false,
      is_active: true,
      created_by: alice.user.id,
      rules: [{ rule_set_id: made.id, severity: "medium", enabled: true, pattern: null, english: null }],
    });
    expect(await reread(alice, made)).toEqual(made);
    const params = { id: made.id };
    const json = { description: "d", severity_weights: { critical: 1 }, rules: [], is_default: true };
    const changed = await alice.ok("updateRuleSet", { params, json });
    const { description, severity_weights } = json;
    expect(changed).toEqual({ ...made, description, severity_weights, updated_at: changed.updated_at });
    await alice.ok("deleteRuleSet", { params });
    expect((await alice.call("readRuleSet", { params })).status).toBe(404);
    const left = new QueryCommand({
      TableName: environment().TABLE_NAME,
      KeyConditionExpression: "pk = :pk",
      ExpressionAttributeValues: { ":pk": keys.ruleSet(made.id).pk },
    });
    expect((await table.send(left)).Items).toEqual([]);
  });

  it("does not exist for others, whatever they try, administrators included", async () => {
    const set = await setOf(alice, [rule()]);
    const foreign = { id: set.id, rule_id: set.rules[0]?.id as string };
    const missing = { id: bob.user.id, rule_id: bob.user.id };
    const tried = [
      ["readRuleSet", {}],
      ["updateRuleSet", { json: { is_active: false } }],
      ["deleteRuleSet", {}],
      ["exportRuleSet", {}],
      ["addRule", { json: rule("C2") }],
      ["updateRule", { json: { enabled: false } }],
      ["deleteRule", {}],
      ["toggleRule", {}],
    ] as const;
    for (const [operation, sent] of tried) {
      const [a, b] = [
        await bob.call(operation, { params: foreign, ...sent }),
        await bob.call(operation, { params: missing, ...sent }),
      ];
      expect([operation, a.status, a.body.code]).toEqual([operation, 404, "rule_set_not_found"]);
      expect({ ...a.body, request_id: "" }).toEqual({ ...b.body, request_id: "" });
    }
    await expect(visibleRuleSet(bob.user.id, set.id)).rejects.toMatchObject({ code: "rule_set_not_found" });
    expect(await reread(alice, set)).toEqual(set);
  });

  it.each([
    ["no name", { name: "" }],
    ["an unknown type", { name: "x", rule_type: "agent" }],
    ["a language that is none", { name: "x", language: "../all" }],
    ["weights that are no numbers", { name: "x", severity_weights: { high: "5" } }],
    ["a rule without a code", { name: "x", rules: [rule("")] }],
    ["a rule of an unknown category", { name: "x", rules: [rule("C1", { category: "taste" })] }],
    ["a rule of an unknown severity", { name: "x", rules: [rule("C1", { severity: "info" })] }],
    ["a reference that a browser would run", { name: "x", rules: [rule("C1", { reference_url: " JaVaScript:x" })] }],
    ["a pattern over the limit", { name: "x", rules: [rule("C1", { pattern: "x".repeat(1001) })] }],
    ["too many rules", { name: "x", rules: Array.from({ length: rulesPerSetMax + 1 }, () => rule()) }],
  ])("is refused with %s, and nothing is stored", async (_, json) => {
    expect(await alice.call("createRuleSet", { json })).toMatchObject({
      status: 422,
      body: { code: "validation_failed" },
    });
    expect(await list(alice)).toMatchObject({ total: 3 });
  });

  it("is one of a number that a person can still look through", async () => {
    for (let i = 0; i < ruleSetsPerUserMax; i++) await setOf(alice, []);
    expect(await alice.call("createRuleSet", { json: { name: "one more" } })).toMatchObject({
      status: 409,
      body: { code: "rule_set_limit_reached" },
    });
  });

  it("is all there or not at all when its making is interrupted", async () => {
    const error = new AwsError("ValidationException", "trouble", 400);
    let batches = 0;
    data.gateway.planFault = (call) =>
      call.operation === "BatchWriteItem" && ++batches > 3 ? { when: "before", error } : undefined;
    const rules = Array.from({ length: 100 }, (_, i) => rule(`C${i}`));
    expect((await alice.call("createRuleSet", { json: { name: "half", rules } })).status).toBe(500);
    data.gateway.planFault = () => undefined;
    expect(batches).toBeGreaterThan(3);
    expect(await list(alice)).toMatchObject({ total: 3 });
  });
});

describe("a rule of one's own set", () => {
  it("is added, changed, moved and deleted, and the counts follow", async () => {
    const set = await setOf(alice, [rule("C1", { sort_order: 1 }), rule("C2", { sort_order: 2 })]);
    const params = { id: set.id };
    const json = rule("C0", { custom_prompt: "look", reference_url: "https://example.test/c0", pattern: "eval\\(" });
    const added = await alice.ok("addRule", { params, json });
    expect(added).toMatchObject({ ...json, rule_set_id: set.id, sort_order: 0, fix_suggestion: null });
    expect((await reread(alice, set)).rules.map(({ rule_code }) => rule_code)).toEqual(["C0", "C1", "C2"]);
    const ruleParams = { ...params, rule_id: added.id };
    const changed = await alice.ok("updateRule", { params: ruleParams, json: { sort_order: 3, custom_prompt: null } });
    expect(changed).toEqual({ ...added, sort_order: 3, custom_prompt: null, updated_at: changed.updated_at });
    const moved = await reread(alice, set);
    expect(moved.rules.map(({ rule_code }) => rule_code)).toEqual(["C1", "C2", "C0"]);
    expect(moved.rules[2]).toEqual(changed);
    expect(await alice.ok("toggleRule", { params: ruleParams })).toEqual({
      enabled: false,
      message: "The rule is off",
    });
    expect(await reread(alice, set)).toMatchObject({ rules_count: 3, enabled_rules_count: 2 });
    expect(await alice.ok("toggleRule", { params: ruleParams })).toMatchObject({ enabled: true });
    await alice.ok("deleteRule", { params: ruleParams });
    expect(await reread(alice, set)).toMatchObject({ rules_count: 2, enabled_rules_count: 2 });
    for (const operation of ["updateRule", "deleteRule", "toggleRule"])
      expect(await alice.call(operation, { params: ruleParams, json: {} })).toMatchObject({
        status: 404,
        body: { code: "rule_not_found" },
      });
  });

  it("is not found in another set", async () => {
    const [one, other] = [await setOf(alice, [rule()]), await setOf(alice, [rule()])];
    const params = { id: one.id, rule_id: other.rules[0]?.id as string };
    expect(await alice.call("deleteRule", { params })).toMatchObject({ status: 404, body: { code: "rule_not_found" } });
  });

  it("is one of as many as were added at the same moment, none lost", async () => {
    const set = await setOf(alice, []);
    const codes = Array.from({ length: 10 }, (_, i) => `C${i}`);
    const added = codes.map((code) => alice.ok("addRule", { params: { id: set.id }, json: rule(code) }));
    await Promise.all(added);
    const found = await reread(alice, set);
    expect(found.rules.map(({ rule_code }) => rule_code).toSorted()).toEqual(codes);
  });

  it("keeps the limits of its set, however many are added at the same moment", async () => {
    const long = { description: "x".repeat(2000), custom_prompt: "y".repeat(4000), fix_suggestion: "z".repeat(4000) };
    const count = Math.floor(charactersPerSetMax / 10_100) - 1;
    const set = await setOf(
      alice,
      Array.from({ length: count }, (_, i) => rule(`C${i}`, long)),
    );
    const params = { id: set.id };
    const answers = await Promise.all(
      Array.from({ length: 5 }, (_, i) => alice.call("addRule", { params, json: rule(`D${i}`, long) })),
    );
    const refused = answers.filter(({ status }) => status !== 200);
    for (const { status, body } of refused) expect([status, body.code]).toEqual([422, "rule_set_too_large"]);
    const { rules } = await visibleRuleSet(alice.user.id, set.id);
    expect(rules).toHaveLength(count + answers.length - refused.length);
    const texts = rules.flatMap((one) => [
      one.ruleCode,
      one.name,
      one.description,
      one.customPrompt,
      one.fixSuggestion,
    ]);
    expect(texts.join("").length).toBeLessThanOrEqual(charactersPerSetMax);
    expect(refused.length).toBeGreaterThan(0);
  });

  it("keeps the patterns of its set short enough to be compiled by every function of a scan", async () => {
    // Among the worst there are: folding the case of a wide range looks at every character in it.
    const pattern = `(?i)${"[a-\uffdc]".repeat(198)}`;
    const count = Math.floor(patternCharactersPerSetMax / pattern.length);
    const rules = Array.from({ length: count + 1 }, (_, i) => rule(`C${i}`, { pattern }));
    const refusal = { status: 422, body: { code: "rule_pattern_total_too_long" } };
    expect(await alice.call("createRuleSet", { json: { name: "slow", rules } })).toMatchObject(refusal);
    const set = await setOf(alice, [
      ...rules.slice(0, 1),
      rule("X", { pattern: "x".repeat(900) }),
      ...Array.from({ length: 9 }, (_, i) => rule(`Y${i}`, { pattern: "y".repeat(900) })),
    ]);
    const params = { id: set.id, rule_id: set.rules[0]?.id as string };
    expect(await alice.call("addRule", { params, json: rule("Z", { pattern: "z".repeat(900) }) })).toMatchObject(
      refusal,
    );
    expect((await alice.call("updateRule", { params, json: { pattern: null } })).status).toBe(200);
    expect((await alice.call("addRule", { params, json: rule("Z", { pattern: "z".repeat(900) }) })).status).toBe(200);
  });

  it("is one of 500", async () => {
    const set = await setOf(
      alice,
      Array.from({ length: rulesPerSetMax }, (_, i) => rule(`C${i}`)),
    );
    expect(set.rules_count).toBe(rulesPerSetMax);
    expect(set.rules.map(({ rule_code }) => rule_code)).toEqual(
      (await reread(alice, set)).rules.map((r) => r.rule_code),
    );
    expect(await alice.call("addRule", { params: { id: set.id }, json: rule("X") })).toMatchObject({
      status: 409,
      body: { code: "rule_limit_reached", detail: expect.stringContaining("500") },
    });
  });
});

describe("a rule set of the system", () => {
  it("and its rules are switched for one user alone", async () => {
    const set = await shipped("OWASP Top 10");
    const params = { id: set.id, rule_id: set.rules[0]?.id as string };
    expect(await alice.ok("toggleRule", { params })).toMatchObject({ enabled: false });
    await alice.ok("updateRuleSet", { params, json: { is_active: false, name: "mine" } });
    const mine = { name: "OWASP Top 10", is_active: false, enabled_rules_count: 9, rules_count: 10 };
    expect(await reread(alice, set)).toMatchObject(mine);
    expect((await list(alice)).items[0]).toMatchObject(mine);
    expect(await list(alice, { is_active: "true" })).toMatchObject({ total: 2 });
    for (const found of [await reread(bob, set), (await list(bob)).items[0]]) expect(found).toEqual(set);
    expect(await visibleRuleSet(alice.user.id, set.id)).toMatchObject({ isActive: false });
    expect(await alice.ok("toggleRule", { params })).toMatchObject({ enabled: true });
    expect(await reread(alice, set)).toMatchObject({ enabled_rules_count: 10 });
  });

  it("can be changed in no other way, by administrators neither", async () => {
    const set = await shipped("OWASP Top 10");
    const params = { id: set.id, rule_id: set.rules[0]?.id as string };
    for (const answer of [
      await bob.call("updateRuleSet", { params, json: { name: "x" } }),
      await bob.call("deleteRuleSet", { params }),
      await bob.call("addRule", { params, json: rule() }),
      await bob.call("updateRule", { params, json: { enabled: false } }),
      await bob.call("deleteRule", { params }),
    ])
      expect(answer).toMatchObject({ status: 403, body: { code: "system_record_fixed" } });
    expect(await reread(bob, set)).toEqual(set);
  });
});

describe("what a model is told", () => {
  it("are the rules that are on, in its language where there are two", async () => {
    const { id, rules } = await shipped("OWASP Top 10");
    await alice.ok("toggleRule", { params: { id, rule_id: rules[0]?.id as string } });
    const set = await visibleRuleSet(alice.user.id, id);
    const [zh, en] = [reviewRules(set, "zh"), reviewRules(set, "en")];
    expect(zh.map(({ code }) => code)).toEqual(["A02", "A03", "A04", "A05", "A06", "A07", "A08", "A09", "A10"]);
    expect([zh[0]?.name, en[0]?.name]).toEqual(["加密机制失效", "Cryptographic failures"]);
    const own = await setOf(alice, [rule("C1", { custom_prompt: "请检查" })]);
    expect(reviewRules(await visibleRuleSet(alice.user.id, own.id), "en")).toEqual([
      {
        code: "C1",
        name: "rule C1",
        description: null,
        category: "security",
        severity: "medium",
        customPrompt: "请检查",
        fixSuggestion: null,
      },
    ]);
  });
});

describe("what the engine searches for", () => {
  const opened = openEngine();
  it("are the patterns of the rules that are on, in the language of the set", async () => {
    const engine = await opened;
    const rules = [
      rule("C1", { pattern: "\\beval\\(", severity: "high" }),
      rule("C2", { pattern: "exec", enabled: false }),
      rule("C3", { pattern: "" }),
      rule("C4"),
    ];
    const { id } = await setOf(alice, rules, { language: "python" });
    const found = userPatterns(await visibleRuleSet(alice.user.id, id));
    expect(found).toMatchObject([{ code: "C1", severity: "high", language: "python", pattern: "\\beval\\(" }]);
    const bytes = new TextEncoder().encode("a = eval(x)\nb = exec(y)\n");
    const ids = async (path: string) => {
      const { candidates } = await engine.analyse({ path, bytes }, { patterns: found });
      return candidates.map(({ ruleId, startLine }) => `${ruleId}:${startLine}`).filter((id) => id.startsWith("user."));
    };
    expect([await ids("a.py"), await ids("a.js")]).toEqual([["user.c1:1"], []]);
  });
});

describe("an answer too large to be kept", () => {
  it("is not given twice, and what it answered is not done twice", async () => {
    const text = "长".repeat(350);
    const json = {
      name: "big",
      rules: Array.from({ length: rulesPerSetMax }, (_, i) => rule(`C${i}`, { description: text })),
    };
    const sent = { json, headers: { "Idempotency-Key": "one-import", "Accept-Language": "en" } };
    expect((await alice.call("importRuleSet", sent)).status).toBe(200);
    expect(await alice.call("importRuleSet", sent)).toMatchObject({
      status: 409,
      body: { code: "idempotency_answer_not_kept" },
    });
    expect(await list(alice, { rule_type: "custom" })).toMatchObject({ total: 1 });
  });
});
