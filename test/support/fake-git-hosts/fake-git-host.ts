import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { Outbound } from "../../../functions/platform/outbound.ts";
import { parseAllowedHosts } from "../../../functions/platform/outbound-policy.ts";

export interface FakeEntry {
  readonly path: string;
  readonly type: "blob" | "tree" | "commit";
  readonly mode: string;
  readonly size?: number;
}

/** The one repository of a fake host. */
export interface FakeRepository {
  /** "owner/name", or groups before the name. */
  readonly path: string;
  readonly defaultBranch: string | null;
  /** Commits by branch. */
  readonly branches: ReadonlyMap<string, string>;
  readonly entries: readonly FakeEntry[];
  readonly archive: Buffer;
  /** Without it nothing is to be seen. */
  readonly token?: string;
}

export interface FakeAnswer {
  readonly status?: number;
  readonly headers?: Record<string, string>;
  readonly json?: unknown;
  readonly bytes?: Buffer;
}

/** What a provider answers to a path below its API's base; null for a path that it does not have. */
export type FakeDialect = (repository: FakeRepository, url: URL, host: FakeGitHost) => FakeAnswer | null;

/** A git host on loopback, with a name that only its own resolver knows. */
export class FakeGitHost {
  readonly requests: IncomingMessage[] = [];
  repository: FakeRepository;
  /** Most items of a page, whatever is asked for. */
  pageMax = 3;
  /** Takes an answer over, to redirect, to limit, to lie; null lets the honest one pass. */
  lie: (url: URL, request: IncomingMessage) => FakeAnswer | "hang" | null = () => null;
  readonly #name: string;
  readonly #base: string;
  readonly #dialect: FakeDialect;
  readonly #server: Server;

  constructor(name: string, base: string, dialect: FakeDialect, repository: FakeRepository) {
    this.#name = name;
    this.#base = base;
    this.#dialect = dialect;
    this.repository = repository;
    this.#server = createServer((request, response) => this.#serve(request, response));
  }

  async start(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(0, "127.0.0.1", resolve));
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  /** "github.test:41234" */
  get address(): string {
    return `${this.#name}:${(this.#server.address() as AddressInfo).port}`;
  }

  get origin(): string {
    return `http://${this.address}`;
  }

  /** Paths that were asked, with their queries. */
  get asked(): string[] {
    return this.requests.map(({ url = "" }) => url);
  }

  #serve(request: IncomingMessage, response: ServerResponse): void {
    this.requests.push(request);
    const url = new URL(request.url ?? "/", this.origin);
    const answer = this.lie(url, request) ?? this.#honest(url, request);
    if (answer === "hang") return;
    const { status = 200, headers = {}, json, bytes } = answer;
    const body = bytes ?? Buffer.from(JSON.stringify(json ?? { message: "canary: never to be repeated" }));
    response
      .writeHead(status, { "content-type": bytes ? "application/zip" : "application/json", ...headers })
      .end(body);
  }

  #honest(url: URL, { headers }: IncomingMessage): FakeAnswer {
    const { token } = this.repository;
    const missing = { status: 404 };
    if (headers.authorization !== undefined && headers.authorization.split(" ")[1] !== token) return { status: 401 };
    if (token !== undefined && headers.authorization === undefined) return missing;
    if (!url.pathname.startsWith(this.#base)) return missing;
    const below = new URL(url);
    below.pathname = url.pathname.slice(this.#base.length);
    return this.#dialect(this.repository, below, this) ?? missing;
  }
}

/** An outbound client that may reach these hosts, and finds any name on loopback. */
export const outboundTo = (...hosts: readonly FakeGitHost[]) =>
  new Outbound({
    allowedHosts: parseAllowedHosts(hosts.map(({ address }) => address).join()),
    resolve: async () => [{ address: "127.0.0.1", family: 4 }],
  });

/** A page of `all`, and the headers by which GitHub, GitLab and Gitea lead to the next. */
export function paged<T>(all: readonly T[], url: URL, sizeParameter: string, pageMax: number) {
  const size = Math.min(Number(url.searchParams.get(sizeParameter) ?? 30), pageMax);
  const page = Number(url.searchParams.get("page") ?? 1);
  const more = page * size < all.length;
  // The address of the link leads astray on purpose: who follows pages has to count, not to trust.
  const link = `<http://169.254.169.254/?page=1>; rel="first"${more ? `, <http://169.254.169.254/?page=${page + 1}>; rel="next"` : ""}`;
  return { items: all.slice((page - 1) * size, page * size), page, more, headers: { link } };
}
