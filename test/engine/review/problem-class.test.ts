import { describe, expect, it } from "vitest";
import { vulnerabilityTypes } from "../../../functions/engine/finding.ts";
import { classOf, problemClasses } from "../../../functions/engine/review/problem-class.ts";
import { catalogueData } from "../engine-under-test.ts";

const { families, rules } = await catalogueData();

describe("the classes that a model can report", () => {
  it("say of a family what the rules' catalogue says", () => {
    const shared = problemClasses.filter(({ family }) => families[family]);
    expect(shared.length).toBeGreaterThan(15);
    for (const { family, type, owasp2021, owasp2025 } of shared)
      expect({ family, type, owasp2021, owasp2025 }).toEqual({
        family,
        type: families[family]?.type,
        owasp2021: families[family]?.owasp2021,
        owasp2025: families[family]?.owasp2025,
      });
  });

  it("have a CWE for every rule that leads to the rule's family, so that both find one thing", () => {
    const familyOf = (cwe: number) => classOf({ type: "security", vulnerability_type: "other", cwe }, null).family;
    const strangers = rules.filter((rule) => !rule.code && !rule.cwe.some((cwe) => familyOf(cwe) === rule.family));
    expect(strangers.map((rule) => rule.id)).toEqual([]);
  });

  it("know the family of every rule on quality by its code, so that both find one thing", () => {
    const reported = { vulnerability_type: "other", cwe: null } as const;
    const asked = { name: "", description: null, severity: "low", customPrompt: null, fixSuggestion: null } as const;
    for (const { code, family, issueType: type } of rules)
      if (code) expect(classOf({ ...reported, type }, { ...asked, code, category: type }).family).toBe(family);
  });

  it("cover every vulnerability type, each CWE once", () => {
    const types = new Set(problemClasses.map((entry) => entry.type));
    expect(vulnerabilityTypes.filter((type) => !types.has(type))).toEqual([]);
    const cwes = problemClasses.flatMap((entry) => entry.cwe);
    expect(cwes.filter((cwe, i) => cwes.indexOf(cwe) !== i)).toEqual([]);
  });

  it.each([
    [
      "the CWE where it belongs to the type",
      { type: "security", vulnerability_type: "weak_crypto", cwe: 328 },
      "weak_hash",
    ],
    ["the type where the CWE belongs to another", { type: "security", vulnerability_type: "xss", cwe: 89 }, "xss"],
    ["the CWE alone where the type says nothing", { type: "security", vulnerability_type: "other", cwe: 352 }, "csrf"],
    ["the main class of a type", { type: "security", vulnerability_type: "weak_crypto", cwe: null }, "weak_cipher"],
    [
      "the issue type where nothing is known",
      { type: "security", vulnerability_type: "other", cwe: 99_999 },
      "security",
    ],
    [
      "the issue type of what is no weakness",
      { type: "performance", vulnerability_type: "other", cwe: 400 },
      "performance",
    ],
  ] as const)("go by %s", (_, issue, family) => {
    expect(classOf(issue, null).family).toBe(family);
  });
});
