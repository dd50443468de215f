import { inspect } from "node:util";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { type FakeLlm, startFakeLlm } from "../../bin/fake-llm/start-fake-llm.ts";
import { forgetTokens } from "../../functions/llm/adapters/baidu-tokens.ts";
import { askModel } from "../../functions/llm/ask-model.ts";
import { ModelFailure, type ModelRequest, type ModelSettings } from "../../functions/llm/model.ts";
import {
  canary,
  clientFor,
  formats,
  greeting,
  type LoopbackModel,
  saying,
  settingsOf,
  startLoopbackModel,
} from "./loopback-model.ts";

let fake: FakeLlm;
let loopback: LoopbackModel;
const written: string[] = [];

beforeAll(async () => {
  fake = await startFakeLlm({ keepBodies: true });
  loopback = await startLoopbackModel();
});
afterAll(async () => {
  await fake.close();
  await loopback.stop();
});

beforeEach(() => {
  fake.reset();
  fake.setLatency(0);
  forgetTokens();
  written.length = 0;
  for (const level of ["debug", "info", "log", "warn", "error"] as const)
    vi.spyOn(console, level).mockImplementation((...line) => void written.push(inspect(line)));
});
afterEach(() => {
  vi.restoreAllMocks();
  // Neither our log nor a warning of the AI SDK.
  expect(written).toEqual([]);
});

const ask = (settings: ModelSettings, request: ModelRequest = greeting) =>
  askModel(settings, request, clientFor(settings.provider === "bedrock" ? loopback.url : settings.baseUrl));

/** The failure of a call, which holds neither the key nor what the provider said. */
async function failureOf(settings: ModelSettings, request?: ModelRequest): Promise<ModelFailure> {
  const error = await ask(settings, request).then(
    () => expect.unreachable("the model answered"),
    (error: unknown) => error,
  );
  expect(error).toBeInstanceOf(ModelFailure);
  expect(inspect(error, { depth: 20, showHidden: true })).not.toMatch(/CANARY|Say hello/);
  return error as ModelFailure;
}

const schema = {
  type: "object",
  properties: { quality_score: { type: "number", minimum: 0 }, note: { type: "string" } },
  required: ["quality_score"],
};

