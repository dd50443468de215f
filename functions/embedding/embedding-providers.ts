import type { Text } from "../engine/finding.ts";
import type { ModelPrice } from "../llm/prices.ts";

/** How requests and answers are written; see embedding-wires.ts. */
export type EmbeddingWire = "openai" | "azure" | "ollama" | "cohere" | "huggingface";

export interface EmbeddingProvider {
  readonly id: string;
  readonly name: string;
  readonly description: Text;
  /** Suggestions for people and how long their vectors are, the default first; every other name is passed on as it stands. */
  readonly models: Readonly<Record<string, number>>;
  /** Empty where every customer has an address of their own. */
  readonly baseUrl: string;
  readonly needsKey: boolean;
  readonly wire: EmbeddingWire;
}

const openaiModels = {
  "text-embedding-3-small": 1536,
  "text-embedding-3-large": 3072,
  "text-embedding-ada-002": 1536,
};

/** Every provider, in the order that people are shown; the first is the default. */
export const embeddingProviders: readonly EmbeddingProvider[] = [
  {
    id: "openai",
    name: "OpenAI",
    description: {
      zh: "OpenAI 官方嵌入模型，质量与价格均衡",
      en: "OpenAI's own models, a balance of quality and price",
    },
    models: openaiModels,
    baseUrl: "https://api.openai.com/v1",
    needsKey: true,
    wire: "openai",
  },
  {
    id: "azure",
    name: "Azure OpenAI",
    description: {
      zh: "部署在 Azure 上的 OpenAI 模型，模型名称即部署名称，需要填写 Base URL",
      en: "OpenAI's models deployed on Azure; the model is the name of the deployment, and a base URL is needed",
    },
    models: openaiModels,
    baseUrl: "",
    needsKey: true,
    wire: "azure",
  },
  {
    id: "ollama",
    name: "Ollama",
    description: { zh: "在自己的机器上运行，无需 API Key", en: "Runs on a machine of your own and needs no key" },
    models: {
      "nomic-embed-text": 768,
      "mxbai-embed-large": 1024,
      "all-minilm": 384,
      "snowflake-arctic-embed": 1024,
      "bge-m3": 1024,
      "qwen3-embedding": 1024,
    },
    baseUrl: "http://localhost:11434",
    needsKey: false,
    wire: "ollama",
  },
  {
    id: "cohere",
    name: "Cohere",
    description: { zh: "支持多语言的嵌入模型", en: "Models for many languages" },
    models: {
      "embed-multilingual-v3.0": 1024,
      "embed-english-v3.0": 1024,
      "embed-english-light-v3.0": 384,
      "embed-multilingual-light-v3.0": 384,
      "embed-v4.0": 1536,
    },
    baseUrl: "https://api.cohere.com/v2",
    needsKey: true,
    wire: "cohere",
  },
  {
    id: "huggingface",
    name: "Hugging Face",
    description: { zh: "通过推理服务使用开源模型", en: "Open models through the inference service" },
    models: {
      "BAAI/bge-m3": 1024,
      "BAAI/bge-large-zh-v1.5": 1024,
      "sentence-transformers/all-MiniLM-L6-v2": 384,
      "sentence-transformers/all-mpnet-base-v2": 768,
    },
    baseUrl: "https://router.huggingface.co",
    needsKey: true,
    wire: "huggingface",
  },
  {
    id: "jina",
    name: "Jina AI",
    description: { zh: "针对代码优化的嵌入模型", en: "Models made for code" },
    models: {
      "jina-embeddings-v2-base-code": 768,
      "jina-embeddings-v2-base-en": 768,
      "jina-embeddings-v2-base-zh": 768,
    },
    baseUrl: "https://api.jina.ai/v1",
    needsKey: true,
    wire: "openai",
  },
  {
    id: "qwen",
    name: "Qwen (DashScope)",
    description: { zh: "阿里云百炼的嵌入模型", en: "The models of Alibaba Cloud" },
    models: { "text-embedding-v4": 1024, "text-embedding-v3": 1024, "text-embedding-v2": 1536 },
    baseUrl: "https://dashscope.aliyuncs.com/compatible-mode/v1",
    needsKey: true,
    wire: "openai",
  },
];

/** @returns undefined when there is none of this id, however it is capitalised */
/** US dollars for a million tokens, of those models only whose price has been stable. */
const listPrices: Readonly<Record<string, number>> = {
  "text-embedding-3-small": 0.02,
  "text-embedding-3-large": 0.13,
  "text-embedding-ada-002": 0.1,
};

/** What the tokens of a text cost by the provider's list. @returns null when that is not known; nothing for Ollama */
export function embeddingPrice(providerId: string, model: string): ModelPrice | null {
  const inputUsd = providerId === "ollama" ? 0 : providerId === "openai" ? listPrices[model] : undefined;
  return inputUsd === undefined ? null : { inputUsd, outputUsd: 0 };
}

export function findEmbeddingProvider(id: string): EmbeddingProvider | undefined {
  const wanted = id.trim().toLowerCase();
  return embeddingProviders.find((provider) => provider.id === wanted);
}

export const modelsOf = ({ models }: EmbeddingProvider): string[] => Object.keys(models);

export const defaultModelOf = (provider: EmbeddingProvider): string => modelsOf(provider)[0] as string;

/** What front ends are told of a model that nobody here knows. */
const dimensionsUnknown = 768;

/** How long the vectors of a model are. */
export const dimensionsOf = (provider: EmbeddingProvider | undefined, model: string): number =>
  provider && Object.hasOwn(provider.models, model) ? (provider.models[model] as number) : dimensionsUnknown;
