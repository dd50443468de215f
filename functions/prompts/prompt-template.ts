import * as z from "zod";
import { says } from "../platform/contract.ts";
import type { Language } from "../platform/language.ts";
import { sortOrderMax } from "../platform/system-records.ts";

/** A template of type "system" is what scans and analyses use; the other two are kept for front ends. */
export const TemplateType = z.enum(["system", "user", "analysis"]);
export type TemplateType = z.infer<typeof TemplateType>;

/** What a language model is told to look for. */
export const PromptTemplate = z.object({
  id: z.uuid(),
  /** Null when the system ships it. */
  ownerId: z.uuid().nullable(),
  isSystem: z.boolean(),
  name: z.string(),
  description: z.string().nullable(),
  /** Name and purpose for readers of English, of what the system ships. */
  english: z.object({ name: z.string(), description: z.string() }).nullable().default(null),
  templateType: TemplateType,
  content: z.object({ zh: z.string().nullable(), en: z.string().nullable() }),
  /** What the slots of the text mean, such as {language}. */
  variables: z.record(z.string(), z.string()),
  isActive: z.boolean(),
  sortOrder: z.number().int(),
  createdAt: z.iso.datetime(),
  updatedAt: z.iso.datetime().nullable(),
  version: z.number().int(),
});
export type PromptTemplate = z.infer<typeof PromptTemplate>;

/** The text for an output language, in the other one when there is no such text; null when the template is empty. */
export const templateText = ({ content }: PromptTemplate, language: Language): string | null =>
  (language === "zh" ? content.zh || content.en : content.en || content.zh) || null;

export const PromptTemplateView = z.object({
  id: z.string(),
  /** Existing front ends know the system's templates by their exact names, so it is the same in every language. */
  name: z.string(),
  description: z.string().nullable(),
  /** Of the system's templates, for readers of English. */
  english: z.object({ name: z.string(), description: z.string() }).nullable(),
  template_type: TemplateType,
  content_zh: z.string().nullable(),
  content_en: z.string().nullable(),
  variables: z.record(z.string(), z.string()),
  is_default: z.boolean(),
  is_system: z.boolean(),
  is_active: z.boolean(),
  sort_order: z.number(),
  created_by: z.string().nullable(),
  created_at: z.string(),
  updated_at: z.string().nullable(),
});

/** @param defaults ids of the default templates */
export const promptTemplateView = (
  template: PromptTemplate,
  defaults: ReadonlySet<string>,
): z.input<typeof PromptTemplateView> => ({
  id: template.id,
  name: template.name,
  description: template.description,
  english: template.english,
  template_type: template.templateType,
  content_zh: template.content.zh,
  content_en: template.content.en,
  variables: template.variables,
  is_default: defaults.has(template.id),
  is_system: template.isSystem,
  is_active: template.isActive,
  sort_order: template.sortOrder,
  created_by: template.ownerId,
  created_at: template.createdAt,
  updated_at: template.updatedAt,
});

/** Goes into every call to a model: 20,000 characters are some thousand tokens a call already. */
export const contentMax = 20_000;
/** Whoever needs more cannot find them in a list any more. */
export const templatesPerUserMax = 100;

const fields = {
  name: z.string().trim().min(1).max(100),
  description: z.string().max(2000).nullish(),
  template_type: TemplateType,
  content_zh: z.string().max(contentMax).nullish(),
  content_en: z.string().max(contentMax).nullish(),
  variables: z
    .record(z.string().min(1).max(100), z.string().max(1000))
    .refine((variables) => Object.keys(variables).length <= 50, { ...says("最多 50 个变量", "at most 50 variables") }),
  is_active: z.boolean(),
  sort_order: z.int().min(0).max(sortOrderMax),
};

/** What a caller says about a new template. */
export const PromptTemplateDraft = z.object({
  ...fields,
  template_type: fields.template_type.default("system"),
  variables: fields.variables.default({}),
  is_active: fields.is_active.default(true),
  sort_order: fields.sort_order.default(0),
});

/** What a caller changes: what is not named stays as it is, null empties a text. */
export const PromptTemplatePatch = z.object(fields).partial();

export const newPromptTemplate = (
  draft: z.output<typeof PromptTemplateDraft>,
  id: string,
  ownerId: string,
  at: Date,
): PromptTemplate => ({
  id,
  ownerId,
  isSystem: false,
  name: draft.name,
  description: draft.description ?? null,
  english: null,
  templateType: draft.template_type,
  content: { zh: draft.content_zh ?? null, en: draft.content_en ?? null },
  variables: draft.variables,
  isActive: draft.is_active,
  sortOrder: draft.sort_order,
  createdAt: at.toISOString(),
  updatedAt: null,
  version: 1,
});

export const changedPromptTemplate = (
  template: PromptTemplate,
  patch: z.output<typeof PromptTemplatePatch>,
): PromptTemplate => ({
  ...template,
  name: patch.name ?? template.name,
  description: patch.description === undefined ? template.description : patch.description,
  templateType: patch.template_type ?? template.templateType,
  content: {
    zh: patch.content_zh === undefined ? template.content.zh : patch.content_zh,
    en: patch.content_en === undefined ? template.content.en : patch.content_en,
  },
  variables: patch.variables ?? template.variables,
  isActive: patch.is_active ?? template.isActive,
  sortOrder: patch.sort_order ?? template.sortOrder,
});
