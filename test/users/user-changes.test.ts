import { describe, expect, it } from "vitest";
import { newUser } from "../../functions/users/user.ts";
import {
  changeUser,
  draftedUser,
  EmailAddress,
  named,
  ProfileChanges,
  UserChanges,
  UserDraft,
} from "../../functions/users/user-changes.ts";

const at = new Date("2026-02-03T04:05:06Z");
const user = newUser(
  {
    id: "0198a000-0000-7000-8000-000000000001",
    email: "a@example.test",
    fullName: "A",
    role: "member",
    passwordHash: "old",
  },
  new Date("2026-01-01T00:00:00Z"),
);
const change = (body: object, passwordHash?: string) => changeUser(user, UserChanges.parse(body), passwordHash, at);

describe("an address", () => {
  it.each([
    ["  Anna@Example.TEST ", "anna@example.test"],
    ["admin@localhost", "admin@localhost"],
    ["ｂｏｂ＠example.test", "bob@example.test"],
    ["用户@例子.测试", "用户@例子.测试"],
  ])("%o is stored as %o", (given, stored) => expect(EmailAddress.parse(given)).toBe(stored));

  it.each([
    "",
    "a",
    "@b",
    "a@",
    "a@b@c",
    "a b@c",
    "a@b c",
    "a\u0000@b",
    "a\u202e@b",
    "<a@b>",
    `${"a".repeat(65)}@b`,
    `a@${"b".repeat(260)}`,
  ])("%o is none", (given) => expect(EmailAddress.safeParse(given).success).toBe(false));
});

describe("a body", () => {
  it("may call the full name by either of its names", () => {
    const body = named(ProfileChanges);
    expect(body.parse({ name: " Anna ", phone: "1" })).toEqual({ full_name: "Anna", phone: "1" });
    expect(body.parse({ name: "Anna", full_name: "Berta" })).toEqual({ full_name: "Berta" });
    expect(body.safeParse({ name: "" }).error?.issues[0]?.path).toEqual(["full_name"]);
    expect([[], null, "name", 7].map((given) => body.safeParse(given).success)).toEqual([false, false, false, false]);
  });
});

describe("a change", () => {
  it("applies what is given and leaves the rest", () => {
    const before = change({ phone: "123", avatar_url: "https://example.test/a.png" });
    expect(before).toEqual({
      ...user,
      phone: "123",
      avatarUrl: "https://example.test/a.png",
      updatedAt: at.toISOString(),
    });
    expect(changeUser(before, UserChanges.parse({ phone: "", avatar_url: null }), undefined, at)).toEqual({
      ...user,
      updatedAt: at.toISOString(),
    });
  });

  it("ends all sessions with another password, status or role, and only then", () => {
    expect(change({ full_name: "B", role: "member", is_active: true }).tokenVersion).toBe(1);
    expect(change({ password: "velvet orbit grain" }, "new")).toMatchObject({ tokenVersion: 2, passwordHash: "new" });
    expect(change({ is_active: false }).tokenVersion).toBe(2);
    expect(change({ role: "admin" }).tokenVersion).toBe(2);
  });

  it.each([
    [{}, "member"],
    [{ role: "admin" }, "admin"],
    [{ is_superuser: true }, "admin"],
    [{ role: "member", is_superuser: true }, "member"],
  ])("%j makes a member a(n) %s", (body, role) => expect(change(body).role).toBe(role));

  it.each([
    ["", undefined],
    [null, undefined],
    ["velvet orbit grain", "velvet orbit grain"],
  ])("takes the password %o as %o", (password, taken) =>
    expect(ProfileChanges.parse({ password }).password).toBe(taken),
  );

  it("knows no role or status where people change themselves", () => {
    expect(ProfileChanges.parse({ role: "admin", is_active: false, is_superuser: true, tokenVersion: 9 })).toEqual({});
  });

  it.each([
    { full_name: "" },
    { full_name: "  " },
    { full_name: "a\u202eb" },
    { full_name: "x".repeat(101) },
    { full_name: null },
    { email: null },
    { phone: "1\n2" },
    { avatar_url: "javascript:alert(1)" },
    { password: "short" },
    { role: "root" },
    { is_active: "yes" },
  ])("refuses %j", (body) => expect(UserChanges.safeParse(body).success).toBe(false));
});

it("makes an active member of a new user unless told otherwise", () => {
  const draft = { email: "B@example.test", full_name: "B", password: "velvet orbit grain" };
  const made = (more: object) => draftedUser(UserDraft.parse({ ...draft, ...more }), user.id, "hash", at);
  expect(made({})).toMatchObject({
    email: "b@example.test",
    role: "member",
    isActive: true,
    phone: null,
    updatedAt: null,
  });
  expect(made({ role: "admin", is_active: false, phone: "1" })).toMatchObject({
    role: "admin",
    isActive: false,
    phone: "1",
  });
});
