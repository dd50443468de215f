import * as z from "zod";
import { findUserConfig } from "../config/user-config-store.ts";
import { budgetRefusals } from "../llm/connection-test.ts";
import { failureText } from "../llm/failure-texts.ts";
import { ModelFailure } from "../llm/model.ts";
import type { ModelPrice } from "../llm/prices.ts";
import { isSluiceError } from "../platform/errors.ts";
import type { Language } from "../platform/language.ts";
import { operation } from "../platform/operation.ts";
import { isMask } from "../platform/secrets.ts";
import { capsFor } from "../spending/caps.ts";
import { type Cost, costOf } from "../spending/cost.ts";
import { paid } from "../spending/paid-call.ts";
import { spendingGrants } from "../spending/spending-store.ts";
import { askEmbedding } from "./ask-embedding.ts";
import { embeddingAddress } from "./embedding-address.ts";
import { embeddingPrice, findEmbeddingProvider } from "./embedding-providers.ts";
import { EmbeddingBaseUrl, storedEmbeddingKey } from "./embedding-settings.ts";

/** API Gateway waits for 29 s, and whoever tests a connection for less. */
const timeoutMs = 25_000;
const sampleNumbers = 5;

const TestResult = z.object({
  success: z.boolean(),
  message: z.string(),
  dimensions: z.number().int().nullable(),
  sample_embedding: z.array(z.number()).nullable(),
  latency_ms: z.number().int().nullable(),
});

export const testEmbedding = operation(
  {
    method: "POST",
    path: "/embedding/test",
    summary:
      "Ask an embedding model for one vector, at the expense of the caller's month, and say in words what is wrong when none comes",
    auth: "user",
    body: z.object({
      provider: z.string().trim().max(50),
      model: z.string().trim().min(1).max(200),
      /** Not named, or the mask of a stored key, means that key, at the address it was stored for. */
      api_key: z.string().max(10_000).nullish(),
      base_url: EmbeddingBaseUrl,
      test_text: z.string().min(1).max(2000).default("这是一段用于测试嵌入模型的文本"),
    }),
    success: TestResult,
    failures: [],
    grants: { reads: ["userConfig"], writes: spendingGrants.writes, secrets: ["decrypt"] },
    // Longer than the call may take, shorter than API Gateway waits.
    timeoutSeconds: 28,
  },
  async ({ body, caller, language, now }): Promise<z.input<typeof TestResult>> => {
    const { provider, model } = body;
    const baseUrl = embeddingAddress(provider, body.base_url);
    const isStored = (body.api_key ?? null) === null || isMask(body.api_key as string);
    const started = performance.now();
    try {
      // Nothing to pay for: the month's figures name models, not whatever somebody types.
      if (!findEmbeddingProvider(provider)) throw new ModelFailure("unsupported_provider");
      const config = await findUserConfig(caller.id);
      const apiKey = isStored ? await storedEmbeddingKey(config, caller.id, baseUrl) : (body.api_key as string).trim();
      const price = embeddingPrice(provider, model);
      const budget = { userId: caller.id, scan: null, price, caps: capsFor(config, null, null) };
      const texts = [body.test_text];
      const { vectors } = await paid(
        { ...budget, provider, model, worst: worstCaseOf(texts, price) },
        () => askEmbedding({ provider, model, baseUrl, apiKey, timeoutMs }, texts),
        now,
      );
      const [vector = []] = vectors;
      return {
        success: true,
        message:
          language === "zh" ? `连接成功，向量维度 ${vector.length}` : `It works; vectors have ${vector.length} numbers`,
        dimensions: vector.length,
        sample_embedding: vector.slice(0, sampleNumbers),
        latency_ms: Math.round(performance.now() - started),
      };
    } catch (error) {
      const nothing = { dimensions: null, sample_embedding: null, latency_ms: null };
      return { success: false, message: explained(error, language), ...nothing };
    }
  },
);

/** Marks that providers put around each text. */
const frameTokens = 100;

/** No tokeniser in use makes more tokens than there are bytes in UTF-8. */
const worstCaseOf = (texts: readonly string[], price: ModelPrice | null): Cost => {
  const inputTokens = texts.reduce((sum, text) => sum + Buffer.byteLength(text) + frameTokens, 0);
  return costOf({ inputTokens, outputTokens: 0 }, price);
};

/** @throws what is no failure of a test but one of ours */
function explained(error: unknown, language: Language): string {
  if (isSluiceError(error, "secret_unreadable", ...budgetRefusals)) return error.text(language);
  if (!(error instanceof ModelFailure)) throw error;
  const said = failureText(error.category, language);
  if (error.category === "timeout")
    return language === "zh" ? `${said}（${timeoutMs / 1000} 秒）` : `${said} (${timeoutMs / 1000} s)`;
  // Our own client names the very reason, such as an address that the operator has to allow.
  const { cause } = error;
  return isSluiceError(cause) ? said + (language === "zh" ? "：" : ": ") + cause.text(language) : said;
}
