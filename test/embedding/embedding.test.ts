import { GetCommand } from "@aws-sdk/lib-dynamodb";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { type FakeLlm, startFakeLlm } from "../../bin/fake-llm/start-fake-llm.ts";
import { embeddingProviders, modelsOf } from "../../functions/embedding/embedding-providers.ts";
import { environment } from "../../functions/platform/environment.ts";
import { keys, table } from "../../functions/platform/table.ts";
import { canary, type LoopbackModel, saying, startLoopbackModel } from "../llm/loopback-model.ts";
import { type EmbeddedData, startEmbeddedData } from "../support/embedded-data.ts";
import { type Person, person } from "../support/person.ts";

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
  (loopback.received as unknown[]).length = 0;
  loopback.answer = saying(404, {});
  alice = await person();
  vi.spyOn(console, "log").mockImplementation((line) => void written.push(String(line)));
});
afterEach(() => {
  vi.restoreAllMocks();
  expect(written.splice(0).join("\n")).not.toContain("CANARY");
});

const tested = async (json: object, language = "en") => {
  const body = await alice.ok("testEmbedding", { json, headers: { "Accept-Language": language } });
  expect(JSON.stringify(body)).not.toContain("CANARY");
  return body;
};
const saved = (json: object) => alice.call("updateEmbeddingConfig", { json });
const config = () => alice.ok("readEmbeddingConfig");
const openai = (more: object = {}) => ({
  provider: "openai",
  model: "text-embedding-3-small",
  api_key: canary,
  ...more,
});
const mask = "••••3210";

async function storedKey(): Promise<string | undefined> {
  const get = new GetCommand({ TableName: environment().TABLE_NAME, Key: keys.userConfig(alice.user.id) });
  return (await table.send(get)).Item?.otherConfig.embedding_config?.api_key;
}

describe("the providers of embeddings", () => {
  it("are listed with their models, the default first", async () => {
    const providers = await alice.ok("listEmbeddingProviders");
    expect(providers.map(({ id }: { id: string }) => id)).toEqual([
      ...["openai", "azure", "ollama", "cohere", "huggingface", "jina", "qwen"],
    ]);
    for (const { models, default_model, requires_api_key, id } of providers) {
      expect(models[0]).toBe(default_model);
      expect(requires_api_key).toBe(id !== "ollama");
      const one = await alice.ok("listEmbeddingModels", { params: { provider: id } });
      expect(one).toEqual({ provider: id, models, default_model, requires_api_key });
    }
    const zh = await alice.ok("listEmbeddingProviders", { headers: { "Accept-Language": "zh" } });
    expect(zh[0].description).toMatch(/\p{Script=Han}/u);
  });

  it("that nobody knows do not exist", async () => {
    for (const provider of ["nobody", "constructor"])
      expect(await alice.call("listEmbeddingModels", { params: { provider } })).toMatchObject({
        status: 404,
        body: { code: "embedding_provider_not_found" },
      });
  });
});

