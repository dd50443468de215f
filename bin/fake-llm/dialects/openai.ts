import * as z from "zod";
import { type Asked, BadRequest, bearer, type Dialect, type HttpAnswer, type Rejection } from "../dialect.ts";

/** Text, or a list of parts of which the texts count. */
export const Content = z
  .union([z.string(), z.array(z.looseObject({ type: z.string(), text: z.string().optional() }))])
  .transform((content) => (typeof content === "string" ? content : content.map(({ text }) => text ?? "").join("\n")));

export const ChatBody = z.object({
  model: z.string().min(1),
  messages: z
    .array(z.object({ role: z.enum(["system", "developer", "user", "assistant", "tool"]), content: Content.nullish() }))
    .min(1),
  max_tokens: z.int().positive().nullish(),
  max_completion_tokens: z.int().positive().nullish(),
  temperature: z.number().min(0).max(2).nullish(),
  stream: z.literal(false, "the scripted model does not stream").nullish(),
  response_format: z
    .discriminatedUnion("type", [
      z.object({ type: z.literal("text") }),
      z.object({ type: z.literal("json_object") }),
      z.object({
        type: z.literal("json_schema"),
        json_schema: z.object({
          name: z.string().regex(/^[\w-]{1,64}$/),
          schema: z.unknown(),
          strict: z.boolean().nullish(),
        }),
      }),
    ])
    .nullish(),
});
export type ChatBody = z.infer<typeof ChatBody>;

/** Of the messages of a chat, those of the system and those of the conversation. */
export function askedInChat({ model, messages, max_tokens, max_completion_tokens }: ChatBody): Asked {
  const instructs = (role: string) => role === "system" || role === "developer";
  return {
    model,
    system: messages
      .filter(({ role }) => instructs(role))
      .map(({ content }) => content ?? "")
      .join("\n"),
    turns: messages
      .filter(({ role }) => !instructs(role))
      .map(({ role, content }) => ({ role: role === "assistant" ? "assistant" : "user", text: content ?? "" })),
    maxTokens: max_completion_tokens ?? max_tokens ?? null,
  };
}

const finishReasons = { stop: "stop", length: "length", refused: "content_filter" } as const;

/** OpenAI's chat completions, which most providers speak as well. */
export const openAiChat = (provider: string, path: RegExp, needsKey = true): Dialect => ({
  provider,
  path,
  needsKey,
  key: bearer,
  read({ body }) {
    const chat = ChatBody.parse(body);
    if (
      chat.response_format?.type === "json_object" &&
      !chat.messages.some(({ content }) => /json/i.test(content ?? ""))
    ) {
      throw new BadRequest(
        "'messages' must contain the word 'json' in some form, to use 'response_format' of type 'json_object'.",
      );
    }
    if (chat.response_format?.type === "json_schema" && chat.response_format.json_schema.strict) {
      refuseLooseSchema(chat.response_format.json_schema.schema, []);
    }
    return askedInChat(chat);
  },
  write: chatCompletion,
  reject: rejectAsOpenAi,
});

/** A chat completion as OpenAI and its look-alikes write it. */
export function chatCompletion(asked: Asked, { text, finish, usage }: Parameters<Dialect["write"]>[1]) {
  const refused = finish === "refused";
  return {
    id: "chatcmpl-scripted",
    object: "chat.completion",
    created: Math.floor(Date.now() / 1000),
    model: asked.model,
    choices: [
      {
        index: 0,
        message: { role: "assistant", content: refused ? null : text, refusal: refused ? text : null },
        logprobs: null,
        finish_reason: finishReasons[finish],
      },
    ],
    ...(usage && {
      usage: {
        prompt_tokens: usage.inputTokens,
        completion_tokens: usage.outputTokens,
        total_tokens: usage.inputTokens + usage.outputTokens,
      },
    }),
  };
}

/** In strict mode every object must require all its properties and allow no others; whoever forgets it gets a 400 for each request. */
export function refuseLooseSchema(schema: unknown, path: readonly string[]): void {
  if (typeof schema !== "object" || schema === null) return;
  const { properties, required, additionalProperties } = schema as Record<string, unknown>;
  if (properties !== undefined) {
    const names = Object.keys(properties as object);
    const missing = names.find((name) => !(Array.isArray(required) && required.includes(name)));
    if (missing !== undefined || additionalProperties !== false) {
      const why =
        missing === undefined ? "'additionalProperties' is required to be false" : `Missing '${missing}' in 'required'`;
      throw new BadRequest(`Invalid schema for response_format: In context=(${path.join(", ")}), ${why}.`);
    }
  }
  for (const [name, part] of Object.entries(schema)) refuseLooseSchema(part, [...path, name]);
}

/** OpenAI shows the beginning and the end of the key it refuses. Clients must not repeat even that. */
const masked = (key: string | null): string => (key === null ? "" : `${key.slice(0, 8)}********${key.slice(-4)}`);

export function rejectAsOpenAi(why: Rejection, { model, key, message }: Parameters<Dialect["reject"]>[1]): HttpAnswer {
  const error = (status: number, text: string, type: string, code: string | null): HttpAnswer => ({
    status,
    body: { error: { message: text, type, param: null, code } },
  });
  const answers: Readonly<Record<Rejection, () => HttpAnswer>> = {
    missing_key: () => error(401, "You didn't provide an API key.", "invalid_request_error", null),
    invalid_key: () =>
      error(401, `Incorrect API key provided: ${masked(key)}.`, "invalid_request_error", "invalid_api_key"),
    // DeepSeek's words; OpenAI itself says the same as a 429, see below.
    balance: () => error(402, "Insufficient Balance", "unknown_error", "invalid_request_error"),
    quota: () =>
      error(
        429,
        "You exceeded your current quota, please check your plan and billing details.",
        "insufficient_quota",
        "insufficient_quota",
      ),
    forbidden: () => error(403, "You are not allowed to use this resource.", "invalid_request_error", null),
    model_not_found: () =>
      error(
        404,
        `The model \`${model}\` does not exist or you do not have access to it.`,
        "invalid_request_error",
        "model_not_found",
      ),
    rate_limit: () => ({
      ...error(429, `Rate limit reached for ${model}. Please try again in 1s.`, "requests", "rate_limit_exceeded"),
      headers: { "retry-after": "1" },
    }),
    server_error: () => error(500, "The server had an error while processing your request.", "server_error", null),
    bad_request: () => error(400, message, "invalid_request_error", null),
  };
  return answers[why]();
}
