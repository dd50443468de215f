import { scryptSync } from "node:crypto";
import { v7 as uuid } from "uuid";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { countFailure, readFailures } from "../../functions/auth/login-failure-store.ts";
import { subjectsOf } from "../../functions/auth/login-throttle.ts";
import { environment } from "../../functions/platform/environment.ts";
import { newUser, type User } from "../../functions/users/user.ts";
import { createUser, readUser } from "../../functions/users/user-store.ts";
import { type EmbeddedData, startEmbeddedData } from "../support/embedded-data.ts";
import { type Answered, invokeOperation } from "../support/invoke-operation.ts";

const start = new Date("2026-06-01T08:00:00Z");
const later = (seconds: number) => new Date(start.getTime() + seconds * 1000);
const password = "kX9$mQ2!vb";

/** Made with a small fraction of today's work: it stands for a hash of long ago. */
function cheapHash(secret: string): string {
  const salt = Buffer.from("0123456789abcdef");
  const hash = scryptSync(secret, salt, 32, { N: 2 ** 10, r: 8, p: 1 });
  return `$scrypt$ln=10,r=8,p=1$${salt.toString("base64")}$${hash.toString("base64")}`;
}

let data: EmbeddedData;

beforeAll(async () => {
  data = await startEmbeddedData();
  await data.kms.ensureKey({ keyId: "tokens-1", spec: "ECC_NIST_P256", usage: "SIGN_VERIFY" });
  await data.kms.ensureAlias(environment().SIGNING_KEY_ALIAS, "tokens-1");
});
afterAll(() => data.stop());

async function person(changes: Partial<User> = {}): Promise<User> {
  const id = uuid();
  const given = { id, email: `${id}@example.test`, fullName: "P", role: "member", passwordHash: "" } as const;
  const user = { ...newUser(given, start), passwordHash: cheapHash(password), ...changes };
  await createUser(user);
  return user;
}

const signIn = (username: string, secret: string, from: string, at: Date): Promise<Answered> =>
  invokeOperation("login", { form: { username, password: secret }, sourceIp: from, now: at });

/** Each test has addresses of its own. */
let network = 0;
const newAddress = () => `198.51.${Math.floor(++network / 250)}.${(network % 250) + 1}`;

describe("signing in", () => {
  it("gives a token, whatever the spelling of the address", async () => {
    const { email } = await person();
    expect(await signIn(email.toUpperCase(), password, newAddress(), start)).toMatchObject({
      status: 200,
      body: { token_type: "bearer", access_token: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/) },
    });
  });

  it("answers an unknown address, a wrong password and a disabled user alike, with as many calls to the table", async () => {
    const [known, disabled] = [await person(), await person({ isActive: false })];
    // The first of all attempts makes what later ones only read.
    await signIn(known.email, "wrong", newAddress(), start);
    const answers: unknown[] = [];
    for (const [email, secret] of [
      ["nobody@example.test", password],
      [known.email, "wrong"],
      [disabled.email, password],
    ] as const) {
      const calls: string[] = [];
      data.gateway.planFault = ({ service, operation }) => void calls.push(`${service} ${operation}`);
      const { status, headers, body } = await signIn(email, secret, newAddress(), start);
      answers.push({ status, headers, calls: calls.toSorted(), body: { ...body, request_id: "" } });
    }
    data.gateway.planFault = () => undefined;
    expect(answers[0]).toMatchObject({
      status: 400,
      calls: expect.arrayContaining(["dynamodb GetItem"]),
      body: { code: "login_failed", detail: "邮箱或密码错误" },
    });
    expect(answers[1]).toEqual(answers[0]);
    expect(answers[2]).toEqual(answers[0]);
  });

  it("makes an outdated hash anew, once, and ends no session by it", async () => {
    const user = await person();
    for (const round of [1, 2]) {
      expect([round, (await signIn(user.email, password, newAddress(), start)).status]).toEqual([round, 200]);
    }
    const stored = (await readUser(user.id)) as User;
    expect(stored.passwordHash).toMatch(/^\$scrypt\$ln=17,/);
    expect({ ...stored, passwordHash: "" }).toEqual({ ...user, passwordHash: "" });
    expect((await signIn(user.email, "wrong", newAddress(), start)).status).toBe(400);
    expect((await readUser(user.id))?.passwordHash).toBe(stored.passwordHash);
  });

  it("leaves the hash of a wrong password and of a disabled user alone", async () => {
    const user = await person({ isActive: false });
    await signIn(user.email, password, newAddress(), start);
    expect((await readUser(user.id))?.passwordHash).toBe(user.passwordHash);
  });
});

