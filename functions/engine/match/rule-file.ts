import { isMap, isSeq, LineCounter, type Node, parseDocument } from "yaml";
import type { OwnRuleSource, Refusal } from "./own-rule.ts";
import { readRule } from "./rule-reader.ts";
import { Refused, startOf } from "./rule-yaml.ts";

/** What a rule file holds. A rule that cannot be used as it is written costs only itself. */
export interface RuleFile {
  readonly rules: readonly OwnRuleSource[];
  readonly refused: readonly Refusal[];
}

/** Rule files of this size are unheard of. */
const charactersMax = 2_000_000;
const rulesMax = 2_000;

/** A pattern that is not a regular expression but a rule file, in Semgrep's YAML: it begins with the key `rules`. */
export const isRuleFile = (pattern: string): boolean => /^(?:(?:---)?[ \t\r]*(?:#[^\n]*)?\n)*rules:/.test(pattern);

/** One rule of a file as a file of its own, with what became of it. */
export interface SplitRule {
  readonly text: string;
  readonly rule: OwnRuleSource | null;
  readonly refusal: Refusal | null;
}

/** Cuts a file into its rules; lines are those of the whole file. */
export function splitRuleFile(text: string): SplitRule[] {
  const { rules, refused } = readRuleFile(text);
  const document = parseDocument(text, { uniqueKeys: true });
  const list = isMap(document.contents) ? document.contents.get("rules", true) : null;
  const [whole] = refused;
  if (!isSeq(list)) return [{ text, rule: null, refusal: whole ?? null }];
  const lines = new LineCounter();
  parseDocument(text, { lineCounter: lines });
  const starts = list.items.map((item) => lines.linePos(startOf(item)).line);
  const all = text.split("\n");
  return list.items.map((_, i) => {
    const [from, to] = [starts[i] as number, starts[i + 1] ?? all.length + 1];
    const own = all.slice(from - 1, to - 1);
    // Text on one line cannot be cut by lines, and JSON is YAML too.
    const isBlock = /^\s*-\s/.test(own[0] ?? "") && to > from;
    const alone = isBlock
      ? `rules:\n${own.join("\n").trimEnd()}\n`
      : `rules: ${JSON.stringify([document.toJS({ maxAliasCount: 100 }).rules[i]])}\n`;
    const within = (line: number) => line >= from && line < Math.max(to, from + 1);
    return {
      text: alone,
      rule: rules.find((rule) => within(rule.line)) ?? null,
      refusal: refused.find((refusal) => within(refusal.line)) ?? null,
    };
  });
}

/** Reads a rule file in Semgrep's YAML. Never throws for what the file contains. */
export function readRuleFile(text: string): RuleFile {
  if (text.length > charactersMax) return refusedWhole(1, `the file is longer than ${charactersMax} characters`);
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, uniqueKeys: true });
  const [error] = document.errors;
  if (error)
    return refusedWhole(error.linePos?.[0].line ?? 1, (error.message.split("\n", 1)[0] as string).replace(/:$/, ""));
  const list = isMap(document.contents) ? document.contents.get("rules", true) : null;
  if (!isSeq(list)) return refusedWhole(1, "expected a list named rules");
  if (list.items.length > rulesMax) return refusedWhole(1, `more than ${rulesMax} rules`);
  const rules: OwnRuleSource[] = [];
  const refused: Refusal[] = [];
  const lineOf = (node: unknown): number => lines.linePos(startOf(node)).line;
  for (const item of list.items) {
    const id = isMap(item) ? item.get("id") : null;
    const name = typeof id === "string" ? id : null;
    try {
      if (!isMap(item)) throw new Refused(item as Node, null, "a rule is a map");
      const rule = readRule(item, lineOf);
      if (rules.some((other) => other.id === rule.id)) throw new Refused(item, "id", "an earlier rule has the same id");
      rules.push(rule);
    } catch (problem) {
      if (!(problem instanceof Refused)) throw problem;
      refused.push({ id: name, line: lineOf(problem.at ?? item), key: problem.key, reason: problem.message });
    }
  }
  return { rules, refused };
}

const refusedWhole = (line: number, reason: string): RuleFile => ({
  rules: [],
  refused: [{ id: null, line, key: null, reason }],
});
