import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { type FakeLlm, startFakeLlm } from "../../bin/fake-llm/start-fake-llm.ts";
import { type EmbeddedData, startEmbeddedData } from "../support/embedded-data.ts";
import { type Person, person } from "../support/person.ts";
import { canary, formats, type LoopbackModel, saying, startLoopbackModel } from "./loopback-model.ts";

const at = new Date(Math.floor(Date.now() / 1000) * 1000);
let data: EmbeddedData;
let fake: FakeLlm;
let loopback: LoopbackModel;
let alice: Person;
const written: string[] = [];

beforeAll(async () => {
  [fake, loopback, data] = await Promise.all([startFakeLlm(), startLoopbackModel(), startEmbeddedData()]);
  // Read at the first request.
  process.env.OUTBOUND_ALLOWED_HOSTS = [fake.url, loopback.url].map((url) => new URL(url).host).join();
});
afterAll(async () => {
  await Promise.all([fake.close(), loopback.stop(), data.stop()]);
});

beforeEach(async () => {
  fake.reset();
  (loopback.received as unknown[]).length = 0;
  loopback.answer = saying(404, {});
  alice = await person("member", () => at);
  vi.spyOn(console, "log").mockImplementation((line) => void written.push(String(line)));
});
afterEach(() => {
  vi.restoreAllMocks();
  expect(written.join("\n")).not.toContain("CANARY");
  expect(written.splice(0)).not.toEqual([]);
});

async function test(json: object, language = "en") {
  const headers = { "Accept-Language": language };
  const { status, body } = await alice.call("testLlm", { json, headers });
  expect({ status, body }).toMatchObject({ status: 200 });
  expect(JSON.stringify(body)).not.toContain("CANARY");
  return body;
}

async function save(llmConfig: object) {
  const answer = await alice.call("updateMyConfig", { json: { llmConfig } });
  expect(answer.status).toBe(200);
}

const openai = (more: object = {}) => ({
  provider: "openai",
  apiKey: canary,
  baseUrl: `${fake.url}/v1`,
  model: "scripted",
  ...more,
});
const chat = (content: string, more: object = {}) => ({
  choices: [{ message: { role: "assistant", content }, finish_reason: "stop" }],
  ...more,
});

