import { describe, expect, it } from "vitest";
import { Catalogue } from "../../functions/engine/catalogue/catalogue.ts";
import { compileCatalogue } from "../../functions/engine/catalogue/compile.ts";
import { ModelFiles, modelsFile } from "../../functions/engine/catalogue/model-files.ts";
import { Model } from "../../functions/engine/catalogue/model-schema.ts";
import { expandBraces, PathIndex } from "../../functions/engine/catalogue/paths.ts";
import { Rule } from "../../functions/engine/catalogue/rule-schema.ts";
import { isCatastrophic } from "../../functions/engine/interpret/texts/catastrophic.ts";
import { nameTester } from "../../functions/engine/web/name-tester.ts";
import { readCatalogue } from "../../lib/bundle/engine-assets.ts";

describe("a path pattern", () => {
  it.each([
    ["a.b", ["a.b"]],
    ["a.{b,c}", ["a.b", "a.c"]],
    ["{a,b}.c{,d}", ["a.c", "a.cd", "b.c", "b.cd"]],
    ["{a,b.{c,d}}.e", ["a.e", "b.c.e", "b.d.e"]],
    ["a{b", ["a{b"]],
  ])("%s expands to all it stands for", (pattern, expected) => {
    expect(expandBraces(pattern)).toEqual(expected);
  });

  it.each([
    ["a.b", "a.b", true],
    ["a.b", "x.a.b", false],
    ["*.b", "a.b", true],
    ["*.b", "a().c.b", true],
    ["*.b", "b", false],
    ["a.*.c", "a.b.c", true],
    ["a.*.c", "a.b.b.c", false],
  ])("%s asked about %s answers %s", (pattern, path, expected) => {
    const index = new PathIndex<true>();
    index.add(pattern, true);
    expect(index.find(path).length > 0).toBe(expected);
  });
});

it("knows the same of a name whatever was asked before, and of every name of its models", async () => {
  const { head, languages } = compileCatalogue(await readCatalogue());
  const told = (answer: unknown) => JSON.stringify(answer, (key, value) => (key === "rule" ? value.id : value));
  const read = async (file: string) => {
    const models = [...languages].find(([language]) => file === modelsFile(language))?.[1];
    return new TextEncoder().encode(JSON.stringify(models));
  };
  for (const [language, { models, index }] of languages) {
    const catalogues = [new Catalogue(head, new ModelFiles(read)), new Catalogue(head, new ModelFiles(read))];
    const imports = new Set(models.flatMap(({ detect }) => detect?.imports ?? []));
    const paths = models.flatMap((model) => model.sources.flatMap(({ call }) => expandBraces(call ?? model.framework)));
    const asked = [...new Set([...paths, ...Object.keys(index)])];
    const [there, back] = await Promise.all(
      catalogues.map(async (catalogue, i) => {
        await catalogue.load(language);
        const { calls, reads, known } = catalogue.knowledge(language, imports);
        const answers = (i === 0 ? asked : asked.toReversed()).map(
          (path) => [path, told([calls.find(path), reads.find(path), known.has(path)])] as const,
        );
        return new Map(answers);
      }),
    );
    expect(asked.length, language).toBeGreaterThan(50);
    for (const [path, answer] of there ?? []) expect(back?.get(path), path).toBe(answer);
  }
});

it("is the same document whenever it is compiled", async () => {
  expect(JSON.stringify(await readCatalogue())).toBe(JSON.stringify(await readCatalogue()));
});

it("refuses keys it does not know, naming them", () => {
  expect(Model.safeParse({ language: "python", framework: "x", sink: [] }).error?.message).toContain("sink");
  expect(Rule.safeParse({ id: "Not A Slug" }).success).toBe(false);
});

it("names no benchmark's files, packages or classes", async () => {
  // Rules that know their exam measure nothing. Java's own library has a package of helpers, too.
  expect(JSON.stringify(await readCatalogue())).not.toMatch(
    /BenchmarkTest|owasp\.benchmark|(?<!org\.xml\.sax\.)helpers\.|testcode/i,
  );
});

it("matches no name by an expression that goes back without end", async () => {
  const { models } = await readCatalogue();
  const named = models.flatMap((m) =>
    [m.routes, m.mounts, m.fronts, m.controls, m.effects, m.records, m.owners, m.inputs, m.accesses].flat(),
  );
  const sources = named.flatMap(({ matches, notMatches }) => [
    matches,
    ...(notMatches === undefined ? [] : [notMatches]),
  ]);
  expect(sources.length).toBeGreaterThan(100);
  for (const source of sources) expect(nameTester(source)("check_".repeat(50)), source).toBeTypeOf("boolean");
  expect(sources.filter(isCatastrophic)).toEqual([]);
});

it("folds case in the whole of an expression of names, or refuses it", () => {
  expect(nameTester("(?i)csrf|same_?site")("cookie.sameSite")).toBe(true);
  expect(nameTester("(?i)csrf|(?i)same_?site")("cookie.sameSite")).toBe(true);
  expect(nameTester("Csrf$")("myCSRF")).toBe(false);
  expect(() => nameTester("Realm$|(?i)filter")).toThrow("folds case");
});
