import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isCommonPassword } from "../../functions/users/common-passwords.ts";
import { NewPassword } from "../../functions/users/password.ts";

describe("a common password", () => {
  it.each([
    "password",
    "Password1!",
    "P@ssw0rd",
    "ＰＡＳＳＷＯＲＤ",
    "Admin@2024",
    "letmein1",
    "trustno1",
    "woaini1314",
    "iloveyou",
    "12345678",
    "87654321",
    "88888888",
    "123123123",
    "1qaz2wsx",
    "qwer1234",
    "abcd4321",
    "qwertyuiop",
  ])("is refused: %s", (password) => {
    expect(isCommonPassword(password)).toBe(true);
    expect(NewPassword.safeParse(password).error?.issues[0]?.message).toBe("该密码过于常见，请换一个");
  });

  it.each([
    "correct horse battery",
    "tr0ub4dor&3",
    "kX9$mQ2!vb",
    "mein Hund heisst Rex",
    "92$%73#84723test!8472^9931",
    "我的密码很长也很好记",
  ])("is not %s", (password) => {
    expect(isCommonPassword(password)).toBe(false);
    expect(NewPassword.parse(password)).toBe(password);
  });

  it("is hardly ever a random one", () => {
    const random = fc.string({ unit: fc.constantFrom(..."abcdefghijklmnopqrstuvwxyz0123456789"), minLength: 14 });
    fc.assert(
      fc.property(
        random.filter((text) => new Set(text).size > 6),
        (text) => !isCommonPassword(text),
      ),
    );
  });
});

describe("a new password", () => {
  it("is measured in bytes after normalisation", () => {
    const accepts = (password: string) => NewPassword.safeParse(password).success;
    expect(accepts("kX9$mQ2")).toBe(false);
    expect(accepts("密码吗")).toBe(true); // nine bytes
    expect(accepts("ｋＸ９＄ｍＱ２")).toBe(false); // 21 bytes as sent, seven as compared
    expect(accepts("kX9$mQ2!".repeat(128))).toBe(true);
    expect(accepts(`${"kX9$mQ2!".repeat(128)}x`)).toBe(false);
  });
});
