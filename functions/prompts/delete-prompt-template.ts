import * as z from "zod";
import { Id } from "../platform/contract.ts";
import { SluiceError } from "../platform/errors.ts";
import { operation } from "../platform/operation.ts";
import { deleteTemplate, visibleTemplate } from "./prompt-template-store.ts";

export const deletePromptTemplate = operation(
  {
    method: "DELETE",
    path: "/prompts/{id}",
    summary: "Delete one's own prompt template",
    auth: "user",
    params: z.object({ id: Id }),
    success: z.object({ message: z.string() }),
    failures: ["prompt_template_not_found", "system_record_fixed"],
    grants: { reads: ["promptTemplate", "override"], writes: ["promptTemplate"] },
  },
  async ({ params, caller, language }) => {
    const template = await visibleTemplate(caller.id, params.id);
    if (template.isSystem) throw new SluiceError("system_record_fixed");
    await deleteTemplate(template);
    return { message: language === "zh" ? "提示词模板已删除" : "The prompt template is deleted" };
  },
);
