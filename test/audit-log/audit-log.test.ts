import { GetCommand } from "@aws-sdk/lib-dynamodb";
import { v7 as uuid } from "uuid";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { appendEntry } from "../../functions/audit-log/audit-entry-store.ts";
import { environment } from "../../functions/platform/environment.ts";
import { keys, table } from "../../functions/platform/table.ts";
import { newApiToken, newSecret } from "../../functions/tokens/api-token.ts";
import { createApiToken } from "../../functions/tokens/api-token-store.ts";
import { newUser, type User } from "../../functions/users/user.ts";
import { createUser } from "../../functions/users/user-store.ts";
import { AwsError } from "../../lib/local/service.ts";
import { type EmbeddedData, startEmbeddedData } from "../support/embedded-data.ts";
import { type Invocation, invokeOperation } from "../support/invoke-operation.ts";

// The present, because the embedded table deletes what expired by its own clock.
const at = new Date();
let data: EmbeddedData;
let administrator: Awaited<ReturnType<typeof person>>;

beforeAll(async () => {
  data = await startEmbeddedData();
  administrator = await person("admin");
});
afterAll(() => data.stop());
afterEach(() => {
  data.gateway.planFault = () => undefined;
  vi.restoreAllMocks();
});

/** A user with an API token that may do all that the user may. */
async function person(role: User["role"] = "member") {
  const id = uuid();
  const user = newUser({ id, email: `${id}@example.test`, fullName: "P", role, passwordHash: "" }, at);
  await createUser(user);
  const secret = newSecret();
  const token = newApiToken({ name: "all", scope: "all", expiresInDays: 90 }, secret, user, at);
  await createApiToken(token);
  return { id, tokenId: token.id, token: secret };
}

const call = (name: string, sent: Invocation) => invokeOperation(name, { now: at, ...sent });

const entries = async (query: Record<string, string> = {}) => {
  const { status, body } = await call("listAuditEntries", { token: administrator.token, query });
  expect({ status, body }).toMatchObject({ status: 200 });
  return body.entries;
};

describe("a write", () => {
  it("is on record when its answer arrives: who, what, when, from where, and nothing of what was sent", async () => {
    const { id, tokenId, token } = await person();
    const userAgent = `curl/8\u001b[31m\u202e ${"x".repeat(300)}`;
    const json = { name: "a name that nobody else needs to see", source_type: "zip" };
    const { requestId, body: project } = await call("createProject", {
      token,
      json,
      sourceIp: "203.0.113.7",
      headers: { "User-Agent": userAgent },
    });
    const [entry, ...others] = await entries({ user_id: id });
    expect(others).toEqual([]);
    expect(entry).toEqual({
      request_id: requestId,
      created_at: at.toISOString(),
      operation: "createProject",
      user_id: id,
      token_id: tokenId,
      email_hash: null,
      targets: { id: project.id, owner_id: id },
      source_ip: "203.0.113.7",
      user_agent: `curl/8 [31m  ${"x".repeat(300)}`.slice(0, 200),
      outcome: "done",
    });
    const Key = keys.auditEntry(at.toISOString(), requestId);
    const { Item } = await table.send(new GetCommand({ TableName: environment().TABLE_NAME, Key }));
    expect(Item?.expiresAt).toBe(Math.floor(at.getTime() / 1000) + 400 * 24 * 3600);
    expect(JSON.stringify(Item)).not.toContain("nobody else");
  });

  it("names what it reached by path, query and body", async () => {
    const { id, token } = await person();
    const { body: made } = await call("createToken", { token, json: { name: "x", scope: "read" } });
    await call("deleteToken", { token, params: { id: made.id }, now: new Date(at.getTime() + 1) });
    const [deleted, created] = await entries({ user_id: id });
    expect([deleted.operation, deleted.targets]).toEqual(["deleteToken", { id: made.id }]);
    expect([created.operation, created.targets]).toEqual(["createToken", { id: made.id }]);
    expect(JSON.stringify([deleted, created])).not.toContain(made.token.slice(4, 30));
  });

  it("is recorded once, however often it is retried", async () => {
    const { id, token } = await person();
    const retried = { token, json: { name: "p" }, headers: { "Idempotency-Key": "once" } };
    const [first, second] = [await call("createProject", retried), await call("createProject", retried)];
    expect(second.body).toEqual(first.body);
    const delivered = { token, json: { name: "q" }, requestId: uuid() };
    await call("createProject", delivered);
    await call("createProject", delivered);
    expect(
      (await entries({ user_id: id })).map((entry: { request_id: string }) => entry.request_id).toSorted(),
    ).toEqual([first.requestId, delivered.requestId].toSorted());
  });

  it("that is refused changed nothing and is not recorded, nor is reading", async () => {
    const { id, token } = await person();
    expect((await call("createProject", { token, json: {} })).status).toBe(422);
    expect((await call("deleteToken", { token, params: { id: uuid() } })).status).toBe(404);
    expect((await call("listTokens", { token })).status).toBe(200);
    expect((await call("listAuditEntries", { token })).status).toBe(403);
    expect(await entries({ user_id: id })).toEqual([]);
  });

  it("is answered although its entry cannot be stored, and the log has the entry then", async () => {
    const { id, token } = await person();
    const lines = vi.spyOn(console, "log");
    const error = new AwsError("InternalServerError", "trouble", 500);
    const isEntry = (key: string | readonly string[] = []) => [key].flat().some((one) => one.startsWith("AUDIT#"));
    data.gateway.planFault = ({ permissions }) =>
      permissions.some(({ context }) => isEntry(context?.["dynamodb:LeadingKeys"]))
        ? { when: "before", error }
        : undefined;
    const { status, body, requestId } = await call("createProject", { token, json: { name: "p" } });
    expect(status).toBe(200);
    const lost = lines.mock.calls.map(([line]) => JSON.parse(line)).find(({ level }) => level === "error");
    expect(lost).toMatchObject({
      message: "audit entry not stored",
      operation: "createProject",
      requestId,
      user: id,
      code: "done",
      targets: { id: body.id },
    });
  });
});

