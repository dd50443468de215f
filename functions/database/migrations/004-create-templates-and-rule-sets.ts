import { ConditionalCheckFailedException } from "@aws-sdk/client-dynamodb";
import { PutCommand } from "@aws-sdk/lib-dynamodb";
import { v5 as uuid } from "uuid";
import { environment } from "../../platform/environment.ts";
import { indexKeys, keys, table } from "../../platform/table.ts";
import type { Migration } from "../migration.ts";
import { ruleSets, type SeededRuleSet } from "./seed/rule-sets.ts";
import { type SeededTemplate, templates } from "./seed/templates.ts";

/** Creates what the system ships: prompt templates, one of them the default, and rule sets with their rules. What is there stays as it is. */
export const createTemplatesAndRuleSets: Migration = {
  number: 4,
  name: "create_templates_and_rule_sets",
  run: async ({ now, keepClaim }) => {
    const createdAt = now().toISOString();
    for (const item of [...templateItems(createdAt), ...ruleSetItems(createdAt)]) {
      await keepClaim();
      await putUnlessThere(item);
    }
  },
};

/** Ids of shipped records are made from their names here: every run and every installation means the same record by the same id. */
const systemId = (slug: string): string => uuid(slug, "0198a7c4-5e0b-7c39-9d1a-3f2b6a90c1de");

type Item = { pk: string; sk: string; [name: string]: unknown };

/** What all shipped records have in common. `english` is for callers who read English; the other texts are Chinese. */
const shipped = (id: string, sortOrder: number, createdAt: string) => ({
  v: 1,
  id,
  ownerId: null,
  isSystem: true,
  isActive: true,
  sortOrder,
  createdAt,
  updatedAt: null,
  version: 1,
});

/** Lists of shipped records come sorted by this; padded, because it is compared as text. */
const sorted = (sortOrder: number) => String(sortOrder).padStart(4, "0");

function templateItems(createdAt: string): Item[] {
  const items = templates.map((template, sortOrder) => templateItem(template, sortOrder, createdAt));
  const byDefault = systemId(`template/${templates.find(({ isDefault }) => isDefault)?.slug}`);
  return [...items, { ...keys.defaultTemplate("system"), v: 1, templateType: "system", templateId: byDefault }];
}

function templateItem({ slug, isDefault: _, ...texts }: SeededTemplate, sortOrder: number, createdAt: string): Item {
  const id = systemId(`template/${slug}`);
  return {
    ...keys.promptTemplate(id),
    ...indexKeys.systemTemplates,
    gsi1sk: `${sorted(sortOrder)}#${createdAt}#${id}`,
    ...shipped(id, sortOrder, createdAt),
    templateType: "system",
    variables: { language: "代码语言", code: "待审计代码" },
    ...texts,
  };
}

const ruleSetItems = (createdAt: string): Item[] =>
  ruleSets.flatMap((ruleSet, sortOrder) => {
    const id = systemId(`rule-set/${ruleSet.slug}`);
    return [ruleSetItem(ruleSet, id, sortOrder, createdAt), ...ruleItems(ruleSet, id, createdAt)];
  });

function ruleSetItem({ slug: _, rules: __, ...set }: SeededRuleSet, id: string, sortOrder: number, at: string): Item {
  return {
    ...keys.ruleSet(id),
    ...indexKeys.systemRuleSets,
    gsi1sk: `${sorted(sortOrder)}#${id}`,
    ...shipped(id, sortOrder, at),
    language: "all",
    severityWeights: { critical: 10, high: 5, medium: 2, low: 1 },
    ...set,
  };
}

const ruleItems = ({ slug, rules }: SeededRuleSet, ruleSetId: string, createdAt: string): Item[] =>
  rules.map((rule, sortOrder) => {
    const id = systemId(`rule-set/${slug}/${rule.ruleCode}`);
    const { isSystem: _, isActive: __, ...common } = shipped(id, sortOrder, createdAt);
    return { ...keys.rule(ruleSetId, sorted(sortOrder), id), ...common, ruleSetId, enabled: true, ...rule };
  });

async function putUnlessThere(Item: Item): Promise<void> {
  const put = new PutCommand({
    TableName: environment().TABLE_NAME,
    Item,
    ConditionExpression: "attribute_not_exists(pk)",
  });
  await table.send(put).catch((error) => {
    if (!(error instanceof ConditionalCheckFailedException)) throw error;
  });
}