describe.each(formats)("%s", (provider, path) => {
  const settings = (more: Partial<ModelSettings> = {}) => settingsOf(provider, fake.url + path, more);

  it("brings text, usage, end and name of the model, by one request", async () => {
    const answer = await ask(settings());
    expect(answer).toEqual({
      text: "Hello",
      usage: { inputTokens: expect.any(Number), outputTokens: 2 },
      finish: "stop",
      model: "scripted",
    });
    expect(fake.calls).toHaveLength(1);
  });

  it("sends instructions, turns, temperature and the limit of tokens", async () => {
    const messages = [
      { role: "user", content: "first" },
      { role: "assistant", content: "second" },
      { role: "user", content: "third" },
    ] as const;
    await ask(settings(), { system: "Be brief.", messages });
    const sent = fake.calls[0]!.body ?? "";
    for (const text of ["Be brief.", "first", "second", "third"]) expect(sent).toContain(text);
    expect(sent).toMatch(/"temperature":0\.3\b/);
    expect(sent).toMatch(/"\w*(?:max_?|Max)\w*okens":500\b/);
    expect(sent).not.toContain("CANARY");
  });

  it("asks for a schema without being refused for it", async () => {
    const answer = await ask(settings(), { ...greeting, schema });
    expect(answer).toMatchObject({ finish: "stop", text: expect.stringMatching(/\S/) });
  });

  it.each([
    ["status_401", /^auth_(invalid_key|failed)$/],
    ["status_402", /^insufficient_balance$/],
    ["status_403", /^auth_failed$/],
    ["status_404_model", /^model_not_found$/],
    ["status_429", /^rate_limit$/],
    ["status_500", /^server_error$/],
    ["empty", /^empty_response$/],
    ["huge_body", /^server_error$/],
    ["reset_after_body", /^connection$/],
  ] as const)("tells %s apart", async (fault, category) => {
    fake.setFault(fault);
    const failure = await failureOf(settings());
    expect(failure.category).toMatch(category);
    expect(failure.maybeCharged).toBe(["empty", "huge_body", "reset_after_body"].includes(fault));
    if (fault === "status_429") expect(failure.retryAfterMs).toBe(1000);
    // Baidu refuses a key where it is exchanged for a token, before any model is asked.
    expect(fake.calls).toHaveLength(provider === "baidu" && fault === "status_401" ? 0 : 1);
  });

  it.each(["stall", "slow_bytes"] as const)("gives up on %s when the time is over", async (fault) => {
    fake.setFault(fault);
    expect(await failureOf(settings({ timeoutMs: 300 }))).toMatchObject({ category: "timeout", maybeCharged: true });
  });

  it("does not invent a usage that the provider left out", async () => {
    fake.setFault("missing_usage");
    expect(await ask(settings())).toMatchObject({ text: "Hello", usage: null });
  });

  it("says when an answer was cut or refused", async () => {
    fake.setFault("cut_at_limit");
    expect(await ask(settings())).toMatchObject({ finish: "length" });
    fake.setFault("refusal");
    expect(await ask(settings())).toMatchObject({ finish: "refused" });
  });

  it("sends the user's headers along", async () => {
    loopback.answer = saying(500, {});
    await failureOf(settingsOf(provider, loopback.url + path, { headers: { "X-Organisation": "o-1" } }));
    // Baidu's first request is for a token, which is nobody's organisation.
    if (provider !== "baidu") expect(loopback.received.at(-1)?.headers).toMatchObject({ "x-organisation": "o-1" });
  });

  it.each([
    ["no JSON", "<html>welcome</html>"],
    ["JSON that stops", '{"choices":[{"message":{"content":"Hel'],
    ["another shape", { hello: "world" }],
    ["null", "null"],
  ])("takes %s for a failure of the server", async (_, body) => {
    loopback.answer = saying(200, body);
    expect(await failureOf(settingsOf(provider, loopback.url + path))).toMatchObject({
      category: expect.stringMatching(
        provider === "baidu" ? /^(server_error|auth_failed)$/ : /^(server_error|empty_response)$/,
      ),
    });
  });

  it("follows no redirect with the key", async () => {
    const before = fake.calls.length;
    loopback.answer = (_, response) => response.writeHead(307, { location: `${fake.url}${path}` }).end();
    expect(await failureOf(settingsOf(provider, loopback.url + path))).toMatchObject({ category: "connection" });
    expect(fake.calls).toHaveLength(before);
  });

  it("says that nobody listens, and that this was free", async () => {
    const gone = await startLoopbackModel();
    await gone.stop();
    const failure = await failureOf(settingsOf(provider, gone.url + path));
    expect(failure).toMatchObject({
      category: "connection",
      maybeCharged: false,
      cause: { code: "outbound_unreachable" },
    });
  });

  it("refuses a key that is none before anything is sent", async () => {
    const seen = loopback.received.length;
    for (const apiKey of ["sk-钥匙", "sk-a\r\nX-Evil: 1", "sk a"])
      expect(await failureOf(settingsOf(provider, loopback.url + path, { apiKey }))).toMatchObject({
        category: "auth_invalid_key",
        maybeCharged: false,
      });
    expect(loopback.received).toHaveLength(seen);
  });
});

describe("structured output", () => {
  const sent = async (provider: string, path: string, model: string) => {
    loopback.answer = saying(500, {});
    await failureOf(settingsOf(provider, loopback.url + path, { model }), { ...greeting, schema });
    return loopback.received.at(-1)!.body;
  };

  it("is asked for by schema where the provider takes one, never strictly", async () => {
    const { response_format } = await sent("openai", "/v1", "gpt-4o");
    expect(response_format).toMatchObject({ type: "json_schema", json_schema: { strict: false, schema } });
    expect(await sent("ollama", "/v1", "m")).toMatchObject({ response_format: { json_schema: { strict: false } } });
    expect(await sent("gemini", "/v1beta", "m")).toMatchObject({
      generationConfig: { responseMimeType: "application/json", responseJsonSchema: { required: ["quality_score"] } },
    });
  });

  it("is asked for as JSON where it takes no more, with the word that some demand", async () => {
    const body = await sent("qwen", "/v1", "qwen3-max");
    expect(body.response_format).toEqual({ type: "json_object" });
    expect(JSON.stringify(body.messages)).toContain("JSON");
  });

  it("is left out where the request could be refused for it", async () => {
    for (const [provider, model] of [
      ["openai_compatible", "m"],
      ["deepseek", "deepseek-reasoner"],
      ["doubao", "m"],
      ["minimax", "m"],
    ] as const)
      expect(await sent(provider, "/v1", model)).not.toHaveProperty("response_format");
  });
});

