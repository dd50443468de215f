import * as z from "zod";
import { fitting } from "../platform/answer-size.ts";
import { page } from "../platform/contract.ts";
import { operation } from "../platform/operation.ts";
import { systemFirst } from "../platform/system-records.ts";
import { PromptTemplateView, promptTemplateView, TemplateType } from "./prompt-template.ts";
import { defaultTemplateIds, visibleTemplates } from "./prompt-template-store.ts";

export const listPromptTemplates = operation(
  {
    method: "GET",
    path: "/prompts",
    summary:
      "List the system's and one's own prompt templates; a page of very long ones ends before its limit, `total` counts all",
    auth: "user",
    query: page().extend({ template_type: TemplateType.optional(), is_active: z.stringbool().optional() }),
    success: z.object({ items: z.array(PromptTemplateView), total: z.number() }),
    failures: [],
    grants: { reads: ["defaultTemplate", "override"], indexes: ["gsi1"] },
  },
  async ({ query, caller }) => {
    const [templates, defaults] = await Promise.all([visibleTemplates(caller.id), defaultTemplateIds()]);
    const found = templates
      .filter(({ templateType }) => query.template_type === undefined || templateType === query.template_type)
      .filter(({ isActive }) => query.is_active === undefined || isActive === query.is_active)
      .toSorted(systemFirst(({ id }) => defaults.has(id)));
    const views = found
      .slice(query.skip, query.skip + query.limit)
      .map((template) => promptTemplateView(template, defaults));
    return { items: fitting(views), total: found.length };
  },
);
