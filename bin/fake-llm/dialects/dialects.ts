import type { Dialect } from "../dialect.ts";
import { anthropic } from "./anthropic.ts";
import { baidu } from "./baidu.ts";
import { doubao } from "./doubao.ts";
import { gemini } from "./gemini.ts";
import { minimax } from "./minimax.ts";
import { openAiChat } from "./openai.ts";
import { openAiResponses } from "./openai-responses.ts";

/** Every wire format. OpenAI's also serves Qwen, DeepSeek, Zhipu, Moonshot and whatever else is compatible; Ollama's needs no key. */
export const dialects: readonly Dialect[] = [
  openAiChat("openai", /^\/v1\/chat\/completions$/),
  openAiChat("ollama", /^\/ollama\/v1\/chat\/completions$/, false),
  openAiResponses,
  anthropic,
  gemini,
  baidu,
  minimax,
  doubao,
];
