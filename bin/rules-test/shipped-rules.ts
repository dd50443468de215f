import { readdir, readFile, stat } from "node:fs/promises";
import { join, relative } from "node:path";
import type { Rule } from "../../functions/engine/catalogue/rule-schema.ts";
import type { Engine } from "../../functions/engine/engine.ts";
import { readCatalogue } from "../../lib/bundle/engine-assets.ts";
import { marksOf } from "./marks.ts";
import { type Outcome, outcomeOf, type Tested } from "./outcome.ts";

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
  const tested: Tested[] = [];
  for (const name of names) {
    const files = await filesOf(folder, name);
    const findings = engine.link(await Promise.all(files.map((file) => engine.analyse(file, { codes }))));
    for (const { path, bytes } of files) {
      const marks = marksOf(bytes.toString("utf8"), id);
      const here = findings.filter((finding) => finding.path === path);
      for (const { ruleId, startLine } of here)
        if (ruleId !== id && marks.ok.includes(startLine))
          more.push(`${path}:${startLine} is marked ok and found by ${ruleId}`);
      const found = here.filter(({ ruleId }) => ruleId === id).map(({ startLine }) => startLine);
      tested.push({ name: path, marks, found });
    }
  }
  const outcome = outcomeOf(id, tested, more);
  const few = (["ruleid", "ok"] as const).filter((kind) => outcome[kind] < marksMin);
  return {
    ...outcome,
    problems: [...outcome.problems, ...few.map((kind) => `fewer than ${marksMin} lines are marked ${kind}`)],
  };
}

/** A fixture is a file, or a folder whose files are an application and linked together. */
async function filesOf(folder: string, name: string): Promise<{ path: string; bytes: Buffer }[]> {
  const inside = join(folder, name);
  const paths = (await stat(inside)).isDirectory()
    ? (await readdir(inside, { recursive: true, withFileTypes: true }))
        .filter((entry) => entry.isFile())
        .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
        .sort()
    : [name];
  return Promise.all(paths.map(async (path) => ({ path, bytes: await readFile(join(folder, path)) })));
}
