import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Rule } from "../../functions/engine/catalogue/rule-schema.ts";
import type { Engine } from "../../functions/engine/engine.ts";
import { readCatalogue } from "../../lib/bundle/engine-assets.ts";
import { marksOf } from "./marks.ts";
import { type Outcome, outcomeOf } from "./outcome.ts";

const rulesFolder = join(import.meta.dirname, "../../functions/engine/rules");
/** Fewer show neither what a rule finds nor what it leaves. */
const marksMin = 2;

/** Runs the fixtures of every rule that ships, with all rules on; those on quality only where one of them is tried. */
export async function testShippedRules(engine: Engine): Promise<Outcome[]> {
  const { rules } = await readCatalogue();
  const outcomes: Outcome[] = [];
  const qualityCodes = rules.flatMap(({ code }) => code ?? []);
  for (const rule of rules) outcomes.push(await testRule(engine, rule, rule.code === undefined ? [] : qualityCodes));
  return outcomes;
}

async function testRule(engine: Engine, { id }: Rule, codes: readonly string[]): Promise<Outcome> {
  const folder = join(rulesFolder, ...id.split("."), "fixtures");
  const names = (await readdir(folder).catch(() => [])).sort();
  const more: string[] = [];
  const tested = await Promise.all(
    names.map(async (name) => {
      const bytes = await readFile(join(folder, name));
      const marks = marksOf(bytes.toString("utf8"), id);
      const findings = engine.link([await engine.analyse({ path: name, bytes }, { codes })]);
      for (const { ruleId, startLine } of findings)
        if (ruleId !== id && marks.ok.includes(startLine))
          more.push(`${name}:${startLine} is marked ok and found by ${ruleId}`);
      const found = findings.filter(({ ruleId }) => ruleId === id).map(({ startLine }) => startLine);
      return { name, marks, found };
    }),
  );
  const outcome = outcomeOf(id, tested, more);
  const few = (["ruleid", "ok"] as const).filter((kind) => outcome[kind] < marksMin);
  return {
    ...outcome,
    problems: [...outcome.problems, ...few.map((kind) => `fewer than ${marksMin} lines are marked ${kind}`)],
  };
}
