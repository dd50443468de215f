import { SluiceError } from "../platform/errors.ts";
import { readItems } from "../platform/read-items.ts";
import { keys } from "../platform/table.ts";
import { type PromptTemplate, templatesPerUserMax } from "../prompts/prompt-template.ts";
import { createTemplate, templatesOf } from "../prompts/prompt-template-store.ts";
import { checkRules } from "../rules/rule-draft.ts";
import type { RuleSet } from "../rules/rule-set.ts";
import { ruleSetsPerUserMax } from "../rules/rule-set-draft.ts";
import { createRuleSet, headsOf } from "../rules/rule-set-store.ts";
import type { DatabaseFile } from "./database-file.ts";
import { importedId, importedRuleSet, importedTemplate } from "./imported-records.ts";

/** What a file tells models to look for and its new owner has not. */
export interface Instructions {
  readonly templates: readonly PromptTemplate[];
  readonly ruleSets: readonly RuleSet[];
}

/**
 * Finds what is to be brought, and refuses it before anything of the file is written.
 * @throws SluiceError prompt_template_limit_reached, rule_set_limit_reached, rule_limit_reached, rule_set_too_large, rule_pattern_*
 */
export async function missingInstructions(data: DatabaseFile, userId: string): Promise<Instructions> {
  const missing = {
    templates: (await notThere(data.prompt_templates, userId, keys.promptTemplate)).map((row) =>
      importedTemplate(row, userId),
    ),
    ruleSets: (await notThere(data.rule_sets, userId, keys.ruleSet)).map((row) => importedRuleSet(row, userId)),
  };
  for (const { rules } of missing.ruleSets) checkRules(rules, rules);
  if (missing.templates.length > 0) {
    const limit = templatesPerUserMax;
    const count = (await templatesOf(userId)).length + missing.templates.length;
    if (count > limit) throw new SluiceError("prompt_template_limit_reached", { limit });
  }
  if (missing.ruleSets.length > 0) {
    const limit = ruleSetsPerUserMax;
    const count = (await headsOf(userId)).length + missing.ruleSets.length;
    if (count > limit) throw new SluiceError("rule_set_limit_reached", { limit });
  }
  return missing;
}

/** Writes them. May be repeated: each has an id that follows from the file. */
export async function bringInstructions({ templates, ruleSets }: Instructions): Promise<void> {
  for (const template of templates) await createTemplate(template).catch(unlessThere(keys.promptTemplate(template.id)));
  for (const set of ruleSets) await createRuleSet(set).catch(unlessThere(keys.ruleSet(set.id)));
}

/** Another request was faster, or ours came through and its answer was lost. */
const unlessThere = (key: Key) => async (error: unknown) => {
  if ((await readItems([key])).length === 0) throw error;
};

interface Key {
  readonly pk: string;
  readonly sk: string;
}

/** Rows that the user has neither under the id of the file nor under the one that an earlier import gave. */
async function notThere<Row extends { readonly id: string; readonly created_at: string }>(
  rows: readonly Row[],
  userId: string,
  keyOf: (id: string) => Key,
): Promise<Row[]> {
  const asked = new Set(rows.flatMap((row) => [row.id, importedId(userId, row)]));
  const items = await readItems([...asked].map(keyOf));
  const own = new Set(items.filter(({ ownerId }) => ownerId === userId).map(({ id }) => id));
  return rows.filter((row) => !own.has(row.id) && !own.has(importedId(userId, row)));
}
