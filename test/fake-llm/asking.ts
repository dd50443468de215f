import { createAnthropic } from "@ai-sdk/anthropic";
import { createGoogleGenerativeAI } from "@ai-sdk/google";
import { createOpenAI } from "@ai-sdk/openai";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import type { ReviewAnswer } from "../../bin/fake-llm/review-answer.ts";

export const key = "sk-test-0123456789abcdef";

/** A prompt in the layout of the review: instructions, the file with numbered lines, the task. */
export function promptFor(path: string, code: readonly string[], { findings = [] as string[], language = "en" } = {}) {
  const wanted = language === "zh" ? "简体中文 (zh-CN)" : "English (en-US)";
  const lines = code.map((line, index) => `${index + 1}| ${line}`);
  return {
    system: `Review code and answer in JSON. Write in ${wanted}.`,
    user: [`path: ${JSON.stringify(path)}`, "<<<mark", ...lines, "mark>>>", ...findings, "Now review it."].join("\n"),
  };
}
export type Prompt = ReturnType<typeof promptFor>;

export const vulnerable = [
  "import hashlib, pickle",
  "def load(request):",
  "    data = pickle.loads(request.body)",
  "    return eval(data)",
];

export const post = (
  url: string,
  body: unknown,
  headers: Record<string, string> = { authorization: `Bearer ${key}` },
) =>
  fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: typeof body === "string" ? body : JSON.stringify(body),
  });

export const jsonOf = async <Shape>(response: Response | Promise<Response>): Promise<Shape> =>
  (await (await response).json()) as Shape;

/** A review over OpenAI's chat completions. */
export const chat = (url: string, { system, user }: Prompt, { model = "scripted", maxTokens = 100_000 } = {}) =>
  post(`${url}/v1/chat/completions`, {
    model,
    max_tokens: maxTokens,
    messages: [
      { role: "system", content: system },
      { role: "user", content: user },
    ],
  });

export interface ChatAnswer {
  choices: { message: { content: string | null; refusal: string | null }; finish_reason: string }[];
  usage?: { prompt_tokens: number; completion_tokens: number };
}

/** What the model said, and the rest of what matters. */
export async function saidIn(response: Response) {
  const { choices, usage } = await jsonOf<ChatAnswer>(response);
  const [choice] = choices;
  return {
    text: choice?.message.content ?? "",
    refusal: choice?.message.refusal,
    finish: choice?.finish_reason,
    usage,
  };
}

export const reviewIn = async (response: Response): Promise<ReviewAnswer> => JSON.parse((await saidIn(response)).text);

/** The models of the AI SDK, pointed at a scripted one. */
export const sdkModels = (url: string) => ({
  "OpenAI responses": createOpenAI({ baseURL: `${url}/v1`, apiKey: key }).responses("scripted"),
  "OpenAI chat": createOpenAI({ baseURL: `${url}/v1`, apiKey: key }).chat("scripted"),
  "OpenAI compatible": createOpenAICompatible({ name: "qwen", baseURL: `${url}/v1`, apiKey: key }).chatModel(
    "scripted",
  ),
  Ollama: createOpenAICompatible({ name: "ollama", baseURL: `${url}/ollama/v1` }).chatModel("scripted"),
  Anthropic: createAnthropic({ baseURL: `${url}/v1`, apiKey: key })("scripted"),
  Gemini: createGoogleGenerativeAI({ baseURL: `${url}/v1beta`, apiKey: key })("scripted"),
});
