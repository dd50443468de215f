import { randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import * as z from "zod";
import { apiPrefix, type Method } from "../../functions/platform/contract.ts";
import type { Language } from "../../functions/platform/language.ts";
import { CannotScan, reasonOf } from "./cannot-scan.ts";

/** A little more than the 29 s after which API Gateway gives up. */
const requestMilliseconds = 35_000;
/** 0.25, 0.5, 1, 2, 4 s between the tries: long enough for a service that restarts. */
const triesMax = 6;
const firstPauseMilliseconds = 250;

export interface Call<S extends z.ZodType> {
  readonly method: Method;
  readonly path: string;
  readonly success: S;
  readonly query?: Readonly<Record<string, string | number>>;
  readonly body?: unknown;
  /** Left out where the request has to be finished whatever happens. */
  readonly signal?: AbortSignal;
  /** @default 6 */
  readonly tries?: number;
}

const Problem = z.object({
  detail: z.union([z.string(), z.array(z.object({ msg: z.string() }))]),
  code: z.string().optional(),
});

/** Requests to one service with one token: tries again what may pass, and makes everything else a sentence for the user. */
export class Transport {
  readonly url: string;
  private readonly headers: Readonly<Record<string, string>>;

  constructor(url: string, token: string, language: Language) {
    this.url = url;
    this.headers = { Authorization: `Bearer ${token}`, "Accept-Language": language, Accept: "application/json" };
  }

  /**
   * Calls an operation. A POST carries an idempotency key, so trying again starts nothing twice.
   * @returns the answer as its schema reads it, and the total of a list
   * @throws CannotScan service_*, token_refused; the signal's reason
   */
  async call<S extends z.ZodType>(call: Call<S>): Promise<{ body: z.output<S>; total: number }> {
    const headers: Record<string, string> = { ...this.headers };
    if (call.method === "POST") headers["Idempotency-Key"] = randomUUID();
    if (call.body !== undefined) headers["Content-Type"] = "application/json";
    for (let attempt = 1; ; attempt++) {
      const last = attempt === (call.tries ?? triesMax);
      try {
        const response = await this.send(call, headers);
        const text = await response.text();
        if (last || !isPassing(response.status, text)) return this.read(call, response, text);
      } catch (error) {
        call.signal?.throwIfAborted();
        if (error instanceof CannotScan) throw error;
        if (last) throw new CannotScan("service_unreachable", { url: this.url, reason: networkReason(error) }, error);
      }
      await pause(firstPauseMilliseconds * 2 ** (attempt - 1), undefined, { signal: call.signal });
    }
  }

  private send(
    { method, path, query, body, signal }: Call<z.ZodType>,
    headers: Record<string, string>,
  ): Promise<Response> {
    const url = new URL(`${this.url}${apiPrefix}${path}`);
    for (const [name, value] of Object.entries(query ?? {})) url.searchParams.set(name, String(value));
    const limit = AbortSignal.timeout(requestMilliseconds);
    return fetch(url, {
      method,
      headers,
      body: body === undefined ? undefined : JSON.stringify(body),
      // A redirect could lead the token to another host.
      redirect: "manual",
      signal: signal ? AbortSignal.any([signal, limit]) : limit,
    });
  }

  private read<S extends z.ZodType>({ success }: Call<S>, response: Response, text: string) {
    const { status, headers } = response;
    const location = headers.get("location");
    if (status >= 300 && status < 400 && location)
      throw new CannotScan("service_redirects", { url: this.url, location });
    if (status === 401) throw new CannotScan("token_refused", { url: this.url });
    const parsed = response.ok ? success.safeParse(json(text)) : null;
    if (parsed?.success) return { body: parsed.data as z.output<S>, total: Number(headers.get("x-total-count") ?? 0) };
    const problem = response.ok ? null : Problem.safeParse(json(text));
    if (!problem?.success) throw new CannotScan("service_strange", { url: this.url, status }, parsed?.error);
    const { detail } = problem.data;
    throw new CannotScan("service_refused", {
      detail: typeof detail === "string" ? detail : detail.map((row) => row.msg).join("; "),
    });
  }
}

/** Too many requests, a gateway without its function, or the first try of the same request still at work. */
const isPassing = (status: number, text: string): boolean =>
  [429, 502, 503, 504].includes(status) ||
  (status === 409 && Problem.safeParse(json(text)).data?.code === "request_in_progress");

function json(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** fetch hides the reason in `cause`. */
export function networkReason(error: unknown): string {
  const { name, cause } = error as Error;
  if (name === "TimeoutError") return reasonOf({ code: "ETIMEDOUT" });
  return reasonOf(cause ?? error);
}
