import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import type { Rule } from "../../functions/engine/catalogue/schema.ts";
import type { Engine } from "../../functions/engine/engine.ts";
import type { Finding } from "../../functions/engine/finding.ts";
import { languageOf } from "../../functions/engine/inventory/language.ts";
import { readCatalogue } from "../../lib/bundle/engine-assets.ts";
import { findingsOf, openEngine } from "./engine-under-test.ts";

const rulesFolder = join(import.meta.dirname, "../../functions/engine/rules");
const { rules } = await readCatalogue();

interface Marks {
  ruleid: number[];
  ok: number[];
}

/** A mark speaks about the line after it. */
function marksOf(source: string, ruleId: string): Marks {
  const marks: Marks = { ruleid: [], ok: [] };
  for (const [i, line] of source.split("\n").entries()) {
    const found = line.match(/\b(ruleid|ok): ([\w.-]+)/);
    if (found?.[2] === ruleId) marks[found[1] as keyof Marks].push(i + 2);
  }
  return marks;
}

function fixturesOf(rule: Rule): { name: string; source: string; marks: Marks }[] {
  const folder = join(rulesFolder, ...rule.id.split("."), "fixtures");
  return readdirSync(folder)
    .sort()
    .map((name) => {
      const source = readFileSync(join(folder, name), "utf8");
      return { name, source, marks: marksOf(source, rule.id) };
    });
}

/** The words of a line that can name what is called or assigned. */
const words = (line: string) => new Set(line.match(/[A-Za-z_]{3,}/g) ?? []);

describe.each(rules.map((rule) => [rule.id, rule] as const))("rule %s", (_, rule) => {
  const fixtures = fixturesOf(rule);
  const lineOf = (fixture: (typeof fixtures)[number], line: number) => fixture.source.split("\n")[line - 1] ?? "";
  let engine: Engine;
  const found = new Map<string, Finding[]>();
  beforeAll(async () => {
    engine = await openEngine();
    for (const { name, source } of fixtures) found.set(name, await findingsOf(engine, name, source));
  });

  it.each(fixtures.map((fixture) => [fixture.name, fixture] as const))(
    "finds exactly the marked lines of %s",
    (name, fixture) => {
      const lines = (found.get(name) ?? [])
        .filter((finding) => finding.ruleId === rule.id)
        .map((finding) => finding.startLine);
      expect([...new Set(lines)]).toEqual(fixture.marks.ruleid);
    },
  );

  it.each(fixtures.map((fixture) => [fixture.name, fixture] as const))(
    "leaves the ok lines of %s to no other rule",
    (name, fixture) => {
      const others = (found.get(name) ?? []).filter((finding) => fixture.marks.ok.includes(finding.startLine));
      expect(others.map((finding) => `${finding.ruleId} ${finding.startLine}`)).toEqual([]);
    },
  );

  it("is shown by two lines to find and two to leave, one of which reaches the same sink", () => {
    const positives = fixtures.flatMap((fixture) => fixture.marks.ruleid.map((line) => lineOf(fixture, line)));
    const negatives = fixtures.flatMap((fixture) => fixture.marks.ok.map((line) => lineOf(fixture, line)));
    expect(positives.length).toBeGreaterThanOrEqual(2);
    expect(negatives.length).toBeGreaterThanOrEqual(2);
    const sinks = [...found.values()].flat().filter((finding) => finding.ruleId === rule.id);
    const names = new Set(sinks.flatMap((finding) => [...words(finding.snippet.split("\n", 1)[0] ?? "")]));
    expect(negatives.some((line) => [...words(line)].some((word) => names.has(word)))).toBe(true);
  });

  it("has a fixture for every language it claims", () => {
    const shown = new Set(
      fixtures.filter((fixture) => fixture.marks.ruleid.length > 0).map((fixture) => languageOf(fixture.name).name),
    );
    expect(rule.languages.filter((language) => !shown.has(language))).toEqual([]);
  });

  it("fills its texts in both languages", () => {
    for (const finding of [...found.values()].flat()) {
      for (const text of [finding.title, finding.message, finding.fix]) {
        expect(text.zh + text.en).not.toMatch(/\{\w+\}/);
        expect(text.zh).toMatch(/[\u4e00-\u9fff]/);
      }
    }
  });

  it("cuts every snippet out of the source", () => {
    for (const { name, source } of fixtures) {
      for (const finding of found.get(name) ?? []) {
        if (finding.family === "hardcoded_secret") continue;
        expect(source).toContain(finding.snippet);
        expect(finding.snippet.split("\n")[0]).toBe(source.split("\n")[finding.startLine - 1]);
      }
    }
  });
});
