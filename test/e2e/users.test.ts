import { describe, expect, inject, it } from "vitest";
import { Api } from "../support/api.ts";

const { url, token } = inject("service");
const anyone = new Api(url);
const admin = new Api(url, token);

const password = "grain orbit velvet";
const newcomer = (more: object = {}) => ({
  email: `carol-${crypto.randomUUID()}@example.test`,
  password,
  full_name: "Carol",
  ...more,
});

async function signedUp(more: object = {}) {
  const account = newcomer(more);
  const user = await admin.ok("POST", "/api/v1/users/", { json: account });
  return { account, user, path: `/api/v1/users/${user.id}` };
}

async function signedIn() {
  const person = await signedUp();
  return { ...person, api: await anyone.as(person.account) };
}

describe("an administrator", () => {
  it("creates, finds, changes and deletes a user", async () => {
    const { user, account, path } = await signedUp({ phone: "+86 138 0013 8000", is_superuser: false });
    expect(user).toMatchObject({ email: account.email, phone: "+86 138 0013 8000", role: "member", is_active: true });
    expect(user).not.toHaveProperty("password_hash");
    const query = { search: account.email.toUpperCase(), role: "member", is_active: "true" };
    expect(await admin.ok("GET", "/api/v1/users/", { query })).toEqual({ users: [user], total: 1, skip: 0, limit: 20 });
    const changed = await admin.ok("PUT", path, { json: { full_name: "Caroline", role: "admin" } });
    expect(changed).toMatchObject({ full_name: "Caroline", role: "admin", is_superuser: true, email: account.email });
    expect(await admin.ok("GET", path)).toEqual(changed);
    expect(await admin.ok("DELETE", path)).toEqual({ message: "用户已删除" });
    expect(await admin.call("GET", path)).toMatchObject({ status: 404, body: { code: "user_not_found" } });
  });

  it("shuts a user out from the next request on, and lets them sign in again later", async () => {
    const { account, path, api } = await signedIn();
    await api.ok("GET", "/api/v1/users/me");
    expect(await admin.ok("POST", `${path}/toggle-status`)).toMatchObject({ is_active: false });
    expect(await api.call("GET", "/api/v1/users/me")).toMatchObject({ status: 401 });
    expect(await admin.ok("POST", `${path}/toggle-status`)).toMatchObject({ is_active: true });
    expect(await api.call("GET", "/api/v1/users/me")).toMatchObject({ status: 401 });
    await (await anyone.as(account)).ok("GET", "/api/v1/users/me");
  });

  it("gives and takes the right to administrate, and each ends the sessions that did not have it", async () => {
    const { account, path, api } = await signedIn();
    const list = async (session: Api) => (await session.call("GET", "/api/v1/users/")).status;
    expect(await list(api)).toBe(403);
    await admin.ok("PUT", path, { json: { role: "admin" } });
    expect(await list(api)).toBe(401);
    const promoted = await anyone.as(account);
    expect(await list(promoted)).toBe(200);
    await admin.ok("PUT", path, { json: { role: "member" } });
    expect(await list(promoted)).toBe(401);
    expect(await list(await anyone.as(account))).toBe(403);
  });

  it("deletes nobody who owns a project, and takes who is deleted out of others' projects", async () => {
    const { path, api, user } = await signedIn();
    const project = await api.ok("POST", "/api/v1/projects/", { json: { name: "hers", source_type: "zip" } });
    expect(await admin.call("DELETE", path)).toMatchObject({ status: 409, body: { code: "user_owns_projects" } });
    await api.ok("DELETE", `/api/v1/projects/${project.id}/permanent`);
    const shared = await admin.ok("POST", "/api/v1/projects/", { json: { name: "shared", source_type: "zip" } });
    await admin.ok("POST", `/api/v1/projects/${shared.id}/members`, { json: { user_id: user.id } });
    // Its role reaches all that has to go; what goes is told by test/users/delete-user.test.ts.
    await api.ok("PUT", "/api/v1/config/me", { json: { otherConfig: { githubToken: "ghp_canary_0123456789" } } });
    await api.ok("POST", "/api/v1/ssh-keys/generate");
    const json = { name: "CI", scope: "read" };
    const { token } = await api.ok("POST", "/api/v1/users/me/tokens", { json });
    await api.ok("GET", "/api/v1/users/me", { token });
    await admin.ok("DELETE", path);
    expect(await api.call("GET", "/api/v1/users/me", { token })).toMatchObject({ status: 401 });
    const members = await admin.ok("GET", `/api/v1/projects/${shared.id}/members`);
    expect(members.map((member: { user_id: string }) => member.user_id)).not.toContain(user.id);
  });

  it("toggles once when the request is repeated with its key", async () => {
    const { path } = await signedUp();
    const headers = { "Idempotency-Key": crypto.randomUUID() };
    const [first, second] = [
      await admin.ok("POST", `${path}/toggle-status`, { headers }),
      await admin.ok("POST", `${path}/toggle-status`, { headers }),
    ];
    expect(second).toEqual(first);
    expect(await admin.ok("GET", path)).toMatchObject({ is_active: false });
  });

  it("is refused in Chinese, whatever language was asked for", async () => {
    const { account } = await signedUp();
    const me = await admin.ok("GET", "/api/v1/users/me");
    const own = `/api/v1/users/${me.id}`;
    for (const [method, path, json, status, code, detail] of [
      ["POST", "/api/v1/users/", newcomer({ email: account.email }), 400, "email_taken", "该邮箱已被注册"],
      ["PUT", own, { email: account.email }, 409, "email_in_use", "该邮箱已被其他用户使用"],
      ["DELETE", own, undefined, 400, "cannot_delete_self", "不能删除自己的账户"],
      ["POST", `${own}/toggle-status`, undefined, 400, "cannot_disable_self", "不能禁用自己的账户"],
    ] as const) {
      expect(await admin.call(method, path, { json })).toMatchObject({ status, body: { code, detail } });
    }
    for (const query of ["skip=-1", "limit=0", "limit=101", "role=root", "is_active=maybe"]) {
      const { status, body } = await admin.call("GET", `/api/v1/users/?${query}`);
      expect({ status, code: body.code }).toEqual({ status: 422, code: "validation_failed" });
      for (const { msg } of body.detail) expect(msg).toMatch(/\p{Script=Han}/u);
    }
    const short = await admin.call("POST", "/api/v1/users/", { json: newcomer({ password: "short" }) });
    expect(short).toMatchObject({ status: 422, body: { detail: [{ loc: ["body", "password"] }] } });
    expect(JSON.stringify(short.body)).not.toContain('"short"');
  });
});

