import {
  APICallError,
  InvalidResponseDataError,
  type LanguageModelV4,
  type LanguageModelV4CallOptions,
  type LanguageModelV4GenerateResult,
  type LanguageModelV4Prompt,
  UnsupportedFunctionalityError,
} from "@ai-sdk/provider";
import { answerFailure } from "../failure.ts";
import { ModelFailure, type ModelFailureCategory } from "../model.ts";

/** What an adapter needs for one call. */
export interface AdapterProps {
  readonly model: string;
  readonly baseURL: string;
  readonly apiKey: string;
  readonly fetch: typeof fetch;
}

/** An answer in the terms of the AI SDK, without what a text-only adapter never has. */
export interface AdapterAnswer {
  readonly text: string;
  readonly finish: LanguageModelV4GenerateResult["finishReason"]["unified"];
  readonly inputTokens?: number | undefined;
  readonly outputTokens?: number | undefined;
  readonly model?: string | undefined;
}

/** Makes a provider's own wire format a language model of the AI SDK, so that whoever asks knows one way only. Texts only, no streams. */
export function adapter(
  provider: string,
  modelId: string,
  generate: (options: LanguageModelV4CallOptions) => Promise<AdapterAnswer>,
): LanguageModelV4 {
  return {
    specificationVersion: "v4",
    provider,
    modelId,
    supportedUrls: {},
    async doGenerate(options) {
      const { text, finish, inputTokens, outputTokens, model } = await generate(options);
      return {
        content: text === "" ? [] : [{ type: "text", text }],
        finishReason: { unified: finish, raw: undefined },
        usage: {
          inputTokens: { total: inputTokens, noCache: undefined, cacheRead: undefined, cacheWrite: undefined },
          outputTokens: { total: outputTokens, text: undefined, reasoning: undefined },
        },
        ...(model && { response: { modelId: model } }),
        warnings: [],
      };
    },
    async doStream() {
      throw new UnsupportedFunctionalityError({ functionality: "streaming" });
    },
  };
}

/** One request of an adapter. */
export interface AdapterRequest {
  readonly url: string;
  readonly headers?: Readonly<Record<string, string | undefined>> | undefined;
  readonly body?: Readonly<Record<string, unknown>>;
}

/** An object that came back, and the headers with it. */
export interface JsonAnswer {
  readonly body: Record<string, unknown>;
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * Posts JSON and reads JSON.
 * @throws APICallError for a status of failure and for what is no JSON object
 */
export async function postJson(
  fetch: AdapterProps["fetch"],
  { url, headers = {}, body }: AdapterRequest,
): Promise<JsonAnswer> {
  const said = Object.entries(headers).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]));
  const answer = await fetch(url, {
    method: "POST",
    headers: { "Content-Type": "application/json", ...Object.fromEntries(said) },
    body: JSON.stringify(body ?? {}),
  });
  const text = await answer.text();
  const parsed = answer.ok ? parsedObject(text) : null;
  if (parsed) return { body: parsed, headers: Object.fromEntries(answer.headers) };
  throw new APICallError({
    message: "the provider did not answer as agreed",
    // The address can hold a token; nobody reads it here.
    url: "",
    requestBodyValues: {},
    statusCode: answer.status,
    responseHeaders: Object.fromEntries(answer.headers),
    responseBody: text,
  });
}

function parsedObject(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}

/** An error under status 200. A code that says too little, such as that for any wrong parameter, is left to its words. */
export function codedFailure(
  category: ModelFailureCategory | undefined,
  message: unknown,
  headers: JsonAnswer["headers"],
): ModelFailure {
  const told = answerFailure(400, String(message ?? ""), headers);
  return new ModelFailure(category ?? told.category, {
    status: 200,
    ...(told.retryAfterMs !== null && { retryAfterMs: told.retryAfterMs }),
    maybeCharged: category === "timeout",
  });
}

/** Messages as role and text, the instructions first, in the form that most providers share. */
export const plainMessages = (prompt: LanguageModelV4Prompt): { role: string; content: string }[] =>
  prompt.map(({ role, content }) => ({
    role,
    content:
      typeof content === "string"
        ? content
        : content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join(""),
  }));

/** Reads the shape that OpenAI made common. @throws InvalidResponseDataError when there is no choice in it */
export function choiceOf(answer: Record<string, unknown>): AdapterAnswer {
  const { choices, usage, model } = answer as {
    choices?: { message?: { content?: unknown }; finish_reason?: unknown }[];
    usage?: { prompt_tokens?: unknown; completion_tokens?: unknown; total_tokens?: unknown } | null;
    model?: unknown;
  };
  const choice = Array.isArray(choices) ? choices[0] : undefined;
  if (!choice?.message) throw new InvalidResponseDataError({ data: null, message: "no choice in the answer" });
  const { content } = choice.message;
  return {
    text: typeof content === "string" ? content : "",
    finish: finishOf(choice.finish_reason),
    inputTokens: countOf(usage?.prompt_tokens),
    outputTokens: countOf(usage?.completion_tokens),
    ...(typeof model === "string" && { model }),
  };
}

/** The words for how an answer ended, which the three providers share. */
export function finishOf(reason: unknown): AdapterAnswer["finish"] {
  if (reason === "stop" || reason === "normal") return "stop";
  if (reason === "length") return "length";
  return reason === "content_filter" ? "content-filter" : "other";
}

/** A number of tokens, or undefined for whatever else stands there. */
export const countOf = (value: unknown): number | undefined =>
  typeof value === "number" && Number.isSafeInteger(value) && value >= 0 ? value : undefined;
