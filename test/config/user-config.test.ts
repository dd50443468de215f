import { GetCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { defaultSettings, isSecretField } from "../../functions/config/user-config.ts";
import { hostToken } from "../../functions/config/user-config-secrets.ts";
import { findUserConfig, replaceUserConfig } from "../../functions/config/user-config-store.ts";
import { environment } from "../../functions/platform/environment.ts";
import { keys, table } from "../../functions/platform/table.ts";
import { type EmbeddedData, startEmbeddedData } from "../support/embedded-data.ts";
import { type Person, person } from "../support/person.ts";

const at = new Date(Math.floor(Date.now() / 1000) * 1000);
const secret = "ghp_canary_0123456789wxyz";
const mask = "••••wxyz";

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

const call = (name: string, json?: object) => alice.call(name, { json });

async function save(json: object) {
  const { status, body } = await call("updateMyConfig", json);
  expect({ status, body }).toMatchObject({ status: 200 });
  return body;
}

async function storedItem() {
  const get = new GetCommand({ TableName: environment().TABLE_NAME, Key: keys.userConfig(userId) });
  return (await table.send(get)).Item as { otherConfig: Record<string, string>; llmConfig: Record<string, string> };
}

/** Writes a value as versions before encryption did. */
const storePlain = (group: string, field: string, value: string) =>
  table.send(
    new UpdateCommand({
      TableName: environment().TABLE_NAME,
      Key: keys.userConfig(userId),
      UpdateExpression: "SET #group.#field = :value",
      ExpressionAttributeNames: { "#group": group, "#field": field },
      ExpressionAttributeValues: { ":value": value },
    }),
  );

describe("settings", () => {
  it("are the defaults, without an id, until something is saved, and again when they are deleted", async () => {
    const nothing = { id: "", user_id: userId, created_at: "", updated_at: null, ...defaultSettings };
    expect((await call("readMyConfig")).body).toEqual(nothing);
    const { llmConfig, otherConfig } = defaultSettings;
    expect((await call("readConfigDefaults")).body).toEqual({ llmConfig, otherConfig });
    await save({ otherConfig: { maxAnalyzeFiles: 7 } });
    expect((await call("deleteMyConfig")).status).toBe(200);
    expect((await call("readMyConfig")).body).toEqual(nothing);
  });

  it("are merged: null and what is not named stay, unknown fields are ignored", async () => {
    const first = await save({ llmConfig: { llmModel: "m1", llmTimeout: 60_000 }, otherConfig: { llmGapMs: 1 } });
    expect(first).toMatchObject({ id: userId, created_at: at.toISOString(), updated_at: null });
    const second = await save({ llmConfig: { llmModel: null, llmTimeout: 90_000, surprise: 1 } });
    expect(second).toMatchObject({
      llmConfig: { llmModel: "m1", llmTimeout: 90_000 },
      otherConfig: { llmGapMs: 1, llmConcurrency: 3 },
      updated_at: at.toISOString(),
    });
    expect(JSON.stringify(second)).not.toContain("surprise");
    expect((await call("readMyConfig")).body).toEqual(second);
  });

  it("refuse values of the wrong form", async () => {
    for (const json of [
      { llmConfig: { llmTimeout: "soon" } },
      { otherConfig: { outputLanguage: "fr" } },
      { otherConfig: { giteaBaseUrl: "javascript:alert(1)" } },
      { otherConfig: { githubToken: { $ne: null } } },
    ])
      expect(await call("updateMyConfig", json)).toMatchObject({ status: 422, body: { code: "validation_failed" } });
  });

  it("notice a change that somebody else made meanwhile", async () => {
    await save({ otherConfig: { llmGapMs: 1 } });
    const read = await findUserConfig(userId);
    await save({ otherConfig: { llmGapMs: 2 } });
    const mine = { ...read!, version: read!.version + 1 };
    await expect(replaceUserConfig(read, mine)).rejects.toMatchObject({ code: "stale_version" });
    await expect(replaceUserConfig(null, mine)).rejects.toMatchObject({ code: "stale_version" });
  });
});

describe("secrets", () => {
  it("are stored encrypted, every one of them, and never shown", async () => {
    const fields = (group: "llmConfig" | "otherConfig") =>
      Object.fromEntries(
        Object.keys(defaultSettings[group])
          .filter(isSecretField)
          .map((name) => [name, `${name}-${secret}`]),
      );
    const sent = { llmConfig: fields("llmConfig"), otherConfig: fields("otherConfig") };
    expect(Object.keys({ ...sent.llmConfig, ...sent.otherConfig }).toSorted()).toEqual(
      [
        ...[
          "baidu",
          "claude",
          "deepseek",
          "doubao",
          "gemini",
          "llm",
          "minimax",
          "moonshot",
          "openai",
          "qwen",
          "zhipu",
        ].map((provider) => `${provider}ApiKey`),
        ...["gitea", "github", "gitlab"].map((host) => `${host}Token`),
      ].toSorted(),
    );
    const shown = await save(sent);
    const item = await storedItem();
    expect(JSON.stringify([shown, item, (await call("readMyConfig")).body])).not.toContain("canary");
    for (const group of ["llmConfig", "otherConfig"] as const)
      for (const name of Object.keys(sent[group])) {
        expect(shown[group][name]).toBe(mask);
        expect(item[group][name]).toMatch(/^enc:v1:/);
      }
  });

  it("stay when their mask comes back, even an old one, and go when they come back empty", async () => {
    await save({ otherConfig: { githubToken: secret } });
    const before = await storedItem();
    await save({ otherConfig: { githubToken: mask } });
    await save({ otherConfig: { githubToken: "••••last" } });
    await save({ otherConfig: { llmGapMs: 5 } });
    expect((await storedItem()).otherConfig.githubToken).toBe(before.otherConfig.githubToken);
    expect((await save({ otherConfig: { githubToken: "" } })).otherConfig.githubToken).toBe("");
    expect(await hostToken(userId, "github")).toBeUndefined();
  });

  it("from before encryption are read as they are and encrypted at the next change", async () => {
    await save({ otherConfig: { llmGapMs: 5 } });
    await storePlain("otherConfig", "gitlabToken", secret);
    expect((await call("readMyConfig")).body.otherConfig.gitlabToken).toBe(mask);
    expect(await hostToken(userId, "gitlab")).toEqual({ value: secret, origin: "https://gitlab.com" });
    await save({ otherConfig: { llmGapMs: 6 } });
    expect((await storedItem()).otherConfig.gitlabToken).toMatch(/^enc:v1:/);
    expect((await hostToken(userId, "gitlab"))?.value).toBe(secret);
  });

  it("of another user or field do not open: settings still show, the token is not used", async () => {
    await save({ otherConfig: { githubToken: secret } });
    const { otherConfig } = await storedItem();
    await storePlain("otherConfig", "giteaToken", otherConfig.githubToken as string);
    expect((await call("readMyConfig")).body.otherConfig.giteaToken).toBe("••••");
    await expect(hostToken(userId, "gitea")).rejects.toMatchObject({ code: "secret_unreadable" });
  });
});

describe("the token of a host", () => {
  it("belongs to the public host, or to the one that was named with it", async () => {
    await save({ otherConfig: { githubToken: secret } });
    expect(await hostToken(userId, "github")).toEqual({ value: secret, origin: "https://github.com" });
    await save({ otherConfig: { giteaToken: secret, giteaBaseUrl: "https://git.example.com:8443/gitea/" } });
    expect(await hostToken(userId, "gitea")).toEqual({ value: secret, origin: "https://git.example.com:8443" });
  });

  it.each(["as it is", "as its mask", "from before encryption"])(
    "goes when its host's address changes and it comes %s",
    async (how) => {
      await save({ otherConfig: { githubToken: secret, gitlabToken: secret } });
      if (how === "from before encryption") await storePlain("otherConfig", "githubToken", secret);
      const sent = how === "as it is" ? {} : { githubToken: mask };
      const shown = await save({ otherConfig: { ...sent, githubBaseUrl: "https://evil.example" } });
      expect(shown.otherConfig).toMatchObject({ githubToken: "", gitlabToken: mask });
      expect(await hostToken(userId, "github")).toBeUndefined();
    },
  );

  it("stays when the address is spelled differently but is the same origin, and when both are entered anew", async () => {
    await save({ otherConfig: { githubToken: secret } });
    await save({ otherConfig: { githubBaseUrl: "https://GitHub.com:443/" } });
    expect((await hostToken(userId, "github"))?.origin).toBe("https://github.com");
    await save({ otherConfig: { githubBaseUrl: "https://ghe.example.com", githubToken: `${secret}2` } });
    expect(await hostToken(userId, "github")).toEqual({ value: `${secret}2`, origin: "https://ghe.example.com" });
  });
});
