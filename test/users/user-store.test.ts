import { GetCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { v7 as uuid } from "uuid";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type ErrorCode, isSluiceError } from "../../functions/platform/errors.ts";
import type { Operation } from "../../functions/platform/operation.ts";
import { keys, table, userShardOf, userShards } from "../../functions/platform/table.ts";
import { deleteUser } from "../../functions/users/delete-user.ts";
import { listUsers } from "../../functions/users/list-users.ts";
import { toggleUserStatus } from "../../functions/users/toggle-user-status.ts";
import { updateMe } from "../../functions/users/update-me.ts";
import { updateUser } from "../../functions/users/update-user.ts";
import { newUser, type User } from "../../functions/users/user.ts";
import { activeAdministrators } from "../../functions/users/user-directory.ts";
import * as users from "../../functions/users/user-store.ts";
import { AwsError } from "../../lib/local/service.ts";
import { type EmbeddedData, startEmbeddedData } from "../support/embedded-data.ts";

const clients = 50;
const at = new Date("2026-02-03T04:05:06Z");
let data: EmbeddedData;

beforeAll(async () => {
  data = await startEmbeddedData();
});

afterAll(() => data.stop());

let made = 0;
const somebody = (role: User["role"] = "member", email = `somebody${++made}@example.test`): User =>
  newUser({ id: uuid(), email, fullName: `Somebody ${made}`, role, passwordHash: "$scrypt$" }, at);

async function stored(role?: User["role"]): Promise<User> {
  const user = somebody(role);
  await users.createUser(user);
  return user;
}

/** Runs a handler as somebody, with input that the contract has parsed. */
function run(operation: Operation, caller: User, given: { params?: unknown; query?: unknown; body?: object } = {}) {
  const { contract, handle } = operation;
  const request = {
    caller,
    params: contract.params?.parse(given.params ?? {}),
    query: contract.query?.parse(given.query ?? {}),
    body: contract.body?.parse(given.body ?? {}),
    now: () => at,
  };
  // biome-ignore lint/suspicious/noExplicitAny: answers have every shape.
  return handle(request as never) as Promise<any>;
}

const as = (caller: User, target: User, operation: Operation, body?: object) =>
  run(operation, caller, { params: { id: target.id }, body });

/** Lets all of them happen at once. @returns how many succeeded, and the code of each refusal */
async function race(
  attempts: readonly Promise<unknown>[],
): Promise<{ won: number; refusals: (ErrorCode | unknown)[] }> {
  const results = await Promise.allSettled(attempts);
  const reasons = results.flatMap((result) => (result.status === "rejected" ? [result.reason] : []));
  const refusals = reasons.map((reason) => (isSluiceError(reason) ? reason.code : reason));
  return { won: results.length - refusals.length, refusals };
}

const totalOf = async (caller: User, query: object) => (await run(listUsers, caller, { query })).total as number;

/** What the shard items say, against what a count of the users says. */
async function countedEntries(): Promise<number> {
  const read = (shard: number) =>
    table.send(new GetCommand({ TableName: process.env.TABLE_NAME, Key: keys.userShard(shard), ConsistentRead: true }));
  const items = await Promise.all(Array.from({ length: userShards }, (_, shard) => read(shard)));
  return items.reduce((sum, { Item }) => sum + ((Item?.entries as number | undefined) ?? 0), 0);
}

describe("fifty clients at once", () => {
  it("create one user with one address", async () => {
    const admin = await stored("admin");
    const before = await countedEntries();
    const email = "contested@example.test";
    const { won, refusals } = await race(
      Array.from({ length: clients }, () => users.createUser(somebody("member", email))),
    );
    expect({ won, refusals }).toEqual({ won: 1, refusals: Array(clients - 1).fill("email_taken") });
    expect(await totalOf(admin, { search: email })).toBe(1);
    expect(await countedEntries()).toBe(before + 1);
    expect(await totalOf(admin, {})).toBe(before + 1);
  });

  it("toggle one user: whoever wins flips it once, the others are told", async () => {
    const admin = await stored("admin");
    const user = await stored();
    const { won, refusals } = await race(Array.from({ length: clients }, () => as(admin, user, toggleUserStatus)));
    expect(won).toBeGreaterThan(0);
    expect(new Set(refusals)).toEqual(new Set(won < clients ? ["stale_version"] : []));
    expect(await users.readUser(user.id)).toMatchObject({
      isActive: won % 2 === 0,
      tokenVersion: user.tokenVersion + won,
      version: user.version + won,
    });
  });

  it("take one address: one of them has it, and each of the others keeps the old one", async () => {
    const people = await Promise.all(Array.from({ length: clients }, () => stored()));
    const email = "wanted@example.test";
    const { won, refusals } = await race(people.map((person) => run(updateMe, person, { body: { email } })));
    expect({ won, refusals }).toEqual({ won: 1, refusals: Array(clients - 1).fill("email_in_use") });
    const owner = await users.readUserByEmail(email);
    for (const { id, email: old } of people) {
      expect((await users.readUserByEmail(old))?.id).toBe(id === owner?.id ? undefined : id);
    }
  });
});

it("creates one user when the answer to the write is lost and the SDK asks again", async () => {
  const before = await countedEntries();
  let lost = 0;
  const error = new AwsError("InternalServerError", "The answer was lost", 500);
  data.gateway.planFault = ({ operation }) =>
    operation === "TransactWriteItems" && lost++ === 0 ? { when: "after", error } : undefined;
  const user = await stored();
  data.gateway.planFault = () => undefined;
  expect(lost).toBe(2);
  expect(await users.readUserByEmail(user.email)).toEqual(user);
  expect(await countedEntries()).toBe(before + 1);
});

