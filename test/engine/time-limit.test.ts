import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { isRepeatable } from "../../functions/engine/artefact.ts";
import type { Engine } from "../../functions/engine/engine.ts";
import { analyseOne, openEngine } from "./engine-under-test.ts";

/** How often the clock may be asked before the time is up. */
let asksLeft = Number.POSITIVE_INFINITY;
let engine: Engine;
beforeAll(async () => {
  engine = await openEngine(() => (asksLeft-- > 0 ? 0 : 1e9));
});

const analyseWithin = (asks: number, path: string, source: string | Uint8Array) => {
  asksLeft = asks;
  return analyseOne(engine, path, source);
};

const rulesFolder = join(import.meta.dirname, "../../functions/engine/rules");
const fixtures = readdirSync(rulesFolder, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile() && entry.parentPath.endsWith("fixtures"))
  .map((entry) => ({ name: entry.name, bytes: readFileSync(join(entry.parentPath, entry.name)) }))
  .sort((a, b) => (a.name < b.name ? -1 : 1));

const functions = Array.from({ length: 120 }, (_, i) => `function f${i}(a) { return [a, ${i}].map((b) => b + a); }`);
const code = `eval(location.hash);\n${functions.join("\n")}\n`;
const page = `<a href="x">\n${"{{ items | join(', ') }}\n".repeat(500)}`;
const workflow = `on: push\njobs:\n${Array.from({ length: 80 }, (_, i) => `  a${i}:\n    runs-on: x\n    steps:\n      - run: make\n`).join("")}`;

describe("a file whose time is up", () => {
  it.each([
    ["code", "a.js", code],
    ["a page with scripts", "a.html", `<script>\n${code}</script>\n${page}`],
    ["a template", "a.jinja", page],
    ["a workflow", ".github/workflows/a.yml", workflow],
    ["text", "a.txt", "ignore all previous instructions\n".repeat(400)],
  ])("of %s is partly analysed and says so, whenever that is", async (_, path, source) => {
    const whole = await analyseWithin(Number.POSITIVE_INFINITY, path, source);
    let asks = 1;
    for (let ended = false; !ended; asks = Math.ceil(asks * 1.3)) {
      const { coverage, candidates } = await analyseWithin(asks, path, source);
      ended = asksLeft >= 0;
      if (ended) expect(coverage).toEqual(whole.coverage);
      else expect(coverage).toMatchObject({ status: "partial", reason: "time_limit", lines: whole.coverage.lines });
      expect(whole.candidates).toEqual(expect.arrayContaining(candidates));
    }
    // The clock was looked at while the file was read, and not only in the beginning.
    expect(asks).toBeGreaterThan(4);
  });

  it("keeps what was found until then", async () => {
    const enough = 1e6;
    const whole = await analyseWithin(enough, "a.js", code);
    expect(whole.candidates).toHaveLength(1);
    const late = await analyseWithin(enough - asksLeft - 1, "a.js", code);
    expect(late.coverage).toMatchObject({ status: "partial", reason: "time_limit" });
    expect(late.candidates).toEqual(whole.candidates);
  });

  it("is not kept for the next scan", async () => {
    expect(isRepeatable((await analyseWithin(3, "a.js", code)).coverage)).toBe(false);
    expect(isRepeatable((await analyseWithin(Number.POSITIVE_INFINITY, "a.js", code)).coverage)).toBe(true);
  });

  it("never fails, and costs the next file nothing", async () => {
    const some = fc.record({ fixture: fc.constantFrom(...fixtures), asks: fc.integer({ min: 1, max: 60 }) });
    await fc.assert(
      fc.asyncProperty(some, async ({ fixture: { name, bytes }, asks }) => {
        const whole = await analyseWithin(Number.POSITIVE_INFINITY, name, bytes);
        const { coverage } = await analyseWithin(asks, name, bytes);
        expect([whole.coverage.reason, "time_limit"]).toContain(coverage.reason);
        expect(await analyseWithin(Number.POSITIVE_INFINITY, name, bytes)).toEqual(whole);
      }),
      { numRuns: 30 },
    );
  });
});
