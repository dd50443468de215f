import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { ProjectView } from "../../functions/projects/project.ts";
import { StoredZipView } from "../../functions/sources/stored-zip.ts";
import { issue, task } from "./results.ts";

export interface Request {
  readonly route: string;
  readonly url: URL;
  readonly headers: IncomingMessage["headers"];
  readonly body: Buffer;
}

export interface Answer {
  readonly status?: number;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** Cuts the connection instead of answering. */
  readonly cut?: boolean;
}

type Script = Readonly<Record<string, (request: Request, nth: number) => Answer>>;

/**
 * Stands where a service somewhere else would stand, to fail in ways the real one does not on demand. Whatever a test does not script is
 * answered as by contract; the journey through the real service is an end-to-end test.
 */
export interface ScriptedService {
  readonly url: string;
  readonly requests: readonly Request[];
  /** How often a route was called. */
  count(route: string): number;
  stop(): Promise<void>;
}

const id = "0197a2b0-0000-7000-8000-000000000001";
const at = "2026-01-02T03:04:05.000Z";

export const project = (name: string) =>
  ProjectView.parse({
    id,
    name,
    description: null,
    source_type: "zip",
    repository_url: null,
    repository_type: "other",
    default_branch: "main",
    programming_languages: "[]",
    budget_tokens: null,
    budget_usd: null,
    owner_id: id,
    is_active: true,
    created_at: at,
    updated_at: null,
    owner: null,
  });

export const page = (rows: readonly unknown[], total = rows.length): Answer => ({
  body: rows,
  headers: { "x-total-count": String(total) },
});

export const problem = (status: number, code: string, detail: string): Answer => ({
  status,
  body: { detail, code, request_id: "r" },
});

/** By contract, with the last segment of ids taken as `:id`. */
const contract = (url: string): Script => ({
  "GET /users/me": () => ({ body: { id } }),
  "GET /projects": () => page([]),
  "POST /projects": ({ body }) => ({ body: project(JSON.parse(body.toString()).name) }),
  "POST /projects/:id/zip/uploads": () => ({
    body: {
      upload_id: id,
      url: `${url}/bucket`,
      fields: { key: "k", policy: "p" },
      expires_at: at,
      max_bytes: 500_000_000,
    },
  }),
  "POST /bucket": () => ({ status: 204 }),
  "POST /projects/:id/zip/uploads/:id/finish": () => ({
    body: StoredZipView.parse({
      message: "ok",
      original_filename: "a.zip",
      file_size: 1,
      uploaded_at: at,
      file_count: 3,
      sha256: "abc",
    }),
  }),
  "GET /projects/:id/zip": () => ({ body: { sha256: "abc" } }),
  "POST /scan/scan-stored-zip": () => ({ body: { task_id: id, status: "queued" } }),
  "GET /tasks/:id": () => ({ body: task() }),
  "GET /tasks/:id/issues": () => page([issue()]),
  "POST /tasks/:id/cancel": () => ({ body: { message: "ok", task_id: id } }),
});

export async function startScriptedService(script: Script = {}): Promise<ScriptedService> {
  const requests: Request[] = [];
  const count = (route: string) => requests.filter((request) => request.route === route).length;
  const answer = async (incoming: IncomingMessage, response: ServerResponse) => {
    const target = new URL(incoming.url as string, url);
    const path = target.pathname.replace("/api/v1", "").replace(/\/[0-9a-f-]{36}/g, "/:id");
    const route = `${incoming.method} ${path}`;
    const request = { route, url: target, headers: incoming.headers, body: await buffer(incoming) };
    requests.push(request);
    const {
      status = 200,
      body,
      headers,
      cut,
    } = (script[route] ?? contract(url)[route] ?? missing)(request, count(route));
    if (cut) return incoming.socket.destroy();
    response.writeHead(status, { "content-type": "application/json", ...headers });
    response.end(typeof body === "string" || body === undefined ? body : JSON.stringify(body));
  };
  const server = createServer((incoming, response) => {
    // A script that fails would leave its client waiting; the connection ends instead, and the error is seen as the test's own.
    answer(incoming, response).catch((error) => {
      incoming.socket.destroy();
      throw error;
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const stop = async () => {
    server.closeAllConnections();
    server.close();
    await once(server, "close");
  };
  return { url, requests, count, stop };
}

const missing = (): Answer => problem(404, "route_not_found", "There is no such operation");
