import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import type { Rule } from "../../functions/engine/catalogue/rule-schema.ts";
import type { Engine } from "../../functions/engine/engine.ts";
import type { Finding } from "../../functions/engine/finding.ts";
import { languageOf } from "../../functions/engine/inventory/language.ts";
import { catalogueData, findingsOfAll, openEngine } from "./engine-under-test.ts";

const rulesFolder = join(import.meta.dirname, "../../functions/engine/rules");
const { rules } = await catalogueData();
const qualityCodes = rules.flatMap(({ code }) => code ?? []);

let engine: Engine;
beforeAll(async () => {
  engine = await openEngine();
});

/** A line of a fixture, "path:line". */
type Line = string;

interface Fixture {
  name: string;
  files: { path: string; source: string }[];
  ruleid: Line[];
  ok: Line[];
}

/** A mark speaks about the line after it. */
function marked(files: Fixture["files"], mark: "ruleid" | "ok", ruleId: string): Line[] {
  return files.flatMap(({ path, source }) =>
    source.split("\n").flatMap((line, i) => {
      const found = line.match(/\b(ruleid|ok): ([\w.-]+)/);
      return found?.[1] === mark && found[2] === ruleId ? [`${path}:${i + 2}`] : [];
    }),
  );
}

/** A fixture is a file, or a folder whose files are linked together: an application. */
function fixturesOf(rule: Rule): Fixture[] {
  const folder = join(rulesFolder, ...rule.id.split("."), "fixtures");
  return readdirSync(folder, { withFileTypes: true })
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .map(({ name }) => {
      const inside = join(folder, name);
      const paths = statSync(inside).isDirectory()
        ? readdirSync(inside, { recursive: true, encoding: "utf8" })
            .filter((path) => statSync(join(inside, path)).isFile())
            .map((path) => `${name}/${path}`)
            .sort()
        : [name];
      const files = paths.map((path) => ({ path, source: readFileSync(join(folder, path), "utf8") }));
      return { name, files, ruleid: marked(files, "ruleid", rule.id), ok: marked(files, "ok", rule.id) };
    });
}

/** The words of a line that can name what is called or assigned. */
const words = (line: string) => new Set(line.match(/[A-Za-z_]{3,}/g) ?? []);

describe.each(rules.map((rule) => [rule.id, rule] as const))("rule %s", (_, rule) => {
  const fixtures = fixturesOf(rule);
  const sourceOf = (path: string) =>
    fixtures.flatMap(({ files }) => files).find((file) => file.path === path)?.source ?? "";
  const textOf = (line: Line) => {
    const [path, number] = line.split(":") as [string, string];
    return sourceOf(path).split("\n")[Number(number) - 1] ?? "";
  };
  const lineOf = (finding: Finding): Line => `${finding.path}:${finding.startLine}`;
  const found = new Map<string, Finding[]>();
  beforeAll(async () => {
    // Rules on quality look at all code, that of the other fixtures too; they are on where one of them is tried.
    const codes = rule.code === undefined ? [] : qualityCodes;
    for (const { name, files } of fixtures) found.set(name, await findingsOfAll(engine, files, { codes }));
  });

  it.each(fixtures.map((fixture) => [fixture.name, fixture] as const))(
    "finds exactly the marked lines of %s",
    (name, fixture) => {
      const lines = (found.get(name) ?? []).filter((finding) => finding.ruleId === rule.id).map(lineOf);
      expect([...new Set(lines)]).toEqual(fixture.ruleid);
    },
  );

  it.each(fixtures.map((fixture) => [fixture.name, fixture] as const))(
    "leaves the ok lines of %s to no other rule",
    (name, fixture) => {
      const others = (found.get(name) ?? []).filter((finding) => fixture.ok.includes(lineOf(finding)));
      expect(others.map((finding) => `${finding.ruleId} ${lineOf(finding)}`)).toEqual([]);
    },
  );

  it("is shown by two lines to find and two to leave, one of which reaches the same sink", () => {
    const positives = fixtures.flatMap(({ ruleid }) => ruleid.map(textOf));
    const negatives = fixtures.flatMap(({ ok }) => ok.map(textOf));
    expect(positives.length).toBeGreaterThanOrEqual(2);
    expect(negatives.length).toBeGreaterThanOrEqual(2);
    const sinks = [...found.values()].flat().filter((finding) => finding.ruleId === rule.id);
    const names = new Set(sinks.flatMap((finding) => [...words(finding.snippet.split("\n", 1)[0] ?? "")]));
    expect(negatives.some((line) => [...words(line)].some((word) => names.has(word)))).toBe(true);
  });

  it("has a fixture for every language it claims", () => {
    const shown = new Set(
      fixtures.flatMap(({ ruleid }) => ruleid.map((line) => languageOf(line.split(":")[0] as string).name)),
    );
    expect(rule.languages.filter((language) => !shown.has(language))).toEqual([]);
  });

  it("fills its texts in both languages", () => {
    // Code that is shown may have braces of its own, so the texts are asked before they are filled.
    for (const { zh, en } of [rule.title, rule.message, rule.fix])
      for (const slot of (zh + en).match(/\{\w+\}/g) ?? []) expect(["{source}", "{sink}", "{origin}"]).toContain(slot);
    for (const finding of [...found.values()].flat()) {
      for (const text of [finding.title, finding.message, finding.fix]) {
        expect(text.zh + text.en).not.toMatch(/\{(source|sink|origin)\}/);
        // Of a value whose origin nobody knows.
        expect(text.zh + text.en).not.toMatch(/comes from( {2}|,| ,)|来自(的|，)/);
        expect(text.zh).toMatch(/[\u4e00-\u9fff]/);
      }
    }
  });

  it("cuts every snippet out of the source", () => {
    for (const finding of [...found.values()].flat()) {
      if (finding.type === "hardcoded_secret") continue;
      expect(sourceOf(finding.path)).toContain(finding.snippet);
      expect(finding.snippet.split("\n")[0]).toBe(textOf(lineOf(finding)));
    }
  });
});
