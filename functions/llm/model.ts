/** Everything one call needs to know about a user's model. The key is clear text here: it goes into the request and nowhere else. */
export interface ModelSettings {
  /** An id of the catalogue in providers.ts. */
  readonly provider: string;
  readonly model: string;
  /** Without a trailing slash. */
  readonly baseUrl: string;
  /** Null for providers that need none: Ollama, and Bedrock, which knows the function's role. */
  readonly apiKey: string | null;
  readonly timeoutMs: number;
  readonly temperature: number;
  /** Most tokens of an answer. */
  readonly maxTokens: number;
  /** What the user wants sent along, such as an organisation's id. */
  readonly headers: Readonly<Record<string, string>>;
}

export interface ModelMessage {
  readonly role: "user" | "assistant";
  readonly content: string;
}

export interface ModelRequest {
  readonly system: string;
  readonly messages: readonly ModelMessage[];
  /** The JSON schema an answer must have; providers that know no schemas are asked for JSON only. */
  readonly schema?: Readonly<Record<string, unknown>>;
}

/** Tokens as the provider counted them. */
export interface ModelUsage {
  readonly inputTokens: number;
  readonly outputTokens: number;
}

export interface ModelAnswer {
  readonly text: string;
  /** Null when the provider does not say. */
  readonly usage: ModelUsage | null;
  /** "length": cut at the limit of tokens. "refused": the provider or the model would not answer. */
  readonly finish: "stop" | "length" | "refused" | "other";
  /** The model as the provider names it. */
  readonly model: string;
}

/** Why a call brought no answer; messages for people are made from these. */
export const modelFailures = [
  "insufficient_balance",
  "auth_invalid_key",
  "auth_failed",
  "timeout",
  "connection",
  "rate_limit",
  "model_not_found",
  "empty_response",
  "unsupported_provider",
  "bad_request",
  "server_error",
  "unknown",
] as const;
export type ModelFailureCategory = (typeof modelFailures)[number];

/** A call that brought no answer. It never carries what the provider sent, which can hold keys and prompts. */
export class ModelFailure extends Error {
  readonly category: ModelFailureCategory;
  /** The HTTP status, where there was one. */
  readonly status: number | null;
  /** What the provider asked for, from Retry-After. */
  readonly retryAfterMs: number | null;
  /** True when the provider may have done, and may charge for, the work: a time-out, a connection cut after sending. */
  readonly maybeCharged: boolean;

  constructor(
    category: ModelFailureCategory,
    more: { status?: number; retryAfterMs?: number; maybeCharged?: boolean; cause?: unknown } = {},
  ) {
    super(`the model did not answer: ${category}`, { cause: more.cause });
    this.name = "ModelFailure";
    this.category = category;
    this.status = more.status ?? null;
    this.retryAfterMs = more.retryAfterMs ?? null;
    this.maybeCharged = more.maybeCharged ?? false;
  }
}
