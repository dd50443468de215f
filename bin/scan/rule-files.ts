import { readdir, readFile, stat } from "node:fs/promises";
import { join, relative } from "node:path";
import { OwnRules } from "../../functions/engine/match/own-rules.ts";
import { readRuleFile } from "../../functions/engine/match/rule-file.ts";
import { SourceParser } from "../../functions/engine/parse/parser.ts";
import { type RuleFileDraft, ruleFileDrafts } from "../../functions/rules/rule-file-drafts.ts";
import { refusalText } from "../../functions/rules/rule-pattern.ts";
import { readWasm } from "../../lib/bundle/engine-assets.ts";
import { CannotScan, reasonOf } from "./cannot-scan.ts";

/** The rules of the files that a user named, those that can be used and why others cannot. */
export interface RulesRead {
  readonly drafts: readonly RuleFileDraft[];
  readonly refused: readonly string[];
}

/**
 * Reads rule files, and parses their patterns so that the user hears of all mistakes before the scan.
 * @throws CannotScan target_unreadable, rules_not_found
 */
export async function readRules(paths: readonly string[]): Promise<RulesRead> {
  const files = (await Promise.all(paths.map(ruleFilesIn))).flat();
  if (files.length === 0) return { drafts: [], refused: [] };
  const parser = await SourceParser.create({ read: readWasm });
  const drafts: RuleFileDraft[] = [];
  const refused: string[] = [];
  for (const { path, name } of files) {
    const text = await readFile(path, "utf8").catch((error) => {
      throw new CannotScan("target_unreadable", { path, reason: reasonOf(error) }, error);
    });
    const read = readRuleFile(text);
    const compiled = await OwnRules.compile(parser, read.rules, read.refused);
    refused.push(...compiled.refused.map((refusal) => `${refusal.id ?? ""} ${refusalText(refusal, name)}`.trim()));
    const usable = new Set(compiled.rules.map(({ rule }) => rule.id));
    // Drafts and rules stand in the order of the file.
    drafts.push(
      ...ruleFileDrafts([{ name, text }]).filter((draft) => draft.refusal === null && usable.has(draft.name)),
    );
  }
  return { drafts, refused };
}

async function ruleFilesIn(path: string): Promise<{ path: string; name: string }[]> {
  const about = await stat(path).catch((error) => {
    throw new CannotScan("target_unreadable", { path, reason: reasonOf(error) }, error);
  });
  if (about.isFile()) return [{ path, name: relative(join(path, ".."), path) }];
  const found = (await readdir(path, { recursive: true })).sort().filter((name) => isRuleFileName(name));
  if (found.length === 0) throw new CannotScan("rules_not_found", { path });
  return found.map((name) => ({ path: join(path, name), name }));
}

/** Test files of rules are code, also where that is YAML. */
export const isRuleFileName = (name: string): boolean =>
  /\.ya?ml$/.test(name) && !/\.(test|fixed)\.ya?ml$/.test(name) && !/(^|\/)(\.|node_modules\/)/.test(name);
