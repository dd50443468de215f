import { FormulaSearch } from "../../../functions/engine/match/evaluate-formula.ts";
import { FileUnderMatch } from "../../../functions/engine/match/file-under-match.ts";
import { Budget } from "../../../functions/engine/match/match-budget.ts";
import { Matcher } from "../../../functions/engine/match/matcher.ts";
import { compilePattern } from "../../../functions/engine/match/pattern.ts";
import { SourceParser } from "../../../functions/engine/parse/parser.ts";
import { readWasm } from "../../../lib/bundle/engine-assets.ts";

/** A parser of all grammars; patterns need no rules of ours. */
export const openParser = (): Promise<SourceParser> => SourceParser.create({ read: readWasm });

/** What a single pattern matches, as text with layout made flat. */
export async function matchesOf(
  parser: SourceParser,
  grammar: string,
  pattern: string,
  code: string,
): Promise<string[]> {
  const parsed = await parser.parse(code, grammar);
  if ("failure" in parsed || parsed.syntax.errors.length > 0) throw new Error(`the code does not parse: ${code}`);
  const compiled = await compilePattern(parser, pattern, grammar);
  const file = new FileUnderMatch(code, grammar, parsed.syntax);
  const search = new FormulaSearch(new Matcher(file, new Budget()), new Map([[pattern, compiled]]));
  const found = search.find({ kind: "pattern", source: pattern, line: 1 });
  const places = [...new Map(found.map((one) => [`${one.start}:${one.end}`, one])).values()];
  return places
    .sort((a, b) => a.start - b.start || a.end - b.end)
    .map(({ start, end }) => code.slice(start, end).replace(/\s+/g, " "));
}
