import { DeleteCommand, GetCommand, PutCommand } from "@aws-sdk/lib-dynamodb";
import * as z from "zod";
import { environment } from "../platform/environment.ts";
import { SluiceError } from "../platform/errors.ts";
import { overridesOf } from "../platform/override-store.ts";
import { readItems } from "../platform/read-items.ts";
import { asSwitched, isVisibleTo, listedIn, paddedOrder } from "../platform/system-records.ts";
import { indexKeys, keys, table, whenConditionFails } from "../platform/table.ts";
import { writeForUser } from "../users/user-store.ts";
import { PromptTemplate, TemplateType } from "./prompt-template.ts";

/**
 * A template that the caller may use: of the system, as the caller has it switched, or the caller's own. Being switched off does not
 * hide it: who names it wants it.
 * @throws SluiceError prompt_template_not_found, also for a template of somebody else
 */
export async function visibleTemplate(callerId: string, id: string): Promise<PromptTemplate> {
  const template = await findTemplate(id);
  if (!template || !isVisibleTo(callerId, template)) throw new SluiceError("prompt_template_not_found");
  return template.isSystem ? asSwitched(template, await overridesOf(callerId)) : template;
}

/**
 * The template that counts for this caller where none is named; null, which means the built-in text, when no default is set or the
 * caller has switched it off.
 */
export async function defaultTemplate(type: TemplateType, callerId: string): Promise<PromptTemplate | null> {
  const get = new GetCommand({
    TableName: environment().TABLE_NAME,
    Key: keys.defaultTemplate(type),
    ConsistentRead: true,
  });
  const { Item } = await table.send(get);
  const template = Item ? await findTemplate(DefaultTemplate.parse(Item).templateId) : null;
  if (!template) return null;
  const switched = asSwitched(template, await overridesOf(callerId));
  return switched.isActive ? switched : null;
}

const DefaultTemplate = z.object({ templateType: TemplateType, templateId: z.uuid() });

/** Ids of the defaults, at most one of each type. */
export async function defaultTemplateIds(): Promise<ReadonlySet<string>> {
  const items = await readItems(TemplateType.options.map(keys.defaultTemplate));
  return new Set(items.map((item) => DefaultTemplate.parse(item).templateId));
}

/** Makes a template the one default of its type: there is one pointer for each, so there are never two. */
export async function setDefaultTemplate({ id, templateType }: PromptTemplate): Promise<void> {
  const Item = { ...keys.defaultTemplate(templateType), v: 1, templateType, templateId: id };
  await table.send(new PutCommand({ TableName: environment().TABLE_NAME, Item }));
}

async function findTemplate(id: string): Promise<PromptTemplate | null> {
  const get = new GetCommand({
    TableName: environment().TABLE_NAME,
    Key: keys.promptTemplate(id),
    ConsistentRead: true,
  });
  const { Item } = await table.send(get);
  return Item ? PromptTemplate.parse(Item) : null;
}

/** The system's templates, as the caller has them switched, and the caller's own, in no order. */
export async function visibleTemplates(callerId: string): Promise<PromptTemplate[]> {
  const partitions = [indexKeys.systemTemplates, indexKeys.templatesOf(callerId)];
  const [templates, switched] = await Promise.all([listedIn(partitions, PromptTemplate), overridesOf(callerId)]);
  return templates.map((template) => asSwitched(template, switched));
}

/** A user's own templates, in no order. */
export const templatesOf = (userId: string): Promise<PromptTemplate[]> =>
  listedIn([indexKeys.templatesOf(userId)], PromptTemplate);

/** Stores a new template of a user's. @throws SluiceError not_authenticated when the user is gone */
export async function createTemplate(template: PromptTemplate): Promise<void> {
  const Put = {
    TableName: environment().TABLE_NAME,
    Item: item(template),
    ConditionExpression: "attribute_not_exists(pk)",
  };
  await writeForUser(template.ownerId as string, [{ write: { Put } }]);
}

/** @returns the template as stored. @throws SluiceError stale_version when it was changed or deleted since it was read */
export async function replaceTemplate(
  read: PromptTemplate,
  changed: PromptTemplate,
  at: Date,
): Promise<PromptTemplate> {
  const next = { ...changed, updatedAt: at.toISOString(), version: read.version + 1 };
  const put = new PutCommand({
    TableName: environment().TABLE_NAME,
    Item: item(next),
    ConditionExpression: "ownerId = :owner AND version = :read",
    ExpressionAttributeValues: { ":owner": read.ownerId, ":read": read.version },
  });
  await table.send(put).catch(whenConditionFails(() => new SluiceError("stale_version")));
  return next;
}

/** @throws SluiceError prompt_template_not_found when it was deleted meanwhile */
export async function deleteTemplate({ id, ownerId }: PromptTemplate): Promise<void> {
  const remove = new DeleteCommand({
    TableName: environment().TABLE_NAME,
    Key: keys.promptTemplate(id),
    ConditionExpression: "ownerId = :owner",
    ExpressionAttributeValues: { ":owner": ownerId },
  });
  await table.send(remove).catch(whenConditionFails(() => new SluiceError("prompt_template_not_found")));
}

/** Forgets what a user who is deleted has written. May be repeated. */
export async function deleteTemplatesOf(userId: string): Promise<void> {
  for (const { id } of await templatesOf(userId))
    await table.send(new DeleteCommand({ TableName: environment().TABLE_NAME, Key: keys.promptTemplate(id) }));
}

/** Only users' templates are written here; the system's come from a migration. */
const item = (template: PromptTemplate) => ({
  ...keys.promptTemplate(template.id),
  ...indexKeys.templatesOf(template.ownerId as string),
  gsi1sk: `${paddedOrder(template.sortOrder)}#${template.createdAt}#${template.id}`,
  v: 1,
  ...template,
});