describe("an attempt to sign in", () => {
  const attempt = (username: string, password: string, sourceIp = "198.51.100.9") =>
    call("login", { form: { username, password }, sourceIp });

  it("that fails is recorded under a pseudonym of the address, without the address or the password", async () => {
    const [address, secret] = [`${uuid()}@Example.test`, "hunter2 hunter2"];
    const answers = [
      await attempt(address, secret),
      await attempt(address.toLowerCase(), secret, "198.51.100.10"),
      await attempt(`other-${address}`, secret, "198.51.100.11"),
    ];
    expect(answers.map(({ status, body }) => [status, body.code])).toEqual(Array(3).fill([400, "login_failed"]));
    const all = await entries({ operation: "login" });
    const [first, second, other] = answers.map(({ requestId }) =>
      all.find((entry: { request_id: string }) => entry.request_id === requestId),
    );
    expect(first).toMatchObject({
      user_id: null,
      token_id: null,
      email_hash: expect.stringMatching(/^[\da-f]{16}$/),
      targets: {},
      source_ip: "198.51.100.9",
      outcome: "login_failed",
    });
    expect(second.email_hash).toBe(first.email_hash);
    expect(other.email_hash).not.toBe(first.email_hash);
    expect(JSON.stringify(all)).not.toMatch(new RegExp(`hunter2|${address}`, "i"));
  });
});

describe("the log", () => {
  it("hides what is older than it is kept, whether or not DynamoDB has deleted it yet", async () => {
    const { id } = await person();
    const daysAgo = (days: number) => new Date(at.getTime() - days * 24 * 3600_000).toISOString();
    const entry = { id: uuid(), operation: "createProject", userId: id, tokenId: null, emailHash: null, targets: {} };
    const rest = { sourceIp: "::1", userAgent: "", outcome: "done" };
    await appendEntry({ ...entry, ...rest, createdAt: daysAgo(399) });
    expect(await entries({ user_id: id })).toHaveLength(1);
    const late = new Date(at.getTime() + 2 * 24 * 3600_000);
    const { body } = await call("listAuditEntries", { token: administrator.token, query: { user_id: id }, now: late });
    expect(body).toEqual({ entries: [], next_cursor: null });
  });

  it("goes on with a cursor only for who got it, with the same filters, within an hour", async () => {
    const { id, token } = await person();
    for (const name of ["a", "b"]) await call("createProject", { token, json: { name } });
    const query = { user_id: id, limit: "1" };
    const { body: first } = await call("listAuditEntries", { token: administrator.token, query });
    const goOn = (change: Record<string, string> = {}, sent: Invocation = {}) => {
      const cursor = first.next_cursor as string;
      return call("listAuditEntries", { token: administrator.token, query: { ...query, cursor, ...change }, ...sent });
    };
    const { body: second } = await goOn({ limit: "100" });
    expect(second).toMatchObject({ entries: [{ operation: "createProject" }], next_cursor: null });
    expect(second.entries[0].request_id).not.toBe(first.entries[0].request_id);
    const changed = `${first.next_cursor.slice(0, -2)}${first.next_cursor.endsWith("AA") ? "BB" : "AA"}`;
    for (const answer of [
      await goOn({ cursor: changed }),
      await goOn({ user_id: administrator.id }),
      await goOn({ from: at.toISOString() }),
      await goOn({}, { token: (await person("admin")).token }),
      await goOn({}, { now: new Date(at.getTime() + 3_601_000) }),
    ]) {
      expect(answer).toMatchObject({ status: 422, body: { code: "cursor_invalid" } });
    }
  });

  it.each([
    ["no user id", { user_id: "me" }],
    ["no name of an operation", { operation: "login; --" }],
    ["no time", { from: "yesterday" }],
    ["no page", { limit: "101" }],
    ["no cursor", { cursor: "" }],
  ])("refuses what is %s", async (_, query) => {
    expect(await call("listAuditEntries", { token: administrator.token, query })).toMatchObject({
      status: 422,
      body: { code: "validation_failed" },
    });
  });
});
