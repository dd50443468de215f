import { PutCommand, TransactWriteCommand } from "@aws-sdk/lib-dynamodb";
import { v7 as uuid } from "uuid";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { updateMyConfig } from "../../functions/config/update-my-config.ts";
import { storeExport } from "../../functions/database/export-store.ts";
import { enterRun } from "../../functions/database/import-store.ts";
import type { InstantAnalysis } from "../../functions/instant/instant-analysis.ts";
import { keepInstantAnalysis } from "../../functions/instant/instant-analysis-store.ts";
import { addMember } from "../../functions/members/add-member.ts";
import * as members from "../../functions/members/member-store.ts";
import { environment } from "../../functions/platform/environment.ts";
import { putJson } from "../../functions/platform/object-store.ts";
import type { Operation } from "../../functions/platform/operation.ts";
import { override } from "../../functions/platform/override-store.ts";
import { keys, table } from "../../functions/platform/table.ts";
import { createProject } from "../../functions/projects/create-project.ts";
import { ProjectDraft } from "../../functions/projects/project.ts";
import { counting } from "../../functions/projects/statistics-store.ts";
import { createPromptTemplate } from "../../functions/prompts/create-prompt-template.ts";
import { PromptTemplateDraft } from "../../functions/prompts/prompt-template.ts";
import { createRuleSet } from "../../functions/rules/create-rule-set.ts";
import { RuleSetDraft } from "../../functions/rules/rule-set-draft.ts";
import { pushParameters } from "../../functions/runs/parameter-store.ts";
import { openRunLog } from "../../functions/runs/run-log.ts";
import { ensureRun } from "../../functions/runs/run-store.ts";
import { reviewsFolder } from "../../functions/scans/review-cache.ts";
import { reserve, settle } from "../../functions/spending/spending-store.ts";
import { generateSshKeyPair } from "../../functions/ssh-keys/generate-ssh-key-pair.ts";
import { newApiToken, newSecret } from "../../functions/tokens/api-token.ts";
import { createApiToken, noteUse } from "../../functions/tokens/api-token-store.ts";
import { createToken } from "../../functions/tokens/create-token.ts";
import { deleteUser } from "../../functions/users/delete-user.ts";
import type { User } from "../../functions/users/user.ts";
import { readUser } from "../../functions/users/user-store.ts";
import { workflowTasks } from "../../functions/workflow-tasks.ts";
import { AwsError } from "../../lib/local/service.ts";
import { aCall } from "../spending/running-scan.ts";
import { type EmbeddedData, startEmbeddedData } from "../support/embedded-data.ts";
import { whatIsLeft } from "../support/furnished-project.ts";
import { invokeOperation } from "../support/invoke-operation.ts";
import { killPoints } from "../support/kill-points.ts";
import { storedUser } from "../support/stored-user.ts";

const now = () => new Date();
/** A deletion dies at some of its calls; SLUICE_KILL_POINTS=all lets it die at each, which takes a minute. */
const fewPoints = 6;

let data: EmbeddedData;
let admin: User;
let token: string;

beforeAll(async () => {
  data = await startEmbeddedData();
  admin = await storedUser("admin");
  token = (await tokenOf(admin)).secret;
});
afterAll(() => data.stop());
afterEach(() => {
  data.gateway.planFault = () => undefined;
});

async function tokenOf(user: User) {
  const secret = newSecret();
  const made = newApiToken({ name: "t", scope: "all", expiresInDays: 1 }, secret, user, now());
  await createApiToken(made);
  return { ...made, secret };
}

/** Runs a handler for somebody who was let in already, which is how a request stands that is under way when its user is deleted. */
const as = (caller: User, operation: Operation, body: object, params = {}) =>
  operation.handle({ caller, params, body, language: "en", now } as never);

const settings = { otherConfig: { githubToken: "ghp_canary_0123456789wxyz" } };
const draft = ProjectDraft.parse({ name: "p", source_type: "zip" });

const remove = (user: User) => invokeOperation("deleteUser", { token, params: { id: user.id } });

