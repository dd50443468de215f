import * as z from "zod";
import { BadRequest, bearer, type Dialect, type HttpAnswer, type Rejection } from "../dialect.ts";
import { Content } from "./openai.ts";

const MessagesBody = z.object({
  model: z.string().min(1),
  max_tokens: z.int().positive(),
  system: Content.nullish(),
  messages: z.array(z.object({ role: z.enum(["user", "assistant"]), content: Content })).min(1),
  temperature: z.number().min(0).max(1).nullish(),
  stream: z.literal(false, "the scripted model does not stream").nullish(),
  tools: z.array(z.looseObject({ name: z.string() })).nullish(),
  tool_choice: z.looseObject({ type: z.string(), name: z.string().nullish() }).nullish(),
});

/** Anthropic's messages. JSON is often asked for as the call of a tool, which is then the answer. */
export const anthropic: Dialect = {
  provider: "claude",
  path: /^\/v1\/messages$/,
  needsKey: true,
  key: (asked) => oneHeader(asked.headers["x-api-key"]) ?? bearer(asked),
  read({ headers, body }) {
    if (headers["anthropic-version"] === undefined) throw new BadRequest("anthropic-version: header is required");
    const { model, system, messages, max_tokens, tools, tool_choice } = MessagesBody.parse(body);
    const forced =
      tool_choice?.type === "tool" ? tool_choice.name : tool_choice?.type === "any" ? tools?.[0]?.name : null;
    return {
      model,
      system: system ?? "",
      turns: messages.map(({ role, content }) => ({ role, text: content })),
      maxTokens: max_tokens,
      ...(forced && { forcedTool: forced }),
    };
  },
  write({ model, forcedTool }, { text, finish, usage }) {
    const input = forcedTool === undefined ? undefined : parsedObject(text);
    const called = input !== undefined && finish === "stop";
    return {
      id: "msg_scripted",
      type: "message",
      role: "assistant",
      model,
      content: called
        ? [{ type: "tool_use", id: "toolu_scripted", name: forcedTool, input }]
        : text === "" || finish === "refused"
          ? []
          : [{ type: "text", text }],
      stop_reason: called ? "tool_use" : stopReasons[finish],
      stop_sequence: null,
      ...(usage && { usage: { input_tokens: usage.inputTokens, output_tokens: usage.outputTokens } }),
    };
  },
  reject: rejectAsAnthropic,
};

const stopReasons = { stop: "end_turn", length: "max_tokens", refused: "refusal" } as const;

const oneHeader = (value: string | string[] | undefined): string | null =>
  typeof value === "string" && value !== "" ? value : null;

/** A tool gets an object or nothing: what is no JSON can only be said as text. */
function parsedObject(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

function rejectAsAnthropic(why: Rejection, { model, message }: Parameters<Dialect["reject"]>[1]): HttpAnswer {
  const error = (status: number, type: string, text: string): HttpAnswer => ({
    status,
    body: { type: "error", error: { type, message: text }, request_id: "req_scripted" },
  });
  const answers: Readonly<Record<Rejection, () => HttpAnswer>> = {
    missing_key: () => error(401, "authentication_error", "x-api-key header is required"),
    invalid_key: () => error(401, "authentication_error", "invalid x-api-key"),
    balance: () => error(402, "billing_error", "There is a problem with your billing or payment information."),
    quota: () => error(400, "invalid_request_error", "Your credit balance is too low to access the Anthropic API."),
    forbidden: () => error(403, "permission_error", "Your API key does not have permission to use this resource."),
    model_not_found: () => error(404, "not_found_error", `model: ${model}`),
    rate_limit: () => ({
      ...error(429, "rate_limit_error", "This request would exceed your rate limit."),
      headers: { "retry-after": "1" },
    }),
    server_error: () => error(500, "api_error", "Internal server error"),
    bad_request: () => error(400, "invalid_request_error", message),
  };
  return answers[why]();
}
