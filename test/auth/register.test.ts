import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { environment } from "../../functions/platform/environment.ts";
import { readUserByEmail } from "../../functions/users/user-store.ts";
import { type EmbeddedData, startEmbeddedData } from "../support/embedded-data.ts";
import { invokeOperation } from "../support/invoke-operation.ts";

const at = new Date("2026-02-28T23:59:59.999Z");
const password = "kX9$mQ2!vb";
const newAddress = () => `${randomUUID()}@example.test`;

let data: EmbeddedData;

beforeAll(async () => {
  data = await startEmbeddedData();
  process.env.REGISTRATION = "on";
  await data.kms.ensureKey({ keyId: "tokens-1", spec: "ECC_NIST_P256", usage: "SIGN_VERIFY" });
  await data.kms.ensureAlias(environment().SIGNING_KEY_ALIAS, "tokens-1");
});
afterAll(() => data.stop());

const send = (json: unknown) => invokeOperation("register", { json, now: at });

describe("registering", () => {
  it("makes a member who can sign in, also where there is nobody else and whatever else they send", async () => {
    const email = newAddress();
    const given = {
      email: ` ${email.toUpperCase()} `,
      password,
      full_name: " 王小明 ",
      role: "admin",
      is_superuser: true,
    };
    const { status, body } = await send(given);
    expect({ status, body }).toMatchObject({
      status: 200,
      body: {
        email,
        full_name: "王小明",
        role: "member",
        is_superuser: false,
        is_active: true,
        created_at: at.toISOString(),
      },
    });
    expect(JSON.stringify(body)).not.toContain("scrypt");
    expect((await invokeOperation("login", { form: { username: email, password }, now: at })).status).toBe(200);
  });

  it("leaves one winner of many with the same address, and tells the others", async () => {
    const email = newAddress();
    const answers = await Promise.all(
      Array.from({ length: 6 }, (_, i) => send({ email, password, full_name: `${i}` })),
    );
    const won = answers.filter(({ status }) => status === 200);
    expect(won).toHaveLength(1);
    for (const { status, body } of answers.filter((answer) => answer !== won[0])) {
      expect({ status, body }).toMatchObject({ status: 400, body: { code: "email_taken", detail: "该邮箱已被注册" } });
    }
    expect((await readUserByEmail(email))?.id).toBe(won[0]?.body.id);
  });

  it.each([
    ["a common password", { password: "Password1!" }, ["body", "password"]],
    ["a short password", { password: "kX9$mQ2" }, ["body", "password"]],
    ["an endless password", { password: "kX9$mQ2!".repeat(129) }, ["body", "password"]],
    ["no address", { email: "somebody" }, ["body", "email"]],
    ["no name", { full_name: "  " }, ["body", "full_name"]],
  ])("refuses %s, in Chinese and without repeating a password", async (_, change, loc) => {
    const email = newAddress();
    const { status, body } = await send({ email, password, full_name: "P", ...change });
    expect({ status, body }).toMatchObject({ status: 422, body: { code: "validation_failed", detail: [{ loc }] } });
    expect(body.detail[0].msg).toMatch(/\p{Script=Han}/u);
    expect(JSON.stringify(body)).not.toContain("kX9$mQ2");
    expect(await readUserByEmail(email)).toBeNull();
  });
});
