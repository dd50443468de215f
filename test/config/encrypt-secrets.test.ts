import { GetCommand, PutCommand } from "@aws-sdk/lib-dynamodb";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { hostToken } from "../../functions/config/user-config-secrets.ts";
import { encryptSecrets } from "../../functions/database/migrations/007-encrypt-secrets.ts";
import { environment } from "../../functions/platform/environment.ts";
import { secretBytesMax } from "../../functions/platform/secrets.ts";
import { keys, table } from "../../functions/platform/table.ts";
import { type EmbeddedData, startEmbeddedData } from "../support/embedded-data.ts";
import { type Person, person } from "../support/person.ts";

let data: EmbeddedData;
let alice: Person;

const plain = {
  llmConfig: { llmProvider: "openai", llmApiKey: "sk-OLD-0123456789wxyz", qwenApiKey: "", llmTimeout: 60_000 },
  otherConfig: {
    githubToken: "ghp_OLD_0123456789wxyz",
    giteaToken: null,
    outputLanguage: "en-US",
    embedding_config: { provider: "jina", model: "m", api_key: "jina_OLD_0123456789wxyz", batch_size: 10 },
  },
};

beforeAll(async () => {
  data = await startEmbeddedData();
});
afterAll(() => data.stop());
beforeEach(async () => {
  await data.clearTable();
  alice = await person();
  await store(plain);
});

const place = () => ({ TableName: environment().TABLE_NAME, Key: keys.userConfig(alice.user.id) });

/** Writes settings as versions before encryption did. */
const store = (settings: object) =>
  table.send(
    new PutCommand({
      TableName: environment().TABLE_NAME,
      Item: {
        ...place().Key,
        v: 1,
        userId: alice.user.id,
        createdAt: "2026-01-02T03:04:05.000Z",
        updatedAt: null,
        version: 1,
        ...settings,
      },
    }),
  );
const stored = async () =>
  (await table.send(new GetCommand({ ...place(), ConsistentRead: true }))).Item as typeof plain;
const migrate = () => encryptSecrets.run({ now: () => new Date(), keepClaim: async () => {} });

describe("secrets from before encryption", () => {
  it("are encrypted, those of embeddings too, and everything else stays", async () => {
    await migrate();
    const item = await stored();
    expect(JSON.stringify(item)).not.toContain("OLD");
    expect(item).toMatchObject({
      version: 1,
      llmConfig: { ...plain.llmConfig, llmApiKey: expect.stringMatching(/^enc:v1:/) },
      otherConfig: {
        ...plain.otherConfig,
        githubToken: expect.stringMatching(/^enc:v1:/),
        embedding_config: { ...plain.otherConfig.embedding_config, api_key: expect.stringMatching(/^enc:v1:/) },
      },
    });
    expect((await hostToken(alice.user.id, "github"))?.value).toBe(plain.otherConfig.githubToken);
    const { llmConfig, otherConfig } = await alice.ok("readMyConfig");
    const masks = [llmConfig.llmApiKey, otherConfig.githubToken, otherConfig.embedding_config.api_key];
    expect(masks).toEqual(Array(3).fill("••••wxyz"));
  });

  it("are encrypted once, however often it runs", async () => {
    await migrate();
    const once = await stored();
    await migrate();
    expect(await stored()).toEqual(once);
  });

  it("give way to what their user enters meanwhile", async () => {
    let entered = false;
    // Between the reading of the settings and the first write.
    const keepClaim = async () => {
      if (entered) return;
      entered = true;
      await alice.ok("updateMyConfig", { json: { llmConfig: { llmApiKey: "sk-NEW-0123456789abcd" } } });
    };
    await encryptSecrets.run({ now: () => new Date(), keepClaim });
    expect((await alice.ok("readMyConfig")).llmConfig.llmApiKey).toBe("••••abcd");
  });

  it("stay readable when they are too long to be encrypted, and keep nobody else's from it", async () => {
    const long = "x".repeat(secretBytesMax + 1);
    await store({ ...plain, otherConfig: { ...plain.otherConfig, githubToken: long } });
    await migrate();
    const { llmConfig, otherConfig } = await stored();
    expect([otherConfig.githubToken, llmConfig.llmApiKey.slice(0, 7)]).toEqual([long, "enc:v1:"]);
  });
});