describe("the settings for embeddings", () => {
  it("are the defaults until something is saved", async () => {
    expect(await config()).toEqual({
      provider: "openai",
      model: "text-embedding-3-small",
      api_key: null,
      base_url: null,
      dimensions: 1536,
      batch_size: 100,
    });
  });

  it("are saved with the key encrypted, and shown with it masked, here and in all settings", async () => {
    const { status, body } = await saved(openai({ provider: "OpenAI", model: "text-embedding-3-large" }));
    expect({ status, body }).toMatchObject({
      status: 200,
      body: { message: expect.any(String), provider: "openai", model: "text-embedding-3-large" },
    });
    const shown = {
      provider: "openai",
      model: "text-embedding-3-large",
      api_key: mask,
      batch_size: 100,
      dimensions: 3072,
    };
    expect(await config()).toEqual({ ...shown, base_url: null });
    expect((await alice.ok("readMyConfig")).otherConfig.embedding_config).toEqual({ ...shown, base_url: "" });
    expect(await storedKey()).toMatch(/^enc:v1:/);
  });

  it("know the length of the vectors of listed models only", async () => {
    for (const provider of embeddingProviders)
      for (const model of [...modelsOf(provider), "another", "toString"]) {
        await saved({ provider: provider.id, model, api_key: canary, base_url: "https://vectors.example" });
        expect((await config()).dimensions).toBe(Object.hasOwn(provider.models, model) ? provider.models[model] : 768);
      }
    await saved(openai({ dimensions: 512, batch_size: 16 }));
    expect(await config()).toMatchObject({ dimensions: 512, batch_size: 16 });
  });

  it("keep the key while it is masked, null or not named, and drop it when it is empty", async () => {
    await saved(openai());
    const first = await storedKey();
    for (const api_key of [mask, "••••last", null, undefined])
      expect((await saved(openai({ api_key, model: "text-embedding-ada-002" }))).status).toBe(200);
    expect(await storedKey()).toBe(first);
    expect(await saved(openai({ api_key: "" }))).toMatchObject({ status: 400, body: { code: "embedding_key_needed" } });
    expect(await storedKey()).toBe(first);
    await saved({ provider: "ollama", model: "bge-m3", api_key: "" });
    expect(await storedKey()).toBeUndefined();
  });

  it("lose the key when the address gets another origin, however it is said, unless it is entered anew", async () => {
    const elsewhere = { base_url: "https://evil.example/v1" };
    await saved(openai());
    for (const api_key of [mask, undefined])
      for (const change of [elsewhere, { provider: "jina" }])
        expect(await saved(openai({ api_key, ...change }))).toMatchObject({
          status: 400,
          body: { code: "embedding_key_needed" },
        });
    expect((await saved(openai({ api_key: mask, base_url: "https://api.openai.com/v1/" }))).status).toBe(200);
    await alice.ok("updateMyConfig", { json: { otherConfig: { embedding_config: elsewhere } } });
    expect([(await config()).api_key, await storedKey()]).toEqual([null, undefined]);
    expect((await saved(openai(elsewhere))).status).toBe(200);
    expect((await config()).api_key).toBe(mask);
  });

  it.each([
    ["a provider that nobody knows", { provider: "nobody" }, 400, "embedding_provider_unknown"],
    ["no key where one is needed", { api_key: undefined }, 400, "embedding_key_needed"],
    ["no address where there is none to assume", { provider: "azure" }, 400, "embedding_address_needed"],
    ["no model", { model: " " }, 422, "validation_failed"],
    ["an address that is none", { base_url: "javascript:alert(1)" }, 422, "validation_failed"],
    ["a batch of none", { batch_size: 0 }, 422, "validation_failed"],
    ["a key in our stored form", { api_key: "enc:v1:AAAA" }, 422, "secret_prefix_reserved"],
  ])("refuse %s, and stay as they were", async (_, change, status, code) => {
    expect(await saved(openai(change))).toMatchObject({ status, body: { code } });
    expect(await storedKey()).toBeUndefined();
  });

  it("go with all settings", async () => {
    await saved(openai());
    await alice.ok("deleteMyConfig");
    expect(await config()).toMatchObject({ provider: "openai", api_key: null });
  });
});

const vector = [0.1, -0.2, 0.3, 0.4, 0.5, 0.6];
const listed = { data: [{ index: 0, embedding: vector }] };
const auth = { authorization: `Bearer ${canary}` };
const request = { model: "m/1", input: ["hello"], encoding_format: "float" };

