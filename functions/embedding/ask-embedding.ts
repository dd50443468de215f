import * as z from "zod";
import { answerFailure, modelFailure } from "../llm/failure.ts";
import { ModelFailure, type ModelUsage } from "../llm/model.ts";
import { type Outbound, type OutboundAnswer, outbound, readAll } from "../platform/outbound.ts";
import { findEmbeddingProvider } from "./embedding-providers.ts";
import { embeddingWires } from "./embedding-wires.ts";

/** Everything one call needs to know about a user's embedding model. The key is clear text here: it goes into the request and nowhere else. */
export interface EmbeddingModel {
  /** An id of the catalogue in embedding-providers.ts. */
  readonly provider: string;
  readonly model: string;
  /** Without a trailing slash. */
  readonly baseUrl: string;
  readonly apiKey: string | null;
  readonly timeoutMs: number;
}

/** A hundred vectors of 4,096 numbers as JSON are half of this. */
const answerBytesMax = 16 * 1024 * 1024;

/**
 * Asks a user's embedding model for the vectors of some texts, with exactly one request.
 * @param client how hosts are reached. @default the function's own
 * @returns one vector for each text, in their order, all of one length; what the provider counts, null when it does not say
 * @throws ModelFailure with the reason; never with anything that the provider sent
 */
export async function askEmbedding(
  settings: EmbeddingModel,
  texts: readonly string[],
  client: Outbound = outbound(),
): Promise<{ vectors: number[][]; usage: ModelUsage | null }> {
  const provider = findEmbeddingProvider(settings.provider);
  if (!provider) throw new ModelFailure("unsupported_provider");
  if (provider.needsKey && !settings.apiKey) throw new ModelFailure("auth_invalid_key");
  const wire = embeddingWires[provider.wire];
  const asked = { ...settings, texts };
  const request = {
    method: "POST" as const,
    headers: { "Content-Type": "application/json" },
    credentials: settings.apiKey ? wire.headers(settings.apiKey) : {},
    body: JSON.stringify(wire.body(asked)),
    deadlineMs: settings.timeoutMs,
    bytesMax: answerBytesMax,
  };
  try {
    return await client.exchange(wire.address(asked), request, async (answer) => {
      const json = await jsonOf(answer);
      const vectors = wire.vectors(json);
      if (vectors.length === 0) throw new ModelFailure("empty_response", { status: answer.status, maybeCharged: true });
      const lengths = new Set(vectors.map((vector) => vector.length));
      if (vectors.length !== texts.length || lengths.size > 1) throw unreadable();
      const tokens = wire.tokens(json);
      return { vectors, usage: tokens === undefined ? null : { inputTokens: tokens, outputTokens: 0 } };
    });
  } catch (error) {
    // Zod's errors tell what they have read, which is the provider's.
    throw error instanceof z.ZodError ? unreadable() : modelFailure(error);
  }
}

/** @throws ModelFailure for an answer with another status than a good one's, and for one that is no JSON */
async function jsonOf(answer: OutboundAnswer): Promise<unknown> {
  const text = (await readAll(answer)).toString("utf8");
  const { status, headers } = answer;
  const retryAfter = headers["retry-after"];
  if (status < 200 || status > 299)
    throw answerFailure(status, text, retryAfter === undefined ? {} : { "retry-after": retryAfter });
  if (text.trim() === "") throw new ModelFailure("empty_response", { status, maybeCharged: true });
  try {
    const json: unknown = JSON.parse(text);
    // Gateways put an error into a good answer; its words are told apart as those of a bad one are.
    if (typeof json === "object" && json !== null && "error" in json && json.error) throw answerFailure(status, text);
    return json;
  } catch (error) {
    throw error instanceof ModelFailure ? error : unreadable();
  }
}

const unreadable = () => new ModelFailure("server_error", { status: 200, maybeCharged: true });
