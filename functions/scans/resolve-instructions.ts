import { defaultSettings, type UserConfig } from "../config/user-config.ts";
import { findUserConfig } from "../config/user-config-store.ts";
import type { ModelSettings } from "../llm/model.ts";
import { alternativeModelOf, modelOf } from "../llm/user-model.ts";
import { isSluiceError } from "../platform/errors.ts";
import type { Language } from "../platform/language.ts";
import { templateText } from "../prompts/prompt-template.ts";
import { defaultTemplate, visibleTemplate } from "../prompts/prompt-template-store.ts";
import { type RuleSet, reviewRules, userPatterns } from "../rules/rule-set.ts";
import { visibleRuleSet } from "../rules/rule-set-store.ts";
import type { ReviewModel, ScanInstructions } from "./instructions.ts";
import { actorOf, type Task } from "./task.ts";

/**
 * Resolves what a scan was asked for: the template named, else the default, else the built-in one; the rule set named; the model of who
 * started it.
 * @throws SluiceError prompt_template_not_found, rule_set_not_found when one was deleted since
 */
export async function resolveInstructions(
  task: Pick<Task, "config" | "startedBy" | "createdBy" | "ownerId">,
): Promise<ScanInstructions> {
  const userId = actorOf(task);
  const { promptTemplateId, ruleSetId } = task.config;
  const [config, template, ruleSet] = await Promise.all([
    findUserConfig(userId),
    promptTemplateId === null ? defaultTemplate("system", userId) : visibleTemplate(userId, promptTemplateId),
    ruleSetId === null ? null : visibleRuleSet(userId, ruleSetId),
  ]);
  const settings = { ...defaultSettings.otherConfig, ...config?.otherConfig };
  const outputLanguage: Language = settings.outputLanguage === "en-US" ? "en" : "zh";
  return {
    ...(await modelIn(config, userId)),
    review: {
      template: template && templateText(template, outputLanguage),
      rules: ruleSet ? reviewRules(ruleSet, outputLanguage) : [],
      outputLanguage,
    },
    patterns: ruleSet ? userPatterns(ruleSet) : [],
    codes: ruleSet ? qualityCodes(ruleSet) : [],
    categoriesOff: ruleSet ? categoriesOff(ruleSet) : [],
    filesMax: settings.maxAnalyzeFiles || null,
    concurrency: settings.llmConcurrency ?? defaultSettings.otherConfig.llmConcurrency,
    gapMs: settings.llmGapMs ?? defaultSettings.otherConfig.llmGapMs,
  };
}

/** Settings that cannot be used, such as a key that no longer decrypts, cost the review and not the scan. */
async function modelIn(
  config: UserConfig | null,
  userId: string,
): Promise<Pick<ScanInstructions, "model" | "alternative" | "modelTrouble">> {
  const none = { model: null, alternative: null, modelTrouble: null };
  try {
    const found = await modelOf(config, userId);
    return found ? { ...none, model: reviewModel(found), alternative: await alternativeIn(config, userId) } : none;
  } catch (error) {
    if (isSluiceError(error)) return { ...none, modelTrouble: "model_unusable" };
    throw error;
  }
}

/** One that cannot be used, such as one with a key that no longer decrypts, is none. */
async function alternativeIn(config: UserConfig | null, userId: string): Promise<ReviewModel | null> {
  try {
    const found = await alternativeModelOf(config, userId);
    return found && reviewModel(found);
  } catch (error) {
    if (isSluiceError(error)) return null;
    throw error;
  }
}

const reviewModel = ({ provider, model, baseUrl, temperature, maxTokens }: ModelSettings): ReviewModel => ({
  provider,
  model,
  baseUrl,
  temperature,
  maxTokens,
});

/** Whoever wants to hear of quality chooses a set that has these codes; by default a scan looks for what is dangerous. */
const qualityCodes = ({ rules }: RuleSet): string[] =>
  rules.filter(({ ruleCode, enabled }) => enabled && /^(CQ|PERF)\d{3}$/.test(ruleCode)).map(({ ruleCode }) => ruleCode);

const categoriesOff = ({ rules }: RuleSet): string[] =>
  rules.filter(({ ruleCode, enabled }) => !enabled && /^A(0[1-9]|10)$/.test(ruleCode)).map(({ ruleCode }) => ruleCode);