describe("a test of a connection", () => {
  it.each(formats)("succeeds with %s", async (provider, path) => {
    const json = { provider: provider.toUpperCase(), apiKey: canary, baseUrl: fake.url + path, model: "scripted" };
    expect(await test(json)).toEqual({
      success: true,
      message: "The connection works",
      model: "scripted",
      response: "Hello",
      debug: expect.objectContaining({
        model_used: "scripted",
        base_url_used: fake.url + path,
        api_key_prefix: "sk-C",
        api_key_length: canary.length,
        is_native_adapter: ["baidu", "minimax", "doubao"].includes(provider),
        test_params: { timeout: 25_000, temperature: 0.1, max_tokens: 4096 },
        usage: { input_tokens: expect.any(Number), output_tokens: 2 },
        response_length: 5,
      }),
    });
  });

  it("calls each time anew, Baidu's token included", async () => {
    await test(openai());
    await test(openai());
    expect(fake.calls).toHaveLength(2);
    loopback.answer = (request, response) =>
      saying(200, request.url?.includes("/oauth/") ? { access_token: "t" } : { result: "Hello" })(request, response);
    for (const _ of "12") await test({ provider: "baidu", apiKey: canary, baseUrl: loopback.url });
    expect(loopback.received.filter(({ url }) => url.includes("/oauth/"))).toHaveLength(2);
  });

  it.each([
    ["status_401", "auth_invalid_key", /key is invalid/, /API Key 无效/],
    ["status_403", "auth_failed", /Authentication failed/, /认证失败/],
    ["status_402", "insufficient_balance", /no balance/, /余额不足/],
    ["status_429_quota", "insufficient_balance", /no balance/, /余额不足/],
    ["status_429", "rate_limit", /rate limit/, /速率限制/],
    ["status_404_model", "model_not_found", /no such model/, /模型不存在/],
    ["status_500", "server_error", /provider failed/, /模型服务出错/],
    ["empty", "empty_response", /was empty/, /空响应/],
    ["reset_after_body", "connection", /connection to the model failed.*ECONNRESET/, /无法连接/],
    ["stall", "timeout", /timed out.*\(1 s\)/, /超时.*（1 秒）/],
  ] as const)("tells %s in words, in both languages", async (fault, category, en, zh) => {
    fake.setFault(fault);
    for (const [language, words] of [
      ["en", en],
      ["zh", zh],
    ] as const) {
      const { success, message, response, debug } = await test(
        openai(fault === "stall" ? { timeout: 1 } : {}),
        language,
      );
      expect({ success, response }).toEqual({ success: false, response: null });
      expect(message).toMatch(words);
      expect(debug).toMatchObject({ error_category: category, error_type: category, error_message: message });
      expect(debug.elapsed_time_ms).toBeGreaterThanOrEqual(0);
    }
  });

  const spending = async () => (await alice.call("readMySpending")).body;
  const saveCaps = async (otherConfig: object) => {
    const { status } = await alice.call("updateMyConfig", { json: { otherConfig } });
    expect(status).toBe(200);
  };

  it("is paid by the month of who asks for it, at the model's own price", async () => {
    await save({ llmProvider: "openai", llmModel: "scripted", llmInputPrice: 2, llmOutputPrice: 3 });
    const { debug } = await test(openai());
    await test(openai({ model: "scripted-status_401" }));
    const { input_tokens, output_tokens } = debug.usage;
    const cost_usd = (2 * input_tokens + 3 * output_tokens) / 1_000_000;
    expect(await spending()).toMatchObject({
      calls: 2,
      input_tokens,
      output_tokens,
      cost_usd,
      reserved_tokens: 0,
      models: expect.arrayContaining([
        expect.objectContaining({ provider: "openai", model: "scripted", calls: 1, cost_usd }),
        expect.objectContaining({ provider: "openai", model: "scripted-status_401", calls: 1 }),
      ]),
    });
  });

  it("is not made when the month has no room for it, and says so", async () => {
    await saveCaps({ monthTokenCap: 4_000 });
    const { success, message, debug } = await test(openai());
    expect([success, debug.error_category]).toEqual([false, "budget_exhausted"]);
    expect(message).toMatch(/budget .* month/);
    expect(await test(openai({ maxTokens: 100 }))).toMatchObject({ success: true });
    await saveCaps({ monthTokenCap: 0, monthCostCap: 1 });
    const unpriced = await test(openai(), "zh");
    expect(unpriced.debug.error_category).toBe("budget_needs_token_cap");
    expect(unpriced.message).toMatch(/价格未知/);
    expect(fake.calls).toHaveLength(1);
  });

  it("knows what is not supported, closed, unreachable or malformed", async () => {
    const tell = async (json: object) => (await test(json)).debug.error_category;
    expect(await tell({ provider: "nobody", apiKey: "x" })).toBe("unsupported_provider");
    expect(await tell(openai({ apiKey: "" }))).toBe("auth_invalid_key");
    expect(await tell(openai({ customHeaders: "Host: evil.example" }))).toBe("bad_request");
    expect(await tell(openai({ baseUrl: "nonsense" }))).toBe("connection");
    expect((await test(openai({ baseUrl: "https://10.0.0.1/v1" }))).message).toMatch(
      /private network.*operator can allow/,
    );
    const local = await test({ provider: "ollama", apiKey: "" });
    expect(local.message).toMatch(/“localhost”.*SLUICE_OUTBOUND_ALLOWED_HOSTS/);
    expect((await test({ provider: "bedrock", apiKey: "" })).message).toMatch(/Bedrock.*deployed to AWS/);
    expect(fake.calls).toHaveLength(0);
  });

  it("says when all tokens went into thoughts", async () => {
    loopback.answer = saying(200, { choices: [{ message: { content: "" }, finish_reason: "length" }] });
    const { message, debug } = await test(openai({ baseUrl: loopback.url, maxTokens: 50 }));
    expect(message).toMatch(/empty.*raise the maximum/);
    expect(debug).toMatchObject({ error_category: "empty_response", test_params: { max_tokens: 50 } });
    expect(loopback.received[0]?.body).toMatchObject({ max_tokens: 50 });
  });

  it("waits no longer than API Gateway, and says so", async () => {
    const { message, debug } = await test(openai({ timeout: 600_000 }));
    expect(message).toBe("The connection works (a test waits 25 s at most, a scan 600 s)");
    expect(debug.test_params.timeout).toBe(25_000);
    expect((await test(openai({ timeout: 20 }))).debug.test_params.timeout).toBe(20_000);
  });

  it("uses what is saved where the request says nothing", async () => {
    await save({
      llmProvider: "openai",
      llmModel: "my-model",
      llmTimeout: 9000,
      llmTemperature: 0.7,
      llmMaxTokens: 77,
      llmCustomHeaders: '{"X-Org":"o"}',
    });
    loopback.answer = saying(200, chat("Hello"));
    const { debug } = await test(openai({ baseUrl: loopback.url, model: "" }));
    expect(debug.test_params).toEqual({ timeout: 9000, temperature: 0.7, max_tokens: 77 });
    expect(debug.saved_config).toMatchObject({ timeout_ms: 9000, max_tokens: 77, output_language: "zh-CN" });
    expect(loopback.received[0]).toMatchObject({
      headers: { "x-org": "o" },
      body: { temperature: 0.7, model: "my-model" },
    });
  });

  it("shows a hundred characters of a greeting, none of control, and not the key that a server repeats", async () => {
    const [first] = canary.split(":");
    loopback.answer = saying(200, chat(`\u001b[31mHi\r\n‮ ${first} ${"好".repeat(200)}`, { model: canary }));
    const { response, model } = await test(openai({ baseUrl: loopback.url }));
    expect([...response]).toHaveLength(100);
    expect(response).not.toMatch(/[\u0000-\u001f\u202e]/);
    expect(model).toBe("••••:••••");
  });

  it("repeats nothing of what a server says to refuse", async () => {
    for (const status of [400, 401, 500]) {
      loopback.answer = saying(status, { error: { message: `SECRET-PAGE ${canary}` } }, { "x-leak": "SECRET-PAGE" });
      expect(JSON.stringify(await test(openai({ baseUrl: loopback.url })))).not.toContain("SECRET-PAGE");
    }
  });

  it("shows no password and no query of an address", async () => {
    const { debug } = await test(openai({ baseUrl: "https://me:CANARY@model.example/v1?key=CANARY#CANARY" }));
    expect(debug).toMatchObject({ base_url_requested: "https://model.example/v1" });
  });
});

