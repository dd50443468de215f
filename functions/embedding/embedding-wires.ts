import * as z from "zod";
import type { EmbeddingWire } from "./embedding-providers.ts";

/** One request for the vectors of some texts. */
interface EmbeddingRequest {
  readonly model: string;
  /** Without a trailing slash. */
  readonly baseUrl: string;
  readonly apiKey: string | null;
  readonly texts: readonly string[];
}

interface Wire {
  readonly address: (request: EmbeddingRequest) => string;
  readonly headers: (apiKey: string) => Record<string, string>;
  readonly body: (request: EmbeddingRequest) => object;
  /** Vectors in the order of the texts. @throws ZodError for an answer of another form */
  readonly vectors: (answer: unknown) => number[][];
  /** The tokens that the provider counts. @returns undefined where it says nothing of them */
  readonly tokens: (answer: unknown) => number | undefined;
}

const Vector = z.array(z.number()).min(1);
const Vectors = z.array(Vector);

const bearer = (apiKey: string) => ({ Authorization: `Bearer ${apiKey}` });

const Listed = z.object({ data: z.array(z.object({ embedding: Vector, index: z.number().int().optional() })) });

/** Providers may send the list in any order and say by an index which is whose. */
const listed = (answer: unknown): number[][] =>
  Listed.parse(answer)
    .data.map(({ embedding, index }, place) => ({ embedding, index: index ?? place }))
    .toSorted((a, b) => a.index - b.index)
    .map(({ embedding }) => embedding);

const OpenAiUsage = z.object({ usage: z.object({ total_tokens: z.number() }) });
const openAiTokens = (answer: unknown) => OpenAiUsage.safeParse(answer).data?.usage.total_tokens;
const OllamaUsage = z.object({ prompt_eval_count: z.number() });
const CohereUsage = z.object({ meta: z.object({ billed_units: z.object({ input_tokens: z.number() }) }) });

/** How each provider is asked and how it answers. OpenAI's way is also Jina's and Qwen's. */
export const embeddingWires: Readonly<Record<EmbeddingWire, Wire>> = {
  openai: {
    address: ({ baseUrl }) => `${baseUrl}/embeddings`,
    headers: bearer,
    body: ({ model, texts }) => ({ model, input: texts, encoding_format: "float" }),
    vectors: listed,
    tokens: openAiTokens,
  },
  azure: {
    address: ({ baseUrl, model }) =>
      `${baseUrl}/openai/deployments/${encodeURIComponent(model)}/embeddings?api-version=2024-10-21`,
    headers: (apiKey) => ({ "api-key": apiKey }),
    body: ({ texts }) => ({ input: texts, encoding_format: "float" }),
    vectors: listed,
    tokens: openAiTokens,
  },
  ollama: {
    // People copy the address that Ollama has for models.
    address: ({ baseUrl }) => `${baseUrl.replace(/\/v1$/, "")}/api/embed`,
    headers: bearer,
    body: ({ model, texts }) => ({ model, input: texts }),
    vectors: (answer) => z.object({ embeddings: Vectors }).parse(answer).embeddings,
    tokens: (answer) => OllamaUsage.safeParse(answer).data?.prompt_eval_count,
  },
  cohere: {
    address: ({ baseUrl }) => `${baseUrl}/embed`,
    headers: bearer,
    body: ({ model, texts }) => ({ model, texts, input_type: "search_document", embedding_types: ["float"] }),
    vectors: (answer) => z.object({ embeddings: z.object({ float: Vectors }) }).parse(answer).embeddings.float,
    tokens: (answer) => CohereUsage.safeParse(answer).data?.meta.billed_units.input_tokens,
  },
  huggingface: {
    address: ({ baseUrl, model }) =>
      `${baseUrl}/hf-inference/models/${model.split("/").map(encodeURIComponent).join("/")}/pipeline/feature-extraction`,
    headers: bearer,
    body: ({ texts }) => ({ inputs: texts }),
    vectors: (answer) => Vectors.parse(answer),
    tokens: () => undefined,
  },
};
