import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type FakeLlm, startFakeLlm } from "../../bin/fake-llm/start-fake-llm.ts";
import type { Api } from "../support/api.ts";
import { type OwnService, startOwnService } from "../support/own-service.ts";
import { vulnerableApp } from "../support/vulnerable-app.ts";

let llm: FakeLlm;
let service: OwnService;
let api: Api;

beforeAll(async () => {
  llm = await startFakeLlm();
  service = await startOwnService({ outboundAllowedHosts: new URL(llm.url).host });
  const member = { email: "m@example.test", password: "correct horse battery", full_name: "M" };
  await service.api.ok("POST", "/api/v1/users", { json: member });
  api = await service.api.as(member);
});

afterAll(async () => {
  await service.stop();
  await llm.close();
});

const code = vulnerableApp["shop/app.py"];
const key = "sk-CANARY-0123456789wxyz";

describe("somebody who tries the service with a piece of code", () => {
  it("gets findings at once, without a model", async () => {
    const result = await api.ok("POST", "/api/v1/scan/instant", { json: { code, language: "python" } });
    expect(result).toMatchObject({ mode: "rules", warnings: [{ code: "no_model" }] });
    expect(result.issues.map(({ rule_id }: { rule_id: string }) => rule_id)).toEqual(["sql-injection.tainted-query"]);
  });

  it("sets up models as a front end does, sending everything back", async () => {
    const { llmConfig, otherConfig } = await api.ok("GET", "/api/v1/config/me");
    const model = { llmProvider: "openai", llmModel: "scripted", llmApiKey: key, llmBaseUrl: `${llm.url}/v1` };
    const outputLanguage = "en-US";
    const saved = await api.ok("PUT", "/api/v1/config/me", {
      json: { llmConfig: { ...llmConfig, ...model }, otherConfig: { ...otherConfig, outputLanguage } },
    });
    const embedding = { provider: "openai", model: "text-embedding-3-small", api_key: key, base_url: `${llm.url}/v1` };
    await api.ok("PUT", "/api/v1/embedding/config", { json: embedding });
    const shown = await api.ok("GET", "/api/v1/config/me");
    expect(shown.llmConfig).toEqual(saved.llmConfig);
    const again = await api.ok("PUT", "/api/v1/config/me", { json: { ...shown, id: "", user_id: "" } });
    expect({ ...again, updated_at: "" }).toEqual({ ...shown, updated_at: "" });
    expect(again).toMatchObject({
      llmConfig: { llmApiKey: "••••wxyz" },
      otherConfig: { embedding_config: { api_key: "••••wxyz" } },
    });
    const tried = await api.ok("POST", "/api/v1/embedding/test", { json: { ...embedding, api_key: "••••wxyz" } });
    expect(tried).toMatchObject({ success: true, dimensions: 1536 });
  });

  it("has the model look too, with the default template, and finds all of it in the history", async () => {
    const result = await api.ok("POST", "/api/v1/scan/instant", { json: { code, language: "python" } });
    expect(result).toMatchObject({ mode: "rules_and_model", warnings: [] });
    expect(result.issues[0].xai).not.toBeNull();
    const history = await api.ok("GET", "/api/v1/scan/instant/history");
    expect(history).toHaveLength(2);
    expect(JSON.parse(history[0].analysis_result).issues).toEqual(result.issues);
    await api.ok("DELETE", `/api/v1/scan/instant/history/${history[1].id}`);
    await api.ok("DELETE", "/api/v1/scan/instant/history");
    expect(await api.ok("GET", "/api/v1/scan/instant/history")).toEqual([]);
    const { models } = await api.ok("GET", "/api/v1/config/spending");
    expect(models.map(({ model }: { model: string }) => model).sort()).toEqual(["scripted", "text-embedding-3-small"]);
  });
});
