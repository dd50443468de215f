import { v7 as uuid } from "uuid";
import { SluiceError } from "../platform/errors.ts";
import { operation } from "../platform/operation.ts";
import {
  newPromptTemplate,
  PromptTemplateDraft,
  PromptTemplateView,
  promptTemplateView,
  templatesPerUserMax,
} from "./prompt-template.ts";
import { createTemplate, templatesOf } from "./prompt-template-store.ts";

export const createPromptTemplate = operation(
  {
    method: "POST",
    path: "/prompts",
    summary: "Create a prompt template that only its creator sees",
    auth: "user",
    body: PromptTemplateDraft,
    success: PromptTemplateView,
    failures: ["prompt_template_limit_reached"],
    grants: { writes: ["promptTemplate"], checks: ["user"], indexes: ["gsi1"] },
    idempotent: true,
  },
  async ({ body, caller, now }) => {
    // Two at once may both pass. The limit keeps the list readable and guards nothing else.
    if ((await templatesOf(caller.id)).length >= templatesPerUserMax)
      throw new SluiceError("prompt_template_limit_reached", { limit: templatesPerUserMax });
    const template = newPromptTemplate(body, uuid(), caller.id, now());
    await createTemplate(template);
    return promptTemplateView(template, new Set());
  },
);