describe("what only some do", () => {
  it("leaves thoughts out of the text", async () => {
    const message = { role: "assistant", content: "Hello", reasoning_content: "They want a greeting." };
    loopback.answer = saying(200, { choices: [{ message, finish_reason: "stop" }] });
    expect(await ask(settingsOf("deepseek", `${loopback.url}/v1`))).toMatchObject({ text: "Hello", usage: null });
  });

  it("answers with nothing but an end when thinking took all tokens", async () => {
    const usage = { prompt_tokens: 9, completion_tokens: 500 };
    loopback.answer = saying(200, { choices: [{ message: { content: "" }, finish_reason: "length" }], usage });
    expect(await ask(settingsOf("openai", `${loopback.url}/v1`))).toMatchObject({
      text: "",
      finish: "length",
      usage: { inputTokens: 9, outputTokens: 500 },
    });
  });

  it("takes a provider's filter for a refusal", async () => {
    loopback.answer = saying(400, { error: { code: "data_inspection_failed", message: "inappropriate content" } });
    expect(await ask(settingsOf("qwen", `${loopback.url}/v1`))).toMatchObject({ text: "", finish: "refused" });
  });

  it("knows the words of an error under status 200, and looks for none in an answer", async () => {
    const settings = settingsOf("openai_compatible", `${loopback.url}/v1`);
    loopback.answer = saying(200, { error: { message: "Insufficient balance" } });
    expect(await failureOf(settings)).toMatchObject({ category: "insufficient_balance" });
    loopback.answer = saying(200, { choices: [{ text: "checks for insufficient balance" }] });
    expect(await failureOf(settings)).toMatchObject({ category: "server_error" });
  });

  it("does not take the name of the model from a server that writes nonsense there", async () => {
    const choices = [{ message: { content: "Hello" }, finish_reason: "stop" }];
    loopback.answer = saying(200, { choices, model: `<script>${"x".repeat(1000)}` });
    expect((await ask(settingsOf("qwen", `${loopback.url}/v1`))).model).toBe("scripted");
  });

  it("needs no key for Ollama and sends none", async () => {
    loopback.answer = saying(500, {});
    await failureOf(settingsOf("ollama", `${loopback.url}/v1`, { apiKey: null }));
    expect(loopback.received.at(-1)?.headers).not.toHaveProperty("authorization");
  });

  it("refuses a missing key and a provider that nobody knows without a request", async () => {
    const seen = loopback.received.length;
    expect(await failureOf(settingsOf("openai", loopback.url, { apiKey: null }))).toMatchObject({
      category: "auth_invalid_key",
    });
    expect(await failureOf(settingsOf("nobody", loopback.url))).toMatchObject({ category: "unsupported_provider" });
    expect(loopback.received).toHaveLength(seen);
  });

  it("reaches no address inside the network", async () => {
    for (const address of [
      "http://127.0.0.1:1/v1",
      "https://169.254.169.254/v1",
      "https://10.0.0.1/v1",
      "file:///etc",
    ]) {
      const asked = askModel(settingsOf("openai", address), greeting, clientFor("https://model.example"));
      await expect(asked).rejects.toMatchObject({ category: "connection", maybeCharged: false });
    }
  });

  it("calls the models of our list what their API calls them", async () => {
    loopback.answer = saying(500, {});
    await failureOf(settingsOf("claude", `${loopback.url}/v1`, { model: "claude-sonnet-4.5" }));
    expect(loopback.received.at(-1)?.body).toMatchObject({ model: "claude-sonnet-4-5", temperature: 0.3 });
  });
});

