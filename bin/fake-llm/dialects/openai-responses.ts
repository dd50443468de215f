import * as z from "zod";
import { bearer, type Dialect } from "../dialect.ts";
import { Content, refuseLooseSchema, rejectAsOpenAi } from "./openai.ts";

const ResponsesBody = z.object({
  model: z.string().min(1),
  instructions: z.string().nullish(),
  input: z.union([
    z.string().min(1),
    z.array(z.object({ role: z.enum(["system", "developer", "user", "assistant"]), content: Content })).min(1),
  ]),
  max_output_tokens: z.int().min(16).nullish(),
  temperature: z.number().min(0).max(2).nullish(),
  stream: z.literal(false, "the scripted model does not stream").nullish(),
  text: z
    .object({
      format: z
        .discriminatedUnion("type", [
          z.object({ type: z.literal("text") }),
          z.object({ type: z.literal("json_object") }),
          z.object({
            type: z.literal("json_schema"),
            name: z.string().regex(/^[\w-]{1,64}$/),
            schema: z.unknown(),
            strict: z.boolean().nullish(),
          }),
        ])
        .nullish(),
    })
    .nullish(),
});

/** OpenAI's newer API, which its SDKs use unless told otherwise. */
export const openAiResponses: Dialect = {
  provider: "openai",
  path: /^\/v1\/responses$/,
  needsKey: true,
  key: bearer,
  read({ body }) {
    const { model, instructions, input, max_output_tokens, text } = ResponsesBody.parse(body);
    if (text?.format?.type === "json_schema" && text.format.strict) refuseLooseSchema(text.format.schema, []);
    const items = typeof input === "string" ? [{ role: "user" as const, content: input }] : input;
    const instructs = (role: string) => role === "system" || role === "developer";
    const system = items.filter(({ role }) => instructs(role)).map(({ content }) => content);
    return {
      model,
      system: [instructions ?? "", ...system].join("\n"),
      turns: items
        .filter(({ role }) => !instructs(role))
        .map(({ role, content }) => ({ role: role === "assistant" ? "assistant" : "user", text: content })),
      maxTokens: max_output_tokens ?? null,
    };
  },
  write({ model, maxTokens }, { text, finish, usage }) {
    const part =
      finish === "refused" ? { type: "refusal", refusal: text } : { type: "output_text", text, annotations: [] };
    return {
      id: "resp_scripted",
      object: "response",
      created_at: Math.floor(Date.now() / 1000),
      status: finish === "length" ? "incomplete" : "completed",
      error: null,
      incomplete_details: incompleteDetails[finish],
      max_output_tokens: maxTokens,
      model,
      output: [{ type: "message", id: "msg_scripted", status: "completed", role: "assistant", content: [part] }],
      ...(usage && {
        usage: {
          input_tokens: usage.inputTokens,
          input_tokens_details: { cached_tokens: 0 },
          output_tokens: usage.outputTokens,
          output_tokens_details: { reasoning_tokens: 0 },
          total_tokens: usage.inputTokens + usage.outputTokens,
        },
      }),
    };
  },
  reject: rejectAsOpenAi,
};

const incompleteDetails = {
  stop: null,
  length: { reason: "max_output_tokens" },
  refused: { reason: "content_filter" },
} as const;
