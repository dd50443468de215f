import * as z from "zod";
import { Id } from "../platform/contract.ts";
import { SluiceError } from "../platform/errors.ts";
import { operation } from "../platform/operation.ts";
import { override } from "../platform/override-store.ts";
import {
  changedPromptTemplate,
  PromptTemplatePatch,
  PromptTemplateView,
  promptTemplateView,
} from "./prompt-template.ts";
import { defaultTemplateIds, replaceTemplate, visibleTemplate } from "./prompt-template-store.ts";

export const updatePromptTemplate = operation(
  {
    method: "PUT",
    path: "/prompts/{id}",
    summary:
      "Change one's own prompt template, or switch one of the system's on or off for oneself; what the body does not name stays as it is",
    auth: "user",
    params: z.object({ id: Id }),
    body: PromptTemplatePatch,
    success: PromptTemplateView,
    failures: ["prompt_template_not_found", "system_record_fixed", "stale_version"],
    grants: {
      reads: ["promptTemplate", "defaultTemplate", "override"],
      writes: ["promptTemplate", "override"],
      checks: ["user"],
    },
  },
  async ({ params, body, caller, now }) => {
    const template = await visibleTemplate(caller.id, params.id);
    const defaults = await defaultTemplateIds();
    if (!template.isSystem) {
      const stored = await replaceTemplate(template, changedPromptTemplate(template, body), now());
      return promptTemplateView(stored, defaults);
    }
    // Front ends send the whole form back; of what the system ships only the switch can change.
    if (body.is_active === undefined) throw new SluiceError("system_record_fixed");
    await override(caller.id, template.id, body.is_active);
    return promptTemplateView({ ...template, isActive: body.is_active }, defaults);
  },
);
