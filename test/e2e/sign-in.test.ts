import { randomUUID } from "node:crypto";
import { createRemoteJWKSet, jwtVerify } from "jose";
import { expect, inject, it } from "vitest";
import { Api } from "../support/api.ts";

const { url } = inject("service");
const anyone = new Api(url);

/** A person who registered a moment ago. */
async function newcomer() {
  const person = { email: `${randomUUID()}@example.test`, password: "kX9$mQ2!vb" };
  const { id } = await anyone.ok("POST", "/api/v1/auth/register", { json: { ...person, full_name: "New" } });
  return { ...person, id };
}

const signIn = (username: string, password: string) =>
  anyone.call("POST", "/api/v1/auth/login", { form: { username, password } });

it("lets people register, sign in and be recognised by whoever reads the public keys", async () => {
  const person = await newcomer();
  const { token } = await anyone.as(person);
  const keys = createRemoteJWKSet(new URL("/.well-known/jwks.json", url));
  const { payload } = await jwtVerify(token as string, keys, { issuer: "sluice", audience: "sluice-api" });
  expect(payload.sub).toBe(person.id);
  const { headers } = await anyone.call("GET", "/.well-known/jwks.json");
  expect(headers.get("cache-control")).toBe("public, max-age=300");
});

it("tells who failed five times when to try again, and forgets what the owner made good", async () => {
  const person = await newcomer();
  for (let i = 0; i < 4; i++) expect((await signIn(person.email, "wrong")).status).toBe(400);
  await anyone.as(person);
  for (let i = 0; i < 5; i++) {
    const { status, body } = await signIn(person.email, "wrong");
    expect({ status, body }).toMatchObject({ status: 400, body: { code: "login_failed" } });
  }
  // The first waits are short, and a busy machine may sit one out; each further failure doubles them.
  let refused = await signIn(person.email, "wrong");
  for (let i = 0; refused.status === 400 && i < 6; i++) refused = await signIn(person.email, "wrong");
  expect(refused).toMatchObject({ status: 429, body: { code: "login_throttled" } });
  expect(Number(refused.headers.get("retry-after"))).toBeGreaterThanOrEqual(1);
});
