import { mkdtemp, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { createEngine } from "../../functions/engine/engine.ts";
import { writeEngineAssets } from "../../lib/bundle/engine-assets.ts";
import { printable } from "../scan/printable.ts";
import { testBroughtRules } from "./brought-rules.ts";
import type { Outcome } from "./outcome.ts";
import { testShippedRules } from "./shipped-rules.ts";

export const exitCodes = { fine: 0, failed: 1, cannotTest: 2 } as const;

/**
 * `npm run rules:test [folder]`: tests the rules that ship, or those of a folder, on their marked files.
 * @returns the exit code of the process
 */
export async function runRulesTest(
  argv: readonly string[],
  cwd: string,
  print: (line: string) => void,
): Promise<number> {
  const [given] = argv;
  const folder = given === undefined ? null : resolve(cwd, given);
  if (folder !== null && !(await stat(folder).catch(() => null))?.isDirectory()) {
    print(`${printable(folder)} is no folder`);
    return exitCodes.cannotTest;
  }
  const assets = await mkdtemp(join(tmpdir(), "sluice-rules-"));
  try {
    await writeEngineAssets(assets);
    const engine = await createEngine({ read: (name) => readFile(join(assets, name)) });
    const outcomes = folder === null ? await testShippedRules(engine) : await testBroughtRules(engine, folder);
    for (const line of table(outcomes)) print(printable(line));
    if (outcomes.length === 0) return exitCodes.cannotTest;
    return outcomes.some(({ problems }) => problems.length > 0) ? exitCodes.failed : exitCodes.fine;
  } finally {
    await rm(assets, { recursive: true, force: true });
  }
}

function* table(outcomes: readonly Outcome[]): Generator<string> {
  const width = Math.max(4, ...outcomes.map(({ rule }) => rule.length));
  const row = (rule: string, cells: readonly (string | number)[]) =>
    `${rule.padEnd(width)}${cells.map((cell) => String(cell).padStart(9)).join("")}`;
  yield `${row("RULE", ["FILES", "RULEID", "OK", "TODO"])}  RESULT`;
  for (const { rule, fixtures, ruleid, ok, todo, problems } of outcomes) {
    const result = problems.length > 0 ? "FAILED" : ruleid + ok === 0 ? "untested" : "passed";
    yield `${row(rule, [fixtures, ruleid, ok, todo])}  ${result}`;
    for (const problem of problems) yield `  ${problem}`;
  }
  const failed = outcomes.filter(({ problems }) => problems.length > 0).length;
  yield "";
  yield `${outcomes.length} rules: ${outcomes.length - failed} passed, ${failed} failed`;
}
