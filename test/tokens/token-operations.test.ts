import { GetCommand, ScanCommand } from "@aws-sdk/lib-dynamodb";
import { v7 as uuid } from "uuid";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { operationList } from "../../functions/operations.ts";
import { type Contract, scopeOf, type TokenScope, tokenScopes } from "../../functions/platform/contract.ts";
import { environment } from "../../functions/platform/environment.ts";
import { keys, table } from "../../functions/platform/table.ts";
import { newApiToken, newSecret, permits, tokensPerUserMax } from "../../functions/tokens/api-token.ts";
import { createApiToken } from "../../functions/tokens/api-token-store.ts";
import { newUser, type User } from "../../functions/users/user.ts";
import { createUser, readUser, replaceUser } from "../../functions/users/user-store.ts";
import { AwsError } from "../../lib/local/service.ts";
import { type EmbeddedData, startEmbeddedData } from "../support/embedded-data.ts";
import { type Invocation, invokeOperation } from "../support/invoke-operation.ts";

// The present, because the embedded table deletes what expired by its own clock; a whole second, as tokens expire by the second.
const at = new Date(Math.floor(Date.now() / 1000) * 1000);
const later = (minutes: number) => new Date(at.getTime() + minutes * 60_000);
const day = 24 * 60;
let data: EmbeddedData;

beforeAll(async () => {
  data = await startEmbeddedData();
});
afterAll(() => data.stop());
afterEach(() => {
  data.gateway.planFault = () => undefined;
});

async function person(role: User["role"] = "member"): Promise<User> {
  const id = uuid();
  const user = newUser({ id, email: `${id}@example.test`, fullName: "P", role, passwordHash: "" }, at);
  await createUser(user);
  return user;
}

/** A token straight from the store, as the operation that makes one needs one itself. */
async function tokenOf(user: User, scope: TokenScope, expiresInDays = 90) {
  const secret = newSecret();
  const token = newApiToken({ name: scope, scope, expiresInDays }, secret, user, at);
  await createApiToken(token);
  return { ...token, secret };
}

const call = (name: string, sent: Invocation) => invokeOperation(name, { now: at, ...sent });

describe("making a token", () => {
  it("shows the secret once and stores it nowhere", async () => {
    const { secret: token } = await tokenOf(await person(), "all");
    const json = { name: " build server ", scope: "scan", expires_in_days: 30 };
    const { status, body } = await call("createToken", { token, json });
    expect({ status, body }).toEqual({
      status: 200,
      body: {
        id: expect.any(String),
        name: "build server",
        scope: "scan",
        run: null,
        created_at: at.toISOString(),
        expires_at: later(30 * day).toISOString(),
        last_used_at: null,
        token: expect.stringMatching(/^slc_[\w-]{49}$/),
      },
    });
    const { body: listed } = await call("listTokens", { token });
    expect(listed).toContainEqual({ ...body, token: undefined });
    const { Items } = await table.send(new ScanCommand({ TableName: environment().TABLE_NAME }));
    expect(JSON.stringify(Items)).toContain(body.id);
    expect(JSON.stringify(Items)).not.toContain(body.token.slice(4, 30));
  });

  it.each([
    ["no name", { scope: "read" }],
    ["a blank name", { name: "  ", scope: "read" }],
    ["an unknown scope", { name: "x", scope: "admin" }],
    ["a life of more than a year", { name: "x", scope: "read", expires_in_days: 366 }],
    ["no life", { name: "x", scope: "read", expires_in_days: 0 }],
    ["a run for a scope that reaches more than runs", { name: "x", scope: "all", run: "pick" }],
    ["a run of no name", { name: "x", scope: "reader", run: "a/b" }],
  ])("refuses %s", async (_, json) => {
    const { secret: token } = await tokenOf(await person(), "all");
    expect(await call("createToken", { token, json })).toMatchObject({
      status: 422,
      body: { code: "validation_failed" },
    });
  });

  it("ends at a number that a person can still look through, not counting tokens that ended", async () => {
    const user = await person();
    const { secret: token } = await tokenOf(user, "all");
    for (let i = 1; i < tokensPerUserMax; i++) await tokenOf(user, "read", 1);
    const json = { name: "one more", scope: "read" };
    expect(await call("createToken", { token, json })).toMatchObject({
      status: 409,
      body: { code: "token_limit_reached", detail: expect.stringContaining("50") },
    });
    expect(await call("createToken", { token, json, now: later(2 * day) })).toMatchObject({ status: 200 });
  });
});

