import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type FakeLlm, startFakeLlm } from "../../bin/fake-llm/start-fake-llm.ts";
import { type LocalService, startLocalService } from "../../bin/local/service.ts";
import { Api } from "../support/api.ts";
import { vulnerableApp } from "../support/vulnerable-app.ts";

let folder: string;
let llm: FakeLlm;
let service: LocalService;
let api: Api;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "sluice-instant-"));
  llm = await startFakeLlm();
  service = await startLocalService({ dataFolder: folder, outboundAllowedHosts: new URL(llm.url).host });
  const root = new Api(service.url, await service.token());
  const member = { email: "m@example.test", password: "correct horse battery", full_name: "M" };
  await root.ok("POST", "/api/v1/users", { json: member });
  api = await root.as(member);
});

afterAll(async () => {
  await service.stop();
  await llm.close();
  rmSync(folder, { recursive: true, force: true });
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
