import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type FakeLlm, startFakeLlm } from "../../bin/fake-llm/start-fake-llm.ts";
import type { Api } from "../support/api.ts";
import { type OwnService, startOwnService } from "../support/own-service.ts";
import { vulnerableApp } from "../support/vulnerable-app.ts";

let fake: FakeLlm;
let service: OwnService;
let owner: Api;
let colleague: Api;
let member: Api;

beforeAll(async () => {
  fake = await startFakeLlm();
  service = await startOwnService({ outboundAllowedHosts: new URL(fake.url).host });
  owner = service.api;
  const account = { email: "colleague@example.test", password: "grain orbit velvet" };
  await owner.ok("POST", "/api/v1/users", { json: { ...account, full_name: "C" } });
  colleague = await owner.as(account);
  const newcomer = { email: "m@example.test", password: "correct horse battery" };
  await owner.ok("POST", "/api/v1/users", { json: { ...newcomer, full_name: "M" } });
  member = await owner.as(newcomer);
});
afterAll(async () => {
  await service?.stop();
  await fake?.close();
});

const rule = {
  rule_code: "SHOP-1",
  name: "no cursors by hand",
  category: "maintainability",
  pattern: "\\.cursor\\(\\)",
};

describe("templates and rule sets of one's own", () => {
  it("are tried with one's own model, and what that costs is on the bill", async () => {
    const llmConfig = { llmProvider: "openai_compatible", llmModel: "m", llmBaseUrl: `${fake.url}/v1`, llmApiKey: "k" };
    await owner.ok("PUT", "/api/v1/config/me", { json: { llmConfig } });
    const { content_zh: content } = (await owner.ok("GET", "/api/v1/prompts")).items[0];
    const json = { content, code: Object.values(vulnerableApp).join("\n"), output_language: "en" };
    expect(await owner.ok("POST", "/api/v1/prompts/test", { json })).toMatchObject({
      success: true,
      error: null,
      result: { issues: expect.arrayContaining([expect.objectContaining({ severity: expect.any(String) })]) },
    });
    expect(fake.calls.length).toBeGreaterThan(0);
    await owner.ok("DELETE", "/api/v1/config/me");
  });

  it("travel as a file to a colleague, who sees nothing else of them", async () => {
    const set = await owner.ok("POST", "/api/v1/rules", { json: { name: "商店", language: "python", rules: [rule] } });
    const { status, headers, body } = await owner.call("GET", `/api/v1/rules/${set.id}/export`);
    expect({ status, body }).toMatchObject({ status: 200, body: { name: "商店", export_version: "1.0" } });
    expect(headers.get("content-disposition")).toContain("filename*=UTF-8''%E5%95%86%E5%BA%97.json");
    const copy = await colleague.ok("POST", "/api/v1/rules/import", { json: body });
    expect(copy).toMatchObject({ language: "python", rules: [rule] });
    expect((await colleague.call("GET", `/api/v1/rules/${set.id}`)).status).toBe(404);
    expect((await owner.call("GET", `/api/v1/rules/${copy.id}`)).status).toBe(404);
  });

  it("guide scans of who made them, and do not exist for the scans of others", async () => {
    const template = await owner.ok("POST", "/api/v1/prompts", { json: { name: "t", content_zh: "审计 {code}" } });
    const set = await owner.ok("POST", "/api/v1/rules", { json: { name: "shop", language: "python", rules: [rule] } });
    const json = { prompt_template_id: template.id, rule_set_id: set.id };
    const scan = async (api: Api, named: object) => {
      const query = { project_id: (await api.projectWith(vulnerableApp)).id };
      return api.call("POST", "/api/v1/scan/scan-stored-zip", { query, json: named });
    };
    const { status, body } = await scan(owner, json);
    expect({ status, body }).toMatchObject({ status: 200 });
    const task = await owner.task(body.task_id);
    expect(JSON.parse(task.scan_config)).toMatchObject(json);
    const issues: { rule_id: string; severity: string; title: string }[] = await owner.ok(
      "GET",
      `/api/v1/tasks/${task.id}/issues`,
    );
    const { name: title, category: issue_type } = rule;
    expect(issues).toContainEqual(
      expect.objectContaining({ rule_id: "user.shop-1", severity: "medium", title, issue_type }),
    );
    for (const [named, code] of [
      [{ prompt_template_id: template.id }, "prompt_template_not_found"],
      [{ rule_set_id: set.id }, "rule_set_not_found"],
    ] as const)
      expect(await scan(colleague, named)).toMatchObject({ status: 404, body: { code } });
  });

  it("are the default for everybody only when the system ships them", async () => {
    const { items } = await owner.ok("GET", "/api/v1/prompts");
    const security = items.find(({ name }: { name: string }) => name === "安全专项审计");
    expect((await colleague.call("POST", `/api/v1/prompts/${security.id}/set-default`)).status).toBe(403);
    await owner.ok("POST", `/api/v1/prompts/${security.id}/set-default`);
    expect((await colleague.ok("GET", "/api/v1/prompts")).items[0]).toMatchObject({
      id: security.id,
      is_default: true,
    });
  });
});

