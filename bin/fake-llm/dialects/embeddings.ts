import * as z from "zod";
import { bearer, type HttpAnswer, type HttpAsked } from "../dialect.ts";
import { rejectAsOpenAi } from "./openai.ts";

const EmbeddingsBody = z.object({
  model: z.string().min(1),
  input: z.union([z.string().min(1), z.array(z.string().min(1)).min(1).max(2_048)]),
  dimensions: z.int().min(1).max(3_072).nullish(),
  encoding_format: z.enum(["float", "base64"]).nullish(),
});

const dimensionsByDefault = 1_536;

/** OpenAI's embeddings. The same text always has the same vector, and texts that share words have near ones. */
export function embeddings(asked: HttpAsked): HttpAnswer {
  const detail = { model: "", key: bearer(asked), message: "" };
  if (detail.key === null) return rejectAsOpenAi("missing_key", detail);
  const body = EmbeddingsBody.safeParse(asked.body);
  if (!body.success) return rejectAsOpenAi("bad_request", { ...detail, message: z.prettifyError(body.error) });
  const { model, input, dimensions, encoding_format } = body.data;
  const texts = typeof input === "string" ? [input] : input;
  const tokens = Math.ceil(texts.reduce((sum, text) => sum + text.length, 0) / 4);
  const data = texts.map((text, index) => {
    const vector = vectorOf(text, dimensions ?? dimensionsByDefault);
    const embedding = encoding_format === "base64" ? Buffer.from(vector.buffer).toString("base64") : [...vector];
    return { object: "embedding", index, embedding };
  });
  return { status: 200, body: { object: "list", data, model, usage: { prompt_tokens: tokens, total_tokens: tokens } } };
}

/** Each word adds to one place, up or down, both decided by its hash; then the vector is brought to length one. */
function vectorOf(text: string, dimensions: number): Float32Array {
  const vector = new Float32Array(dimensions);
  for (const [word] of text.toLowerCase().matchAll(/[\p{L}\p{N}_]+|[^\s\p{L}\p{N}_]/gu)) {
    const hash = fnv1a(word);
    const place = (hash >>> 1) % dimensions;
    vector[place] = (vector[place] as number) + (hash & 1 ? 1 : -1);
  }
  const length = Math.hypot(...vector);
  return length === 0 ? vector : vector.map((value) => value / length);
}

function fnv1a(word: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < word.length; index++) hash = Math.imul(hash ^ word.charCodeAt(index), 0x01000193) >>> 0;
  return hash;
}