describe("administrators", () => {
  const demote = (caller: User, target: User) => as(caller, target, updateUser, { role: "member" });

  it("who demote each other leave one", async () => {
    for (let round = 0; round < 20; round++) {
      const [one, two] = await onlyAdministrators(2);
      const { won, refusals } = await race([demote(one!, two!), demote(two!, one!)]);
      expect({ won, refusals }).toEqual({ won: 1, refusals: ["permission_denied"] });
      expect(await activeAdministrators()).toHaveLength(1);
    }
  });

  it("who all step down, disable or delete each other at once leave at least one", async () => {
    const admins = await onlyAdministrators(8);
    const attempts = admins.flatMap((admin, i) => {
      const next = admins[(i + 1) % admins.length]!;
      return [demote(admin, admin), as(admin, next, toggleUserStatus), as(admin, next, deleteUser)];
    });
    const { refusals } = await race(attempts);
    expect((await activeAdministrators()).length).toBeGreaterThan(0);
    for (const refusal of refusals) {
      expect(["last_administrator", "permission_denied", "stale_version", "user_not_found"]).toContain(refusal);
    }
  });

  it("step down while another one is left, and not as the last", async () => {
    const [one, two] = await onlyAdministrators(2);
    expect(await demote(one!, one!)).toMatchObject({ role: "member", is_superuser: false });
    await expect(demote(two!, two!)).rejects.toMatchObject({ code: "last_administrator" });
    expect(await activeAdministrators()).toEqual([two!.id]);
  });

  it("delete and disable others, never themselves", async () => {
    const [admin] = await onlyAdministrators(1);
    const user = await stored();
    await expect(as(admin!, admin!, deleteUser)).rejects.toMatchObject({ code: "cannot_delete_self" });
    await expect(as(admin!, admin!, toggleUserStatus)).rejects.toMatchObject({ code: "cannot_disable_self" });
    await expect(as(admin!, admin!, updateUser, { is_active: false })).rejects.toMatchObject({
      code: "cannot_disable_self",
    });
    expect(await as(admin!, user, toggleUserStatus)).toMatchObject({ is_active: false });
    expect(await as(admin!, user, deleteUser)).toEqual({ message: "用户已删除" });
    expect(await users.readUserByEmail(user.email)).toBeNull();
    await users.createUser(somebody("member", user.email));
  });

  /** A world in which these are the only administrators who may sign in. */
  async function onlyAdministrators(count: number): Promise<User[]> {
    const earlier = await activeAdministrators();
    const admins = await Promise.all(Array.from({ length: count }, () => stored("admin")));
    for (const id of earlier) await demote(admins[0]!, await users.requireUser(id));
    return admins;
  }
});

describe("a list", () => {
  it("pages through all users without gap or repetition, newest first, with the exact total", async () => {
    const admin = await stored("admin");
    const total = await totalOf(admin, {});
    const seen: { id: string; created_at: string }[] = [];
    for (let skip = 0; skip < total; skip += 7) {
      const page = await run(listUsers, admin, { query: { skip: String(skip), limit: "7" } });
      expect(page).toMatchObject({ total, skip, limit: 7 });
      seen.push(...page.users);
    }
    expect(new Set(seen.map(({ id }) => id)).size).toBe(total);
    expect(seen).toEqual(seen.toSorted((a, b) => (a.created_at + a.id < b.created_at + b.id ? 1 : -1)));
  });

  it("shows a write the moment it is done", async () => {
    const admin = await stored("admin");
    const user = await stored();
    const found = async (query: object) => (await run(listUsers, admin, { query })).users.map(({ id }: User) => id);
    expect(await found({ search: user.email })).toEqual([user.id]);
    await as(admin, user, updateUser, { email: "moved@example.test", phone: "021 555-0199", full_name: "Ｍoved" });
    expect(await found({ search: user.email })).toEqual([]);
    expect(await found({ search: "moved@" })).toEqual([user.id]);
    expect(await found({ search: "0215550199" })).toEqual([user.id]);
    expect(await found({ search: "MOVED", is_active: "false" })).toEqual([]);
    await as(admin, user, toggleUserStatus);
    expect(await found({ search: "MOVED", is_active: "false", role: "member" })).toEqual([user.id]);
    await as(admin, user, deleteUser);
    expect(await found({ search: "MOVED" })).toEqual([]);
  });

  it("reads the directory again only after a write, and then only the shard that changed", async () => {
    const admin = await stored("admin");
    await totalOf(admin, {});
    const queriesOf = async (work: () => Promise<unknown>) => {
      let queries = 0;
      data.gateway.onCall = ({ operation }) => {
        queries += operation === "Query" ? 1 : 0;
      };
      await work();
      data.gateway.onCall = () => {};
      return queries;
    };
    expect(await queriesOf(() => totalOf(admin, { search: "a" }))).toBe(0);
    await stored();
    expect(await queriesOf(() => totalOf(admin, { search: "a" }))).toBe(1);
  });
});

it("refuses users beyond the number that searches are made for", async () => {
  const user = somebody();
  const fill = (entries: number) =>
    table.send(
      new UpdateCommand({
        TableName: process.env.TABLE_NAME,
        Key: keys.userShard(userShardOf(user.id)),
        UpdateExpression: "SET entries = :entries",
        ExpressionAttributeValues: { ":entries": entries },
      }),
    );
  await fill(users.usersMax / userShards);
  await expect(users.createUser(user)).rejects.toMatchObject({ code: "user_limit_reached", status: 409 });
  expect(await users.readUserByEmail(user.email)).toBeNull();
  await fill(users.usersMax / userShards - 1);
  await users.createUser(user);
});
