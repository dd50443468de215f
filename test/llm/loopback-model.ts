import { createServer, type IncomingHttpHeaders, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import type { ModelRequest, ModelSettings } from "../../functions/llm/model.ts";
import { Outbound } from "../../functions/platform/outbound.ts";

/** Nothing that is shown, logged or thrown may have it. */
export const canary = "sk-CANARY-0123456789abcdef:sk-CANARY-secret-9876543210";

/** Where the scripted model server speaks each format. */
export const formats = [
  ["openai", "/v1"],
  ["openai_compatible", "/v1"],
  ["qwen", "/v1"],
  ["deepseek", "/v1"],
  ["zhipu", "/v1"],
  ["moonshot", "/v1"],
  ["ollama", "/ollama/v1"],
  ["claude", "/v1"],
  ["gemini", "/v1beta"],
  ["baidu", "/rpc/2.0/ai_custom/v1"],
  ["minimax", "/v1"],
  ["doubao", "/api/v3"],
] as const;

export const settingsOf = (provider: string, baseUrl: string, more: Partial<ModelSettings> = {}): ModelSettings => ({
  provider,
  model: "scripted",
  baseUrl,
  apiKey: canary,
  timeoutMs: 20_000,
  temperature: 0.3,
  maxTokens: 500,
  headers: {},
  ...more,
});

export const greeting: ModelRequest = { system: "Be brief.", messages: [{ role: "user", content: "Say hello." }] };

/** A client that reaches a server of this machine and nothing else. */
export const clientFor = (url: string): Outbound => new Outbound({ allowedHosts: new Set([new URL(url).host]) });

export interface Received {
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into requests of every shape.
  readonly body: any;
}

export interface LoopbackModel {
  readonly url: string;
  readonly received: readonly Received[];
  /** What it answers; tests write it. */
  answer: RequestListener;
  stop(): Promise<void>;
}

/** A server that answers whatever a test says, for answers that no honest provider gives. */
export async function startLoopbackModel(): Promise<LoopbackModel> {
  const received: Received[] = [];
  const server = createServer(async (request, response) => {
    const chunks = await request.toArray();
    const text = Buffer.concat(chunks).toString();
    received.push({ url: request.url ?? "", headers: request.headers, body: text === "" ? null : JSON.parse(text) });
    model.answer(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const model: LoopbackModel = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    answer: (_, response) => response.writeHead(404).end(),
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return model;
}

/** Answers with JSON. */
export const saying =
  (status: number, body: unknown, headers: Record<string, string> = {}): RequestListener =>
  (_, response) =>
    response
      .writeHead(status, { "content-type": "application/json", ...headers })
      .end(typeof body === "string" ? body : JSON.stringify(body));
