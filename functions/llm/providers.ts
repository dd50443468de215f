import type * as z from "zod";
import type { LlmSettings } from "../config/user-config.ts";

/** How requests and answers are written: one provider package of the AI SDK, or one adapter of ours, for each. */
export type Wire = "openai" | "openai-compatible" | "anthropic" | "google" | "bedrock" | "baidu" | "minimax" | "doubao";

export interface Provider {
  readonly id: string;
  readonly defaultModel: string;
  /** Suggestions for people, the default first; every other name is passed on as it stands. */
  readonly models: readonly string[];
  /** Names of the list that the provider's own API spells otherwise. */
  readonly apiNames?: ReadonlyMap<string, string>;
  /** Empty where there is none to assume, and for Bedrock, whose address follows from the region. */
  readonly baseUrl: string;
  /** The setting that may hold a key for this provider alone. */
  readonly keyField: KeyField | null;
  readonly needsKey: boolean;
  readonly wire: Wire;
  /** What it takes without refusing the request: a JSON schema, JSON in general, or neither. */
  readonly structured: "schema" | "json" | "none";
}

type KeyField = Extract<keyof z.output<typeof LlmSettings>, `${string}ApiKey`>;

/** A map, because models are named by users and an object has members that nobody put there. */
const names = (translated: Readonly<Record<string, string>>) => new Map(Object.entries(translated));

