import { readdir, readFile } from "node:fs/promises";
import { basename, dirname, join, relative } from "node:path";
import type { Engine } from "../../functions/engine/engine.ts";
import { OwnRules, ownRuleId } from "../../functions/engine/match/own-rules.ts";
import { readRuleFile } from "../../functions/engine/match/rule-file.ts";
import { SourceParser } from "../../functions/engine/parse/parser.ts";
import type { UserPattern } from "../../functions/engine/user-rules/user-pattern.ts";
import { ruleFileDrafts } from "../../functions/rules/rule-file-drafts.ts";
import { refusalText } from "../../functions/rules/rule-pattern.ts";
import { readWasm } from "../../lib/bundle/engine-assets.ts";
import { isRuleFileName } from "../scan/rule-files.ts";
import { marksOf } from "./marks.ts";
import { type Outcome, outcomeOf } from "./outcome.ts";

/** Tests all rule files of a folder. The tests of `x.yaml` are the files `x.*` beside it, and all files in a folder `fixtures` there. */
export async function testBroughtRules(engine: Engine, folder: string): Promise<Outcome[]> {
  const parser = await SourceParser.create({ read: readWasm });
  const names = (await readdir(folder, { recursive: true }))
    .sort()
    .filter((name) => isRuleFileName(name) && !/(^|\/)fixtures\//.test(name));
  const outcomes: Outcome[] = [];
  for (const name of names) outcomes.push(...(await testFile(engine, parser, folder, name)));
  return outcomes;
}

async function testFile(engine: Engine, parser: SourceParser, folder: string, name: string): Promise<Outcome[]> {
  const text = await readFile(join(folder, name), "utf8");
  const read = readRuleFile(text);
  const { rules, refused } = await OwnRules.compile(parser, read.rules, read.refused);
  const patterns = ruleFileDrafts([{ name, text }])
    .filter((draft) => draft.refusal === null && rules.some(({ rule }) => rule.id === draft.name))
    .map(
      (draft): UserPattern => ({
        code: draft.rule_code,
        name: draft.name,
        description: null,
        category: draft.category,
        severity: draft.severity,
        fixSuggestion: null,
        language: "all",
        pattern: draft.pattern as string,
      }),
    );
  const files = await testFiles(join(folder, name));
  const analysed = await Promise.all(
    files.map(async (path) => {
      const bytes = await readFile(path);
      // Candidates and not findings: a test lies elsewhere than the files that `paths` names.
      const { candidates, coverage } = await engine.analyse({ path: relative(folder, path), bytes }, { patterns });
      return { name: relative(folder, path), source: bytes.toString("utf8"), candidates, coverage };
    }),
  );
  const outcomes = rules.map(({ rule }) => {
    const tested = analysed
      .map(({ name, source, candidates }) => ({
        name,
        marks: marksOf(source, rule.id),
        found: candidates.filter(({ ruleId }) => ruleId === ownRuleId(rule.id)).map(({ startLine }) => startLine),
      }))
      .filter(({ marks, found }) => marks.ruleid.length + marks.ok.length + marks.todo.length + found.length > 0);
    const spent = analysed
      .filter(({ coverage }) => coverage.reason === "pattern_budget")
      .map(({ name }) => `${name} is matched only in part: the budget of a rule is used up`);
    return outcomeOf(rule.id, tested, spent);
  });
  const refusals = refused.map((refusal) =>
    outcomeOf(refusal.id ?? name, [], [`refused: ${refusalText(refusal, name)}`]),
  );
  return [...outcomes, ...refusals];
}

async function testFiles(rulePath: string): Promise<string[]> {
  const folder = dirname(rulePath);
  const stem = basename(rulePath).replace(/\.ya?ml$/, "");
  const beside = (await readdir(folder)).filter(
    (name) => name.startsWith(`${stem}.`) && !isRuleFileName(name) && !/\.fixed\./.test(name),
  );
  const fixtures = await readdir(join(folder, "fixtures")).catch(() => []);
  return [
    ...beside.map((name) => join(folder, name)),
    ...fixtures.map((name) => join(folder, "fixtures", name)),
  ].sort();
}