describe("the mask of a stored key", () => {
  const mask = "••••3210";

  it("stands for the key, at the address that it was stored for", async () => {
    loopback.answer = saying(200, chat("Hello"));
    await save({ llmProvider: "openai", llmBaseUrl: `${loopback.url}/v1`, llmApiKey: canary });
    expect(await test(openai({ apiKey: mask, baseUrl: `${loopback.url}/v1` }))).toMatchObject({ success: true });
    expect(await test(openai({ apiKey: mask, baseUrl: null }))).toMatchObject({ success: true });
    const sent = loopback.received.map(({ headers }) => headers.authorization);
    expect(sent).toEqual([`Bearer ${canary}`, `Bearer ${canary}`]);
  });

  it("stands for nothing anywhere else", async () => {
    await save({ llmProvider: "openai", llmApiKey: canary, openaiApiKey: canary });
    for (const provider of ["openai", "claude", "deepseek"]) {
      const { success, message, debug } = await test(openai({ provider, apiKey: mask, baseUrl: `${loopback.url}/v1` }));
      expect({ success, debug }).toMatchObject({
        success: false,
        debug: { error_category: "auth_invalid_key", api_key_length: 0 },
      });
      expect(message).toMatch(/none is stored for this address/);
    }
    // Where no key is needed the call goes without one.
    await test(openai({ provider: "openai_compatible", apiKey: mask, baseUrl: `${loopback.url}/v1` }));
    expect(loopback.received.map(({ headers }) => headers.authorization)).toEqual([undefined]);
  });
});

it("lists the providers to anyone", async () => {
  const { status, body } = await alice.call("listLlmProviders");
  expect(status).toBe(200);
  expect(body.providers[0]).toEqual({
    id: "gemini",
    name: "GEMINI",
    defaultModel: "gemini-3-pro",
    models: expect.arrayContaining(["gemini-3-pro"]),
    defaultBaseUrl: "https://generativelanguage.googleapis.com/v1beta",
  });
});
