import type { FileHandle } from "node:fs/promises";
import type { IncomingHttpHeaders } from "node:http";
import type * as z from "zod";
import { SluiceError } from "../../platform/errors.ts";
import { type Outbound, type OutboundAnswer, readAll } from "../../platform/outbound.ts";
import { hostSilenceMs } from "../host-silence.ts";

export interface HostApiProps {
  readonly outbound: Outbound;
  /** What stands before every path, without a slash at its end. */
  readonly base: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly credentials: Readonly<Record<string, string>>;
  /** Time for everything that is asked through this object, so that many pages take no longer than one slow one. */
  readonly budgetMs: number;
}

/** The largest tree that GitHub lists in one answer has about 7 MB. */
const jsonBytesMax = 32 * 1024 * 1024;

/** The REST API of a provider: typed errors from statuses, answers held to a schema, nothing of a refusal repeated. */
export class HostApi {
  readonly host: string;
  readonly #props: HostApiProps;
  readonly #until: number;

  constructor(props: HostApiProps) {
    this.#props = props;
    this.host = URL.parse(props.base)?.host ?? "";
    this.#until = performance.now() + props.budgetMs;
  }

  /**
   * Reads one document.
   * @throws SluiceError repository_not_found, repository_unauthorised, repository_rate_limited, repository_unavailable,
   *   repository_answer_unexpected, outbound_*
   */
  async get<S extends z.ZodType>(
    path: string,
    schema: S,
  ): Promise<{ value: z.output<S>; headers: IncomingHttpHeaders }> {
    return this.#ask(path, jsonBytesMax, async (answer) => {
      const parsed = schema.safeParse(parseJson(await readAll(answer)));
      if (!parsed.success) throw new SluiceError("repository_answer_unexpected", { host: this.host });
      return { value: parsed.data, headers: answer.headers };
    });
  }

  /** Writes an answer to a file. @returns its bytes @throws as `get`, and outbound_too_large */
  async download(path: string, file: FileHandle, bytesMax: number): Promise<number> {
    return this.#ask(path, bytesMax, async ({ chunks }) => {
      let bytes = 0;
      for await (const chunk of chunks) {
        await file.writeFile(chunk);
        bytes += chunk.length;
      }
      return bytes;
    });
  }

  #ask<T>(path: string, bytesMax: number, read: (answer: OutboundAnswer) => Promise<T>): Promise<T> {
    const { outbound, base, headers, credentials } = this.#props;
    const deadlineMs = Math.max(1, Math.ceil(this.#until - performance.now()));
    const request = { headers, credentials, deadlineMs, silenceMs: hostSilenceMs, bytesMax };
    return outbound.exchange(`${base}${path}`, request, async (answer) => {
      if (answer.status !== 200) throw refusal(this.host, answer);
      return read(answer);
    });
  }
}

function refusal(host: string, { status, headers }: OutboundAnswer): SluiceError {
  const limited = headers["retry-after"] !== undefined || headers["x-ratelimit-remaining"] === "0";
  // GitHub says 403 for a used-up limit, and for a token that may not do this.
  if (status === 429 || (status === 403 && limited))
    return new SluiceError("repository_rate_limited", { host, seconds: secondsToWait(headers, Date.now()) });
  if (status === 401 || status === 403) return new SluiceError("repository_unauthorised", { host });
  if (status === 404 || status === 410 || status === 451) return new SluiceError("repository_not_found", { host });
  if (status >= 500) return new SluiceError("repository_unavailable", { host, status });
  return new SluiceError("repository_answer_unexpected", { host });
}

/** Retry-After counts seconds, the reset headers name a second since 1970. A host may say anything: between a second and a day is believed. */
function secondsToWait(headers: IncomingHttpHeaders, nowMs: number): number {
  const after = Number(headers["retry-after"]);
  const reset = Number(headers["x-ratelimit-reset"] ?? headers["ratelimit-reset"]) - nowMs / 1000;
  const seconds = Math.ceil([after, reset].find((value) => Number.isFinite(value) && value > 0) ?? 60);
  return Math.min(seconds, 24 * 3600);
}

function parseJson(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString("utf8"));
  } catch {
    return undefined;
  }
}

/** Whether the host has more: GitHub, GitLab and Gitea link to the next page, GitLab also numbers it. The address of the link is not used. */
export const hasNextPage = ({ link, "x-next-page": number }: IncomingHttpHeaders): boolean =>
  /;\s*rel="?next"?/i.test([link].flat().join()) || /^\d+$/.test(String(number ?? ""));

export interface Listing<T> {
  readonly items: T[];
  /** True when the host has more than it, or we, would list. */
  readonly truncated: boolean;
}

/**
 * Follows pages to the end. A host that repeats itself or never ends is left at the first page that brings nothing new, or behind `itemsMax`.
 * @param read brings the page of this number, counted from 1
 */
export async function followPages<T>(
  read: (page: number) => Promise<{ items: readonly T[]; more: boolean }>,
  keyOf: (item: T) => string,
  itemsMax: number,
): Promise<Listing<T>> {
  const found = new Map<string, T>();
  for (let page = 1; ; page++) {
    const { items, more } = await read(page);
    const before = found.size;
    for (const item of items) if (!found.has(keyOf(item))) found.set(keyOf(item), item);
    const tooMany = found.size > itemsMax;
    if (!more || tooMany || found.size === before)
      return { items: [...found.values()].slice(0, itemsMax), truncated: more || tooMany };
  }
}
