import { describe, expect, it } from "vitest";
import { LlmSettings } from "../../functions/config/user-config.ts";
import { listPrice } from "../../functions/llm/prices.ts";
import { apiModelName, findProvider, providers } from "../../functions/llm/providers.ts";

describe("the catalogue", () => {
  it("lists providers in the order that front ends show", () => {
    expect(providers.map(({ id }) => id).join(" ")).toBe(
      "gemini openai claude qwen deepseek zhipu moonshot baidu minimax doubao ollama openai_compatible bedrock",
    );
  });

  it.each(providers.map((provider) => [provider.id, provider] as const))("describes %s fully", (_, provider) => {
    expect(provider.models[0]).toBe(provider.defaultModel);
    expect(provider.models.length).toSatisfy((count: number) => count >= 5 && count <= 12);
    expect(new Set(provider.models).size).toBe(provider.models.length);
    expect(provider.baseUrl).not.toMatch(/\/$/);
    expect(provider.needsKey).toBe(provider.keyField !== null);
    for (const name of Object.keys(provider.apiNames ?? {})) expect(provider.models).toContain(name);
  });

  it("has one provider for each key of the settings", () => {
    const fields = Object.keys(LlmSettings.shape).filter((name) => name.endsWith("ApiKey") && name !== "llmApiKey");
    expect(providers.flatMap(({ keyField }) => keyField ?? []).toSorted()).toEqual(fields.toSorted());
  });

  it("is found however a name is capitalised", () => {
    expect(findProvider(" OpenAI ")?.id).toBe("openai");
    expect(findProvider("constructor")).toBeUndefined();
  });

  it("translates names for the provider's own address, and for whoever has the same names", () => {
    const name = (id: string, model: string, url: string) => apiModelName(findProvider(id)!, model, url);
    expect(name("qwen", "qwen3-max-instruct", "https://dashscope.aliyuncs.com/compatible-mode/v1")).toBe("qwen3-max");
    expect(name("qwen", "qwen3-max-instruct", "https://proxy.example/v1")).toBe("qwen3-max-instruct");
    expect(name("claude", "claude-sonnet-4.5", "https://proxy.example/v1")).toBe("claude-sonnet-4-5");
    expect(name("claude", "toString", "https://api.anthropic.com/v1")).toBe("toString");
  });
});

describe("list prices", () => {
  it("are known for names of the list, of the API, and with a date", () => {
    expect(listPrice("claude", "claude-sonnet-4.5")).toEqual({ inputUsd: 3, outputUsd: 15 });
    expect(listPrice("claude", "claude-sonnet-4-5-20250929")).toEqual({ inputUsd: 3, outputUsd: 15 });
    expect(listPrice("openai", "gpt-5-2025-08-07")).toEqual({ inputUsd: 1.25, outputUsd: 10 });
  });

  it("are nothing for Ollama and null for what is not known", () => {
    expect(listPrice("ollama", "whatever")).toEqual({ inputUsd: 0, outputUsd: 0 });
    for (const [provider, model] of [
      ["openai", "gpt-99"],
      ["openai", "constructor"],
      ["openai_compatible", "gpt-5"],
      ["nobody", "gpt-5"],
      ["constructor", "name"],
    ] as const)
      expect(listPrice(provider, model)).toBeNull();
  });
});
