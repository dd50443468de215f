import { UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { findUserConfig } from "../../functions/config/user-config-store.ts";
import { providers } from "../../functions/llm/providers.ts";
import { alternativeModelOf, userModel } from "../../functions/llm/user-model.ts";
import { environment } from "../../functions/platform/environment.ts";
import { keys, table } from "../../functions/platform/table.ts";
import { type EmbeddedData, startEmbeddedData } from "../support/embedded-data.ts";
import { type Person, person } from "../support/person.ts";

const at = new Date(Math.floor(Date.now() / 1000) * 1000);
let data: EmbeddedData;
let alice: Person;
let userId: string;

beforeAll(async () => {
  data = await startEmbeddedData();
});
afterAll(() => data.stop());
beforeEach(async () => {
  alice = await person("member", () => at);
  userId = alice.user.id;
});

const mask = "••••abcd";

async function save(llmConfig: object) {
  const { status, body } = await alice.call("updateMyConfig", { json: { llmConfig } });
  expect({ status, body }).toMatchObject({ status: 200 });
  return body.llmConfig;
}

describe("a user's model", () => {
  it("is none until a key is there", async () => {
    expect(await userModel(userId)).toBeNull();
    await save({ llmProvider: "claude", llmModel: "m" });
    expect(await userModel(userId)).toBeNull();
  });

  it.each(providers.filter(({ needsKey }) => needsKey))(
    "has the defaults of $id where nothing else is said",
    async (provider) => {
      await save({ llmProvider: provider.id.toUpperCase(), llmApiKey: "a-key" });
      expect(await userModel(userId)).toEqual({
        provider: provider.id,
        model: provider.defaultModel,
        baseUrl: provider.baseUrl,
        apiKey: "a-key",
        timeoutMs: 150_000,
        temperature: 0.1,
        maxTokens: 4096,
        headers: {},
      });
    },
  );

  it("is what the user said", async () => {
    await save({
      llmProvider: "openai_compatible",
      llmBaseUrl: " https://models.example/v1/ ",
      llmModel: " own-model ",
      llmTimeout: 30_000,
      llmTemperature: 0,
      llmMaxTokens: 100,
      llmCustomHeaders: "X-Org: o",
    });
    expect(await userModel(userId)).toEqual({
      provider: "openai_compatible",
      model: "own-model",
      baseUrl: "https://models.example/v1",
      apiKey: null,
      timeoutMs: 30_000,
      temperature: 0,
      maxTokens: 100,
      headers: { "X-Org": "o" },
    });
  });

  it("takes the general key before the provider's own, and none of another provider", async () => {
    await save({ llmProvider: "qwen", qwenApiKey: "own", claudeApiKey: "claude's" });
    expect(await userModel(userId)).toMatchObject({ apiKey: "own" });
    await save({ llmApiKey: "general" });
    expect(await userModel(userId)).toMatchObject({ apiKey: "general" });
    await save({ llmProvider: "claude" });
    expect(await userModel(userId)).toMatchObject({ provider: "claude", apiKey: "claude's" });
    await save({ llmProvider: "gemini" });
    expect(await userModel(userId)).toBeNull();
  });

  it("needs no key for Ollama, at the address for it, nor for Bedrock, which has none", async () => {
    await save({ llmProvider: "ollama" });
    expect(await userModel(userId)).toMatchObject({ baseUrl: "http://localhost:11434/v1", apiKey: null });
    await save({ ollamaBaseUrl: "http://ollama.example:11434/v1/" });
    expect(await userModel(userId)).toMatchObject({ baseUrl: "http://ollama.example:11434/v1" });
    await save({ llmProvider: "bedrock", llmBaseUrl: "https://elsewhere.example", llmApiKey: "a-key" });
    expect(await userModel(userId)).toMatchObject({ provider: "bedrock", baseUrl: "", apiKey: null });
  });

  it("is none for a compatible server without an address, and is asked for when nobody knows its provider", async () => {
    await save({ llmProvider: "openai_compatible", llmApiKey: "a-key" });
    expect(await userModel(userId)).toBeNull();
    await save({ llmProvider: "mistery" });
    expect(await userModel(userId)).toMatchObject({ provider: "mistery", apiKey: null });
  });

  it("is not built from headers that may not be set", async () => {
    await save({ llmProvider: "ollama" });
    // As older versions took it.
    const set = new UpdateCommand({
      TableName: environment().TABLE_NAME,
      Key: keys.userConfig(userId),
      UpdateExpression: "SET llmConfig.llmCustomHeaders = :text",
      ExpressionAttributeValues: { ":text": "Authorization: Bearer x" },
    });
    await table.send(set);
    await expect(userModel(userId)).rejects.toMatchObject({ code: "llm_header_refused" });
  });
});

describe("the key of a model", () => {
  const keys = { llmApiKey: "sk-general-123456abcd", openaiApiKey: "sk-own-1234567890abcd" };
  const kept = async (llmConfig: object) => {
    const { llmApiKey, openaiApiKey } = await save(llmConfig);
    return [llmApiKey, openaiApiKey].map((shown) => (shown === "" ? "gone" : shown));
  };
  beforeEach(() => save({ llmProvider: "openai", ...keys }));

  it.each([
    ["another model", { llmModel: "gpt-4o" }, [mask, mask]],
    ["the same origin", { llmBaseUrl: "https://api.openai.com/v2" }, [mask, mask]],
    ["another origin", { llmBaseUrl: "https://evil.example/v1" }, ["gone", "gone"]],
    ["another port", { llmBaseUrl: "https://api.openai.com:8443/v1" }, ["gone", "gone"]],
    ["the same host without TLS", { llmBaseUrl: "http://api.openai.com/v1" }, ["gone", "gone"]],
    ["what is no address", { llmBaseUrl: "evil" }, ["gone", "gone"]],
    // The provider's own key still belongs to the provider.
    ["another provider", { llmProvider: "deepseek" }, ["gone", mask]],
    [
      "another provider elsewhere",
      { llmProvider: "openai_compatible", llmBaseUrl: "https://evil.example" },
      ["gone", mask],
    ],
  ] as const)("stays or goes with %s", async (_, change, shown) => {
    expect(await kept(change)).toEqual(shown);
    // The mask that a form sends back is no key that was entered.
    await save({ llmProvider: "openai", llmBaseUrl: "", ...keys });
    expect(await kept({ ...change, llmApiKey: mask, openaiApiKey: mask })).toEqual(shown);
  });

  it("stays when it is entered anew with the address, and goes there", async () => {
    expect(await kept({ llmBaseUrl: "https://proxy.example/v1", llmApiKey: "sk-proxy-123456wxyz" })).toEqual([
      "••••wxyz",
      "gone",
    ]);
    expect(await userModel(userId)).toMatchObject({
      baseUrl: "https://proxy.example/v1",
      apiKey: "sk-proxy-123456wxyz",
    });
  });

  it("of a provider does not leave by two steps either", async () => {
    await save({ llmProvider: "openai_compatible", llmBaseUrl: "https://evil.example/v1" });
    expect(await kept({ llmProvider: "openai" })).toEqual(["gone", "gone"]);
    expect(await userModel(userId)).toBeNull();
  });
});

describe("the model for what the configured one refuses", () => {
  const alternative = async () => alternativeModelOf(await findUserConfig(userId), userId);

  it("is none while the user has set up one provider only", async () => {
    expect(await alternative()).toBeNull();
    await save({ llmProvider: "openai", llmApiKey: "a-key", ollamaBaseUrl: "http://localhost:11434/v1" });
    expect(await alternative()).toBeNull();
    await save({ openaiApiKey: "its-own-key" });
    expect(await alternative()).toBeNull();
  });

  it("is the default one of the next provider with a key of its own, at its own address, with nothing of the first", async () => {
    await save({
      ...{ llmProvider: "qwen", llmApiKey: "a-key", llmModel: "m", llmTemperature: 0.5, llmTimeout: 9000 },
      llmCustomHeaders: "X-Secret: s",
    });
    await save({ geminiApiKey: "gemini-key", zhipuApiKey: "zhipu-key" });
    const zhipu = providers.find(({ id }) => id === "zhipu");
    expect(await alternative()).toEqual({
      provider: "zhipu",
      model: zhipu?.defaultModel,
      baseUrl: zhipu?.baseUrl,
      apiKey: "zhipu-key",
      timeoutMs: 9000,
      temperature: 0.5,
      maxTokens: 4096,
      headers: {},
    });
    await save({ zhipuApiKey: "" });
    expect(await alternative()).toMatchObject({ provider: "gemini", apiKey: "gemini-key" });
  });

  it("can be Ollama at an address of the user's", async () => {
    await save({ llmProvider: "claude", llmApiKey: "a-key", ollamaBaseUrl: "http://ollama.example:11434/v1" });
    expect(await alternative()).toMatchObject({
      ...{ provider: "ollama", baseUrl: "http://ollama.example:11434/v1", apiKey: null },
    });
  });
});