describe("a user", () => {
  it("changes the own profile, never role or status", async () => {
    const { user, api } = await signedIn();
    const json = { full_name: "卡罗尔", phone: "021 555", role: "admin", is_superuser: true, is_active: false };
    expect(await api.ok("PUT", "/api/v1/users/me", { json })).toEqual({
      ...user,
      full_name: "卡罗尔",
      name: "卡罗尔",
      phone: "021 555",
      updated_at: expect.any(String),
      session_ended: false,
    });
    expect(await api.ok("GET", "/api/v1/users/me")).toMatchObject({ role: "member", is_active: true });
  });

  it("moves to another address and signs in with it", async () => {
    const { account, api } = await signedIn();
    const email = `moved-${account.email}`;
    await api.ok("PUT", "/api/v1/users/me", { json: { email: email.toUpperCase() } });
    await anyone.as({ email, password });
    const form = { username: account.email, password };
    expect(await anyone.call("POST", "/api/v1/auth/login", { form })).toMatchObject({ status: 400 });
    await admin.ok("POST", "/api/v1/users/", { json: newcomer({ email: account.email }) });
  });

  it("ends every session with another password", async () => {
    const { account, api } = await signedIn();
    const elsewhere = await anyone.as(account);
    const json = { password: "ladder window staple" };
    expect(await api.ok("PUT", "/api/v1/users/me", { json })).toMatchObject({ session_ended: true });
    for (const session of [api, elsewhere]) {
      expect(await session.call("GET", "/api/v1/users/me")).toMatchObject({ status: 401 });
    }
    await (await anyone.as({ ...account, ...json })).ok("GET", "/api/v1/users/me");
  });
});