/** A user with one of everything that only they have, and the ids that must not be found afterwards. */
async function furnished(): Promise<{ user: User; ids: string[]; runId: string }> {
  const user = await storedUser();
  await as(user, updateMyConfig, settings);
  await as(user, generateSshKeyPair, { type: "ed25519" });
  const hosts = { ...keys.knownHosts(user.id), v: 1 };
  await table.send(new PutCommand({ TableName: environment().TABLE_NAME, Item: hosts }));
  await count(user, 0);
  const tokens = [await tokenOf(user), await tokenOf(user)];
  for (const one of tokens) await noteUse(one, now());
  const joined = { role: "viewer", permissions: "{}", joinedAt: now().toISOString(), version: 1 } as const;
  await members.addMember({ projectId: uuid(), userId: user.id, ownerId: admin.id, ...joined });
  const written = await write(user);
  await settle(await reserve(aCall({ userId: user.id, scan: null }), now()), null);
  await reserve(aCall({ userId: user.id, scan: null }), now());
  await putJson(environment().RESULTS_BUCKET, `${reviewsFolder(user.id)}0.json`, {});
  await enterRun(user.id, "0");
  await storeExport(user.id, Buffer.from("{}"), "a.json");
  const runId = await record(user);
  return { user, ids: [user.id, user.email, ...tokens.map(({ id }) => id), ...written], runId };
}

/** A run with items, keys, parameters and an export. */
async function record(user: User): Promise<string> {
  const { id } = await ensureRun(user.id, "pick", now());
  const log = await openRunLog(id, { ownerId: "test" });
  const item = { kind: "transition", payload: Buffer.from("x") } as const;
  await Promise.all([log.append({ ...item, idempotencyKey: "k" }), log.append({ ...item, producer: "p", seq: 1 })]);
  await log.close();
  await pushParameters(id, Buffer.from("p"), now());
  await putJson(environment().RESULTS_BUCKET, `exports/runs/${id}/0/manifest.json`, {});
  return id;
}

const aRule = { rule_code: "C", name: "n", category: "bug" };

/** What somebody writes, switches and pastes. @returns the ids of it */
async function write(user: User): Promise<string[]> {
  const template = (await as(user, createPromptTemplate, PromptTemplateDraft.parse({ name: "mine" }))) as {
    id: string;
  };
  const rules = Array.from({ length: 30 }, (_, n) => ({ ...aRule, rule_code: `C${n}` }));
  const set = (await as(user, createRuleSet, RuleSetDraft.parse({ name: "mine", rules }))) as { id: string };
  await override(user.id, uuid(), false);
  await keepInstantAnalysis(analysisOf(user));
  return [template.id, set.id];
}

const analysisOf = (user: User): InstantAnalysis => ({
  ...{ id: uuid(), ownerId: user.id, language: "python", mode: "rules", issuesCount: 0, qualityScore: 100 },
  ...{ analysisTime: 1, result: "{}", createdAt: now().toISOString() },
});

const count = (user: User, tasks: number) =>
  table.send(new TransactWriteCommand({ TransactItems: [counting(user.id, { tasks }, now())] }));

