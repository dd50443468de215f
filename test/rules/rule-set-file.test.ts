import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createTemplatesAndRuleSets } from "../../functions/database/migrations/004-create-templates-and-rule-sets.ts";
import { type EmbeddedData, startEmbeddedData } from "../support/embedded-data.ts";
import { type Person, person } from "../support/person.ts";

let data: EmbeddedData;
let alice: Person;
let bob: Person;

beforeAll(async () => {
  data = await startEmbeddedData();
  await createTemplatesAndRuleSets.run({ now: () => new Date(), keepClaim: async () => {} });
  [alice, bob] = [await person(), await person()];
});
afterAll(() => data.stop());

const exported = (who: Person, id: string) => who.call("exportRuleSet", { params: { id } });

/** Any text of whole characters, shorter than `max` also in UTF-16. */
const text = (max: number) => fc.string({ unit: "binary", maxLength: Math.floor(max / 2) });
const name = (max: number) =>
  text(max).filter((one) => {
    const { length } = one.trim();
    return length > 0;
  });
const optional = (max: number) => fc.option(text(max));

const rule = fc.record({
  rule_code: name(50),
  name: name(200),
  description: optional(200),
  category: fc.constantFrom("security", "bug", "performance", "style", "maintainability"),
  severity: fc.constantFrom("critical", "high", "medium", "low"),
  custom_prompt: optional(200),
  fix_suggestion: optional(200),
  reference_url: fc.option(fc.webUrl({ size: "small" })),
  pattern: fc.constantFrom(null, "\\beval\\(", "(?i)密码\\s*=", "\\p{Han}{2,8}", '["\\\\]'),
  enabled: fc.boolean(),
  sort_order: fc.nat(3),
});
const set = fc.record({
  name: name(100),
  description: optional(200),
  language: fc.constantFrom("all", "python", "c++", "objective-c"),
  rule_type: fc.constantFrom("security", "quality", "performance", "custom"),
  severity_weights: fc.dictionary(fc.constantFrom("critical", "high", "medium", "low", "高"), fc.nat(1000)),
  rules: fc.array(rule, { maxLength: 8 }),
});

describe("the file of a rule set", () => {
  it("makes an equal set, for whoever imports it", async () => {
    await fc.assert(
      fc.asyncProperty(set, async (json) => {
        const made = await alice.ok("createRuleSet", { json });
        const { body: file } = await exported(alice, made.id);
        const imported = await bob.ok("importRuleSet", { json: file });
        expect(imported).toMatchObject({ created_by: bob.user.id, is_default: false, is_system: false });
        expect(imported.id).not.toBe(made.id);
        expect((await exported(bob, imported.id)).body).toEqual(file);
        for (const [who, { id }] of [[alice, made] as const, [bob, imported] as const])
          await who.ok("deleteRuleSet", { params: { id } });
      }),
      { numRuns: 40 },
    );
  });

  it("has exactly the documented fields, no ids and no owner", async () => {
    const { items } = await alice.ok("listRuleSets");
    const { body } = await exported(alice, items[0].id);
    const fields = ["name", "description", "language", "rule_type", "severity_weights", "rules", "export_version"];
    expect(Object.keys(body).toSorted()).toEqual(fields.toSorted());
    expect(body.export_version).toBe("1.0");
    expect(Object.keys(body.rules[0]).toSorted()).toEqual(
      [
        ...["rule_code", "name", "description", "category", "severity", "custom_prompt", "fix_suggestion"],
        ...["reference_url", "pattern", "enabled", "sort_order"],
      ].toSorted(),
    );
  });

  it("of the system has the caller's own switches and becomes a set that can be changed", async () => {
    const { items } = await alice.ok("listRuleSets");
    const [owasp] = items;
    await alice.ok("toggleRule", { params: { id: owasp.id, rule_id: owasp.rules[2].id } });
    const { body: file } = await exported(alice, owasp.id);
    expect(file.rules.map(({ enabled }: { enabled: boolean }) => enabled).indexOf(false)).toBe(2);
    const copy = await alice.ok("importRuleSet", { json: file });
    const params = { id: copy.id, rule_id: copy.rules[2].id };
    expect(await alice.ok("updateRule", { params, json: { enabled: true } })).toMatchObject({ enabled: true });
    expect((await exported(bob, owasp.id)).body.rules[2].enabled).toBe(true);
  });

  it("is saved under the name of the set, in any script, by a header that nothing can break out of", async () => {
    for (const [given, expected] of [
      [
        "代码规则",
        /^attachment; filename="rule-set\.json"; filename\*=UTF-8''%E4%BB%A3%E7%A0%81%E8%A7%84%E5%88%99\.json$/,
      ],
      ['a"\r\nSet-Cookie: x=1/../b', /^attachment; filename="[^"\r\n/]+\.json"; filename\*=UTF-8''[\w%.~-]+\.json$/],
    ] as const) {
      const { id } = await alice.ok("createRuleSet", { json: { name: given } });
      const { headers } = await exported(alice, id);
      expect(headers["Content-Disposition"]).toMatch(expected);
    }
  });

  it.each([
    ["is no object", []],
    ["has no rules", { name: "x" }],
    ["has a rule without a name", { name: "x", rules: [{ rule_code: "C1", category: "bug" }] }],
  ])("is refused when it %s", async (_, json) => {
    expect(await alice.call("importRuleSet", { json })).toMatchObject({
      status: 422,
      body: { code: "validation_failed" },
    });
  });

  it("is refused as a whole, with the rule and the reason, when one pattern does not compile", async () => {
    const good = { rule_code: "C1", name: "n", category: "bug", pattern: "x" };
    const before = await alice.ok("listRuleSets");
    const json = { name: "x", rules: [good, { ...good, rule_code: "C2", pattern: "(?<=a)b" }] };
    expect(await alice.call("importRuleSet", { json })).toMatchObject({
      status: 422,
      body: { code: "rule_pattern_invalid", detail: expect.stringMatching(/C2.*look-around/) },
    });
    expect((await alice.ok("listRuleSets")).total).toBe(before.total);
  });
});

