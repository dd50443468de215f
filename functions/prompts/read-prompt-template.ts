import * as z from "zod";
import { Id } from "../platform/contract.ts";
import { operation } from "../platform/operation.ts";
import { PromptTemplateView, promptTemplateView } from "./prompt-template.ts";
import { defaultTemplateIds, visibleTemplate } from "./prompt-template-store.ts";

export const readPromptTemplate = operation(
  {
    method: "GET",
    path: "/prompts/{id}",
    summary: "Read a prompt template of the system or of one's own",
    auth: "user",
    params: z.object({ id: Id }),
    success: PromptTemplateView,
    failures: ["prompt_template_not_found"],
    grants: { reads: ["promptTemplate", "defaultTemplate", "override"] },
  },
  async ({ params, caller }) =>
    promptTemplateView(await visibleTemplate(caller.id, params.id), await defaultTemplateIds()),
);