describe("failing to sign in", () => {
  it.each([
    ["an account that exists", true],
    ["an account that does not", false],
  ])("makes everybody wait for %s, wherever they come from", async (_, exists) => {
    const email = exists ? (await person()).email : `${uuid()}@example.test`;
    for (let i = 0; i < 5; i++) expect((await signIn(email, "wrong", newAddress(), start)).status).toBe(400);
    const refused = await signIn(email, password, newAddress(), start);
    expect(refused).toMatchObject({ status: 429, headers: { "Retry-After": "1" }, body: { code: "login_throttled" } });
    expect(refused.body.detail).toBe("登录失败次数过多，请在 1 秒后重试");
    // A refused try costs no hashing and does not prolong the wait; the next failure doubles it.
    expect((await signIn(email, "wrong", newAddress(), later(1))).status).toBe(400);
    expect((await signIn(email, password, newAddress(), later(1))).headers["Retry-After"]).toBe("2");
  });

  it("is forgiven when the owner signs in after the wait", async () => {
    const { email } = await person();
    const { account } = subjectsOf(email, "");
    for (let i = 0; i < 5; i++) await countFailure(account, start);
    expect((await signIn(email, password, newAddress(), later(1))).status).toBe(200);
    expect((await readFailures(account, later(1))).count).toBe(0);
  });

  it("is forgotten after a day, also while the expired count is still stored", async () => {
    const email = `${uuid()}@example.test`;
    const { account } = subjectsOf(email, "");
    for (let i = 0; i < 6; i++) await countFailure(account, start);
    const day = 24 * 3600;
    expect((await readFailures(account, later(day - 1))).count).toBe(6);
    expect((await signIn(email, "wrong", newAddress(), later(day))).status).toBe(400);
    expect((await readFailures(account, later(day))).count).toBe(1);
  });

  it("makes an address wait that tries many accounts, and nobody else", async () => {
    const { email } = await person();
    const address = newAddress();
    const subject = subjectsOf("", address).address;
    for (let i = 0; i < 19; i++) await countFailure(subject, start);
    expect((await signIn(`${uuid()}@example.test`, "wrong", address, start)).status).toBe(400);
    expect(await signIn(email, password, address, start)).toMatchObject({
      status: 429,
      headers: { "Retry-After": "1" },
    });
    expect((await signIn(email, password, newAddress(), start)).status).toBe(200);
  });

  it("is not washed off an address by signing in to an account of one's own", async () => {
    const { email } = await person();
    const address = newAddress();
    const subject = subjectsOf(email, address).address;
    const failures = async () => {
      return (await readFailures(subject, start)).count;
    };
    for (let i = 0; i < 4; i++) await countFailure(subject, start);
    for (let i = 0; i < 3; i++) await signIn(email, "wrong", address, start);
    expect(await failures()).toBe(7);
    // Many at once take off the owner's three, and take them off once.
    await Promise.all(Array.from({ length: 4 }, () => signIn(email, password, address, start)));
    expect(await failures()).toBe(4);
    await signIn(email, password, address, start);
    expect(await failures()).toBe(4);
  });

  it("counts every one of many at once", async () => {
    const email = `${uuid()}@example.test`;
    await Promise.all(Array.from({ length: 5 }, () => signIn(email, "wrong", newAddress(), start)));
    expect((await signIn(email, "wrong", newAddress(), start)).status).toBe(429);
  });
});