describe("a test of embeddings", () => {
  it("succeeds with the scripted model", async () => {
    expect(await tested(openai({ base_url: `${fake.url}/v1` }))).toEqual({
      success: true,
      message: "It works; vectors have 1536 numbers",
      dimensions: 1536,
      sample_embedding: expect.toSatisfy((numbers: number[]) => numbers.length === 5 && numbers.every(Number.isFinite)),
      latency_ms: expect.any(Number),
    });
  });

  it.each([
    ["openai", "/embeddings", auth, request, listed],
    ["jina", "/embeddings", auth, request, listed],
    ["qwen", "/embeddings", auth, request, { data: [{ embedding: vector }] }],
    [
      "azure",
      "/openai/deployments/m%2F1/embeddings?api-version=2024-10-21",
      { "api-key": canary },
      { input: ["hello"], encoding_format: "float" },
      listed,
    ],
    ["ollama", "/api/embed", auth, { model: "m/1", input: ["hello"] }, { embeddings: [vector] }],
    [
      "cohere",
      "/embed",
      auth,
      { model: "m/1", texts: ["hello"], input_type: "search_document", embedding_types: ["float"] },
      { embeddings: { float: [vector] } },
    ],
    ["huggingface", "/hf-inference/models/m/1/pipeline/feature-extraction", auth, { inputs: ["hello"] }, [vector]],
  ] as const)("speaks the wire format of %s", async (provider, path, headers, body, answer) => {
    loopback.answer = saying(200, answer);
    const json = { provider, model: "m/1", api_key: canary, base_url: `${loopback.url}/`, test_text: "hello" };
    expect(await tested(json)).toMatchObject({ success: true, dimensions: 6, sample_embedding: vector.slice(0, 5) });
    expect(loopback.received).toEqual([expect.objectContaining({ url: path, body })]);
    expect(loopback.received[0]?.headers).toMatchObject({ "content-type": "application/json", ...headers });
  });

  it("is paid by the month of who asks for it, as the provider counts or else at its worst case", async () => {
    loopback.answer = saying(200, { ...listed, usage: { prompt_tokens: 7, total_tokens: 7 } });
    expect(await tested(openai({ base_url: loopback.url, model: "text-embedding-3-large" }))).toMatchObject({
      success: true,
    });
    loopback.answer = saying(200, [vector]);
    const silent = {
      provider: "huggingface",
      model: "m/1",
      api_key: canary,
      base_url: loopback.url,
      test_text: "hello",
    };
    expect(await tested(silent)).toMatchObject({ success: true });
    expect(await tested({ ...silent, provider: "nobody" })).toMatchObject({ success: false });
    expect(await alice.ok("readMySpending")).toMatchObject({
      calls: 2,
      tokens: 7 + 105,
      cost_usd: 0.000001,
      reserved_tokens: 0,
    });
    const { status } = await alice.call("updateMyConfig", { json: { otherConfig: { monthTokenCap: 200 } } });
    expect(status).toBe(200);
    expect(await tested(silent)).toMatchObject({ success: false, message: expect.stringMatching(/budget .* month/) });
    expect(loopback.received).toHaveLength(2);
  });

  it("counts what every provider that counts has counted", async () => {
    for (const [provider, answer] of [
      ["ollama", { embeddings: [vector], prompt_eval_count: 3 }],
      ["cohere", { embeddings: { float: [vector] }, meta: { billed_units: { input_tokens: 4 } } }],
      ["jina", { ...listed, usage: { total_tokens: 5 } }],
    ] as const) {
      loopback.answer = saying(200, answer);
      await tested({ provider, model: "m/1", api_key: canary, base_url: loopback.url });
    }
    expect(await alice.ok("readMySpending")).toMatchObject({ calls: 3, input_tokens: 12, output_tokens: 0 });
  });

  it("sends no key where there is none", async () => {
    loopback.answer = saying(200, { embeddings: [vector] });
    const json = { provider: "ollama", model: "bge-m3", base_url: `${loopback.url}/v1` };
    expect(await tested(json)).toMatchObject({ success: true });
    expect(loopback.received[0]?.url).toBe("/api/embed");
    expect(loopback.received[0]?.headers).not.toHaveProperty("authorization");
  });

  it("uses the stored key where none is given, at the address it was stored for and nowhere else", async () => {
    loopback.answer = saying(200, listed);
    await saved(openai({ base_url: loopback.url }));
    for (const api_key of [undefined, null, mask])
      expect(await tested(openai({ api_key, base_url: `${loopback.url}/other` }))).toMatchObject({ success: true });
    expect(loopback.received.map(({ headers }) => headers.authorization)).toEqual(Array(3).fill(auth.authorization));
    for (const api_key of [undefined, mask])
      expect(await tested(openai({ api_key, base_url: `${fake.url}/v1` }))).toMatchObject({
        success: false,
        message: expect.stringContaining("key is invalid"),
      });
    expect(loopback.received).toHaveLength(3);
  });

  const failing = (error: object, status: number) => saying(status, { error: { message: canary, ...error } });
  it.each([
    ["an invalid key", failing({ code: "invalid_api_key" }, 401), /key is invalid/, /API Key 无效/],
    ["an authentication failure", failing({}, 403), /Authentication failed/, /认证失败/],
    ["an empty balance", failing({ code: "insufficient_quota" }, 429), /no balance/, /余额不足/],
    ["a rate limit", failing({}, 429), /rate limit/, /速率限制/],
    ["a missing model", failing({ code: "model_not_found" }, 404), /no such model/, /模型不存在/],
    ["an error of the provider", failing({}, 500), /provider failed/, /模型服务出错/],
    [
      "an error in a good answer",
      saying(200, { error: { code: "invalid_api_key" } }),
      /key is invalid/,
      /API Key 无效/,
    ],
    ["an empty answer", saying(200, ""), /was empty/, /空响应/],
    ["no vector", saying(200, { data: [] }), /was empty/, /空响应/],
    ["words in place of numbers", saying(200, { data: [{ embedding: [canary] }] }), /not understood/, /无法识别/],
    ["more vectors than texts", saying(200, { data: [...listed.data, ...listed.data] }), /not understood/, /无法识别/],
    ["no JSON", saying(200, `<html>${canary}`), /not understood/, /无法识别/],
    ["a cut connection", (request) => request.socket.destroy(), /connection.*ECONNRESET/, /无法连接/],
    ["a redirect", saying(302, "", { location: "https://evil.example" }), /connection/, /无法连接/],
  ] as [string, LoopbackModel["answer"], RegExp, RegExp][])(
    "tells %s in words, in both languages",
    async (_, answer, en, zh) => {
      loopback.answer = answer;
      const json = openai({ base_url: loopback.url });
      const nothing = { success: false, dimensions: null, sample_embedding: null, latency_ms: null };
      expect(await tested(json)).toEqual({ ...nothing, message: expect.stringMatching(en) });
      expect(await tested(json, "zh")).toEqual({ ...nothing, message: expect.stringMatching(zh) });
    },
  );

  it("asks nobody when it cannot succeed", async () => {
    const message = async (json: object) => (await tested(json)).message;
    expect(await message({ provider: "nobody", model: "m" })).toMatch(/not supported/);
    expect(await message(openai({ api_key: "" }))).toMatch(/key is invalid/);
    expect(await message(openai({ base_url: "https://10.0.0.1/v1" }))).toMatch(/private network.*operator can allow/);
    expect(await message({ provider: "azure", model: "m", api_key: canary })).toMatch(/connection/);
    expect(loopback.received).toHaveLength(0);
  });
});
