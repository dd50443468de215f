import * as z from "zod";
import type { Dialect, HttpAnswer, Rejection } from "../dialect.ts";

const Parts = z
  .object({
    role: z.enum(["user", "model"]).nullish(),
    parts: z.array(z.looseObject({ text: z.string().optional() })).min(1),
  })
  .transform(({ role, parts }) => ({ role, text: parts.map(({ text }) => text ?? "").join("\n") }));

const GenerateBody = z.object({
  systemInstruction: Parts.nullish(),
  contents: z.array(Parts).min(1),
  generationConfig: z
    .object({ maxOutputTokens: z.int().positive().nullish(), temperature: z.number().min(0).max(2).nullish() })
    .nullish(),
});

const path = /^\/v1beta\/models\/([^/:]+):generateContent$/;

/** Google's generateContent, where the model is part of the path. */
export const gemini: Dialect = {
  provider: "gemini",
  path,
  needsKey: true,
  key: ({ url, headers }) => {
    const header = headers["x-goog-api-key"];
    return (typeof header === "string" && header) || url.searchParams.get("key") || null;
  },
  read({ url, body }) {
    const { systemInstruction, contents, generationConfig } = GenerateBody.parse(body);
    return {
      model: decodeURIComponent(path.exec(url.pathname)?.[1] ?? ""),
      system: systemInstruction?.text ?? "",
      turns: contents.map(({ role, text }) => ({ role: role === "model" ? "assistant" : "user", text })),
      maxTokens: generationConfig?.maxOutputTokens ?? null,
    };
  },
  write({ model }, { text, finish, usage }) {
    const content = { role: "model", ...(text === "" || finish === "refused" ? {} : { parts: [{ text }] }) };
    return {
      candidates: [{ ...(finish !== "refused" && { content }), finishReason: finishReasons[finish], index: 0 }],
      ...(usage && {
        usageMetadata: {
          promptTokenCount: usage.inputTokens,
          candidatesTokenCount: usage.outputTokens,
          totalTokenCount: usage.inputTokens + usage.outputTokens,
        },
      }),
      modelVersion: model,
      responseId: "scripted",
    };
  },
  reject: rejectAsGoogle,
};

const finishReasons = { stop: "STOP", length: "MAX_TOKENS", refused: "SAFETY" } as const;

function rejectAsGoogle(why: Rejection, { model, message }: Parameters<Dialect["reject"]>[1]): HttpAnswer {
  const error = (code: number, status: string, text: string, details?: unknown[]): HttpAnswer => ({
    status: code,
    body: { error: { code, message: text, status, ...(details && { details }) } },
  });
  const answers: Readonly<Record<Rejection, () => HttpAnswer>> = {
    missing_key: () =>
      error(
        403,
        "PERMISSION_DENIED",
        "Method doesn't allow unregistered callers. Please use API Key or other form of API consumer identity.",
      ),
    // Google answers 400 to a key that it does not know; only the reason tells it from a malformed request.
    invalid_key: () =>
      error(400, "INVALID_ARGUMENT", "API key not valid. Please pass a valid API key.", [
        { "@type": "type.googleapis.com/google.rpc.ErrorInfo", reason: "API_KEY_INVALID", domain: "googleapis.com" },
      ]),
    balance: () =>
      error(402, "FAILED_PRECONDITION", "Your prepayment credits are depleted. Please check your billing."),
    quota: () =>
      error(429, "RESOURCE_EXHAUSTED", "You exceeded your current quota, please check your plan and billing details."),
    forbidden: () => error(403, "PERMISSION_DENIED", "Your project has been denied access."),
    model_not_found: () => error(404, "NOT_FOUND", `models/${model} is not found for API version v1beta.`),
    rate_limit: () => ({
      ...error(429, "RESOURCE_EXHAUSTED", "Resource has been exhausted (e.g. check rate limit)."),
      headers: { "retry-after": "1" },
    }),
    server_error: () => error(500, "INTERNAL", "An internal error has occurred."),
    bad_request: () => error(400, "INVALID_ARGUMENT", message),
  };
  return answers[why]();
}
