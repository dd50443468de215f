import { execFileSync, spawn, spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import http, { type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { dirname, join } from "node:path";
import { Outbound } from "../../../functions/platform/outbound.ts";
import { parseAllowedHosts } from "../../../functions/platform/outbound-policy.ts";

export const hasGit = spawnSync("git", ["--version"]).status === 0;
if (!hasGit) console.warn("skipped: this machine has no git to serve repositories");

/** Nothing of the machine's or the developer's settings reaches these repositories, and every run makes the same commits. */
const environment = {
  PATH: process.env.PATH,
  HOME: "/nonexistent",
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_AUTHOR_NAME: "a",
  GIT_AUTHOR_EMAIL: "a@example.com",
  GIT_AUTHOR_DATE: "2026-01-01T00:00:00Z",
  GIT_COMMITTER_NAME: "a",
  GIT_COMMITTER_EMAIL: "a@example.com",
  GIT_COMMITTER_DATE: "2026-01-01T00:00:00Z",
};

/** A repository in a folder, worked on by the real git. */
export class RealRepository {
  readonly folder: string;

  constructor(folder: string, ...init: readonly string[]) {
    mkdirSync(folder, { recursive: true });
    this.folder = folder;
    this.git("init", "--quiet", "--initial-branch=trunk", ...init);
  }

  git(...args: readonly string[]): string {
    return this.gitWith("", ...args);
  }

  gitWith(input: string | Buffer, ...args: readonly string[]): string {
    return execFileSync("git", args, { cwd: this.folder, env: environment, input, encoding: "utf8" }).trim();
  }

  write(path: string, content: string | Buffer): void {
    mkdirSync(dirname(join(this.folder, path)), { recursive: true });
    writeFileSync(join(this.folder, path), content);
  }

  /** @returns the commit */
  commit(message: string): string {
    this.git("add", "--all");
    this.git("commit", "--quiet", "--allow-empty", "--message", message);
    return this.git("rev-parse", "HEAD");
  }
}

/** `git http-backend` behind a server on loopback, as nginx or Apache would run it. */
export class GitHttpServer {
  readonly requests: IncomingMessage[] = [];
  /** All that git answered. */
  sentBytes = 0;
  /** "user:password" that every request must have. */
  password: string | undefined;
  /** Takes a request before git does; answers true when it has. */
  instead: (request: IncomingMessage, response: ServerResponse) => boolean = () => false;
  /** False for servers from before 2018. */
  passesVersion = true;
  readonly #root: string;
  readonly #server: Server;

  constructor(root: string) {
    this.#root = root;
    this.#server = http.createServer((request, response) => this.#serve(request, response));
  }

  async start(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(0, "127.0.0.1", resolve));
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  get address(): string {
    return `git.test:${(this.#server.address() as AddressInfo).port}`;
  }

  get origin(): string {
    return `http://${this.address}`;
  }

  /** The same for who has no resolver of its own. */
  get loopbackAddress(): string {
    return this.address.replace("git.test", "127.0.0.1");
  }

  #serve(request: IncomingMessage, response: ServerResponse): void {
    this.requests.push(request);
    if (this.instead(request, response)) return;
    const expected = this.password && `Basic ${Buffer.from(this.password).toString("base64")}`;
    if (expected && request.headers.authorization !== expected) {
      response.writeHead(401, { "www-authenticate": "Basic" }).end("canary");
      return;
    }
    const { pathname, search } = new URL(request.url ?? "/", this.origin);
    const backend = spawn("git", ["http-backend"], {
      env: {
        ...environment,
        GIT_PROJECT_ROOT: this.#root,
        GIT_HTTP_EXPORT_ALL: "1",
        PATH_INFO: decodeURIComponent(pathname),
        QUERY_STRING: search.slice(1),
        REQUEST_METHOD: request.method,
        CONTENT_TYPE: request.headers["content-type"] ?? "",
        ...(this.passesVersion ? { HTTP_GIT_PROTOCOL: String(request.headers["git-protocol"] ?? "") } : {}),
      },
      stdio: ["pipe", "pipe", "ignore"],
    });
    // A client that has seen enough closes early; git then finds nobody to write to.
    backend.stdin.on("error", () => undefined);
    request.pipe(backend.stdin);
    const parts: Buffer[] = [];
    backend.stdout.on("data", (part: Buffer) => {
      parts.push(part);
      this.sentBytes += part.length;
    });
    backend.on("close", () => answerOfCgi(Buffer.concat(parts), response));
  }
}

/** Header lines, an empty line and a body, as CGI programs write it. */
function answerOfCgi(output: Buffer, response: ServerResponse): void {
  const end = output.indexOf("\r\n\r\n");
  const headers = new Map(
    output
      .toString("latin1", 0, Math.max(end, 0))
      .split("\r\n")
      .map((line) => line.split(": ", 2) as [string, string]),
  );
  const status = Number.parseInt(headers.get("Status") ?? (end < 0 ? "500" : "200"), 10);
  headers.delete("Status");
  response
    .writeHead(status, Object.fromEntries([...headers].filter(([name]) => name !== "")))
    .end(output.subarray(end + 4));
}

/** An outbound client that may reach these addresses, and finds any name on loopback. */
export const outboundTo = (...addresses: readonly string[]) =>
  new Outbound({
    allowedHosts: parseAllowedHosts(addresses.join()),
    resolve: async () => [{ address: "127.0.0.1", family: 4 as const }],
  });