describe("deleting a user", () => {
  it("leaves nothing of them but what the audit log says", async () => {
    const { user, ids, runId } = await furnished();
    const kinds = (await whatIsLeft(...ids)).map((key) => key.split("#")[0]).toSorted();
    const rules = Array.from({ length: 31 }, () => "RS");
    const spending = ["SPEND", "SPEND", "SPEND"];
    const tokens = ["TOK", "TOK", "TOKUSE", "TOKUSE"];
    const most = [
      "CFG",
      "EMAIL",
      "IA",
      "IMP",
      "KNOWN",
      "OVR",
      "P",
      ...rules,
      "RUN",
      ...spending,
      "SSH",
      "STATS",
      ...tokens,
      "TPL",
    ];
    const exports = expect.stringContaining(`exports/database/${user.id}/`);
    expect(kinds).toEqual([...most, "U", "USERS", exports, `reviews/${user.id}/0.json`]);
    expect(await remove(user)).toMatchObject({ status: 200 });
    expect(await whatIsLeft(...ids)).toEqual([]);
    expect(await remove(user)).toMatchObject({ status: 404, body: { code: "user_not_found" } });
    expect(await whatIsLeft(runId)).toEqual([`RUN#${runId} RUN`]);
  });

  it("takes their runs from whoever still writes, and the last trace of them in the night", async () => {
    const { user, runId } = await furnished();
    const log = await openRunLog(runId, { ownerId: "test" });
    await remove(user);
    const late = log.append({ kind: "transition", payload: Buffer.from("late") });
    await expect(late).rejects.toMatchObject({ code: "fenced" });
    // What was uploaded for nothing lies there; so would it, had it come only now.
    expect(await whatIsLeft(runId)).toEqual([`RUN#${runId} RUN`, expect.stringContaining(`runs/${runId}/segments/`)]);
    const night = (hours: number) =>
      workflowTasks.runs.tendRuns.handle({} as never, () => new Date(Date.now() + hours * 3600_000));
    await night(0);
    expect(await whatIsLeft(runId)).toEqual([`RUN#${runId} RUN`]);
    await night(2);
    expect(await whatIsLeft(runId)).toEqual([]);
  });

  it.each(["before", "after"] as const)(
    "never parts them from their secrets, and leaves nothing that a repeated request does not take, wherever it dies, %s the call is done",
    async (when) => {
      const dyingAt = async (dies: number) => {
        const { user, ids, runId } = await furnished();
        let calls = 0;
        // A dead function makes no more calls: from this one on none gets through.
        data.gateway.planFault = () => {
          calls += 1;
          if (calls < dies) return undefined;
          return { when: calls === dies ? when : "before", error: new AwsError("ValidationException", "dead", 400) };
        };
        const { status } = await remove(user);
        data.gateway.planFault = () => undefined;
        const secrets = (await whatIsLeft(...ids)).filter((key) => /^(CFG|KNOWN|SSH)#/.test(key));
        expect([dies, secrets.length]).toEqual([dies, (await readUser(user.id)) ? 3 : 0]);
        if (status !== 200) expect([200, 404]).toContain((await remove(user)).status);
        expect([dies, await whatIsLeft(...ids)]).toEqual([dies, []]);
        expect([dies, await whatIsLeft(runId)]).toEqual([dies, [`RUN#${runId} RUN`]]);
        return { status, calls };
      };
      const { status, calls } = await dyingAt(Number.POSITIVE_INFINITY);
      expect(status).toBe(200);
      expect(calls).toBeGreaterThan(8);
      // The last calls are for the audit log, and the first deletion of a process makes one more than others: not each ends in an error.
      const ends = [];
      for (const dies of killPoints(calls, fewPoints)) ends.push((await dyingAt(dies)).status);
      expect(ends.filter((end) => end !== 200).length).toBeGreaterThan(fewPoints / 2);
    },
    300_000,
  );

  it("waits until the tasks of their last project are erased, and touches nothing before", async () => {
    const { user, ids } = await furnished();
    const before = await whatIsLeft(...ids);
    await count(user, 1);
    expect(await remove(user)).toMatchObject({ status: 409, body: { code: "user_owns_projects" } });
    expect(await whatIsLeft(...ids)).toEqual(before);
    await count(user, -1);
    expect(await remove(user)).toMatchObject({ status: 200 });
  });
});

describe("a request that is under way when its user is deleted", () => {
  it.each([
    ["settings", updateMyConfig, settings],
    ["a key pair", generateSshKeyPair, { type: "ed25519" }],
    ["an API token", createToken, { name: "t", scope: "all", expires_in_days: 1 }],
    ["a project", createProject, draft],
    ["a template", createPromptTemplate, PromptTemplateDraft.parse({ name: "mine" })],
    ["a rule set", createRuleSet, RuleSetDraft.parse({ name: "mine", rules: [aRule] })],
  ])("does not bring back %s", async (_, operation, body) => {
    const { user, ids } = await furnished();
    await remove(user);
    await expect(as(user, operation, body)).rejects.toMatchObject({ code: "not_authenticated" });
    expect(await whatIsLeft(...ids)).toEqual([]);
  });

  it("does not bring back a switch or a pasted analysis", async () => {
    const { user, ids } = await furnished();
    await remove(user);
    const gone = { code: "not_authenticated" };
    await expect(override(user.id, uuid(), true)).rejects.toMatchObject(gone);
    await expect(keepInstantAnalysis(analysisOf(user))).rejects.toMatchObject(gone);
    expect(await whatIsLeft(...ids)).toEqual([]);
  });

  it("does not make them a member of a project", async () => {
    const { user, ids } = await furnished();
    const project = (await as(admin, createProject, draft)) as { id: string };
    await remove(user);
    const adding = as(admin, addMember, { user_id: user.id, role: "viewer" }, { id: project.id });
    await expect(adding).rejects.toMatchObject({ code: "user_not_found" });
    expect(await whatIsLeft(...ids)).toEqual([]);
  });

  it("leaves nothing when fifty of them race with the deletion", async () => {
    const { user, ids } = await furnished();
    const writes = Array.from({ length: 50 }, (_, n) =>
      n % 2
        ? as(user, updateMyConfig, settings)
        : as(user, createToken, { name: "t", scope: "read", expires_in_days: 1 }),
    );
    const deletion = as(admin, deleteUser, {}, { id: user.id });
    const refusals = (await Promise.allSettled(writes)).flatMap((result) =>
      result.status === "rejected" ? [result.reason.code] : [],
    );
    await deletion;
    for (const code of refusals) expect(["not_authenticated", "stale_version", "token_limit_reached"]).toContain(code);
    // What was written before the user went is in the index by now; a repeated deletion finds whatever was not.
    await expect(as(admin, deleteUser, {}, { id: user.id })).rejects.toMatchObject({ code: "user_not_found" });
    expect(await whatIsLeft(...ids)).toEqual([]);
  });
});
