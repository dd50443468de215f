import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import type { SecretProvider } from "../../functions/engine/catalogue/rule-schema.ts";
import type { Engine } from "../../functions/engine/engine.ts";
import { KeywordSearch } from "../../functions/engine/secrets/keyword-search.ts";
import { analyseOne, openEngine } from "./engine-under-test.ts";
import { sampleOf, seeded } from "./sample-of.ts";

const folder = join(import.meta.dirname, "../../functions/engine/rules/hardcoded-secret/provider-token");
const providers = parse(readFileSync(join(folder, "providers.yaml"), "utf8")) as SecretProvider[];
const seed = 20_261_121;
const samplesEach = 10;

let engine: Engine;
beforeAll(async () => {
  engine = await openEngine();
});

/** A text in which the token stands as people write it. */
const written = ({ token, keywords, leads }: SecretProvider, value: string, name: string): string =>
  `${token === undefined ? `${name}_key` : leads ? "key" : keywords[0]} = "${value}"\n`;

describe(`tokens of services, seed ${seed}`, () => {
  it("are found by their form, 98 of 100", async () => {
    const random = seeded(seed);
    const missed: string[] = [];
    let all = 0;
    for (const provider of providers) {
      for (let i = 0; i < samplesEach; i++) {
        const value = sampleOf(provider.token ?? provider.value ?? "", random);
        const name = provider.named === undefined ? "" : sampleOf(provider.named, random);
        const { candidates } = await analyseOne(engine, "settings.txt", written(provider, value, name));
        all++;
        if (candidates.length === 0) missed.push(`${provider.id}: ${value}`);
      }
    }
    expect(missed.length / all, missed.join("\n")).toBeLessThanOrEqual(0.02);
  });

  it("are not looked for where the form is broken", async () => {
    const random = seeded(seed);
    for (const provider of providers.filter(({ token }) => token !== undefined)) {
      const value = sampleOf(provider.token ?? "", random);
      const cut = value.slice(0, 8);
      const { candidates } = await analyseOne(engine, "settings.txt", `value ${cut}\n`);
      expect(candidates, `${provider.id}: ${cut}`).toEqual([]);
    }
  });
});

it("finds the keywords that plain search finds, in one pass", () => {
  const words = ["he", "she", "his", "hers", "s", "k_live_"];
  const text = "ushers HIS she\u00e9he sK_LIVE_x hishershe";
  const found: [string, number][] = [];
  new KeywordSearch(words).search(text, (word, end) => found.push([words[word] as string, end]));
  const expected = words.flatMap((word) => {
    const ends: [string, number][] = [];
    for (let at = 0; at < text.length; at++)
      if (text.slice(at).toLowerCase().startsWith(word)) ends.push([word, at + word.length]);
    return ends;
  });
  const sorted = (pairs: [string, number][]) => pairs.map((pair) => pair.join("@")).sort();
  expect(sorted(found)).toEqual(sorted(expected));
});
