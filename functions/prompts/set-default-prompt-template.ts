import * as z from "zod";
import { Id } from "../platform/contract.ts";
import { SluiceError } from "../platform/errors.ts";
import { operation } from "../platform/operation.ts";
import { setDefaultTemplate, visibleTemplate } from "./prompt-template-store.ts";

export const setDefaultPromptTemplate = operation(
  {
    method: "POST",
    path: "/prompts/{id}/set-default",
    summary: "Make a template of the system the one default of its type, for everybody",
    auth: "administrator",
    params: z.object({ id: Id }),
    success: z.object({ message: z.string() }),
    failures: ["prompt_template_not_found", "prompt_template_not_shared"],
    grants: { reads: ["promptTemplate", "override"], writes: ["defaultTemplate"] },
  },
  async ({ params, caller, language }) => {
    const template = await visibleTemplate(caller.id, params.id);
    // What others cannot see must not steer their scans, and its owner could delete it.
    if (!template.isSystem) throw new SluiceError("prompt_template_not_shared");
    await setDefaultTemplate(template);
    return { message: language === "zh" ? "已设为默认模板" : "This is the default template now" };
  },
);
