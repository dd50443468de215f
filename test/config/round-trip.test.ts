import { GetCommand, PutCommand } from "@aws-sdk/lib-dynamodb";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import {
  defaultSettings,
  EmbeddingSettings,
  groups,
  isSecretField,
  Settings,
} from "../../functions/config/user-config.ts";
import { environment } from "../../functions/platform/environment.ts";
import { keys, table } from "../../functions/platform/table.ts";
import { type EmbeddedData, startEmbeddedData } from "../support/embedded-data.ts";
import { type Person, person } from "../support/person.ts";

let data: EmbeddedData;
let alice: Person;

beforeAll(async () => {
  data = await startEmbeddedData();
});
afterAll(() => data.stop());
beforeEach(async () => {
  alice = await person();
});

const secretOf = (field: string) => `${field}-CANARY-wxyz`;
const mask = "••••wxyz";

/** A value for every setting there is, none of them the default. */
const numbers = { llmTimeout: 91_000, llmTemperature: 0.7, llmMaxTokens: 777, dimensions: 640, batch_size: 7 };
const texts = {
  llmProvider: "qwen",
  outputLanguage: "en-US",
  githubBaseUrl: "https://ghe.example",
  gitlabBaseUrl: "https://gitlab.example",
  giteaBaseUrl: "https://gitea.example",
  base_url: "https://vectors.example/v1",
  provider: "jina",
};
const fieldsOf = (shape: object, prefix = "") =>
  Object.fromEntries(
    Object.keys(shape).map((name): [string, unknown] => {
      if (name === "embedding_config") return [name, fieldsOf(EmbeddingSettings.shape, "embedding_config.")];
      if (isSecretField(prefix + name)) return [name, secretOf(name)];
      if (name in numbers) return [name, numbers[name as keyof typeof numbers]];
      if (name in texts) return [name, texts[name as keyof typeof texts]];
      return [name, /Url|Model|^model$|Headers/.test(name) ? `https://${name.toLowerCase()}.example` : 5];
    }),
  );
const everything = () => {
  const all = Object.fromEntries(groups.map((group) => [group, fieldsOf(Settings.shape[group].shape)]));
  return { ...all, llmConfig: { ...all.llmConfig, llmCustomHeaders: "X-Team: audit" } } as unknown as Settings;
};

const read = () => alice.ok("readMyConfig");
const save = (json: object) => alice.ok("updateMyConfig", { json });
async function stored() {
  const get = new GetCommand({ TableName: environment().TABLE_NAME, Key: keys.userConfig(alice.user.id) });
  return (await table.send(get)).Item as Settings;
}

describe("settings that a front end reads whole and sends back whole", () => {
  it("stay as they are, every secret included, but for the one that was changed", async () => {
    await save(everything());
    const before = await stored();
    const shown = await read();
    shown.otherConfig.maxAnalyzeFiles = 123;
    await save({ llmConfig: shown.llmConfig, otherConfig: shown.otherConfig });
    const after = await stored();
    expect(after).toEqual({
      ...before,
      otherConfig: { ...before.otherConfig, maxAnalyzeFiles: 123 },
      updatedAt: expect.any(String),
      version: 2,
    });
    expect(await read()).toEqual({ ...shown, updated_at: expect.any(String) });
  });

  it("are shown without a single secret, and stored without one that can be read", async () => {
    await save(everything());
    const shown = JSON.stringify([await read(), await alice.ok("readEmbeddingConfig")]);
    expect(JSON.stringify([shown, await stored()])).not.toContain("CANARY");
    const secrets = JSON.stringify(everything()).match(/CANARY/g)?.length as number;
    expect(secrets).toBeGreaterThan(14);
    // The key for embeddings is in both answers.
    expect(shown.split(mask)).toHaveLength(secrets + 2);
  });

  it("become the user's own when they were the defaults, and mean the same", async () => {
    const shown = await read();
    await save({ llmConfig: shown.llmConfig, otherConfig: shown.otherConfig });
    const after = await read();
    expect({ ...after, id: "", created_at: "" }).toEqual(shown);
    expect(JSON.stringify(await stored())).not.toContain("enc:v1:");
  });

  it.each([
    ["its mask", mask, mask],
    ["the mask of an earlier one", "••••last", mask],
    ["null", null, mask],
    ["nothing", undefined, mask],
    ["an empty text", "", ""],
    ["another one", "another-key-0123", "••••0123"],
  ])("keep or replace a secret that comes back as %s", async (_, sent, expected) => {
    await save(everything());
    for (const group of groups)
      for (const field of Object.keys(Settings.shape[group].shape).filter(isSecretField)) {
        const after = await save({ [group]: { [field]: sent } });
        expect([field, after[group][field]]).toEqual([field, expected]);
      }
    const { otherConfig } = await save({ otherConfig: { embedding_config: { api_key: sent } } });
    expect(otherConfig.embedding_config.api_key ?? "").toBe(expected);
    expect(otherConfig.embedding_config.model).toBe("https://model.example");
  });

  it("keep Gitea's token, which front ends send, and nothing that nobody knows", async () => {
    const sent = {
      giteaToken: secretOf("giteaToken"),
      sshPrivateKey: "CANARY",
      embedding_config: { surprise: "CANARY" },
    };
    const { otherConfig } = await save({ otherConfig: sent, extra: "CANARY" });
    expect(otherConfig).toMatchObject({ giteaToken: mask });
    expect(JSON.stringify([otherConfig, await stored()])).not.toContain("CANARY");
    expect(otherConfig).not.toHaveProperty("sshPrivateKey");
  });
});

describe("the defaults", () => {
  it("hold no secret, for anybody", async () => {
    await save(everything());
    const shown = (await alice.call("readConfigDefaults")).body;
    expect(shown).toEqual(defaultSettings);
    for (const group of groups)
      for (const [name, value] of Object.entries(shown[group]))
        if (isSecretField(name)) expect([name, value]).toEqual([name, ""]);
  });
});

describe("settings that are shown as they are", () => {
  it.each([
    [{ llmConfig: { llmCustomHeaders: "Authorization: Bearer CANARY" } }, "llm_header_refused"],
    [{ llmConfig: { llmCustomHeaders: '{"X-A":"b\\r\\nX-Api-Key: CANARY"}' } }, "llm_header_malformed"],
    [{ llmConfig: { llmBaseUrl: "https://me:CANARY@models.example/v1" } }, "outbound_userinfo"],
    [{ otherConfig: { gitlabBaseUrl: "https://oauth2:CANARY@gitlab.example" } }, "outbound_userinfo"],
    [{ otherConfig: { embedding_config: { base_url: "https://CANARY@vectors.example" } } }, "outbound_userinfo"],
  ])("take no secret: %j", async (json, code) => {
    const { status, body } = await alice.call("updateMyConfig", { json });
    expect([status, body.code]).toEqual([422, code]);
    expect(JSON.stringify([body, (await stored()) ?? null])).not.toContain("CANARY");
  });

  it("keep what older versions took while the rest changes", async () => {
    await save({ llmConfig: { llmModel: "m" } });
    const old = { ...(await stored()), llmConfig: { llmModel: "m", llmCustomHeaders: "Authorization: x" } };
    await table.send(new PutCommand({ TableName: environment().TABLE_NAME, Item: old }));
    const { llmConfig } = await read();
    expect(await save({ llmConfig: { ...llmConfig, llmModel: "n" } })).toMatchObject({ llmConfig: { llmModel: "n" } });
  });
});