describe("a token", () => {
  it("is accepted as a bearer token until the second it expires", async () => {
    const user = await person();
    const { secret: token } = await tokenOf(user, "read", 1);
    expect(await call("readMe", { token })).toMatchObject({ status: 200, body: { id: user.id } });
    expect((await call("readMe", { token, now: new Date(later(day).getTime() - 1) })).status).toBe(200);
    expect(await call("readMe", { token, now: later(day) })).toMatchObject({
      status: 401,
      body: { code: "not_authenticated" },
    });
  });

  it("of the right form that nobody was given is refused like any rubbish", async () => {
    for (const token of [newSecret(), "slc_", `slc_${"A".repeat(49)}`, "x"]) {
      expect(await call("readMe", { token })).toMatchObject({ status: 401, body: { code: "not_authenticated" } });
    }
  });

  it("ends at once when it is deleted, and only its owner can do that", async () => {
    const [user, other] = [await person(), await person("admin")];
    const mine = await tokenOf(user, "all");
    const { secret: foreign } = await tokenOf(other, "all");
    const params = { id: mine.id };
    expect(await call("deleteToken", { token: foreign, params })).toMatchObject({
      status: 404,
      body: { code: "token_not_found", detail: "API 令牌不存在" },
    });
    expect((await call("deleteToken", { token: mine.secret, params })).status).toBe(200);
    expect((await call("readMe", { token: mine.secret })).status).toBe(401);
  });

  it("ends for good when its user is disabled, also when that is taken back", async () => {
    const user = await person();
    const { secret: token } = await tokenOf(user, "read");
    const disabled = await replaceUser(user, { ...user, isActive: false, tokenVersion: user.tokenVersion + 1 });
    expect((await call("readMe", { token })).status).toBe(401);
    await replaceUser(disabled, { ...disabled, isActive: true, tokenVersion: disabled.tokenVersion + 1 });
    expect((await call("readMe", { token })).status).toBe(401);
    const { secret: fresh } = await tokenOf((await readUser(user.id)) as User, "all");
    expect((await call("listTokens", { token: fresh })).body).toHaveLength(1);
  });
});

describe("the scope of a token", () => {
  const guarded = operationList.filter(({ operation }) => operation.contract.auth !== "anyone");
  const nothing = "0198a000-0000-7000-8000-000000000000";

  it.each(tokenScopes)("%s lets exactly the operations through that it names", async (scope) => {
    const { secret: token } = await tokenOf(await person("admin"), scope);
    for (const { name, operation } of guarded) {
      const { contract } = operation;
      // Ids of nothing and no body: what gets past the scope ends as 404 or 422, or does its work for a user of this test only.
      const params = Object.fromEntries(
        [...contract.path.matchAll(/\{(\w+)\}/g)].map(([, id]) => [id as string, nothing]),
      );
      const { body } = await call(name, { token, params: contract.path.includes("{") ? params : {} });
      expect([name, body.code === "token_scope_insufficient"]).toEqual([name, !permits(scope, scopeOf(contract))]);
    }
  });

  it("read reaches only GET, and scan besides only what a scan needs", () => {
    const needing = (scope: string) => guarded.filter(({ operation }) => scopeOf(operation.contract) === scope);
    for (const { name, operation } of needing("read")) expect([name, operation.contract.method]).toEqual([name, "GET"]);
    for (const { name, area, operation } of needing("scan")) {
      expect([name, operation.contract.method]).toEqual([name, "POST"]);
      expect([name, ["projects", "sources", "scans", "spending"].includes(area)]).toEqual([name, true]);
    }
    const ofTheCommandLine = ["createProject", "beginZipUpload", "finishZipUpload", "scanStoredZip", "cancelTask"];
    expect(needing("scan").map(({ name }) => name)).toEqual(expect.arrayContaining(ofTheCommandLine));
  });

  it("keeps tokens, users and administration for all", () => {
    const contract = (name: string) => guarded.find((listed) => listed.name === name)?.operation.contract as Contract;
    for (const name of ["createToken", "listTokens", "deleteToken", "listAuditEntries"]) {
      expect([name, scopeOf(contract(name))]).toEqual([name, "all"]);
    }
    for (const { name, operation } of guarded) {
      if (operation.contract.auth === "administrator")
        expect([name, scopeOf(operation.contract)]).toEqual([name, "all"]);
    }
  });

  it("adds nothing to what the user may do", async () => {
    const { secret: token } = await tokenOf(await person("member"), "all");
    expect(await call("listAuditEntries", { token })).toMatchObject({
      status: 403,
      body: { code: "permission_denied" },
    });
  });
});

describe("the last use of a token", () => {
  it("is written at most once an hour and shown in the list", async () => {
    const user = await person();
    const { secret: token, id } = await tokenOf(user, "read");
    const { secret: lister } = await tokenOf(user, "all");
    const shown = async () => {
      const { body } = await call("listTokens", { token: lister });
      return body.find((row: { id: string }) => row.id === id).last_used_at;
    };
    expect(await shown()).toBeNull();
    let writes = 0;
    data.gateway.planFault = (call) => {
      if (call.operation === "PutItem") writes++;
      return undefined;
    };
    for (const minutes of [0, 1, 59]) await call("readMe", { token, now: later(minutes) });
    expect(writes).toBe(1);
    expect(await shown()).toBe(at.toISOString());
    await call("readMe", { token, now: later(60) });
    expect(await shown()).toBe(later(60).toISOString());
  });

  it("does not hold a request up when it cannot be written", async () => {
    const { secret: token } = await tokenOf(await person(), "read");
    const error = new AwsError("InternalServerError", "trouble", 500);
    data.gateway.planFault = (call) => (call.operation === "PutItem" ? { when: "before", error } : undefined);
    expect((await call("readMe", { token })).status).toBe(200);
  });

  it("goes with the token", async () => {
    const { secret, id } = await tokenOf(await person(), "all");
    await call("deleteToken", { token: secret, params: { id } });
    for (const Key of [keys.apiToken(id), keys.apiTokenUse(id)]) {
      expect((await table.send(new GetCommand({ TableName: environment().TABLE_NAME, Key }))).Item).toBeUndefined();
    }
  });
});
