import { describe, expect, it } from "vitest";
import { expandBraces, PathIndex } from "../../functions/engine/catalogue/paths.ts";
import { Model, Rule } from "../../functions/engine/catalogue/schema.ts";
import { isCatastrophic } from "../../functions/engine/interpret/catastrophic.ts";
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