describe("Baidu's token", () => {
  const settings = () => settingsOf("baidu", `${loopback.url}/rpc/2.0/ai_custom/v1`);
  const paths = () => loopback.received.map(({ url }) => url.split("?")[0]!.split("/").at(-1));
  let chat: unknown;
  beforeEach(() => {
    (loopback.received as unknown[]).length = 0;
    loopback.answer = (request, response) =>
      request.url?.includes("/oauth/")
        ? saying(200, { access_token: "t-1" })(request, response)
        : saying(200, chat)(request, response);
    chat = { result: "Hello", usage: { prompt_tokens: 2, completion_tokens: 1 } };
  });

  it("is used again, for the same key at the same address only", async () => {
    await ask(settings());
    await ask(settings());
    expect(paths()).toEqual(["token", "scripted", "scripted"]);
    await ask({ ...settings(), apiKey: "other:key" });
    expect(paths().slice(3)).toEqual(["token", "scripted"]);
  });

  it("is made anew after it was refused, and the key is not blamed", async () => {
    await ask(settings());
    chat = { error_code: 111, error_msg: "Access token expired" };
    expect(await failureOf(settings())).toMatchObject({ category: "server_error" });
    expect(await failureOf(settings())).toMatchObject({ category: "auth_failed" });
    expect(paths()).toEqual(["token", "scripted", "scripted", "token", "scripted"]);
  });

  it("is not to be had for a key without a secret, or for one that Baidu does not know", async () => {
    expect(await failureOf({ ...settings(), apiKey: "only-one-half" })).toMatchObject({ category: "auth_invalid_key" });
    expect(paths()).toEqual([]);
    loopback.answer = saying(401, { error: "invalid_client", error_description: "unknown client id" });
    expect(await failureOf(settings())).toMatchObject({ category: "auth_invalid_key", status: 401 });
  });

  it("keeps to the ranges that Baidu takes", async () => {
    await ask({ ...settings(), temperature: 0, maxTokens: 100_000 });
    expect(loopback.received.at(-1)?.body).toMatchObject({ temperature: 0.01, max_output_tokens: 2048 });
  });
});

describe("Amazon Bedrock", () => {
  const settings = settingsOf("bedrock", "", { apiKey: null, model: "us.anthropic.claude-sonnet-4-5-20250929-v1:0" });
  const role = {
    AWS_REGION: "eu-west-1",
    AWS_ACCESS_KEY_ID: "AKIATEST",
    AWS_SECRET_ACCESS_KEY: canary,
    AWS_SESSION_TOKEN: "t",
  };
  beforeEach(() => {
    for (const [name, value] of Object.entries({ ...role, AWS_ENDPOINT_URL: loopback.url })) vi.stubEnv(name, value);
  });
  afterEach(() => vi.unstubAllEnvs());

  it("is asked with the function's role", async () => {
    const output = { message: { role: "assistant", content: [{ text: "Hello" }] } };
    const usage = { inputTokens: 4, outputTokens: 1, totalTokens: 5 };
    loopback.answer = saying(200, { output, usage, stopReason: "end_turn" });
    expect(await ask(settings)).toMatchObject({ text: "Hello", usage: { inputTokens: 4, outputTokens: 1 } });
    const { url, headers } = loopback.received.at(-1)!;
    expect(url).toContain("/converse");
    expect(headers.authorization).toContain("Credential=AKIATEST/");
    expect(headers["x-amz-security-token"]).toBe("t");
  });

  it("says when the role may not, and when the embedded cloud has none", async () => {
    loopback.answer = saying(403, { message: "User: x is not authorized to perform: bedrock:InvokeModel" });
    expect(await failureOf(settings)).toMatchObject({ category: "auth_failed", status: 403 });
    const inside = askModel(settings, greeting, clientFor("https://model.example"));
    await expect(inside).rejects.toMatchObject({ category: "connection" });
  });

  it("leaves a trace of a failure that nobody foresaw, without its message", async () => {
    vi.stubEnv("AWS_ACCESS_KEY_ID", undefined);
    expect(await failureOf(settings)).toMatchObject({ category: "unknown" });
    const [line, ...more] = written.splice(0);
    expect(more).toEqual([]);
    expect(line).toMatch(/unforeseen.*amazon-bedrock/);
    expect(line).not.toContain("requires AWS credentials");
  });

  it("goes to no address that a user names", async () => {
    loopback.answer = saying(403, {});
    const named = await startLoopbackModel();
    await failureOf({ ...settings, baseUrl: named.url });
    expect(named.received).toHaveLength(0);
    await named.stop();
  });
});
