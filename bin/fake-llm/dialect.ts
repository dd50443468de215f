import type { IncomingHttpHeaders } from "node:http";

export interface Turn {
  readonly role: "user" | "assistant";
  readonly text: string;
}

/** A request to a model, whatever wire format it came in. */
export interface Asked {
  readonly model: string;
  readonly system: string;
  readonly turns: readonly Turn[];
  /** Most tokens of the answer; null when the request sets no limit. */
  readonly maxTokens: number | null;
  /** The tool that the answer must be a call of, for formats that ask for JSON that way. */
  readonly forcedTool?: string;
}

/** What the scripted model says, before a wire format wraps it. */
export interface Reply {
  readonly text: string;
  readonly finish: "stop" | "length" | "refused";
  /** Null for a provider that forgets to say. */
  readonly usage: { readonly inputTokens: number; readonly outputTokens: number } | null;
}

/** Why a provider does not answer; every wire format has words of its own for each. */
export type Rejection =
  | "missing_key"
  | "invalid_key"
  | "balance"
  | "quota"
  | "forbidden"
  | "model_not_found"
  | "rate_limit"
  | "server_error"
  | "bad_request";

export interface HttpAnswer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: unknown;
}

/** The request as it arrived, the body parsed. */
export interface HttpAsked {
  readonly url: URL;
  readonly headers: IncomingHttpHeaders;
  readonly body: unknown;
}

/** The wire format of a provider: which paths, how a request reads, how answers and refusals are written. */
export interface Dialect {
  readonly provider: string;
  /** Of POST requests that ask the model; tested against the path alone. */
  readonly path: RegExp;
  /** The key that came along; null when there was none. */
  key(asked: HttpAsked): string | null;
  /** False for servers that ask for no key, as Ollama does. */
  readonly needsKey: boolean;
  /**
   * Reads the request as strictly as the provider does; unknown fields pass.
   * @throws BadRequest, ZodError
   */
  read(asked: HttpAsked): Asked;
  write(asked: Asked, reply: Reply): unknown;
  reject(
    why: Rejection,
    detail: { readonly model: string; readonly key: string | null; readonly message: string },
  ): HttpAnswer;
}

/** The body is JSON, but not what the provider takes. The message is for whoever wrote the client. */
export class BadRequest extends Error {
  override readonly name = "BadRequest";
}

export const bearer = ({ headers }: HttpAsked): string | null =>
  /^Bearer (.+)$/i.exec(headers.authorization ?? "")?.[1] ?? null;
