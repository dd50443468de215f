import { v7 as uuid } from "uuid";
import * as z from "zod";
import type { UserConfig } from "../config/user-config.ts";
import { findUserConfig } from "../config/user-config-store.ts";
import { Id, says } from "../platform/contract.ts";
import { SluiceError } from "../platform/errors.ts";
import { type Language, OutputLanguage } from "../platform/language.ts";
import { operation } from "../platform/operation.ts";
import { templateText } from "../prompts/prompt-template.ts";
import { defaultTemplate, visibleTemplate } from "../prompts/prompt-template-store.ts";
import { spendingGrants } from "../spending/spending-store.ts";
import { analyseSnippet } from "./analyse-snippet.ts";
import { codeLanguage } from "./code-language.ts";
import { InstantResult, instantResult, shortened } from "./instant-analysis.ts";
import { countInstantAnalysis, keepInstantAnalysis } from "./instant-analysis-store.ts";

/** As for a file of a scan: what is larger is generated or data. */
const codeBytesMax = 204_800;
/** All calls of the model end by then: API Gateway gives up after 29 s. */
const analysisMs = 25_000;
/** A function's answer ends at 6 MB. */
const answerBytesMax = 4 * 1024 * 1024;
/** A page of a hundred entries must fit into an answer too, and quotes count twice there. */
const keptBytesMax = 40_000;

export const analyseCode = operation(
  {
    method: "POST",
    path: "/scan/instant",
    summary:
      "Analyse a piece of code at once, by rules and by one's own model where there is one; the result goes into one's history, the code does not",
    auth: "user",
    body: z.object({
      code: z.string().refine((code) => /\S/.test(code), { ...says("没有代码", "there is no code") }),
      /** Any name or extension; in what is not known only secrets are searched for. */
      language: z.string().max(50),
      prompt_template_id: Id.nullish(),
      /** Whether the database default counts where no template is named; else it is the built-in one. */
      use_default_template: z.boolean().nullish(),
      output_language: OutputLanguage.nullish(),
    }),
    success: InstantResult.extend({
      analysis_id: z.string(),
      analysis_time: z.number().meta({ description: "seconds" }),
    }),
    failures: ["payload_too_large", "prompt_template_not_found", "instant_analysis_limit_reached"],
    grants: {
      reads: ["userConfig", "applicationKey", "promptTemplate", "defaultTemplate", "override"],
      writes: ["instantAnalysis", ...spendingGrants.writes],
      checks: ["user"],
      appends: ["applicationKey"],
      secrets: ["decrypt"],
      bedrock: true,
    },
    idempotent: true,
    // One vCPU, as for the chunks of a scan.
    memoryMiB: 1769,
    timeoutSeconds: 28,
  },
  async ({ body, caller, language: asked, now }) => {
    const started = performance.now();
    if (Buffer.byteLength(body.code) > codeBytesMax) throw new SluiceError("payload_too_large", { limit: "200 KB" });
    const config = await findUserConfig(caller.id);
    const outputLanguage = outputLanguageOf(body.output_language, config, asked);
    const template = await templateFor(caller.id, body, outputLanguage);
    await countInstantAnalysis(caller.id, now());

    const language = codeLanguage(body.language);
    const snippet = { code: body.code, language, template, outputLanguage };
    const props = { userId: caller.id, config, until: started + analysisMs, now };
    const result = instantResult(await analyseSnippet(snippet, props), outputLanguage);

    const at = now();
    const analysis_id = uuid({ msecs: at.getTime() });
    const analysis_time = Math.round((performance.now() - started) / 10) / 100;
    await keepInstantAnalysis({
      id: analysis_id,
      ownerId: caller.id,
      language: language.name,
      mode: result.mode,
      issuesCount: result.issues.length,
      qualityScore: result.quality_score,
      analysisTime: analysis_time,
      result: JSON.stringify(shortened(result, keptBytesMax, outputLanguage)),
      createdAt: at.toISOString(),
    });
    return { ...shortened(result, answerBytesMax, outputLanguage), analysis_id, analysis_time };
  },
);

/** What the request says, then what the user has saved, then the language of the request itself. */
const outputLanguageOf = (wanted: Language | null | undefined, config: UserConfig | null, asked: Language): Language =>
  wanted ?? OutputLanguage.nullish().parse(config?.otherConfig.outputLanguage) ?? asked;

/** @throws SluiceError prompt_template_not_found */
async function templateFor(
  userId: string,
  body: { prompt_template_id?: string | null | undefined; use_default_template?: boolean | null | undefined },
  language: Language,
): Promise<string | null> {
  const template = body.prompt_template_id
    ? await visibleTemplate(userId, body.prompt_template_id)
    : // Front ends never send it, and it has always been on.
      (body.use_default_template ?? true)
      ? await defaultTemplate("system", userId)
      : null;
  return template && templateText(template, language);
}