/** Every provider, in the order that people are shown. */
export const providers: readonly Provider[] = [
  {
    id: "gemini",
    defaultModel: "gemini-3-pro",
    models: ["gemini-3-pro", "gemini-2.5-pro", "gemini-2.5-flash", "gemini-2.5-flash-lite", "gemini-2.0-flash"],
    apiNames: names({ "gemini-3-pro": "gemini-3-pro-preview" }),
    baseUrl: "https://generativelanguage.googleapis.com/v1beta",
    keyField: "geminiApiKey",
    needsKey: true,
    wire: "google",
    structured: "schema",
  },
  {
    id: "openai",
    defaultModel: "gpt-5",
    models: [
      "gpt-5",
      "gpt-5-mini",
      "gpt-5-nano",
      "gpt-5.1",
      "gpt-4.1",
      "gpt-4.1-mini",
      "gpt-4o",
      "gpt-4o-mini",
      "o3",
      "o4-mini",
    ],
    baseUrl: "https://api.openai.com/v1",
    keyField: "openaiApiKey",
    needsKey: true,
    wire: "openai",
    structured: "schema",
  },
  {
    id: "claude",
    defaultModel: "claude-sonnet-4.5",
    models: ["claude-sonnet-4.5", "claude-opus-4.5", "claude-haiku-4.5", "claude-opus-4.1", "claude-sonnet-4"],
    apiNames: names({
      "claude-sonnet-4.5": "claude-sonnet-4-5",
      "claude-opus-4.5": "claude-opus-4-5",
      "claude-haiku-4.5": "claude-haiku-4-5",
      "claude-opus-4.1": "claude-opus-4-1",
      "claude-sonnet-4": "claude-sonnet-4-0",
    }),
    baseUrl: "https://api.anthropic.com/v1",
    keyField: "claudeApiKey",
    needsKey: true,
    wire: "anthropic",
    structured: "schema",
  },
  {
    id: "qwen",
    defaultModel: "qwen3-max-instruct",
    models: [
      "qwen3-max-instruct",
      "qwen3-coder-plus",
      "qwen3-coder-flash",
      "qwen-max",
      "qwen-plus",
      "qwen-turbo",
      "qwen-long",
    ],
    apiNames: names({ "qwen3-max-instruct": "qwen3-max" }),
    baseUrl: "https://dashscope.aliyuncs.com/compatible-mode/v1",
    keyField: "qwenApiKey",
    needsKey: true,
    wire: "openai-compatible",
    structured: "json",
  },
  {
    id: "deepseek",
    defaultModel: "deepseek-v3.1-terminus",
    models: ["deepseek-v3.1-terminus", "deepseek-chat", "deepseek-reasoner", "deepseek-v3.2-exp", "deepseek-v3.1"],
    // The API of DeepSeek itself always serves its newest version, under two names.
    apiNames: names({
      "deepseek-v3.1-terminus": "deepseek-chat",
      "deepseek-v3.2-exp": "deepseek-chat",
      "deepseek-v3.1": "deepseek-chat",
    }),
    baseUrl: "https://api.deepseek.com",
    keyField: "deepseekApiKey",
    needsKey: true,
    wire: "openai-compatible",
    structured: "json",
  },
  {
    id: "zhipu",
    defaultModel: "glm-4.6",
    models: ["glm-4.6", "glm-4.5", "glm-4.5-air", "glm-4.5-flash", "glm-4-plus", "glm-4-long"],
    baseUrl: "https://open.bigmodel.cn/api/paas/v4",
    keyField: "zhipuApiKey",
    needsKey: true,
    wire: "openai-compatible",
    structured: "json",
  },
  {
    id: "moonshot",
    defaultModel: "kimi-k2",
    models: [
      "kimi-k2",
      "kimi-k2-0905-preview",
      "kimi-k2-turbo-preview",
      "kimi-k2-thinking",
      "kimi-latest",
      "moonshot-v1-128k",
    ],
    apiNames: names({ "kimi-k2": "kimi-k2-0905-preview" }),
    baseUrl: "https://api.moonshot.cn/v1",
    keyField: "moonshotApiKey",
    needsKey: true,
    wire: "openai-compatible",
    structured: "json",
  },
  {
    id: "baidu",
    defaultModel: "ernie-4.5",
    models: [
      "ernie-4.5",
      "ernie-4.0-turbo-128k",
      "ernie-4.0-turbo-8k",
      "ernie-4.0-8k",
      "ernie-3.5-128k",
      "ernie-3.5-8k",
      "ernie-speed-128k",
      "ernie-speed-8k",
    ],
    baseUrl: "https://aip.baidubce.com/rpc/2.0/ai_custom/v1",
    keyField: "baiduApiKey",
    needsKey: true,
    wire: "baidu",
    structured: "none",
  },
  {
    id: "minimax",
    defaultModel: "minimax-m2",
    models: ["minimax-m2", "minimax-m2.1", "minimax-m1", "minimax-text-01", "abab6.5s-chat"],
    apiNames: names({
      "minimax-m2": "MiniMax-M2",
      "minimax-m2.1": "MiniMax-M2.1",
      "minimax-m1": "MiniMax-M1",
      "minimax-text-01": "MiniMax-Text-01",
    }),
    baseUrl: "https://api.minimax.chat/v1",
    keyField: "minimaxApiKey",
    needsKey: true,
    wire: "minimax",
    structured: "none",
  },
  {
    id: "doubao",
    defaultModel: "doubao-1.6-pro",
    models: [
      "doubao-1.6-pro",
      "doubao-seed-1-6-250615",
      "doubao-seed-1-6-thinking-250715",
      "doubao-seed-1-6-flash-250615",
      "doubao-1-5-pro-32k-250115",
      "doubao-1-5-lite-32k-250115",
    ],
    apiNames: names({ "doubao-1.6-pro": "doubao-seed-1-6-250615" }),
    baseUrl: "https://ark.cn-beijing.volces.com/api/v3",
    keyField: "doubaoApiKey",
    needsKey: true,
    wire: "doubao",
    structured: "none",
  },
  {
    id: "ollama",
    defaultModel: "llama3.3-70b",
    models: [
      "llama3.3-70b",
      "llama3.3:70b",
      "llama3.1:8b",
      "qwen3:8b",
      "qwen2.5-coder:14b",
      "gpt-oss:20b",
      "deepseek-r1:14b",
      "gemma3:12b",
    ],
    apiNames: names({ "llama3.3-70b": "llama3.3:70b" }),
    baseUrl: "http://localhost:11434/v1",
    keyField: null,
    needsKey: false,
    wire: "openai-compatible",
    structured: "schema",
  },
  {
    id: "openai_compatible",
    defaultModel: "gpt-4o-mini",
    models: ["gpt-4o-mini", "gpt-oss-120b", "gpt-oss-20b", "qwen3-coder", "llama-3.3-70b-instruct"],
    baseUrl: "",
    keyField: null,
    needsKey: false,
    wire: "openai-compatible",
    // Some of these servers refuse the very field, so the prompt has to do.
    structured: "none",
  },
  {
    id: "bedrock",
    defaultModel: "us.anthropic.claude-sonnet-4-5-20250929-v1:0",
    models: [
      "us.anthropic.claude-sonnet-4-5-20250929-v1:0",
      "us.anthropic.claude-opus-4-5-20251101-v1:0",
      "us.anthropic.claude-haiku-4-5-20251001-v1:0",
      "us.amazon.nova-pro-v1:0",
      "us.amazon.nova-lite-v1:0",
      "us.meta.llama3-3-70b-instruct-v1:0",
    ],
    baseUrl: "",
    keyField: null,
    needsKey: false,
    wire: "bedrock",
    structured: "schema",
  },
];

/** The provider of an id, however it is capitalised: lists show ids in capitals. @returns undefined when there is none */
export function findProvider(id: string): Provider | undefined {
  const wanted = id.trim().toLowerCase();
  return providers.find((provider) => provider.id === wanted);
}

/**
 * The model as the API at this address spells it. Of what speaks like OpenAI, many serve the same models under names of their own, so a name
 * is translated at the provider's own address only.
 */
export function apiModelName({ id, wire, apiNames, baseUrl: own }: Provider, model: string, baseUrl: string): string {
  const faithful = wire === "anthropic" || wire === "google" || id === "ollama";
  const atHome = URL.parse(baseUrl)?.host === URL.parse(own)?.host;
  return ((faithful || atHome) && apiNames?.get(model)) || model;
}
