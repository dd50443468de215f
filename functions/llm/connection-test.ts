import { defaultSettings, type UserConfig } from "../config/user-config.ts";
import { isMask } from "../platform/secrets.ts";
import { customHeaders } from "./custom-headers.ts";
import { ModelFailure, type ModelSettings } from "./model.ts";
import { activeProvider, addressOf, withoutSlash } from "./model-address.ts";
import { findProvider } from "./providers.ts";
import { milliseconds, storedKey } from "./user-model.ts";

/** What a user wants to try, before or after saving it. Empty fields are those of the form that were left empty. */
export interface ConnectionTest {
  readonly provider: string;
  /** May be the mask of a stored key. */
  readonly apiKey: string;
  readonly model?: string | null | undefined;
  readonly baseUrl?: string | null | undefined;
  /** Milliseconds, or seconds below 1000. */
  readonly timeout?: number | null | undefined;
  readonly maxTokens?: number | null | undefined;
  readonly temperature?: number | null | undefined;
  readonly customHeaders?: string | null | undefined;
}

/** API Gateway waits for 29 s, and whoever tests a connection for less. */
export const testTimeoutMsMax = 25_000;

/** Why a test may not be paid for: it is a call like others. */
export const budgetRefusals = ["budget_exhausted", "budget_needs_token_cap"] as const;
export type BudgetRefusal = (typeof budgetRefusals)[number];

/** A masked key that was stored for another address, or not at all. */
export class StoredKeyElsewhere extends Error {}

/**
 * The settings of a test's call: what the request says, then what the user has saved, then the provider's defaults.
 * @throws ModelFailure unsupported_provider; StoredKeyElsewhere; SluiceError secret_unreadable, llm_header_malformed, llm_header_refused
 */
export async function testedSettings(
  test: ConnectionTest,
  config: UserConfig | null,
  userId: string,
): Promise<ModelSettings> {
  const provider = findProvider(test.provider);
  if (!provider) throw new ModelFailure("unsupported_provider");
  const saved = { ...defaultSettings.llmConfig, ...config?.llmConfig };
  const isSaved = provider === activeProvider(config);
  const given = provider.wire === "bedrock" ? "" : withoutSlash(test.baseUrl?.trim() ?? "");
  const baseUrl = given || addressOf(config, provider);
  const masked = isMask(test.apiKey);
  const apiKey = masked ? await storedKey(config, userId, provider, baseUrl) : test.apiKey.trim();
  if (masked && apiKey === "" && provider.needsKey) throw new StoredKeyElsewhere();
  return {
    provider: provider.id,
    model: test.model?.trim() || (isSaved && saved.llmModel?.trim()) || provider.defaultModel,
    baseUrl,
    apiKey: apiKey === "" ? null : apiKey,
    timeoutMs: Math.min(testTimeoutMsMax, wantedTimeoutMs(test, config)),
    temperature: test.temperature ?? saved.llmTemperature ?? defaultSettings.llmConfig.llmTemperature,
    maxTokens: test.maxTokens ?? saved.llmMaxTokens ?? defaultSettings.llmConfig.llmMaxTokens,
    headers: customHeaders(test.customHeaders ?? saved.llmCustomHeaders ?? ""),
  };
}

/** Whether this is the model that the user has set up for scans. */
export const isOwnModel = (
  { provider, model }: Pick<ModelSettings, "provider" | "model">,
  config: UserConfig | null,
): boolean =>
  provider === activeProvider(config)?.id &&
  model === (config?.llmConfig.llmModel?.trim() || activeProvider(config)?.defaultModel);

/** What the user would wait for outside of a test. */
export const wantedTimeoutMs = ({ timeout }: Pick<ConnectionTest, "timeout">, config: UserConfig | null): number =>
  milliseconds(timeout ?? config?.llmConfig.llmTimeout ?? defaultSettings.llmConfig.llmTimeout);