const code = vulnerableApp["shop/app.py"];
const key = "sk-CANARY-0123456789wxyz";

describe("somebody who tries the service with a piece of code", () => {
  it("gets findings at once, without a model", async () => {
    const result = await member.ok("POST", "/api/v1/scan/instant", { json: { code, language: "python" } });
    expect(result).toMatchObject({ mode: "rules", warnings: [{ code: "no_model" }] });
    expect(result.issues.map(({ rule_id }: { rule_id: string }) => rule_id)).toEqual(["sql-injection.tainted-query"]);
  });

  it("sets up models as a front end does, sending everything back", async () => {
    const { llmConfig, otherConfig } = await member.ok("GET", "/api/v1/config/me");
    const model = { llmProvider: "openai", llmModel: "scripted", llmApiKey: key, llmBaseUrl: `${fake.url}/v1` };
    const outputLanguage = "en-US";
    const saved = await member.ok("PUT", "/api/v1/config/me", {
      json: { llmConfig: { ...llmConfig, ...model }, otherConfig: { ...otherConfig, outputLanguage } },
    });
    const embedding = { provider: "openai", model: "text-embedding-3-small", api_key: key, base_url: `${fake.url}/v1` };
    await member.ok("PUT", "/api/v1/embedding/config", { json: embedding });
    const shown = await member.ok("GET", "/api/v1/config/me");
    expect(shown.llmConfig).toEqual(saved.llmConfig);
    const again = await member.ok("PUT", "/api/v1/config/me", { json: { ...shown, id: "", user_id: "" } });
    expect({ ...again, updated_at: "" }).toEqual({ ...shown, updated_at: "" });
    expect(again).toMatchObject({
      llmConfig: { llmApiKey: "••••wxyz" },
      otherConfig: { embedding_config: { api_key: "••••wxyz" } },
    });
    const tried = await member.ok("POST", "/api/v1/embedding/test", { json: { ...embedding, api_key: "••••wxyz" } });
    expect(tried).toMatchObject({ success: true, dimensions: 1536 });
  });

  it("has the model look too, with the default template, and finds all of it in the history", async () => {
    const result = await member.ok("POST", "/api/v1/scan/instant", { json: { code, language: "python" } });
    expect(result).toMatchObject({ mode: "rules_and_model", warnings: [] });
    expect(result.issues[0].xai).not.toBeNull();
    const history = await member.ok("GET", "/api/v1/scan/instant/history");
    expect(history).toHaveLength(2);
    expect(JSON.parse(history[0].analysis_result).issues).toEqual(result.issues);
    await member.ok("DELETE", `/api/v1/scan/instant/history/${history[1].id}`);
    await member.ok("DELETE", "/api/v1/scan/instant/history");
    expect(await member.ok("GET", "/api/v1/scan/instant/history")).toEqual([]);
    const { models } = await member.ok("GET", "/api/v1/config/spending");
    expect(models.map(({ model }: { model: string }) => model).sort()).toEqual(["scripted", "text-embedding-3-small"]);
  });
});