describe("rule files in Semgrep's YAML", () => {
  const text = `rules:
  - id: team.no-eval
    message: No eval. It runs anything.
    severity: ERROR
    languages: [js]
    metadata: {category: security, references: ["https://example.com/eval"]}
    pattern: eval($X)

  - id: team.unusable
    message: m
    severity: INFO
    languages: [js]
    pattern: a
    pattern-where-python: "True"
`;

  it("become a set in which every rule has its own text, and what cannot be used says why", async () => {
    const json = { name: "team", rule_files: [{ name: "team.yaml", text }] };
    const set = await alice.ok("importRuleSet", { json });
    const read = await alice.ok("readRuleSet", { params: { id: set.id } });
    expect(read.rules).toMatchObject([
      {
        rule_code: "team.no-eval",
        description: "No eval. It runs anything.",
        category: "security",
        severity: "high",
        reference_url: "https://example.com/eval",
        pattern: expect.stringMatching(/^rules:\n {2}- id: team\.no-eval\n[\s\S]*eval\(\$X\)\n$/),
        refusal: null,
      },
      {
        rule_code: "team.unusable",
        refusal: "team.yaml, line 14, pattern-where-python: the key pattern-where-python is not supported",
      },
    ]);
  });

  it("survive export and import", async () => {
    const { id } = await alice.ok("importRuleSet", {
      json: { name: "team", rule_files: [{ name: "team.yaml", text }] },
    });
    const file = (await exported(alice, id)).body;
    const again = await bob.ok("importRuleSet", { json: file });
    expect(again.rules.map(({ pattern }: { pattern: string }) => pattern)).toEqual(
      file.rules.map(({ pattern }: { pattern: string }) => pattern),
    );
    expect(again.rules.map(({ refusal }: { refusal: string | null }) => refusal)).toEqual([
      null,
      "line 7, pattern-where-python: the key pattern-where-python is not supported",
    ]);
  });

  it("can be changed rule by rule, and the refusal with them", async () => {
    const set = await alice.ok("importRuleSet", { json: { name: "team", rule_files: [{ name: "team.yaml", text }] } });
    const [good] = set.rules;
    const changed = await alice.ok("updateRule", {
      params: { id: set.id, rule_id: good.id },
      json: { pattern: good.pattern.replace("eval($X)", "eval($X)\n    mode: join") },
    });
    expect(changed.refusal).toMatch(/^line 8, mode: /);
  });
});
