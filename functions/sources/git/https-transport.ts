import { SluiceError } from "../../platform/errors.ts";
import type { Outbound, OutboundAnswer, OutboundRequest } from "../../platform/outbound.ts";
import { hostSilenceMs } from "../host-silence.ts";
import type { Deadline } from "./git-failure.ts";
import type { HttpsRemote } from "./git-remote.ts";
import { PacketReader } from "./packet-reader.ts";
import type { Transport } from "./upload-pack.ts";

export interface GitToken {
  /** Hosts that take a token as password mostly do not look at the name. @default "git" */
  readonly username?: string;
  readonly value: string;
  /** Sent to this origin only, "https://git.example.com" say. */
  readonly origin: string;
}

const service = "git-upload-pack";
const greetingPath = `/info/refs?service=${service}`;

/** git's smart protocol over HTTPS: https://git-scm.com/docs/http-protocol. The dumb one has no shallow fetch and is not spoken. */
export class HttpsTransport implements Transport {
  readonly host: string;
  readonly #outbound: Outbound;
  readonly #token: GitToken | undefined;
  readonly #deadline: Deadline;
  #url: string;

  constructor(remote: HttpsRemote, outbound: Outbound, token: GitToken | undefined, deadline: Deadline) {
    this.host = remote.host;
    this.#url = remote.url;
    this.#outbound = outbound;
    this.#token = token;
    this.#deadline = deadline;
  }

  async greeting<T>(bytesMax: number, read: (answer: PacketReader) => Promise<T>): Promise<T> {
    return this.#exchange(greetingPath, { bytesMax }, "advertisement", (answer) => {
      this.#follow(answer.url);
      return read(new PacketReader(answer.chunks, this.host));
    });
  }

  async ask<T>(body: Buffer, bytesMax: number, read: (answer: PacketReader) => Promise<T>): Promise<T> {
    const headers = { "Content-Type": `application/x-${service}-request`, Accept: `application/x-${service}-result` };
    const request = { method: "POST", headers, body, bytesMax } as const;
    return this.#exchange(`/${service}`, request, "result", ({ chunks }) => read(new PacketReader(chunks, this.host)));
  }

  /** Where the greeting was redirected, the repository has moved; requests with a body follow it there. */
  #follow({ href }: URL): void {
    if (!href.endsWith(greetingPath)) throw this.#unexpected();
    this.#url = href.slice(0, -greetingPath.length);
  }

  #exchange<T>(
    path: string,
    request: Omit<OutboundRequest, "deadlineMs" | "silenceMs">,
    kind: "advertisement" | "result",
    read: (answer: OutboundAnswer) => Promise<T>,
  ): Promise<T> {
    const asked: OutboundRequest = {
      ...request,
      headers: { ...request.headers, "Git-Protocol": "version=2" },
      credentials: this.#credentials(),
      deadlineMs: this.#deadline.remainingMs,
      silenceMs: hostSilenceMs,
    };
    return this.#outbound.exchange(`${this.#url}${path}`, asked, async (answer) => {
      if (answer.status !== 200) throw this.#refusal(answer);
      if (answer.headers["content-type"] !== `application/x-${service}-${kind}`) throw this.#unexpected();
      return read(answer);
    });
  }

  #credentials(): Record<string, string> {
    if (this.#token === undefined || URL.parse(this.#url)?.origin !== this.#token.origin) return {};
    const { username = "git", value } = this.#token;
    return { Authorization: `Basic ${Buffer.from(`${username}:${value}`).toString("base64")}` };
  }

  #refusal({ status, headers }: OutboundAnswer): SluiceError {
    const { host } = this;
    // Hosts ask for a password where a stranger must not learn whether the repository exists.
    if (status === 401 && this.#token === undefined) return new SluiceError("repository_not_found", { host });
    if (status === 401 || status === 403) return new SluiceError("repository_unauthorised", { host });
    if (status === 404 || status === 410 || status === 451) return new SluiceError("repository_not_found", { host });
    if (status === 429) {
      const after = Math.ceil(Number(headers["retry-after"]));
      const seconds = after > 0 ? Math.min(after, 24 * 3600) : 60;
      return new SluiceError("repository_rate_limited", { host, seconds });
    }
    if (status >= 500) return new SluiceError("repository_unavailable", { host, status });
    return this.#unexpected();
  }

  #unexpected(): SluiceError {
    return new SluiceError("repository_answer_unexpected", { host: this.host });
  }
}
