import type {
  LanguageModelV4CallOptions,
  LanguageModelV4FinishReason,
  LanguageModelV4GenerateResult,
  LanguageModelV4Prompt,
  LanguageModelV4Usage,
} from "@ai-sdk/provider";
import { log } from "../platform/log.ts";
import { type Outbound, outbound } from "../platform/outbound.ts";
import { outboundFetch } from "../platform/outbound-fetch.ts";
import { isRefusal, modelFailure } from "./failure.ts";
import { languageModel } from "./language-model.ts";
import { type ModelAnswer, ModelFailure, type ModelRequest, type ModelSettings, type ModelUsage } from "./model.ts";
import { findProvider } from "./providers.ts";

/** An answer of the largest number of tokens has less than half of this, with room for how JSON writes Chinese. */
const answerBytesMax = 4 * 1024 * 1024;

/**
 * Asks a user's model, with exactly one request: who calls decides about trying again, because each try may cost money. Nothing of the
 * call outlives it, neither a client nor a key, so users cannot meet in one.
 * @param client how hosts are reached. @default the function's own
 * @returns what the model wrote, its thoughts left out; empty only when it was refused or cut before the first word
 * @throws ModelFailure with the reason; never with anything that the provider sent
 */
export async function askModel(
  settings: ModelSettings,
  request: ModelRequest,
  client: Outbound = outbound(),
): Promise<ModelAnswer> {
  checkKey(settings);
  const deadlineAt = performance.now() + settings.timeoutMs;
  try {
    const fetch = outboundFetch(client, { deadlineAt, bytesMax: answerBytesMax });
    const model = await languageModel(settings, fetch);
    return answerOf(await model.doGenerate(callOptions(settings, request)), settings);
  } catch (error) {
    if (isRefusal(error)) return { text: "", usage: null, finish: "refused", model: settings.model };
    const failure = modelFailure(error);
    if (failure.category === "unknown") log("error", "a model's call failed in a way unforeseen", placeOf(error));
    throw failure;
  }
}

/** Where an error came from, without its message: that can hold what was sent or received. */
const placeOf = (error: unknown) =>
  error instanceof Error
    ? {
        error: error.name,
        stack: (error.stack ?? "")
          .split("\n")
          .filter((line) => /^ +at /.test(line))
          .slice(0, 10)
          .join("\n"),
      }
    : {};

/** A key that cannot be one is refused without a request. @throws ModelFailure auth_invalid_key */
function checkKey({ provider, apiKey }: ModelSettings): void {
  const missing = !apiKey && findProvider(provider)?.needsKey;
  if (missing || !/^[\x21-\x7e]*$/.test(apiKey ?? "")) throw new ModelFailure("auth_invalid_key");
}

function callOptions(settings: ModelSettings, request: ModelRequest): LanguageModelV4CallOptions {
  const structured = request.schema ? structuredFor(settings) : "none";
  return {
    prompt: promptOf(request, structured === "json"),
    maxOutputTokens: settings.maxTokens,
    temperature: settings.temperature,
    headers: { ...settings.headers },
    ...(structured === "schema" && { responseFormat: { type: "json", schema: { ...request.schema } } }),
    ...(structured === "json" && { responseFormat: { type: "json" } }),
    // Strict schemas must require every property, and a request with another one is refused; the schema guides all the same.
    providerOptions: {
      openai: { strictJsonSchema: false },
      openaiCompatible: { strictJsonSchema: false },
    },
  };
}

/** Models that think aloud refuse JSON mode at some providers; on Bedrock only some families take a schema. */
function structuredFor({ provider: id, model }: ModelSettings): "schema" | "json" | "none" {
  const structured = findProvider(id)?.structured ?? "none";
  if (structured === "json" && /think|reason|qwq|-r1\b/i.test(model)) return "none";
  if (id === "bedrock" && !/\b(?:anthropic\.claude|amazon\.nova)/.test(model)) return "none";
  return structured;
}

function promptOf({ system, messages }: ModelRequest, jsonMode: boolean): LanguageModelV4Prompt {
  // In JSON mode several providers refuse a request that does not say the word.
  const saysJson = [system, ...messages.map(({ content }) => content)].some((text) => /json/i.test(text));
  const instructions = jsonMode && !saysJson ? `${system}\n\nAnswer with JSON only.`.trim() : system;
  return [
    ...(instructions === "" ? [] : [{ role: "system" as const, content: instructions }]),
    ...messages.map(({ role, content }) => ({ role, content: [{ type: "text" as const, text: content }] })),
  ];
}

function answerOf(result: LanguageModelV4GenerateResult, settings: ModelSettings): ModelAnswer {
  const finish = finishes[result.finishReason.unified];
  const written = result.content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("");
  const text = result.structuredOutputText ?? written;
  // Cut or refused before its first word is a state of an answer, and its usage counts.
  if (text.trim() === "" && finish !== "length" && finish !== "refused")
    throw new ModelFailure("empty_response", { status: 200, maybeCharged: true });
  return {
    text,
    usage: usageOf(result.usage, text),
    finish,
    model: namedModel(result.response?.modelId) ?? settings.model,
  };
}

/** The name goes into records and onto screens, and it is whatever a server wrote. */
const namedModel = (name: string | undefined): string | undefined =>
  name && /^[\w.:/@+-]{1,200}$/.test(name) ? name : undefined;

const finishes: Record<LanguageModelV4FinishReason["unified"], ModelAnswer["finish"]> = {
  stop: "stop",
  length: "length",
  "content-filter": "refused",
  // A schema is answered by the call of a tool at some providers.
  "tool-calls": "stop",
  error: "other",
  interrupted: "other",
  other: "other",
};

/** No prompt and no text has no tokens: a count of zero is one that was left out. */
function usageOf({ inputTokens, outputTokens }: LanguageModelV4Usage, text: string): ModelUsage | null {
  const [input, output] = [inputTokens.total, outputTokens.total];
  if (!input || output === undefined || (output === 0 && text !== "")) return null;
  return { inputTokens: input, outputTokens: output };
}
